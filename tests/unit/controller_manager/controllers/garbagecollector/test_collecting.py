"""Kinds come and go while the garbage collector works."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

from controller_manager import sketches
from controller_manager.controllers.garbagecollector.collecting import DEFINITIONS, Collecting
from controller_manager.controllers.garbagecollector.controller import GarbageCollector
from controller_manager.controllers.garbagecollector.graph import Place
from controller_manager.sketches import Sketch
from steersman.api.errors import Unavailable
from steersman.api.kinds import ALL_VERBS, Kind
from steersman.api.meta import OwnerReference
from steersman.client.informer import Informer
from steersman.control.barrier import Barrier
from steersman.control.workqueue import WorkQueue
from steersman.pb.resources_pb2 import KindInfo
from tests.eventually import eventually
from tests.fakes.clock import FakeClock
from tests.unit.controller_manager.controllers.garbagecollector.world import KIND, Notes, make

CRD = next(kind for kind in sketches.BUILT_IN if kind.resource == DEFINITIONS)
WIDGET = KindInfo(
    group="example.com", version="v1", kind="Widget", resource="widgets", namespaced=True, verbs=ALL_VERBS
)
REVIEW = KindInfo(group="example.com", version="v1", kind="Review", resource="reviews", verbs=["create"])


class Silent:
    """A resource whose list never comes."""

    kind = KIND

    async def pages(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        await asyncio.Event().wait()
        yield


class Api:
    def __init__(self) -> None:
        self.served: list[KindInfo] = []
        self.away = False

    async def kinds(self) -> Sequence[KindInfo]:
        if self.away:
            raise Unavailable("away")
        return self.served

    def of(self, kind: Kind) -> Any:
        return Silent()


async def test_kinds_that_come_are_followed_and_those_that_go_are_not() -> None:
    api, clock = Api(), FakeClock()
    queue: Any = WorkQueue(clock)
    collector = GarbageCollector(lambda _: cast(Any, None), Notes())
    work = Collecting(cast(Any, api), collector, queue, Barrier({}), clock)
    definitions: Informer[Sketch] = Informer(api.of(CRD))
    changed = work.follow(CRD, definitions)

    def follows(kind: str) -> bool:
        reference = OwnerReference(api_version="example.com/v1", kind=kind, name="x", uid="x")
        return collector._graph.place_of_owner(reference, Place(KIND, "default", "child")) is not None

    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(work.run())
        assert not follows("Widget")
        api.served = [WIDGET, REVIEW]
        changed(None, make("widgets.example.com"))
        await eventually(lambda: follows("Widget"))
        assert not follows("Review"), "what cannot be listed, watched and deleted is nobody's owner"
        api.away = True
        changed(None, make("widgets.example.com"))
        await asyncio.sleep(0)
        assert follows("Widget"), "no answer is no reason to forget"
        api.away, api.served = False, []
        changed(make("widgets.example.com"), None)
        await eventually(lambda: not follows("Widget"))
        running.cancel()
