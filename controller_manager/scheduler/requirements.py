"""What a pod asks of a node and of its neighbours, and what it takes: all of a pod that scheduling looks at.

Pods that ask for the same are equal here, whatever their names: they are one *class* and share one feasibility result.
Equal classes are the same object while anybody holds one, so comparing and hashing them costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakValueDictionary

import msgspec

from controller_manager.scheduler import terms
from controller_manager.scheduler.terms import NodeTerm, PodTerm, SpreadTerm
from steersman.api import podresources, quantity
from steersman.api.core import Affinity, Container, Pod, PodSpec, Taint, Toleration
from steersman.api.podresources import HUGE_PAGES, Side
from steersman.api.selectors import LabelMatcher
from steersman.api.selectors import of_labels as matcher_of_labels
from steersman.client.cache import ObjectKey

Amounts = Mapping[str, int]
"""By resource: CPU in thousandths, everything else in whole units."""

CPU, MEMORY, PODS = "cpu", "memory", "pods"
_UNASKED_MILLICPU = 100
_UNASKED_MEMORY = 200 * 1024 * 1024
"""What scoring takes a container for that asks for nothing: it will use something all the same."""

_ANY_ADDRESS = "0.0.0.0"


class HostPort(NamedTuple):
    address: str
    protocol: str
    port: int

    def collides(self, other: HostPort) -> bool:
        if self.port != other.port or self.protocol != other.protocol:
            return False
        return self.address == other.address or _ANY_ADDRESS in (self.address, other.address)


class Weighted(NamedTuple):
    """A wish. The weight of a wish to keep away is negative."""

    weight: int
    term: PodTerm


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Requirements:
    key: bytes
    namespace: str
    labels: Mapping[str, str]
    terminating: bool
    priority: int
    may_preempt: bool
    requests: Amounts
    weighed: tuple[int, int]
    host_ports: tuple[HostPort, ...]
    images: tuple[str, ...]
    claims: tuple[str, ...]
    tolerations: tuple[Toleration, ...]
    node_labels: LabelMatcher
    node_terms: tuple[NodeTerm, ...] | None
    preferred_nodes: tuple[tuple[int, NodeTerm], ...]
    affinity: tuple[PodTerm, ...]
    anti_affinity: tuple[PodTerm, ...]
    preferences: tuple[Weighted, ...]
    spread: tuple[SpreadTerm, ...]
    preferred_spread: tuple[SpreadTerm, ...]

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Requirements) and self.key == other.key)

    @property
    def minds_neighbours(self) -> bool:
        """Whether a pod of this class, once placed, has a say in where others go."""
        return bool(self.affinity or self.anti_affinity or self.preferences)

    def accepts(self, name: str, labels: Mapping[str, str]) -> bool:
        """Whether nodeSelector and required node affinity allow a node."""
        if self.node_labels.requirements and not self.node_labels.matches(labels):
            return False
        return self.node_terms is None or any(term.matches(name, labels) for term in self.node_terms)

    def tolerates(self, taint: Taint) -> bool:
        return any(terms.tolerates(toleration, taint) for toleration in self.tolerations)

    def only_nodes(self) -> frozenset[str] | None:
        """The few nodes that can be meant at all, where every term names one; None: any."""
        if self.node_terms is None:
            return None
        names = [term.only_name() for term in self.node_terms]
        return None if None in names else frozenset(name for name in names if name is not None)


_known: WeakValueDictionary[bytes, Requirements] = WeakValueDictionary()
_encoder = msgspec.json.Encoder(order="deterministic", enc_hook=str)


def claims_of(pod: Pod) -> list[ObjectKey]:
    """The PersistentVolumeClaims that the pod names."""
    return [ObjectKey(pod.metadata.namespace, name) for name in _claims(pod.spec)]


def of(pod: Pod) -> Requirements:
    """The class of a pod."""
    key = _key(pod)
    known = _known.get(key)
    if known is None:
        known = _known[key] = _compile(pod, key)
    return known


def _key(pod: Pod) -> bytes:
    spec = pod.spec
    return _encoder.encode(
        (
            pod.metadata.namespace,
            pod.metadata.labels,
            pod.metadata.deletion_timestamp is not None,
            spec.priority,
            spec.preemption_policy,
            [(each.image, each.resources, _ports_of(spec, each)) for each in spec.containers],
            [(each.image, each.resources, each.ports, each.restart_policy) for each in spec.init_containers],
            spec.resources,
            spec.overhead,
            _claims(spec),
            spec.tolerations,
            spec.node_selector,
            spec.affinity,
            spec.topology_spread_constraints,
        )
    )


def _compile(pod: Pod, key: bytes) -> Requirements:
    spec, namespace, labels = pod.spec, pod.metadata.namespace, pod.metadata.labels
    affinity = spec.affinity or Affinity()
    nodes, near, far = affinity.node_affinity, affinity.pod_affinity, affinity.pod_anti_affinity
    required = nodes.required_during_scheduling_ignored_during_execution if nodes else None
    preferred = nodes.preferred_during_scheduling_ignored_during_execution if nodes else ()
    together = near.required_during_scheduling_ignored_during_execution if near else ()
    apart = far.required_during_scheduling_ignored_during_execution if far else ()
    requests = _requests(spec)
    hard = [each for each in spec.topology_spread_constraints if each.when_unsatisfiable == "DoNotSchedule"]
    soft = [each for each in spec.topology_spread_constraints if each.when_unsatisfiable == "ScheduleAnyway"]
    return Requirements(
        key=key,
        namespace=namespace,
        labels=labels,
        terminating=pod.metadata.deletion_timestamp is not None,
        priority=spec.priority or 0,
        may_preempt=spec.preemption_policy != "Never",
        requests=requests,
        weighed=_weighed(spec, requests),
        host_ports=tuple(port for each in _that_stay(spec) for port in _ports_of(spec, each)),
        images=tuple(_full_name(each.image) for each in (*spec.init_containers, *spec.containers) if each.image),
        claims=_claims(spec),
        tolerations=spec.tolerations,
        node_labels=matcher_of_labels(spec.node_selector),
        node_terms=None if required is None else tuple(terms.node_term(term) for term in required.node_selector_terms),
        preferred_nodes=tuple((each.weight, terms.node_term(each.preference)) for each in preferred),
        affinity=tuple(terms.pod_term(term, namespace, labels) for term in together),
        anti_affinity=tuple(terms.pod_term(term, namespace, labels) for term in apart),
        preferences=tuple(_preferences(affinity, pod)),
        spread=tuple(terms.spread_term(each, labels) for each in hard),
        preferred_spread=tuple(terms.spread_term(each, labels) for each in soft),
    )


def _preferences(affinity: Affinity, pod: Pod) -> Iterator[Weighted]:
    namespace, labels = pod.metadata.namespace, pod.metadata.labels
    for sign, wishes in ((1, affinity.pod_affinity), (-1, affinity.pod_anti_affinity)):
        for wish in wishes.preferred_during_scheduling_ignored_during_execution if wishes else ():
            yield Weighted(sign * wish.weight, terms.pod_term(wish.pod_affinity_term, namespace, labels))


def amounts(quantities: Mapping[str, str]) -> dict[str, int]:
    return {
        name: quantity.milli(amount) if name == CPU else quantity.units(amount) for name, amount in quantities.items()
    }


def _requests(spec: PodSpec) -> Amounts:
    """What the pod is given in all: its containers or, where it says so, the pod as a whole; and its overhead."""
    asked = amounts(podresources.effective(spec, Side.REQUESTS))
    if spec.resources is not None:
        whole = amounts(spec.resources.requests)
        asked |= {name: whole[name] for name in whole if name in (CPU, MEMORY) or name.startswith(HUGE_PAGES)}
    for name, amount in amounts(spec.overhead).items():
        asked[name] = asked.get(name, 0) + amount
    return {name: amount for name, amount in asked.items() if amount}


def _weighed(spec: PodSpec, requests: Amounts) -> tuple[int, int]:
    silent_cpu = sum(CPU not in each.resources.requests for each in spec.containers)
    silent_memory = sum(MEMORY not in each.resources.requests for each in spec.containers)
    if spec.resources is not None and spec.resources.requests:
        silent_cpu = silent_memory = 0
    cpu = requests.get(CPU, 0) + silent_cpu * _UNASKED_MILLICPU
    return cpu, requests.get(MEMORY, 0) + silent_memory * _UNASKED_MEMORY


def _that_stay(spec: PodSpec) -> Iterator[Container]:
    yield from spec.containers
    yield from filter(podresources.is_sidecar, spec.init_containers)


def _ports_of(spec: PodSpec, container: Container) -> list[HostPort]:
    """The ports that the pod takes on the node itself; with the node's network, all that it names."""
    return [
        HostPort(port.host_ip or _ANY_ADDRESS, port.protocol or "TCP", number)
        for port in container.ports
        if (number := port.host_port or (port.container_port if spec.host_network else 0)) > 0
    ]


def _claims(spec: PodSpec) -> tuple[str, ...]:
    return tuple(
        volume.persistent_volume_claim.claim_name
        for volume in spec.volumes
        if volume.persistent_volume_claim is not None
    )


def _full_name(image: str) -> str:
    """As nodes list their images: with a tag."""
    return image if ":" in image.rpartition("/")[2] or "@" in image else f"{image}:latest"
