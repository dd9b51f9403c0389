"""Whether a pod that is bound to this node can run here: room, labels, ports and taints, in the kubelet's words. Pure.

The scheduler has asked the same questions; here they are asked again because pods can be bound by anybody, and because
two schedulers may each have given the last place away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steersman.api import podresources, quantity
from steersman.api.core import (
    Node,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    Pod,
    Taint,
    Toleration,
)
from steersman.api.podresources import Side
from steersman.api.selectors import Operator, Requirement

_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.ABSENT,
    "Gt": Operator.GREATER,
    "Lt": Operator.LESS,
}
_WRONG_NODE = "node(s) didn't match Pod's node affinity/selector"
_NO_PORTS = "node(s) didn't have free ports for the requested pod ports"
_TAINTED = "node(s) had taints that the pod didn't tolerate"
_ANY_ADDRESS = ("", "0.0.0.0", "::")
FINISHED = frozenset({"Succeeded", "Failed"})

HostPort = tuple[str, str, int]
"""Address ("" for all), protocol, port."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not, as the pod's status says it."""

    reason: str
    message: str


def admit(pod: Pod, node: Node, others: Iterable[Pod]) -> Refusal | None:
    """None: welcome. `others` are the pods that already have their place here; finished ones take none."""
    present = [other for other in others if other.status.phase not in FINISHED]
    if pod.spec.os is not None and pod.spec.os.name and pod.spec.os.name != "linux":
        return Refusal("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS")
    return (
        _room(pod, node, present)
        or _affinity(pod, node)
        or _ports(pod, present)
        or _taints(pod.spec.tolerations, node.spec.taints)
    )


def requests(pod: Pod) -> dict[str, str]:
    """What the pod takes of the node, its overhead included."""
    amounts: dict[str, str] = dict(podresources.effective(pod.spec, Side.REQUESTS))
    if pod.spec.resources is not None:
        amounts |= pod.spec.resources.requests
    for name, amount in pod.spec.overhead.items():
        amounts[name] = quantity.add(amounts[name], amount) if name in amounts else amount
    return amounts


def _room(pod: Pod, node: Node, present: list[Pod]) -> Refusal | None:
    allocatable = node.status.allocatable
    most = quantity.units(allocatable.get("pods", "0"))
    if len(present) + 1 > most:
        return _insufficient("pods", 1, len(present), most)
    wanted = {name: amount for name, amount in requests(pod).items() if podresources.is_positive(amount)}
    if not wanted:
        return None
    taken = [requests(other) for other in present]
    for name in ("cpu", "memory", "ephemeral-storage", *sorted(wanted)):
        # What no node of ours can count (devices, cluster-level resources) is somebody else's to refuse.
        if name not in wanted or (name not in allocatable and not podresources.is_native(name)):
            continue
        count = quantity.milli if name == "cpu" else quantity.units
        capacity, asked = count(allocatable.get(name, "0")), count(wanted[name])
        used = sum(count(amounts.get(name, "0")) for amounts in taken)
        if used + asked > capacity:
            return _insufficient(name, asked, used, capacity)
    return None


def _insufficient(name: str, asked: int, used: int, capacity: int) -> Refusal:
    told = f"{name}, requested: {asked}, used: {used}, capacity: {capacity}"
    return Refusal(f"OutOf{name}", f"Node didn't have enough resource: {told}")


def _affinity(pod: Pod, node: Node) -> Refusal | None:
    labels = node.metadata.labels
    fits = all(labels.get(key) == value for key, value in pod.spec.node_selector.items())
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity is not None else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else None
    if required is not None:
        fits = fits and selects(required, node)
    return None if fits else _predicate("NodeAffinity", _WRONG_NODE)


def selects(selector: NodeSelector, node: Node) -> bool:
    return any(_matches(term, node) for term in selector.node_selector_terms)


def _matches(term: NodeSelectorTerm, node: Node) -> bool:
    """A term without any demand matches nothing."""
    if not term.match_expressions and not term.match_fields:
        return False
    fields = {"metadata.name": node.metadata.name}
    return _meets(term.match_expressions, node.metadata.labels) and _meets(term.match_fields, fields)


def _meets(demands: Iterable[NodeSelectorRequirement], texts: Mapping[str, str]) -> bool:
    return all(
        Requirement(demand.key, _OPERATORS[demand.operator], tuple(demand.values)).matches(texts) for demand in demands
    )


def _ports(pod: Pod, present: list[Pod]) -> Refusal | None:
    wanted = host_ports(pod)
    if not wanted:
        return None
    taken = [port for other in present for port in host_ports(other)]
    clash = any(_clash(ours, theirs) for ours in wanted for theirs in taken)
    return _predicate("NodePorts", _NO_PORTS) if clash else None


def host_ports(pod: Pod) -> list[HostPort]:
    """The ports of the node that the pod's containers take."""
    long_running = [each for each in pod.spec.init_containers if podresources.is_sidecar(each)]
    return [
        ("" if port.host_ip in _ANY_ADDRESS else port.host_ip, port.protocol or "TCP", port.host_port)
        for container in (*pod.spec.containers, *long_running)
        for port in container.ports
        if port.host_port
    ]


def _clash(ours: HostPort, theirs: HostPort) -> bool:
    return ours[1:] == theirs[1:] and (not ours[0] or not theirs[0] or ours[0] == theirs[0])


def _taints(tolerations: Iterable[Toleration], taints: Iterable[Taint]) -> Refusal | None:
    """Only taints that also drive running pods away: the others are for schedulers."""
    for taint in taints:
        if taint.effect == "NoExecute" and not tolerates(tolerations, taint):
            return _predicate("TaintToleration", _TAINTED)
    return None


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    return any(_tolerates(each, taint) for each in tolerations)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.operator in ("", "Equal") and bool(toleration.key) and toleration.value == taint.value


def _predicate(name: str, why: str) -> Refusal:
    return Refusal(name, f"Predicate {name} failed: {why}")
