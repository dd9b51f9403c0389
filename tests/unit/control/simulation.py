"""A small world for the control loop: a server whose answers can be lost, a cache that lags, and a controller that
keeps a number of ConfigMaps. The client's resource, the tracked writes, the barrier and the loop are the real ones."""

from __future__ import annotations

import asyncio
import itertools
from enum import Enum, auto
from typing import Any, cast

from google.protobuf.message import Message
from msgspec.structs import replace

from steersman.api import codec, kinds
from steersman.api.core import ConfigMap
from steersman.api.errors import AlreadyExists, Expired, NotFound, Unavailable
from steersman.api.kinds import Kind
from steersman.api.meta import ObjectMeta, OwnerReference
from steersman.api.names import Revision
from steersman.client import requests
from steersman.client.cache import Cache, ObjectKey, key_of
from steersman.client.client import Resource
from steersman.client.requests import PLAIN
from steersman.client.retrying import Failed, Fate, Repeater
from steersman.control.loop import DONE, Outcome
from steersman.control.writes import Tracked
from steersman.pb import objects_pb2, resources_pb2
from tests.fakes.clock import FakeClock

OWNER = OwnerReference(api_version="v1", kind="ConfigMap", name="owner", uid="owner-uid", controller=True)
KEY = ObjectKey("default", "owner")


def configmaps() -> Kind:
    kind = kinds.by_resource("", "configmaps")
    assert kind is not None
    return kind


class Fault(Enum):
    NONE = auto()
    LOST_REQUEST = auto()
    LOST_ANSWER = auto()
    UNAVAILABLE = auto()


class Server:
    """Objects of one kind, and the log of their changes. `faults` befall the next calls, one each."""

    def __init__(self) -> None:
        self.revision = Revision(1)
        self.objects: dict[str, ConfigMap] = {}
        self.log: list[tuple[Revision, str, ConfigMap | None]] = []
        self.faults: list[Fault] = []
        self.most = 0
        self._uids = itertools.count(1)

    async def carry(self, method: str, request: Message, _: float) -> Message:
        await asyncio.sleep(0)
        fault = self.faults.pop(0) if self.faults else Fault.NONE
        if fault is Fault.UNAVAILABLE:
            raise Failed(Unavailable("busy"), Fate.UNTOUCHED)
        if fault is Fault.LOST_REQUEST:
            raise Failed(Unavailable("cut"), Fate.LOST)
        answer = getattr(self, method.lower())(request)
        if fault is Fault.LOST_ANSWER:
            raise Failed(Unavailable("cut"), Fate.LOST)
        if isinstance(answer, Failed):
            raise answer
        return cast(Message, answer)

    def create(self, request: Any) -> Message | Failed:
        new = codec.load(ConfigMap, request.json)
        name = new.metadata.name
        if name in self.objects:
            return Failed(AlreadyExists(name, revision=self.revision), Fate.REFUSED)
        created = self._store(replace(new, metadata=replace(new.metadata, uid=f"uid-{next(self._uids)}")))
        return resources_pb2.WriteReply(object=self._envelope(created), created=True)

    def update(self, request: Any) -> Message | Failed:
        """Only ever one that changes nothing."""
        present = self.objects.get(request.target.name)
        if present is None:
            return Failed(NotFound("gone", revision=self.revision), Fate.REFUSED)
        return resources_pb2.WriteReply(object=self._envelope(present))

    def delete(self, request: Any) -> Message | Failed:
        present = self.objects.get(request.target.name)
        if present is None or request.delete.uid not in ("", present.metadata.uid):
            return Failed(NotFound("gone", revision=self.revision), Fate.REFUSED)
        self.remove(request.target.name)
        return resources_pb2.WriteReply(status=objects_pb2.Status(code=200, revision=self.revision))

    def get(self, request: Any) -> Message | Failed:
        present = self.objects.get(request.target.name)
        if present is None:
            return Failed(NotFound("gone", revision=self.revision), Fate.REFUSED)
        return self._envelope(present)

    def list(self, _: Any) -> Message:
        return resources_pb2.ListReply(revision=self.revision)

    def remove(self, name: str) -> None:
        del self.objects[name]
        self.revision = Revision(self.revision + 1)
        self.log.append((self.revision, name, None))

    def touch(self) -> None:
        """A write of some other kind: the counter moves and no event of ours tells."""
        self.revision = Revision(self.revision + 1)

    def _store(self, value: ConfigMap) -> ConfigMap:
        self.revision = Revision(self.revision + 1)
        stored = replace(value, metadata=replace(value.metadata, resource_version=str(self.revision)))
        self.objects[value.metadata.name] = stored
        self.log.append((self.revision, value.metadata.name, stored))
        self.most = max(self.most, len(self.objects))
        return stored

    @staticmethod
    def _envelope(value: ConfigMap) -> objects_pb2.Object:
        return objects_pb2.Object(json=codec.encode(value), revision=int(value.metadata.resource_version))


