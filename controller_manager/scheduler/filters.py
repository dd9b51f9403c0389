"""May this pod go to this node, looking at that node alone? Each filter answers None, or why not.

`refusal` asks them in Kubernetes' order and takes the first answer, so that the user is shown the same reason. What
depends on the pods of other nodes (spread, affinity between pods) is in `topology`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controller_manager.scheduler import reasons
from controller_manager.scheduler.reasons import Change, Reason
from controller_manager.scheduler.requirements import PODS, Requirements
from controller_manager.scheduler.snapshot import NodeView
from controller_manager.scheduler.terms import Labels, Namespaces
from steersman.api.core import Taint

Filter = Callable[[Requirements, NodeView], Reason | None]

REPELLING = frozenset({"NoSchedule", "NoExecute"})
_UNSCHEDULABLE_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")

UNSCHEDULABLE = reasons.final("node(s) were unschedulable", cured_by={Change.NODE_TAINTED})
WRONG_NODE = reasons.final("node(s) didn't match Pod's node affinity/selector", cured_by={Change.NODE_LABELED})
PORTS_TAKEN = reasons.preemptable("node(s) didn't have free ports for the requested pod ports", cured_by=())


def _no_labels(_namespace: str) -> Labels:
    return {}


def _any_claim(_pod: Requirements) -> Reason | None:
    return None


def _any_volume(_pod: Requirements, _node: NodeView) -> Reason | None:
    return None


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the view of nodes and pods does not know: whether a pod's claims can be met at all, and whether on a node;
    the labels of namespaces."""

    claims: Callable[[Requirements], Reason | None] = _any_claim
    volumes: Filter = _any_volume
    namespaces: Namespaces = _no_labels


def schedulable(pod: Requirements, node: NodeView) -> Reason | None:
    if node.known.unschedulable and not pod.tolerates(_UNSCHEDULABLE_TAINT):
        return UNSCHEDULABLE
    return None


def taints(pod: Requirements, node: NodeView) -> Reason | None:
    for taint in node.known.taints:
        if taint.effect in REPELLING and not pod.tolerates(taint):
            text = f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
            return reasons.final(text, cured_by={Change.NODE_TAINTED})
    return None


def node_affinity(pod: Requirements, node: NodeView) -> Reason | None:
    return None if pod.accepts(node.name, node.known.labels) else WRONG_NODE


def ports(pod: Requirements, node: NodeView) -> Reason | None:
    if not pod.host_ports:
        return None
    taken = [port for each in node.classes for port in each.host_ports]
    return PORTS_TAKEN if any(ours.collides(theirs) for ours in pod.host_ports for theirs in taken) else None


def resources(pod: Requirements, node: NodeView) -> Reason | None:
    allocatable, requested = node.known.allocatable, node.requested
    lacking = [] if len(node.pods) < allocatable[PODS] else ["Too many pods"]
    hopeless = False
    for name, amount in pod.requests.items():
        capacity = allocatable.get(name, 0)
        if amount > capacity - requested.get(name, 0):
            lacking.append(f"Insufficient {name}")
            hopeless = hopeless or amount > capacity
    if not lacking:
        return None
    judge = reasons.final if hopeless else reasons.preemptable
    return judge(*lacking, cured_by={Change.NODE_RESIZED, Change.POD_LEFT})


FILTERS: tuple[Filter, ...] = (schedulable, taints, node_affinity, ports, resources)


def refusal(pod: Requirements, node: NodeView, hooks: Hooks) -> Reason | None:
    """The first reason against the node, None if there is none. What keeps the pod from every node comes first."""
    if pod.claims and (reason := hooks.claims(pod)) is not None:
        return reason
    for fits in FILTERS:
        reason = fits(pod, node)
        if reason is not None:
            return reason
    return hooks.volumes(pod, node) if pod.claims else None
