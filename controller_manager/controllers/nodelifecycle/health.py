"""What is said about a node: conditions when it has fallen silent, taints that follow from conditions. Pure.

Taints with the effect NoSchedule follow at once. Taints with NoExecute move pods away, so they wait for permission (see
`zones`); one that is there already is exchanged for the other at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import Enum, auto

from msgspec.structs import replace

from steersman.api import times
from steersman.api.core import Node, NodeCondition, Taint

READY = "Ready"
TRUE, FALSE, UNKNOWN = "True", "False", "Unknown"
NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "NoExecute"
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"

_TAINT_OF = {
    (READY, FALSE): NOT_READY,
    (READY, UNKNOWN): UNREACHABLE,
    ("MemoryPressure", TRUE): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", TRUE): "node.kubernetes.io/disk-pressure",
    ("PIDPressure", TRUE): "node.kubernetes.io/pid-pressure",
    ("NetworkUnavailable", TRUE): "node.kubernetes.io/network-unavailable",
}
_OF_CONDITIONS = frozenset({*_TAINT_OF.values(), UNSCHEDULABLE})
_EVICTING = frozenset({NOT_READY, UNREACHABLE})
_TOLD_BY_THE_NODE = (READY, "MemoryPressure", "DiskPressure", "PIDPressure")
"""NetworkUnavailable is not among them: another has it in its care."""


def readiness(node: Node) -> str:
    """Empty: nobody has said anything yet."""
    return next((each.status for each in node.status.conditions if each.type == READY), "")


def silent(node: Node, now: datetime) -> Node:
    """The node as it is known when nothing has been heard of it for too long."""
    held = {each.type: each for each in node.status.conditions}
    for kind in _TOLD_BY_THE_NODE:
        held[kind] = _unknown(held.get(kind), kind, node, now)
    return replace(node, status=replace(node.status, conditions=tuple(held.values())))


def _unknown(condition: NodeCondition | None, kind: str, node: Node, now: datetime) -> NodeCondition:
    if condition is None:
        return NodeCondition(
            type=kind,
            status=UNKNOWN,
            reason="NodeStatusNeverUpdated",
            message="Kubelet never posted node status.",
            last_heartbeat_time=node.metadata.creation_timestamp,
            last_transition_time=times.from_datetime(now),
        )
    if condition.status == UNKNOWN:
        return condition
    return replace(
        condition,
        status=UNKNOWN,
        reason="NodeStatusUnknown",
        message="Kubelet stopped posting node status.",
        last_transition_time=times.from_datetime(now),
    )


# --- Taints


class Permission(Enum):
    """Whether pods may be moved away from a node."""

    GRANTED = auto()
    LATER = auto()
    CANCELLED = auto()  # not now, and what was begun is called off


def needs_permission(node: Node) -> bool:
    """Whether the node is to get a taint that moves pods, and has none yet."""
    wanted = readiness(node) in (FALSE, UNKNOWN)
    return wanted and not any(_evicts(taint) for taint in node.spec.taints)


def tainted(node: Node, permission: Permission, now: datetime) -> Node:
    """The node with the taints that it should have. Those that others have put there stay as they are."""
    present = {(taint.key, taint.effect): taint for taint in node.spec.taints}
    wanted = [*_scheduling_keys(node), *_evicting_keys(node, permission)]
    others = [taint for taint in node.spec.taints if not _is_ours(taint)]
    ours = [
        present.get(each) or Taint(key=each[0], effect=each[1], time_added=times.from_datetime(now)) for each in wanted
    ]
    if set(present) == {(taint.key, taint.effect) for taint in (*others, *ours)}:
        return node  # whatever their order
    return replace(node, spec=replace(node.spec, taints=(*others, *ours)))


def _scheduling_keys(node: Node) -> Iterable[tuple[str, str]]:
    for condition in node.status.conditions:
        key = _TAINT_OF.get((condition.type, condition.status))
        if key is not None:
            yield key, NO_SCHEDULE
    if node.spec.unschedulable:
        yield UNSCHEDULABLE, NO_SCHEDULE


def _evicting_keys(node: Node, permission: Permission) -> Iterable[tuple[str, str]]:
    key = _TAINT_OF.get((READY, readiness(node)))
    if key is None or permission is Permission.CANCELLED:
        return
    if permission is Permission.GRANTED or any(_evicts(taint) for taint in node.spec.taints):
        yield key, NO_EXECUTE


def _evicts(taint: Taint) -> bool:
    return taint.effect == NO_EXECUTE and taint.key in _EVICTING


def _is_ours(taint: Taint) -> bool:
    return _evicts(taint) or (taint.effect == NO_SCHEDULE and taint.key in _OF_CONDITIONS)