class LaggingInformer:
    """Sees the server's changes when the test delivers them. `set_back`: the store has lost its past."""

    def __init__(self, server: Server) -> None:
        self.cache: Cache[ConfigMap] = Cache()
        self._server = server
        self._position = 0
        self._waiters: list[tuple[Revision, asyncio.Future[None]]] = []
        self.handlers: list[Any] = []

    @property
    def revision(self) -> Revision:
        return self.cache.revision

    async def reached(self, revision: Revision) -> None:
        if self.revision >= revision:
            return
        arrival: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((revision, arrival))
        await arrival

    def deliver(self, count: int) -> None:
        """The next changes; those who have all are told how far the server is."""
        for revision, name, value in self._server.log[self._position : self._position + count]:
            if value is None:
                self.cache.drop(ObjectKey("default", name))
            else:
                self.cache.put(value)
            self.cache.revision = revision
            self._position += 1
            self._tell()
        if self._position == len(self._server.log):
            self.cache.revision = max(self.cache.revision, self._server.revision)
            self._tell()

    def relist(self) -> None:
        self.cache.replace(self._server.objects.values())
        self.cache.revision = self._server.revision
        self._position = len(self._server.log)
        self._tell()

    def set_back(self, revision: Revision) -> None:
        self.cache.revision = revision
        waiters, self._waiters = self._waiters, []
        for _, arrival in waiters:
            arrival.set_exception(Expired("set back"))

    def _tell(self) -> None:
        for handler in self.handlers:
            handler()
        for revision, arrival in self._waiters:
            if revision <= self.revision and not arrival.done():
                arrival.set_result(None)
        self._waiters = [waiter for waiter in self._waiters if not waiter[1].done()]


class Keeper:
    """Keeps `wanted` children, under names that never repeat. Writes one of them unchanged each time."""

    name = "keeper"

    def __init__(self, cache: Cache[ConfigMap], children: Tracked[ConfigMap], wanted: int) -> None:
        self._cache = cache
        self._children = children
        self._wanted = wanted
        self._names = itertools.count(1)
        self.passes = 0

    async def reconcile(self, key: ObjectKey) -> Outcome:
        self.passes += 1
        seen = sorted(self._cache.list(), key=key_of)
        for child in seen[self._wanted :]:
            await self._children.delete(child.metadata.name, "default", uid=child.metadata.uid)
        if seen:
            await self._children.update(seen[0])
        for _ in range(self._wanted - len(seen)):
            meta = ObjectMeta(name=f"child-{next(self._names):04}", namespace="default", owner_references=(OWNER,))
            await self._children.create(ConfigMap(metadata=meta))
        return DONE


def resource_of(server: Server, clock: FakeClock) -> Resource[ConfigMap]:
    form = requests.typed(ConfigMap)
    return Resource(configmaps(), form, PLAIN, server.carry, Repeater(clock), cast(Any, None), clock)
