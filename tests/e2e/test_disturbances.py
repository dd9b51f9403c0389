"""What happens to pods when something around them breaks: nothing that must not, and then they are put right."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from nodeagent.runtime.docker import naming
from steersman.api.apps import Deployment
from steersman.api.core import Pod
from tests import dockerengine
from tests.dockerengine import Engine
from tests.e2e import cluster as clusters
from tests.e2e.cluster import POLITE, WITHIN, Cluster
from tests.eventually import eventually

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(300)]


def polite(name: str, **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "busybox:1.36", "command": ["/bin/sh", "-c", POLITE]}
    fields = {"terminationGracePeriodSeconds": 1, "containers": [container], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": fields}


def deployment(name: str, replicas: int) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": name}}, "spec": polite(name)["spec"]}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def container_id(pod: Pod) -> str:
    return pod.status.container_statuses[0].container_id.removeprefix("docker://")


@pytest.fixture
async def alone(docker_engine: Engine, tmp_path: Path) -> AsyncIterator[Cluster]:
    async with clusters.running(docker_engine, tmp_path, ["node-a"]) as started:
        yield started


async def test_a_container_killed_from_outside_is_started_again(alone: Cluster) -> None:
    await alone.create(polite("victim"))
    before = await alone.ready("victim")
    await alone.docker("kill", container_id(before))

    async def is_back() -> bool:
        after = (await alone.pod("victim")).status.container_statuses[0]
        return after.restart_count == 1 and after.ready and after.container_id != f"docker://{container_id(before)}"

    await eventually(is_back, within=WITHIN)


async def test_an_api_server_that_is_away_takes_no_pod_down(alone: Cluster) -> None:
    """And what happened meanwhile is told when it is back."""
    await alone.create(polite("steady"))
    once = polite("once", restartPolicy="Never")
    once["spec"]["containers"][0]["command"] = ["/bin/sh", "-c", "while ! test -e /tmp/end; do sleep 0.1; done; exit 4"]
    await alone.create(once)
    steady, ending = await alone.ready("steady"), await alone.ready("once")
    await alone.server.kill()
    await alone.run_in(ending, "touch /tmp/end")

    async def has_ended() -> bool:
        return await alone.docker("inspect", "--format={{.State.Status}}", container_id(ending)) == "exited"

    await eventually(has_ended, within=WITHIN)
    await alone.server.start()

    async def is_told() -> bool:
        ended = (await alone.pod("once")).status.container_statuses[0].state.terminated
        return ended is not None and ended.exit_code == 4

    await eventually(is_told, within=WITHIN)
    after = await alone.ready("steady")
    assert (container_id(after), after.status.container_statuses[0].restart_count) == (container_id(steady), 0)


async def test_a_pod_deleted_while_its_agent_was_down_is_stopped_when_it_returns(alone: Cluster) -> None:
    for name in ("keep", "drop", "forced"):
        await alone.create(polite(name))
    kept, _, _ = [await alone.ready(name) for name in ("keep", "drop", "forced")]
    await alone.agents["node-a"].kill()
    await alone.delete("drop")
    await alone.delete("forced", grace_period_seconds=0)
    await alone.agents["node-a"].start()
    await alone.gone("drop")
    for name in ("drop", "forced"):

        async def is_clean(name: str = name) -> bool:
            return await alone.containers(f"label={naming.POD}={name}") == []

        await eventually(is_clean, within=WITHIN)
    after = await alone.ready("keep")
    assert (container_id(after), after.status.container_statuses[0].restart_count) == (container_id(kept), 0)


async def test_an_engine_that_restarts_gets_its_pods_back(tmp_path: Path) -> None:
    with dockerengine.private_engine() as engine:
        async with clusters.running(engine, tmp_path, ["node-a"]) as cluster:
            await cluster.create(polite("again"))
            once = polite("once", restartPolicy="Never")
            once["spec"]["containers"][0]["command"] = ["/bin/true"]
            await cluster.create(once)
            before = await cluster.ready("again")

            async def has_ended() -> bool:
                return (await cluster.pod("once")).status.phase == "Succeeded"

            await eventually(has_ended, within=WITHIN)
            await asyncio.to_thread(engine.stop)
            await asyncio.to_thread(engine.start)

            async def is_back() -> bool:
                after = (await cluster.pod("again")).status.container_statuses[0]
                return after.ready and after.restart_count >= 1 and after.container_id[9:] != container_id(before)

            await eventually(is_back, within=WITHIN)
            assert await has_ended()


async def test_a_lost_node_is_replaced_and_returns_without_twins(docker_engine: Engine, tmp_path: Path) -> None:
    """Three nodes; one dies with its containers."""
    nodes = ["node-a", "node-b", "node-c"]
    async with clusters.running(docker_engine, tmp_path, nodes) as cluster:
        await cluster.create(deployment("many", 6))

        async def all_ready(*without: str) -> bool:
            found = await cluster.api.of(Deployment).get("many", "default")
            pods = [pod for pod in await cluster.pods(app="many") if pod.metadata.deletion_timestamp is None]
            assert found.status.available_replicas == 6, f"{found.status}"
            assert len(pods) == 6
            assert not {pod.spec.node_name for pod in pods} & {*without}
            return True

        await eventually(all_ready, within=WITHIN)
        lost = (await cluster.pods(app="many"))[0].spec.node_name
        await cluster.agents[lost].kill()
        await cluster.docker("kill", *await cluster.containers(f"label={naming.NODE}={lost}", "status=running"))
        await eventually(lambda: all_ready(lost), within=WITHIN)
        await cluster.agents[lost].start()

        async def is_settled() -> bool:
            running = await cluster.containers("status=running", f"label={naming.CONTAINER}=main")
            pods = await cluster.pods(app="many")
            assert len(running) == len(pods) == 6, f"{len(running)} containers of {len(pods)} pods"
            return True

        await eventually(is_settled, within=WITHIN)
        await cluster.nodes_ready(*nodes)
