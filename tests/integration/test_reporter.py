"""Status writes against a real API server: coalesced, never backwards, nothing twice, the last word before the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec import structs

from nodeagent.reporter import Reporter
from steersman.api import codec
from steersman.api.core import ContainerStatus, Pod, PodCondition, PodStatus
from steersman.api.errors import NotFound
from steersman.api.names import Revision
from steersman.base.clock import SystemClock
from steersman.client.client import Client
from steersman.client.watching import Change, ChangeType
from tests.builders import make_pod
from tests.eventually import eventually

WITHIN = 60.0


@asynccontextmanager
async def reporting(api: Client) -> AsyncIterator[Reporter]:
    reporter = Reporter(api.of(Pod), lambda _: None, SystemClock())
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(reporter.run())
        yield reporter
        running.cancel()


@pytest.fixture
async def pod(api: Client) -> Pod:
    spec = {"automountServiceAccountToken": False}
    return codec.load(Pod, (await api.raw(Pod).create(make_pod("web", node="node-1", spec=spec))).object)


async def current(api: Client) -> Pod:
    return await api.of(Pod).get("web", "default")


def status(phase: str = "Running", restarts: int = 0, ip: str = "") -> PodStatus:
    containers = (ContainerStatus(name="main", restart_count=restarts),)
    return PodStatus(phase=phase, qos_class="BestEffort", container_statuses=containers, message=ip)


async def states_since(api: Client, start: str) -> list[PodStatus]:
    """Every state of the pod that was written after a resourceVersion, up to now."""
    newest = (await current(api)).metadata.resource_version
    found: list[PodStatus] = []
    if newest == start:
        return found
    async with api.of(Pod).watch(after=Revision(int(start)), namespace="default") as events:
        async for event in events:
            if isinstance(event, Change):
                found.append(event.object.status)
                if event.object.metadata.resource_version == newest:
                    break
    return found


async def shows(api: Client, phase: str) -> None:
    async def there() -> bool:
        return (await current(api)).status.phase == phase

    await eventually(there, within=WITHIN)


async def test_only_the_newest_word_is_written(api: Client, pod: Pod) -> None:
    async with reporting(api) as reporter:
        for count in range(50):
            reporter.offer(pod, status(restarts=count))
        await shows(api, "Running")

        async def newest() -> bool:
            return (await current(api)).status.container_statuses[0].restart_count == 49

        await eventually(newest, within=WITHIN)
    assert len(await states_since(api, pod.metadata.resource_version)) <= 2


async def test_nothing_new_is_not_written(api: Client, pod: Pod) -> None:
    async with reporting(api) as reporter:
        reporter.offer(pod, status())
        await shows(api, "Running")
        before = (await current(api)).metadata.resource_version
        reporter.offer(pod, status())
        reporter.offer(pod, status("Succeeded"))
        await shows(api, "Succeeded")
    assert [each.phase for each in await states_since(api, before)] == ["Succeeded"]


async def test_what_others_wrote_meanwhile_is_kept(api: Client, pod: Pod) -> None:
    gate = PodCondition(type="example.com/up", status="True")
    labelled = structs.replace(pod, metadata=structs.replace(pod.metadata, labels={"a": "b"}))
    await api.of(Pod).update(labelled)
    newer = await current(api)
    await api.of(Pod).update_status(structs.replace(newer, status=structs.replace(newer.status, conditions=(gate,))))
    async with reporting(api) as reporter:
        reporter.offer(pod, status())
        await shows(api, "Running")
    found = await current(api)
    assert found.metadata.labels == {"a": "b"}
    assert any(each.type == "example.com/up" and each.status == "True" for each in found.status.conditions)


async def test_an_old_word_does_not_undo_a_newer_one(api: Client, pod: Pod) -> None:
    """Two agents of one name: the slower one has seen less."""
    async with reporting(api) as fast, reporting(api) as slow:
        fast.offer(pod, status("Failed", restarts=3))
        await shows(api, "Failed")
        slow.offer(pod, status("Running", restarts=1, ip="late"))
        slow.offer(pod, status("Running", restarts=1))
        await slow.forget(structs.replace(pod, metadata=structs.replace(pod.metadata, uid="another")))
        found = await current(api)
        assert found.status.phase == "Failed"
        assert found.status.container_statuses[0].restart_count == 3


async def test_the_last_word_comes_before_the_end(api: Client, pod: Pod) -> None:
    start = Revision(int(pod.metadata.resource_version))
    async with reporting(api) as reporter, api.of(Pod).watch(after=start, namespace="default") as events:
        await api.of(Pod).delete("web", "default", grace_period_seconds=30)
        reporter.offer(pod, status("Succeeded"))
        await reporter.forget(pod)
        with pytest.raises(NotFound):
            await current(api)
        async for event in events:
            if isinstance(event, Change) and event.type is ChangeType.DELETED:
                assert event.object.status.phase == "Succeeded"
                break


async def test_a_namesake_is_left_alone(api: Client, pod: Pod) -> None:
    await api.of(Pod).delete("web", "default", grace_period_seconds=0)
    spec = {"automountServiceAccountToken": False}
    await api.raw(Pod).create(make_pod("web", node="node-1", spec=spec))
    async with reporting(api) as reporter:
        reporter.offer(pod, status("Failed"))
        await reporter.forget(pod)
    assert (await current(api)).status.phase == "Pending"
