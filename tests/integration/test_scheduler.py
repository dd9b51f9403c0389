"""The scheduler of a real replica against a real API server: pods get nodes, or say why not."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from apiserver.server import Serving
from steersman.api import codec
from steersman.api.core import Binding, Node, ObjectReference, PersistentVolume, PersistentVolumeClaim, Pod
from steersman.api.errors import Conflict
from steersman.api.meta import ObjectMeta
from steersman.api.scheduling import PriorityClass
from steersman.client.client import Client
from tests import builders
from tests.eventually import eventually
from tests.integration.replicas import create_node, create_pod, events_of, node_of, replica_running

ZONE = "topology.kubernetes.io/zone"
WITHIN = 30


@pytest.fixture(autouse=True)
async def scheduler(api_server: Serving) -> AsyncIterator[None]:
    async with replica_running(str(api_server.grpc), "scheduler"):
        yield


async def waits(api: Client, name: str, message: str) -> None:
    """Until the pod says that it waits, and why."""

    async def says_so() -> bool:
        pod = await api.of(Pod).get(name, "default")
        return any(
            (each.type, each.status, each.reason, each.message) == ("PodScheduled", "False", "Unschedulable", message)
            for each in pod.status.conditions
        )

    await eventually(says_so, within=WITHIN)


async def is_on(api: Client, pod: str, *nodes: str) -> None:
    async def placed() -> bool:
        return await node_of(api, pod) in nodes

    await eventually(placed, within=WITHIN)


async def test_a_pod_gets_a_node_a_condition_and_an_event(api: Client) -> None:
    await create_node(api, "n1")
    await create_pod(api, "p")
    await is_on(api, "p", "n1")
    conditions = {each.type: each.status for each in (await api.of(Pod).get("p", "default")).status.conditions}
    assert conditions["PodScheduled"] == "True"

    async def told() -> bool:
        return await events_of(api, "p") == {"Scheduled": "Successfully assigned default/p to n1"}

    await eventually(told, within=WITHIN)


async def test_a_pod_that_fits_nowhere_says_why_and_a_new_node_cures_it(api: Client) -> None:
    await create_pod(api, "early")
    await waits(api, "early", "no nodes available to schedule pods")
    await create_node(api, "small", cpu="2")
    await is_on(api, "early", "small")
    await create_pod(api, "large", cpu="8")
    message = (
        "0/1 nodes are available: 1 Insufficient cpu. "
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )
    await waits(api, "large", message)

    async def told() -> bool:
        return (await events_of(api, "large")).get("FailedScheduling") == message

    await eventually(told, within=WITHIN)
    await create_node(api, "big", cpu="16")
    await is_on(api, "large", "big")


async def test_a_node_that_loses_its_taint_takes_the_pod(api: Client) -> None:
    node = await create_node(api, "n1")
    taints = codec.load(Node, msgspec.json.encode({"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}})).spec
    await api.of(Node).update(msgspec.structs.replace(node, spec=taints))
    await create_pod(api, "p")
    await waits(
        api,
        "p",
        "0/1 nodes are available: 1 node(s) had untolerated taint {k: }. "
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    )
    await api.of(Node).patch("n1", "", b'{"spec":{"taints":null}}')
    await is_on(api, "p", "n1")


async def test_pods_that_leave_make_room(api: Client) -> None:
    await create_node(api, "n1", cpu="1")
    await create_pod(api, "first")
    await is_on(api, "first", "n1")
    await create_pod(api, "second")
    await waits(
        api,
        "second",
        "0/1 nodes are available: 1 Insufficient cpu. "
        "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    )
    await api.of(Pod).delete("first", "default", grace_period_seconds=0)
    await is_on(api, "second", "n1")


async def test_the_more_important_pod_takes_the_room_of_the_less_important(api: Client) -> None:
    await api.of(PriorityClass).create(PriorityClass(metadata=ObjectMeta(name="high"), value=1000))
    await create_node(api, "n1", cpu="2")
    for name in ("low-1", "low-2"):
        await create_pod(api, name)
        await is_on(api, name, "n1")
    wanted = await create_pod(api, "urgent", cpu="2", priorityClassName="high")

    async def victims_go() -> bool:
        pods = {pod.metadata.name: pod for pod in (await api.of(Pod).list("default")).items}
        urgent = pods["urgent"]
        leaving = [pods[name].metadata.deletion_timestamp is not None for name in ("low-1", "low-2") if name in pods]
        return urgent.status.nominated_node_name == "n1" and all(leaving)

    await eventually(victims_go, within=WITHIN)
    victim = await api.of(Pod).get("low-1", "default")
    reasons = {each.type: each.reason for each in victim.status.conditions}
    assert reasons["DisruptionTarget"] == "PreemptionByScheduler"

    async def told() -> bool:
        said = (await events_of(api, "low-1")).get("Preempted")
        return said == f"Preempted by pod {wanted.metadata.uid} on node n1"

    await eventually(told, within=WITHIN)
    await create_pod(api, "opportunist")
    for name in ("low-1", "low-2"):
        await api.of(Pod).delete(name, "default", grace_period_seconds=0)
    await is_on(api, "urgent", "n1")
    assert await node_of(api, "opportunist") == ""


def apart(app: str) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


async def test_pods_that_keep_apart_go_to_nodes_of_their_own(api: Client) -> None:
    for name in ("n1", "n2", "n3"):
        await create_node(api, name)
    for number in range(4):
        await create_pod(api, f"p{number}", labels={"app": "web"}, affinity=apart("web"))

    async def all_but_one() -> bool:
        placed = [await node_of(api, f"p{number}") for number in range(4)]
        return sorted(placed) == ["", "n1", "n2", "n3"]

    await eventually(all_but_one, within=WITHIN)


async def test_pods_are_spread_over_zones(api: Client) -> None:
    for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b")):
        await create_node(api, name, cpu="64", **{ZONE: zone})
    selector = {"matchLabels": {"app": "web"}}
    spread = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "topologyKey": ZONE, "labelSelector": selector}
    for number in range(10):
        await create_pod(api, f"p{number}", cpu="100m", labels={"app": "web"}, topologySpreadConstraints=[spread])

    async def evenly() -> bool:
        nodes = Counter([await node_of(api, f"p{number}") for number in range(10)])
        return nodes["n1"] + nodes["n2"] == nodes["n3"] == 5

    await eventually(evenly, within=WITHIN)


async def test_a_burst_of_pods_never_overfills_a_node(api: Client) -> None:
    for number in range(5):
        await create_node(api, f"n{number}", cpu="10")
    for number in range(60):
        await create_pod(api, f"p{number}")

    async def filled() -> bool:
        nodes = Counter(pod.spec.node_name for pod in (await api.of(Pod).list("default")).items)
        assert all(count <= 10 for node, count in nodes.items() if node)
        return nodes[""] == 10

    await eventually(filled, within=WITHIN)


async def test_a_pod_that_somebody_else_binds_stays_there_and_counts(api: Client) -> None:
    await create_node(api, "n1", cpu="1")
    await create_node(api, "n2", cpu="1")
    for number in range(8):
        pod = await create_pod(api, f"p{number}", schedulerName="default-scheduler")
        binding = Binding(
            metadata=ObjectMeta(name=f"p{number}", namespace="default", uid=pod.metadata.uid),
            target=ObjectReference(kind="Node", name="n2"),
        )
        with contextlib.suppress(Conflict):  # the scheduler was first
            await api.of(Pod).bind(binding)
        await is_on(api, f"p{number}", "n1", "n2")
        await api.of(Pod).delete(f"p{number}", "default", grace_period_seconds=0)
    # Whoever won each race, all room is free again.
    for name in ("a", "b"):
        await create_pod(api, name)
        await is_on(api, name, "n1", "n2")


async def test_a_node_that_has_gone_gets_no_more_pods(api: Client) -> None:
    await create_node(api, "n1")
    await create_pod(api, "first")
    await is_on(api, "first", "n1")
    await api.of(Node).delete("n1")
    await create_pod(api, "probe", nodeSelector={"no": "such"})
    await waits(api, "probe", "no nodes available to schedule pods")
    await create_pod(api, "later")
    await waits(api, "later", "no nodes available to schedule pods")
    await create_node(api, "n2")
    await is_on(api, "later", "n2")


async def test_pods_of_another_scheduler_are_left_alone(api: Client) -> None:
    await create_node(api, "n1")
    await create_pod(api, "theirs", schedulerName="other")
    await create_pod(api, "ours")
    await is_on(api, "ours", "n1")
    assert await node_of(api, "theirs") == ""


async def test_a_gated_pod_waits_for_its_gate(api: Client) -> None:
    await create_node(api, "n1")
    await create_pod(api, "gated", schedulingGates=[{"name": "example.com/later"}])
    await create_pod(api, "free")
    await is_on(api, "free", "n1")
    assert await node_of(api, "gated") == ""
    await api.of(Pod).patch("gated", "default", b'{"spec":{"schedulingGates":null}}')
    await is_on(api, "gated", "n1")


async def create_claim(api: Client, name: str, volume: str) -> None:
    requests = {"requests": {"storage": "1Gi"}}
    spec = {"storageClassName": "", "volumeName": volume, "accessModes": ["ReadWriteOnce"], "resources": requests}
    await api.raw(PersistentVolumeClaim).create(builders.make("PersistentVolumeClaim", name, spec=spec))


async def create_volume(api: Client, name: str, zone: str) -> None:
    term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/nowhere"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
    }
    await api.raw(PersistentVolume).create(builders.make("PersistentVolume", name, "", spec=spec))


async def bind_claim(api: Client, name: str) -> None:
    """By hand, as there is nobody else who would."""
    await api.of(PersistentVolumeClaim).patch(name, "default", b'{"status":{"phase":"Bound"}}', subresource="status")


async def test_a_pod_waits_for_its_claim_and_goes_where_its_volume_is(api: Client) -> None:
    for name, zone in (("n1", "a"), ("n2", "b")):
        await create_node(api, name, **{ZONE: zone})
    available, hopeless = "0/2 nodes are available:", "2 Preemption is not helpful for scheduling."
    tail = f"preemption: {available} {hopeless}"
    claiming = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    await create_pod(api, "p", volumes=claiming)
    await waits(api, "p", f'{available} persistentvolumeclaim "data" not found. {tail}')
    await create_claim(api, "data", "disk")
    await waits(api, "p", f"{available} pod has unbound immediate PersistentVolumeClaims. {tail}")
    await bind_claim(api, "data")
    await waits(api, "p", f'{available} persistentvolume "disk" not found. {tail}')
    await create_volume(api, "disk", "c")
    await waits(api, "p", f"{available} 2 node(s) didn't match PersistentVolume's node affinity. {tail}")
    await api.of(Node).patch("n2", "", msgspec.json.encode({"metadata": {"labels": {ZONE: "c"}}}))
    await is_on(api, "p", "n2")
