"""Nodes that are lost, against a real API server: hollow ones in processes of their own, killed for good."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from controller_manager import pods
from steersman.api.apps import ReplicaSet
from steersman.api.core import Event, Node, Pod
from steersman.base.values import Duration
from steersman.client import client
from steersman.client.client import Client
from steersman.client.requests import PatchType
from tests import builders, hollownodes
from tests.apiserverprocess import ApiServerProcess, api_server_process
from tests.eventually import eventually
from tests.integration.replicas import replica_running

WITHIN = 60
CONTROLLERS = ("nodelifecycle", "tainteviction", "replicaset", "scheduler")

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ApiServerProcess]:
    """With a controller manager that gives nodes up after six seconds."""
    async with (
        api_server_process(data_dir=tmp_path) as process,
        replica_running(process.grpc, *CONTROLLERS, node_monitor_grace_period=Duration(6.0)),
    ):
        yield process


@pytest.fixture
async def api(server: ApiServerProcess) -> AsyncIterator[Client]:
    async with client.connect([server.grpc]) as opened:
        yield opened


async def create_replicaset(api: Client, replicas: int, **pod_spec: Any) -> None:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "i"}], **pod_spec},
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    await api.raw(ReplicaSet).create(builders.make("ReplicaSet", "web", api_version="apps/v1", spec=spec))


async def ready_on(api: Client) -> Counter[str]:
    """How many pods are ready on each node, without those that are going."""
    found = (await api.of(Pod).list("default")).items
    return Counter(pod.spec.node_name for pod in found if pods.is_active(pod) and pods.is_ready(pod))


def taints_of(node: Node) -> set[str]:
    return {f"{taint.key.removeprefix('node.kubernetes.io/')}:{taint.effect}" for taint in node.spec.taints}


async def test_the_pods_of_a_lost_node_run_elsewhere(server: ApiServerProcess, api: Client) -> None:
    async with hollownodes.hollow_nodes_process(server.grpc, 2):
        async with hollownodes.hollow_nodes_process(server.grpc, 1, first=2):
            await create_replicaset(api, 9)

            async def spread() -> bool:
                found = await ready_on(api)
                return found.total() == 9 and found["node-2"] > 0

            await eventually(spread, within=WITHIN)

        async def lost() -> bool:
            node = await api.of(Node).get("node-2")
            (ready,) = (each for each in node.status.conditions if each.type == "Ready")
            wanted = {"unreachable:NoSchedule", "unreachable:NoExecute"}
            return (ready.status, ready.reason) == ("Unknown", "NodeStatusUnknown") and taints_of(node) == wanted

        await eventually(lost, within=WITHIN)

        async def elsewhere() -> bool:
            found = await ready_on(api)
            return found.total() == 9 and not found["node-2"]

        await eventually(elsewhere, within=WITHIN)

        async def marked() -> list[Pod]:
            found = [pod for pod in (await api.of(Pod).list("default")).items if pod.spec.node_name == "node-2"]
            assert found, "nobody has confirmed that they have ended"
            for pod in found:
                conditions = {each.type: (each.status, each.reason) for each in pod.status.conditions}
                assert conditions["DisruptionTarget"] == ("True", "DeletionByTaintManager")
                assert conditions["Ready"][0] == "False"
            return found

        left = await eventually(marked, within=WITHIN)

        async def told() -> bool:
            reasons = Counter(event.reason for event in (await api.of(Event).list()).items)
            return reasons["TaintManagerEviction"] >= len(left) and reasons["NodeNotReady"] >= len(left)

        await eventually(told, within=WITHIN)
        async with hollownodes.hollow_nodes_process(server.grpc, 1, first=2):

            async def back() -> bool:
                gone = len((await api.of(Pod).list("default")).items) == 9
                return gone and not taints_of(await api.of(Node).get("node-2"))

            await eventually(back, within=WITHIN)


async def test_when_every_node_is_lost_nobody_is_moved(server: ApiServerProcess, api: Client) -> None:
    async with hollownodes.hollow_nodes_process(server.grpc, 3, zones=2):
        patient = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
        await create_replicaset(api, 6, tolerations=[patient])

        async def running() -> bool:
            return (await ready_on(api)).total() == 6

        await eventually(running, within=WITHIN)

    async def all_lost() -> bool:
        nodes = (await api.of(Node).list()).items
        return [taints_of(node) for node in nodes] == [{"unreachable:NoSchedule"}] * 3

    await eventually(all_lost, within=WITHIN)
    left = (await api.of(Pod).list("default")).items
    assert len(left) == 6
    assert all(pod.metadata.deletion_timestamp is None for pod in left)

    async def told() -> bool:
        return not (await ready_on(api)).total()

    await eventually(told, within=WITHIN)


async def test_a_cordoned_node_is_tainted_until_it_is_not(server: ApiServerProcess, api: Client) -> None:
    async with hollownodes.hollow_nodes_process(server.grpc, 1):
        for is_cordoned, expected in ((True, {"unschedulable:NoSchedule"}), (False, set[str]())):
            patch = b'{"spec":{"unschedulable":%s}}' % str(is_cordoned).lower().encode()
            await api.of(Node).patch("node-0", "", patch, PatchType.MERGE)

            async def tainted(expected: set[str] = expected) -> bool:
                return taints_of(await api.of(Node).get("node-0")) == expected

            await eventually(tainted, within=WITHIN)
