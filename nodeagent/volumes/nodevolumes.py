"""All volumes of the pods on one node: made before a pod starts, kept current while it runs, taken away afterwards.

Files that come from the API follow it: a ConfigMap that changes is seen in its volumes at once, a pod's new label too,
and a token is replaced before it expires. An agent that starts again takes up what earlier ones have made.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from nodeagent.downward import Place
from nodeagent.phase import FINISHED
from nodeagent.volumes import atomicfolder, claims, hostfolders, ownership, payload
from nodeagent.volumes.interface import Folder, Prepared, Source, VolumeProblem, empty_dir_folder, pod_folder
from nodeagent.volumes.references import Reference, References
from nodeagent.volumes.shelf import Shelf
from nodeagent.volumes.tokens import Tokens
from steersman.api.core import ConfigMap, Node, PersistentVolumeClaimVolumeSource, Pod, Secret, Volume
from steersman.api.names import Uid
from steersman.base import log
from steersman.base.clock import Clock
from steersman.client.client import Client
from steersman.client.informer import Informer

RETRY_SECONDS = 10.0
"""After files could not be brought up to date, or a token not be replaced."""

_log = log.get("volumes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Premises:
    """The machine: `data_dir` is what the engine sees under the same path, `root` where the machine's files are.

    `memory_dir` is in memory, and seen by the engine as well; None: there is no such place.
    """

    data_dir: Path
    memory_dir: Path | None = None
    root: Path
    addresses: tuple[str, ...]
    node: Callable[[], Node | None]

    def folders(self, uid: str) -> list[Path]:
        """Where things of a pod may be; the secret ones first."""
        places = (self.memory_dir, self.data_dir)
        return [pod_folder(place, uid) for place in places if place is not None]


class NodeVolumes:
    def __init__(self, api: Client, premises: Premises, clock: Clock) -> None:
        self._premises = premises
        self._clock = clock
        self._tokens = Tokens(api, clock)
        self._shelf = Shelf(api, self._tokens)
        self._references = References(api, clock, self._wake)
        self._live: dict[Uid, Pod] = {}
        self._locks: dict[Uid, asyncio.Lock] = {}
        self._due: dict[Uid, float] = {}
        self._woken = asyncio.Event()

    async def prepare(self, pod: Pod) -> Prepared:
        uid = Uid(pod.metadata.uid)
        async with self._lock(uid):
            self._references.follow(uid, referenced(pod))  # before reading: what changes from now on is heard of
            sources = {volume.name: await self._source(pod, volume) for volume in used(pod)}
            self._live[uid] = pod
            self._plan(uid)
        return Prepared(sources)

    async def release(self, uid: Uid) -> None:
        self._drop(uid)
        async with self._lock(uid):
            for folder in self._premises.folders(uid):
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        self._locks.pop(uid, None)

    async def run(self, pods: Informer[Pod]) -> None:
        """Keep files current, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._references.run())
            pods.on_change(self._on_change)
            while True:
                self._woken.clear()
                await self._refresh_due()
                await self._rest()

    # --- Making

    async def _source(self, pod: Pod, volume: Volume) -> Source:
        try:
            if volume.persistent_volume_claim is not None:
                return await self._claimed(pod, volume.name, volume.persistent_volume_claim)
            if payload.has_files(volume):
                return await self._filled(pod, volume)
            return await asyncio.to_thread(self._local, pod, volume)
        except (VolumeProblem, OSError) as problem:
            if isinstance(problem, _Told):
                raise
            raise _Told(f'MountVolume.SetUp failed for volume "{volume.name}" : {problem}') from problem

    def _local(self, pod: Pod, volume: Volume) -> Source:
        if volume.empty_dir is not None:
            path = empty_dir_folder(self._premises.data_dir, pod.metadata.uid, volume.name)
            return hostfolders.empty_dir(volume.name, volume.empty_dir, path, payload.group_of(pod))
        if volume.host_path is not None:
            return hostfolders.host_path(volume.host_path, self._premises.root)
        raise VolumeProblem("this node has no volumes of that kind")

    async def _filled(self, pod: Pod, volume: Volume) -> Folder:
        node = self._premises.node()
        allocatable = dict(node.status.allocatable) if node is not None else {}
        place = Place(self._premises.addresses, [each.ip for each in pod.status.pod_ips], allocatable)
        contents = await self._shelf.contents(pod, payload.needed(volume), place)
        files = payload.files(pod, volume, contents)
        path, group = await asyncio.to_thread(self._files_of, pod, volume), payload.group_of(pod)
        if await asyncio.to_thread(atomicfolder.write, path, files, group, self._clock.now()):
            _log.debug("volume written", pod=pod.metadata.name, volume=volume.name)
        return Folder(path, read_only=True)

    async def _claimed(self, pod: Pod, name: str, source: PersistentVolumeClaimVolumeSource) -> Folder:
        meta = pod.metadata
        try:
            volume = await self._shelf.claimed(meta.namespace, source.claim_name)
            wanted = claims.folder(volume, name)
        except VolumeProblem as problem:
            state = f"unmounted volumes=[{name}], unattached volumes=[], failed to process volumes=[{name}]"
            why = f"error processing PVC {meta.namespace}/{source.claim_name}: {problem}"
            raise _Told(f"Unable to attach or mount volumes: {state}: {why}") from problem
        told = volume.metadata.name
        try:
            claims.check_reachable(volume, self._premises.node())
        except VolumeProblem as problem:
            raise _Told(f'MountVolume.NodeAffinity check failed for volume "{told}" : {problem}') from problem
        try:
            found = await asyncio.to_thread(hostfolders.host_path, wanted, self._premises.root)
            if volume.spec.local is not None:
                await asyncio.to_thread(self._hand_over, pod, found.path)
        except (VolumeProblem, OSError) as problem:
            raise _Told(f'MountVolume.SetUp failed for volume "{told}" : {problem}') from problem
        return Folder(found.path, read_only=source.read_only)

    def _hand_over(self, pod: Pod, path: Path) -> None:
        """A local volume is the pod's own, so its group gets it; a hostPath is the machine's."""
        group, context = payload.group_of(pod), pod.spec.security_context
        if group is None or context is None:
            return
        seen = self._premises.root / str(path).lstrip("/")
        is_lazy = context.fs_group_change_policy == "OnRootMismatch"
        if not is_lazy or not ownership.is_given(seen, group, ownership.READ_WRITE):
            ownership.give(seen, group, ownership.READ_WRITE)

    def _files_of(self, pod: Pod, volume: Volume) -> Path:
        """What an earlier agent has begun on disk stays there: containers have it mounted."""
        *memory, disk = [folder / "volumes" / "files" / volume.name for folder in self._folders(pod)]
        return memory[0] if memory and payload.is_private(volume) and not disk.exists() else disk

    def _folders(self, pod: Pod) -> list[Path]:
        return self._premises.folders(pod.metadata.uid)

    # --- Keeping current

    def _on_change(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            return
        uid = Uid(new.metadata.uid)
        if new.status.phase in FINISHED:
            self._drop(uid)
        elif uid in self._live:
            self._live[uid] = new
            if old is None or _shown(old) != _shown(new):
                self._wake(uid)
        elif any(self._files_of(new, volume).exists() for volume in used(new) if payload.has_files(volume)):
            self._live[uid] = new  # made by an earlier agent
            self._references.follow(uid, referenced(new))
            self._wake(uid)

    def _drop(self, uid: Uid) -> None:
        self._live.pop(uid, None)
        self._due.pop(uid, None)
        self._references.forget(uid)
        self._tokens.forget(uid)

    def _wake(self, uid: Uid) -> None:
        self._due[uid] = self._clock.monotonic()
        self._woken.set()

    def _plan(self, uid: Uid) -> None:
        """The next time that files are old even though nothing has changed."""
        at = self._tokens.refresh_at(uid)
        if at is not None and uid in self._live:
            seconds = max((at - self._clock.now()).total_seconds(), RETRY_SECONDS)
            self._due[uid] = self._clock.monotonic() + seconds
            self._woken.set()

    async def _refresh_due(self) -> None:
        now = self._clock.monotonic()
        for uid in [uid for uid, at in self._due.items() if at <= now]:
            async with self._lock(uid):
                self._due.pop(uid, None)
                await self._refresh(uid)

    async def _refresh(self, uid: Uid) -> None:
        pod = self._live.get(uid)
        if pod is None:
            return  # not made yet, or gone
        try:
            for volume in used(pod):
                if payload.has_files(volume):
                    await self._filled(pod, volume)
            self._plan(uid)
        except (VolumeProblem, OSError) as problem:
            _log.warning("cannot bring a volume up to date", pod=pod.metadata.name, uid=uid, reason=str(problem))
            self._due[uid] = self._clock.monotonic() + RETRY_SECONDS

    async def _rest(self) -> None:
        soonest = min(self._due.values(), default=None)
        seconds = None if soonest is None else max(soonest - self._clock.monotonic(), 0.0)
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return

    def _lock(self, uid: Uid) -> asyncio.Lock:
        """Making, refreshing and taking away the volumes of one pod happen one after the other."""
        return self._locks.setdefault(uid, asyncio.Lock())


class _Told(VolumeProblem):
    """A problem whose text says already which volume it is about."""


def used(pod: Pod) -> list[Volume]:
    """The volumes that some container mounts; nobody waits for the others."""
    spec = pod.spec
    mounted = {mount.name for each in (*spec.init_containers, *spec.containers) for mount in each.volume_mounts}
    mounted |= {mount.name for each in spec.ephemeral_containers for mount in each.volume_mounts}
    return [volume for volume in spec.volumes if volume.name in mounted]


def referenced(pod: Pod) -> Iterable[Reference]:
    namespace = pod.metadata.namespace
    for volume in used(pod):
        needed = payload.needed(volume)
        yield from (Reference(ConfigMap, namespace, name) for name in needed.config_maps)
        yield from (Reference(Secret, namespace, name) for name in needed.secrets)


def _shown(pod: Pod) -> tuple[object, ...]:
    """What a downwardAPI volume may show of a pod and can change while it runs."""
    meta = pod.metadata
    return meta.labels, meta.annotations, [each.resources for each in pod.spec.containers]
