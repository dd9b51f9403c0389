"""Runs what is in the folder of static pods, and keeps a mirror of each in the API.

A pod begins when its mirror has first been shown, because the API fills in what the manifest leaves out. From then on
it runs whatever happens to the mirror, which is made again when somebody deletes it. It ends when its file goes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from nodeagent import staticpods
from nodeagent.staticpods import BadManifest, StaticPod
from steersman.api.core import Node, Pod
from steersman.api.errors import AlreadyExists, ApiError, NotFound
from steersman.api.names import Uid
from steersman.base import log
from steersman.base.clock import Clock
from steersman.client import cache
from steersman.client.cache import Cache
from steersman.client.client import Resource

POLL_SECONDS = 2.0

_log = log.get("mirrors")

Handler = Callable[[Pod | None, Pod | None], None]


class StaticPods:
    """`shown` are the pods of this node in the API. `loaded` is set when all that is in the folder has been begun."""

    def __init__(
        self, pods: Resource[Pod], shown: Cache[Pod], node: Callable[[], Node | None], folder: Path, clock: Clock
    ) -> None:
        self._pods = pods
        self._shown = shown
        self._node = node
        self._folder = folder
        self._clock = clock
        self._running: dict[Uid, Pod] = {}
        self._mirrors: dict[Uid, str] = {}
        self._handler: Handler | None = None
        self._complaints: dict[str, str] = {}
        self.loaded = asyncio.Event()

    def on_change(self, handler: Handler) -> None:
        """Call `handler` with each pod that should run (None, pod), again and again; that is to go (pod, None); that
        has a new mirror (pod, pod)."""
        self._handler = handler

    def addressee(self, pod: Pod) -> Pod | None:
        """The object in the API whose status is this pod's: for a static pod its mirror, if there is one."""
        if not staticpods.is_static(pod):
            return pod
        found = self._shown.get(cache.key_of(pod))
        is_ours = found is not None and found.metadata.annotations.get(staticpods.MIRROR) == pod.metadata.uid
        return found if is_ours else None

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self._round(await asyncio.to_thread(self._read))
                self.loaded.set()
            except ApiError as error:
                _log.warning("cannot show static pods", error=error.reason, reason=error.message)
            except OSError as error:
                _log.warning("cannot read static pods", folder=str(self._folder), reason=str(error))
            await self._clock.sleep(POLL_SECONDS)

    def _read(self) -> dict[Uid, StaticPod]:
        node, found = self._node(), {}
        if node is None:
            return {}
        for path in sorted(self._folder.iterdir()):
            if path.suffix not in staticpods.SUFFIXES or path.name.startswith("."):
                continue
            try:
                static = staticpods.read(path.read_bytes(), path.name, node.metadata.name)
            except BadManifest as problem:
                self._complain(path.name, str(problem))
                continue
            self._complaints.pop(path.name, None)
            found[static.uid] = static
        return found

    async def _round(self, wanted: Mapping[Uid, StaticPod]) -> None:
        for uid in [each for each in self._running if each not in wanted]:
            self._mirrors.pop(uid, None)
            self._tell(self._running.pop(uid), None)
        for mirror in [pod for pod in self._shown.list() if staticpods.is_mirror(pod)]:
            static = wanted.get(Uid(mirror.metadata.annotations[staticpods.MIRROR]))
            if static is None or not staticpods.shows(mirror, static):
                await self._remove(mirror)
        for static in wanted.values():
            try:
                await self._show(static)
            except ApiError as error:
                self._complain(static.manifest.metadata.name, error.message)

    async def _show(self, static: StaticPod) -> None:
        node, key = self._node(), cache.key_of(static.manifest)
        if node is None:
            return
        found = self._shown.get(key)
        if found is not None and staticpods.shows(found, static):
            self._begin(static, found)
            self._note(static.uid, found)
            return
        try:
            created = (await self._pods.create(staticpods.mirror(static, node))).object
        except AlreadyExists:
            return  # the one before it is still going, or our copy is behind: the next round sees
        self._begin(static, created)

    def _begin(self, static: StaticPod, shown: Pod) -> None:
        if static.uid not in self._running:
            self._running[static.uid] = staticpods.run_as(shown, static)
        self._tell(None, self._running[static.uid])

    def _note(self, uid: Uid, mirror: Pod) -> None:
        """A mirror that is new has to be told how its pod fares."""
        if self._mirrors.get(uid) != mirror.metadata.uid:
            self._mirrors[uid] = mirror.metadata.uid
            self._tell(self._running[uid], self._running[uid])

    async def _remove(self, mirror: Pod) -> None:
        meta = mirror.metadata
        try:
            await self._pods.delete(meta.name, meta.namespace, uid=meta.uid, grace_period_seconds=0)
        except NotFound:
            return

    def _tell(self, old: Pod | None, new: Pod | None) -> None:
        if self._handler is not None:
            self._handler(old, new)

    def _complain(self, about: str, reason: str) -> None:
        """Once, until it is another reason."""
        if self._complaints.get(about) != reason:
            self._complaints[about] = reason
            _log.error("static pod refused", about=about, reason=reason)
