"""The loop, the barrier and tracked writes against a real API server: a controller keeps ConfigMaps of a ConfigMap."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

from msgspec.structs import replace

from steersman.api.core import ConfigMap, Event
from steersman.api.meta import ObjectMeta, OwnerReference
from steersman.base.clock import SystemClock
from steersman.client.cache import Cache, ObjectKey
from steersman.client.client import Client
from steersman.client.informer import Informer
from steersman.client.recorder import Recorder
from steersman.control import batches, writes
from steersman.control.barrier import Barrier
from steersman.control.loop import DONE, Loop, Outcome, wake
from steersman.control.workqueue import WorkQueue
from steersman.control.writes import Tracked
from tests.eventually import eventually

KEY = ObjectKey("default", "family")


class FamilyController:
    """As many children as the parent's `children` says."""

    name = "family"

    def __init__(self, cache: Cache[ConfigMap], written: Tracked[ConfigMap], recorder: Recorder) -> None:
        self._cache = cache
        self._written = written
        self._recorder = recorder
        self._names = itertools.count(1)

    async def reconcile(self, key: ObjectKey) -> Outcome:
        parent = self._cache.get(key)
        if parent is None or "children" not in parent.data:
            return DONE
        uid = parent.metadata.uid
        children = sorted(self._cache.by_index("owner", uid), key=lambda child: child.metadata.name)
        wanted = int(parent.data["children"])
        for child in children[wanted:]:
            await self._written.delete(child.metadata.name, key.namespace, uid=child.metadata.uid)
        await batches.slow_start([partial(self._create, parent)] * (wanted - len(children)))
        return DONE

    async def _create(self, parent: ConfigMap) -> None:
        of = parent.metadata
        owner = OwnerReference(api_version="v1", kind="ConfigMap", name=of.name, uid=of.uid, controller=True)
        meta = ObjectMeta(name=f"{of.name}-{next(self._names):04}", namespace=of.namespace, owner_references=(owner,))
        await self._written.create(ConfigMap(metadata=meta))
        self._recorder.normal(parent, "SuccessfulCreate", "Created a child")


def parents_of(value: ConfigMap) -> list[ObjectKey]:
    owners = [ObjectKey(value.metadata.namespace, owner.name) for owner in value.metadata.owner_references]
    return owners or [ObjectKey(value.metadata.namespace, value.metadata.name)]


@asynccontextmanager
async def controlling(api: Client) -> AsyncIterator[Informer[ConfigMap]]:
    clock = SystemClock()
    informer = Informer(
        api.of(ConfigMap), indexes={"owner": lambda value: filter(None, [writes.controller_uid(value)])}
    )
    queue: WorkQueue[ObjectKey] = WorkQueue(clock)
    wake(queue, informer, parents_of)
    recorder = Recorder(api.of(Event), "family-controller")
    controller = FamilyController(informer.cache, Tracked(api.of(ConfigMap)), recorder)
    loop = Loop(controller, queue, Barrier({ConfigMap: informer}), workers=4)
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(part.run()) for part in (informer, recorder)]
        await asyncio.wait_for(informer.synced.wait(), 30)
        running.append(tasks.create_task(loop.run()))
        try:
            yield informer
        finally:
            for task in running:
                task.cancel()


def counting(informer: Informer[ConfigMap], uid: str) -> Callable[[], int]:
    return lambda: len(informer.cache.by_index("owner", uid))


async def test_children_are_kept_and_never_one_too_many(api: Client) -> None:
    configmaps = api.of(ConfigMap)
    async with controlling(api) as informer:
        parent = (await configmaps.create(configmap(children="40"))).object
        most = 0

        def on_change(_: ConfigMap | None, __: ConfigMap | None) -> None:
            nonlocal most
            most = max(most, counting(informer, parent.metadata.uid)())

        informer.on_change(on_change)
        await eventually(lambda: counting(informer, parent.metadata.uid)() == 40)
        for victim in informer.cache.by_index("owner", parent.metadata.uid)[:10]:
            gone = await configmaps.delete(victim.metadata.name, "default")
            await informer.reached(gone.revision)
        await eventually(lambda: counting(informer, parent.metadata.uid)() == 40)
        assert most == 40

        await configmaps.update(replace(parent, data={"children": "3"}))
        await eventually(lambda: counting(informer, parent.metadata.uid)() == 3)


async def test_what_was_done_often_is_one_event_with_a_count(api: Client) -> None:
    async with controlling(api):
        await api.of(ConfigMap).create(configmap(children="12"))

        async def told() -> bool:
            events = (await api.of(Event).list("default", field_selector="reason=SuccessfulCreate")).items
            assert len(events) <= 1
            return [(event.count, event.involved_object.name) for event in events] == [(12, "family")]

        await eventually(told)


def configmap(**data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=KEY.name, namespace=KEY.namespace), data=data)
