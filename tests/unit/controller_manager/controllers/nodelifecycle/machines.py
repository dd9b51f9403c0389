"""Nodes as Structs: healthy by default, the test names only what matters."""

from __future__ import annotations

from steersman.api.core import Node, NodeCondition, NodeSpec, NodeStatus, Taint
from steersman.api.meta import ObjectMeta
from tests.unit.controller_manager.workloads import ago

PREFIX = "node.kubernetes.io/"


def make_node(
    name: str = "node-1",
    *taints: str,
    ready: str | None = "True",
    zone: str = "a",
    unschedulable: bool = False,
    conditions: dict[str, str] | None = None,
    labels: dict[str, str] | None = None,
) -> Node:
    """Taints like "not-ready:NoExecute" or "team=blue:NoSchedule"; a plain key is one of Kubernetes' own."""
    told = {} if ready is None else {"Ready": ready}
    return Node(
        metadata=ObjectMeta(
            name=name,
            uid=f"{name}-uid",
            creation_timestamp=ago(1000),
            labels={"topology.kubernetes.io/zone": zone, **(labels or {})},
        ),
        spec=NodeSpec(taints=tuple(map(make_taint, taints)), unschedulable=unschedulable),
        status=NodeStatus(
            conditions=tuple(
                NodeCondition(type=kind, status=status, last_heartbeat_time=ago(5), last_transition_time=ago(50))
                for kind, status in {**told, **(conditions or {})}.items()
            )
        ),
    )


def make_taint(text: str) -> Taint:
    key, effect = text.split(":")
    name, _, value = key.partition("=")
    return Taint(key=name if value else PREFIX + name, value=value, effect=effect, time_added=ago(60))


def told(node: Node) -> set[str]:
    """The taints as `make_node` takes them."""
    return {
        f"{taint.key.removeprefix(PREFIX)}{'=' * bool(taint.value)}{taint.value}:{taint.effect}"
        for taint in node.spec.taints
    }
