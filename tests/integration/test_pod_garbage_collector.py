"""The pod garbage collector against a real API server, with a quarantine short enough to wait for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from controller_manager.controllers import podgc
from controller_manager.controllers.podgc import PodGarbageCollector
from steersman.api.core import Node, NodeCondition, Pod, PodStatus
from steersman.base.clock import Clock, SystemClock
from steersman.client.client import Client
from steersman.client.informer import Informer
from steersman.client.watching import Change
from steersman.control import loop
from steersman.control.barrier import Barrier
from steersman.control.loop import Loop
from steersman.control.workqueue import WorkQueue
from steersman.control.writes import Tracked
from tests import builders
from tests.eventually import eventually
from tests.fakes.clock import FakeClock
from tests.integration.replicas import create_node

WITHIN = 30
KEPT = 3
QUARANTINE_SECONDS = 0.2
TAINTED = b'{"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service","effect":"NoExecute","value":"x"}]}}'


@pytest.fixture
def clock() -> Clock:
    return SystemClock()


@pytest.fixture(autouse=True)
async def collecting(api: Client, clock: Clock) -> AsyncIterator[None]:
    pods: Informer[Pod] = Informer(api.of(Pod), indexes=podgc.INDEXES)
    nodes = Informer(api.of(Node))
    collector = PodGarbageCollector(
        Tracked(api.of(Pod)),
        Tracked(api.of(Node)),
        pod_cache=pods.cache,
        node_cache=nodes.cache,
        clock=clock,
        threshold=KEPT,
        quarantine_seconds=QUARANTINE_SECONDS,
    )
    queue: Any = WorkQueue(clock)
    loop.wake(queue, pods, collector.woken_by_pod)
    loop.wake(queue, nodes, collector.woken_by_node)
    async with asyncio.TaskGroup() as tasks:
        following = [tasks.create_task(informer.run()) for informer in (pods, nodes)]
        await pods.synced.wait()
        await nodes.synced.wait()
        working = tasks.create_task(Loop(collector, queue, Barrier({Pod: pods, Node: nodes})).run())
        yield
        for task in (*following, working):
            task.cancel()


async def names(api: Client) -> set[str]:
    return {pod.metadata.name for pod in (await api.of(Pod).list("default")).items}


async def is_gone(api: Client, name: str) -> None:
    async def nowhere() -> bool:
        return name not in await names(api)

    await eventually(nowhere, within=WITHIN)


async def create_pod(api: Client, name: str, *, node: str = "", phase: str = "", **fields: Any) -> Pod:
    await api.raw(Pod).create(builders.make_pod(name, node=node, **fields))
    pod = await api.of(Pod).get(name, "default")
    return (await api.of(Pod).update_status(replace(pod, status=PodStatus(phase=phase)))).object if phase else pod


async def test_pods_of_a_node_that_is_gone_fail_and_go(api: Client) -> None:
    for name in ("gone", "stays"):
        await create_node(api, name)
        await create_pod(api, f"on-{name}", node=name, phase="Running")
    revision = (await api.of(Pod).list("default")).revision
    await api.of(Node).delete("gone")
    await is_gone(api, "on-gone")
    assert await names(api) == {"on-stays"}
    states = []
    async with api.of(Pod).watch(after=revision, namespace="default", name="on-gone") as watch:
        async for event in watch:
            if isinstance(event, Change):
                states.append(event.object)
            if isinstance(event, Change) and event.type == "DELETED":
                break
    assert states[0].status.phase == "Failed"
    (condition,) = [each for each in states[0].status.conditions if each.type == "DisruptionTarget"]
    assert (condition.status, condition.reason) == ("True", "DeletionByPodGC")
    assert condition.message == "PodGC: node no longer exists"


@pytest.mark.parametrize("clock", [FakeClock()], ids=["a clock that stands still until the node is back"])
async def test_a_node_that_comes_back_in_time_keeps_its_pods(api: Client, clock: FakeClock) -> None:
    await create_pod(api, "early", node="late", phase="Running")
    await create_node(api, "late")
    await create_pod(api, "lost", node="never", phase="Running")

    async def lost_is_gone() -> bool:
        await clock.advance(QUARANTINE_SECONDS)
        return "lost" not in await names(api)

    await eventually(lost_is_gone, within=WITHIN)
    assert "early" in await names(api)


async def test_pods_that_are_going_on_a_node_out_of_service_go(api: Client) -> None:
    node = await create_node(api, "down")
    conditions = (NodeCondition(type="Ready", status="Unknown"),)
    await api.of(Node).update_status(replace(node, status=replace(node.status, conditions=conditions)))
    for name in ("going", "staying"):
        await create_pod(api, name, node="down", phase="Running")
    await api.of(Pod).delete("going", "default")
    assert (await api.of(Pod).get("going", "default")).metadata.deletion_grace_period_seconds == 30
    await api.of(Node).patch("down", "", TAINTED)
    await is_gone(api, "going")
    assert await names(api) == {"staying"}


async def test_a_pod_that_is_going_without_a_node_is_failed_for_whoever_holds_it(api: Client) -> None:
    await create_pod(api, "held", finalizers=["example.com/counts-failures"])
    await api.of(Pod).delete("held", "default")

    async def failed() -> bool:
        return (await api.of(Pod).get("held", "default")).status.phase == "Failed"

    await eventually(failed, within=WITHIN)
    await api.of(Pod).patch("held", "default", b'{"metadata":{"finalizers":null}}')
    await is_gone(api, "held")


async def test_finished_pods_beyond_the_threshold_go(api: Client) -> None:
    await create_node(api, "n1")
    for number in range(KEPT + 4):
        await create_pod(api, f"done-{number}", node="n1", phase="Succeeded")
    await create_pod(api, "running", node="n1", phase="Running")

    async def few() -> bool:
        return len(await names(api)) == KEPT + 1

    await eventually(few, within=WITHIN)
    assert "running" in await names(api)
