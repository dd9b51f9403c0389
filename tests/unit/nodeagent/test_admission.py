"""Which pods a node refuses, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

from nodeagent import admission
from steersman.api.core import (
    Affinity,
    ContainerPort,
    Node,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    NodeSpec,
    NodeStatus,
    Pod,
    PodOS,
    PodStatus,
    ResourceRequirements,
    Taint,
    Toleration,
)
from steersman.api.meta import ObjectMeta
from steersman.api.part import Quantity
from tests.unit.nodeagent.views import container, pod

GONE = Taint(key="gone", effect="NoExecute")


def node(taints: tuple[Taint, ...] = (), pods: str = "3") -> Node:
    amounts = {"cpu": Quantity("1"), "memory": Quantity("1Gi"), "pods": Quantity(pods)}
    return Node(
        metadata=ObjectMeta(name="node-1", labels={"disk": "ssd", "cores": "4"}),
        spec=NodeSpec(taints=taints),
        status=NodeStatus(capacity=amounts, allocatable=amounts),
    )


def asking(phase: str = "Running", **amounts: str) -> Pod:
    requests = {name: Quantity(amount) for name, amount in amounts.items()}
    return pod(container(resources=ResourceRequirements(requests=requests)), status=PodStatus(phase=phase))


def on_port(port: int, host_ip: str = "", **fields: Any) -> Pod:
    return pod(container(ports=(ContainerPort(container_port=80, host_port=port, host_ip=host_ip, **fields),)))


def affine(*terms: NodeSelectorTerm) -> Pod:
    required = NodeAffinity(required_during_scheduling_ignored_during_execution=NodeSelector(node_selector_terms=terms))
    return pod(affinity=Affinity(node_affinity=required))


def term(key: str, operator: str, *values: str) -> NodeSelectorTerm:
    return NodeSelectorTerm(match_expressions=(NodeSelectorRequirement(key=key, operator=operator, values=values),))


NAMED = NodeSelectorTerm(
    match_fields=(NodeSelectorRequirement(key="metadata.name", operator="In", values=("node-1",)),)
)


@pytest.mark.parametrize(
    ("wanted", "others"),
    [
        (pod(), []),
        (asking(cpu="1"), []),
        (asking(cpu="500m"), [asking(cpu="500m")]),
        (asking(cpu="1"), [asking("Succeeded", cpu="1"), asking("Failed", cpu="1")]),
        (asking(**{"example.com/gpu": "1"}), []),
        (on_port(80), [on_port(81), on_port(80, protocol="UDP")]),
        (on_port(80, "10.0.0.1"), [on_port(80, "10.0.0.2")]),
        (pod(node_selector={"disk": "ssd"}), []),
        (affine(term("disk", "In", "hdd"), term("cores", "Gt", "3")), []),
        (affine(NAMED), []),
        (pod(os=PodOS(name="linux")), []),
    ],
    ids=["empty", "all of it", "the rest", "finished ones take nothing", "not ours to count", "other ports",
         "other addresses", "selector", "any term", "by name", "linux"],
)  # fmt: skip
def test_welcome(wanted: Pod, others: list[Pod]) -> None:
    assert admission.admit(wanted, node(), others) is None


@pytest.mark.parametrize(
    ("wanted", "others", "reason", "message"),
    [
        (
            asking(cpu="600m"),
            [asking(cpu="500m")],
            "OutOfcpu",
            "Node didn't have enough resource: cpu, requested: 600, used: 500, capacity: 1000",
        ),
        (
            asking(memory="2Gi"),
            [],
            "OutOfmemory",
            "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
        ),
        (
            pod(),
            [pod(), pod(), pod()],
            "OutOfpods",
            "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
        ),
        (
            pod(node_selector={"disk": "hdd"}),
            [],
            "NodeAffinity",
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        ),
        (
            affine(),
            [],
            "NodeAffinity",
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        ),
        (
            on_port(80),
            [on_port(80, "10.0.0.1")],
            "NodePorts",
            "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
        ),
        (
            pod(os=PodOS(name="windows")),
            [],
            "PodOSNotSupported",
            "Failed to admit pod as the OS field doesn't match node OS",
        ),
    ],
    ids=["cpu", "memory", "pods", "selector", "affinity without terms", "ports", "os"],
)
def test_refused(wanted: Pod, others: list[Pod], reason: str, message: str) -> None:
    refusal = admission.admit(wanted, node(), others)
    assert refusal is not None
    assert (refusal.reason, refusal.message) == (reason, message)


def test_overhead_counts() -> None:
    heavy = pod(container(), overhead={"cpu": Quantity("2")})
    refusal = admission.admit(heavy, node(), [])
    assert refusal is not None
    assert refusal.reason == "OutOfcpu"


@pytest.mark.parametrize(
    ("tolerations", "is_welcome"),
    [
        ((), False),
        ((Toleration(operator="Exists"),), True),
        ((Toleration(key="gone", operator="Exists", effect="NoExecute"),), True),
        ((Toleration(key="gone", operator="Equal"),), True),
        ((Toleration(key="gone", operator="Equal", value="other"),), False),
        ((Toleration(key="gone", operator="Exists", effect="NoSchedule"),), False),
    ],
    ids=["none", "all", "by key", "equal", "other value", "other effect"],
)
def test_taints_that_drive_pods_away(tolerations: tuple[Toleration, ...], is_welcome: bool) -> None:
    refusal = admission.admit(pod(tolerations=tolerations), node((GONE, Taint(key="x", effect="NoSchedule"))), [])
    assert (refusal is None) == is_welcome
