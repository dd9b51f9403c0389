"""A garbage collector that knows no kind beforehand: everything it collects it has found by asking the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from controller_manager.controllers.garbagecollector.collecting import Collecting
from controller_manager.controllers.garbagecollector.controller import GarbageCollector
from steersman.api.apps import ReplicaSet
from steersman.api.core import ConfigMap, Pod
from steersman.base.clock import SystemClock
from steersman.client.client import Client
from steersman.client.requests import Propagation
from steersman.control.barrier import Barrier
from steersman.control.workqueue import WorkQueue
from steersman.control.writes import Tracked
from tests import builders
from tests.eventually import eventually
from tests.integration.controlling import Notes

WITHIN = 30


@pytest.fixture(autouse=True)
async def collecting(api: Client) -> AsyncIterator[None]:
    clock = SystemClock()
    queue: Any = WorkQueue(clock)
    collector = GarbageCollector(lambda kind: Tracked(api.of(kind)), Notes())
    work = Collecting(api, collector, queue, Barrier({}), clock)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(work.run())
        yield
        running.cancel()


@pytest.mark.parametrize("propagation", [Propagation.BACKGROUND, Propagation.FOREGROUND, Propagation.ORPHAN])
async def test_kinds_that_discovery_lists_are_collected(api: Client, propagation: Propagation) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    await api.raw(ReplicaSet).create(builders.make("ReplicaSet", "owner", api_version="apps/v1", spec=spec))
    owner = await api.of(ReplicaSet).get("owner", "default")
    reference = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "owner",
        "uid": owner.metadata.uid,
        "blockOwnerDeletion": True,
    }
    await api.raw(Pod).create(builders.make_pod("child", ownerReferences=[reference]))
    await api.raw(ConfigMap).create(builders.make_configmap("child", ownerReferences=[reference]))
    await api.of(ReplicaSet).delete("owner", "default", propagation=propagation)

    async def owner_gone() -> bool:
        return not (await api.of(ReplicaSet).list("default")).items

    await eventually(owner_gone, within=WITHIN)

    async def left() -> list[int]:
        found = [(await api.of(Pod).list("default")).items, (await api.of(ConfigMap).list("default")).items]
        return [sum(each.metadata.name == "child" for each in items) for items in found]

    async def as_asked() -> bool:
        return await left() == ([1, 1] if propagation is Propagation.ORPHAN else [0, 0])

    await eventually(as_asked, within=WITHIN)
    if propagation is Propagation.ORPHAN:
        assert (await api.of(Pod).get("child", "default")).metadata.owner_references == ()
