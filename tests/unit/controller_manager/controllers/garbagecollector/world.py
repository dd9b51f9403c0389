"""A server of two kinds, and a collector that sees each of them late: the real collector, no network."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from controller_manager import sketches
from controller_manager.controllers.garbagecollector.controller import GarbageCollector
from controller_manager.controllers.garbagecollector.graph import Place, Standing
from controller_manager.sketches import FOREGROUND, ORPHAN, Sketch, SketchedMeta
from steersman.api import times
from steersman.api.errors import Conflict, NotFound
from steersman.api.kinds import Kind
from steersman.api.meta import Object, OwnerReference
from steersman.api.names import Revision
from steersman.client.cache import Cache, ObjectKey
from steersman.client.requests import Deleted, PatchType, Propagation, Written

KIND, SECRET, NODE = (
    next(kind for kind in sketches.BUILT_IN if kind.kind == name) for name in ("ConfigMap", "Secret", "Node")
)
LATER = times.time("2030-01-01T00:00:00Z")
HOLD = "example.com/hold"
_FINALIZER = {Propagation.ORPHAN: (ORPHAN,), Propagation.FOREGROUND: (FOREGROUND,)}


def refers_to(name: str, *, blocking: bool = False, kind: str = "ConfigMap", uid: str = "") -> OwnerReference:
    return OwnerReference(
        api_version="v1", kind=kind, name=name, uid=uid or f"{name}-uid", block_owner_deletion=blocking
    )


def make(
    name: str, *owners: OwnerReference, leaving: bool = False, finalizers: tuple[str, ...] = (), uid: str = ""
) -> Sketch:
    return Sketch(
        metadata=SketchedMeta(
            name=name,
            namespace="default",
            uid=uid or f"{name}-uid",
            resource_version="1",
            owner_references=owners,
            finalizers=finalizers,
            deletion_timestamp=LATER if leaving else None,
        )
    )


def kind_of(name: str) -> Kind:
    """In a World, every other letter names a Secret."""
    return KIND if ord(name[0]) % 2 else SECRET


def standing(sketch: Sketch) -> Standing:
    return Standing(Place(KIND, sketch.metadata.namespace, sketch.metadata.name), sketch)


class Server:
    """What the collector asks of Tracked, and what it does to finalizers and preconditions."""

    def __init__(self) -> None:
        self.objects: dict[str, Sketch] = {}
        self.revision = 0
        self.changes: dict[Kind, deque[tuple[int, str, Sketch | None]]] = {KIND: deque(), SECRET: deque()}

    def put(self, value: Sketch) -> Sketch:
        self.revision += 1
        value = replace(value, metadata=replace(value.metadata, resource_version=str(self.revision)))
        held = bool(value.metadata.finalizers) or not sketches.is_leaving(value)
        name = value.metadata.name
        if held:
            self.objects[name] = value
        else:
            self.objects.pop(name, None)
        self.changes[kind_of(name)].append((self.revision, name, value if held else None))
        return value

    async def get(self, name: str, namespace: str = "") -> Sketch:
        if name not in self.objects:
            raise NotFound(name)
        return self.objects[name]

    async def patch(self, name: str, namespace: str, patch: bytes, type: PatchType) -> Written[Sketch]:
        wanted = msgspec.json.decode(patch)["metadata"]
        present = await self.get(name)
        self._check(present, wanted["uid"], wanted["resourceVersion"])
        changed = present.metadata
        if "ownerReferences" in wanted:
            left = msgspec.convert(wanted["ownerReferences"], tuple[OwnerReference, ...])
            changed = replace(changed, owner_references=left)
        if "finalizers" in wanted:
            changed = replace(changed, finalizers=tuple(wanted["finalizers"]))
        written = self.put(replace(present, metadata=changed))
        return Written(written, Revision(self.revision), gone=name not in self.objects)

    async def delete(
        self, name: str, namespace: str, *, uid: str, resource_version: str, propagation: Propagation
    ) -> Deleted[Sketch]:
        self._check(await self.get(name), uid, resource_version)
        return self.remove(name, propagation)

    def remove(self, name: str, propagation: Propagation) -> Deleted[Sketch]:
        meta = self.objects[name].metadata
        others = tuple(each for each in meta.finalizers if each not in (ORPHAN, FOREGROUND))
        finalizers = others + _FINALIZER.get(propagation, ())
        marked = replace(meta, finalizers=finalizers, deletion_timestamp=LATER)
        if marked != meta:
            self.put(replace(self.objects[name], metadata=marked))
        return Deleted(None, Revision(self.revision), gone=name not in self.objects)

    @staticmethod
    def _check(present: Sketch, uid: str, version: str) -> None:
        if (present.metadata.uid, present.metadata.resource_version) != (uid, version):
            raise Conflict("changed")


class Notes:
    def __init__(self) -> None:
        self.told: list[str] = []

    def normal(self, about: Object, reason: str, message: str) -> None:
        self.told.append(reason)

    def warning(self, about: Object, reason: str, message: str) -> None:
        self.told.append(reason)


class Follower:
    """Stands for an informer: changes reach its cache one by one, when told to."""

    def __init__(self, kind: Kind, world: World) -> None:
        self.cache: Cache[Sketch] = Cache()
        self._kind = kind
        self._world = world

    @property
    def revision(self) -> Revision:
        return self.cache.revision

    async def reached(self, revision: Revision) -> None:
        while self._world.server.changes[self._kind] and self.revision < revision:
            self.see()

    def see(self) -> None:
        """Let the cache take in the next change."""
        revision, name, value = self._world.server.changes[self._kind].popleft()
        difference = self.cache.put(value) if value is not None else self.cache.drop(ObjectKey("default", name))
        self.cache.revision = Revision(revision)
        self._world.queue.update(dict.fromkeys(self._world.collector.changed(self._kind, *difference)))


class World:
    """Keys wait in `queue` until they are looked at."""

    def __init__(self) -> None:
        self.server = Server()
        self.queue: dict[ObjectKey, None] = {}
        self.collector = GarbageCollector(lambda _: cast(Any, self.server), Notes())
        self._followers = {kind: Follower(kind, self) for kind in (KIND, SECRET)}
        for kind, follower in self._followers.items():
            self.collector.follow(kind, cast(Any, follower))

    async def step(self, random: Random) -> bool:
        """See one change, or make one pass over one key. False: there is nothing to see or to do."""
        behind = [self._followers[kind] for kind, changes in self.server.changes.items() if changes]
        if behind and (not self.queue or random.random() < 0.5):
            (behind[0] if random.random() < 0.9 else behind[-1]).see()  # so one kind is often far behind the other
            return True
        if not self.queue:
            return False
        key = random.choice(list(self.queue))
        del self.queue[key]
        try:
            await self.collector.reconcile(key)
        except Conflict:
            self.queue[key] = None
        return True

    async def settle(self, random: Random, *, most: int = 5_000) -> None:
        """Until nothing is left to see or to do, in any order."""
        for _ in range(most):
            if not await self.step(random):
                return
        raise AssertionError("does not come to rest")
