"""The node agent on hollow nodes against a real API server: registration, heartbeats, phases, deletion, refusal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from nodeagent import process
from nodeagent.config import RuntimeKind, Settings
from steersman.api import codec
from steersman.api.coordination import Lease
from steersman.api.core import Event, Node, Pod, PodCondition
from steersman.api.errors import NotFound
from steersman.base.values import Duration
from steersman.client import client
from steersman.client.client import Client
from steersman.client.watching import Change
from tests.apiserverprocess import api_server_process
from tests.builders import make_pod
from tests.eventually import eventually

pytestmark = pytest.mark.timeout(180)

WITHIN = 60.0


@asynccontextmanager
async def hollow_nodes(api: Client, folder: Path, count: int = 1) -> AsyncIterator[None]:
    settings = Settings(
        server=("127.0.0.1:1",),
        node_name="hollow",
        runtime=RuntimeKind.HOLLOW,
        nodes=count,
        insecure=True,
        data_dir=folder / "node",
        node_ip=("192.0.2.1",),
        heartbeat_interval=Duration(0.2),
    )
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(process.serve(settings, api))
        yield
        serving.cancel()


@pytest.fixture
async def node(api: Client, tmp_path: Path) -> AsyncIterator[str]:
    """The name of a node that is ready."""
    async with hollow_nodes(api, tmp_path):
        await eventually(lambda: is_ready(api, "hollow-0"), within=WITHIN)
        yield "hollow-0"


async def is_ready(api: Client, name: str) -> bool:
    """Registered, and with its first sign of life."""
    try:
        found = await api.of(Node).get(name)
        await api.of(Lease).get(name, "kube-node-lease")
    except NotFound:
        return False
    return any(each.type == "Ready" and each.status == "True" for each in found.status.conditions)


async def create(api: Client, name: str, node: str, **spec: Any) -> Pod:
    fields = {"automountServiceAccountToken": False, **spec}
    written = await api.raw(Pod).create(make_pod(name, node=node, spec=fields))
    return codec.load(Pod, written.object)


async def phase(api: Client, name: str) -> str:
    return (await api.of(Pod).get(name, "default")).status.phase


async def reaches(api: Client, name: str, wanted: str) -> Pod:
    async def there() -> Pod | None:
        found = await api.of(Pod).get(name, "default")
        return found if found.status.phase == wanted else None

    found = await eventually(there, within=WITHIN)
    assert found is not None
    return found


async def is_gone(api: Client, name: str) -> bool:
    try:
        await api.of(Pod).get(name, "default")
    except NotFound:
        return True
    return False


async def test_a_node_registers_and_shows_signs_of_life(api: Client, node: str) -> None:
    found = await api.of(Node).get(node)
    assert found.metadata.labels["kubernetes.io/hostname"] == node
    assert found.status.node_info.container_runtime_version == "hollow://"
    assert found.status.addresses[0].address == "192.0.2.1"
    assert found.status.allocatable["pods"] == "110"
    first = await api.of(Lease).get(node, "kube-node-lease")
    assert first.metadata.owner_references[0].uid == found.metadata.uid

    async def renewed() -> bool:
        return (await api.of(Lease).get(node, "kube-node-lease")).spec.renew_time != first.spec.renew_time

    await eventually(renewed, within=WITHIN)


async def test_a_deleted_node_comes_back(api: Client, node: str) -> None:
    before = await api.of(Node).get(node)
    await api.of(Node).delete(node)

    async def back() -> bool:
        try:
            return (await api.of(Node).get(node)).metadata.uid != before.metadata.uid
        except NotFound:
            return False

    await eventually(back, within=WITHIN)


@pytest.mark.parametrize(
    ("policy", "ends"), [("Always", "Running"), ("OnFailure", "Succeeded"), ("Never", "Succeeded")]
)
async def test_phases_by_restart_policy(api: Client, node: str, policy: str, ends: str) -> None:
    start = await create(api, "web", node, restartPolicy=policy)
    found = await reaches(api, "web", ends)
    assert found.status.host_ip == "192.0.2.1"
    assert found.status.container_statuses[0].restart_count == 0
    assert found.status.container_statuses[0].container_id.startswith("hollow://")
    # Between two writes a status may pass unseen, but none comes back.
    assert await _phases_since(api, start) in (["Pending", "Running", ends], ["Pending", ends])


async def _phases_since(api: Client, start: Pod) -> list[str]:
    """As a watch has recorded them, each once in a row, up to now."""
    newest = await api.of(Pod).get(start.metadata.name, "default")
    phases = [start.status.phase]
    async with api.of(Pod).watch(after=_revision(start), namespace="default") as events:
        async for event in events:
            if isinstance(event, Change):
                if event.object.status.phase != phases[-1]:
                    phases.append(event.object.status.phase)
                if event.object.metadata.resource_version == newest.metadata.resource_version:
                    return phases
    return phases


def _revision(pod: Pod) -> Any:
    return int(pod.metadata.resource_version)


async def test_init_containers_and_sidecars(api: Client, node: str) -> None:
    init = [
        {"name": "first", "image": "busybox"},
        {"name": "proxy", "image": "busybox", "restartPolicy": "Always"},
        {"name": "second", "image": "busybox"},
    ]
    await create(api, "web", node, initContainers=init, restartPolicy="Never")
    ended = await reaches(api, "web", "Succeeded")
    names = [each.name for each in ended.status.init_container_statuses]
    assert names == ["first", "proxy", "second"]
    assert all(each.state.terminated is not None for each in ended.status.init_container_statuses)


async def test_a_deleted_pod_goes(api: Client, node: str) -> None:
    await create(api, "web", node)
    await reaches(api, "web", "Running")
    await api.of(Pod).delete("web", "default")
    await eventually(lambda: is_gone(api, "web"), within=WITHIN)


async def test_a_pod_that_does_not_fit_is_refused(api: Client, node: str) -> None:
    containers = [{"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "1000"}}}]
    await create(api, "web", node, containers=containers)
    refused = await reaches(api, "web", "Failed")
    assert refused.status.reason == "OutOfcpu"
    assert refused.status.message.startswith(
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000000"
    )
    await api.of(Pod).delete("web", "default")
    await eventually(lambda: is_gone(api, "web"), within=WITHIN)


async def test_a_readiness_gate_keeps_a_pod_unready_until_its_owner_says_so(api: Client, node: str) -> None:
    await create(api, "web", node, readinessGates=[{"conditionType": "example.com/up"}])
    running = await reaches(api, "web", "Running")
    assert _condition(running, "Ready").reason == "ReadinessGatesNotReady"
    opened = PodCondition(type="example.com/up", status="True")
    newer = await api.of(Pod).get("web", "default")
    status = structs.replace(newer.status, conditions=(*newer.status.conditions, opened))
    await api.of(Pod).update_status(structs.replace(newer, status=status))

    async def ready() -> bool:
        return _condition(await api.of(Pod).get("web", "default"), "Ready").status == "True"

    await eventually(ready, within=WITHIN)


def _condition(pod: Pod, kind: str) -> PodCondition:
    return next(each for each in pod.status.conditions if each.type == kind)


async def test_nothing_is_written_when_nothing_changes(api: Client, node: str) -> None:
    await create(api, "web", node)
    await reaches(api, "web", "Running")
    pod, lease = await api.of(Pod).get("web", "default"), await api.of(Lease).get(node, "kube-node-lease")
    own = await api.of(Node).get(node)

    async def five_beats_later() -> bool:
        newer = await api.of(Lease).get(node, "kube-node-lease")
        return int(newer.metadata.resource_version) >= int(lease.metadata.resource_version) + 5

    await eventually(five_beats_later, within=WITHIN)
    assert (await api.of(Pod).get("web", "default")).metadata.resource_version == pod.metadata.resource_version
    newer = await api.of(Node).get(node)
    # The image of the pod is news for the node's status, which is looked at every few seconds.
    has_news = newer.status.images != own.status.images
    assert has_news or newer.metadata.resource_version == own.metadata.resource_version


async def test_events_tell_the_story(api: Client, node: str) -> None:
    await create(api, "web", node)
    await reaches(api, "web", "Running")

    async def told() -> bool:
        reasons = {each.reason for each in (await api.of(Event).list("default")).items}
        return {"Pulled", "Created", "Started"} <= reasons

    await eventually(told, within=WITHIN)


async def test_many_nodes_in_one_process(api: Client, tmp_path: Path) -> None:
    async with hollow_nodes(api, tmp_path, count=20):
        for number in range(20):
            await create(api, f"web-{number}", f"hollow-{number}")
        for number in range(20):
            await reaches(api, f"web-{number}", "Running")


async def test_an_api_server_that_is_away_for_a_while(tmp_path: Path) -> None:
    async with (
        api_server_process(data_dir=tmp_path / "api") as server,
        client.connect([server.grpc]) as api,
        hollow_nodes(api, tmp_path),
    ):
        await eventually(lambda: is_ready(api, "hollow-0"), within=WITHIN)
        await create(api, "short", "hollow-0", restartPolicy="Never")
        await create(api, "long", "hollow-0")
        await reaches(api, "long", "Running")
        await server.kill()
        await server.start()
        await reaches(api, "short", "Succeeded")
        await create(api, "later", "hollow-0")
        await reaches(api, "later", "Running")
        assert (await api.of(Pod).get("long", "default")).status.container_statuses[0].restart_count == 0
