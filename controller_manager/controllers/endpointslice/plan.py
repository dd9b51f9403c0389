"""Which EndpointSlices a Service should have, and what must be written for that. Pure.

All endpoints of a slice share an address family and ports. A Service without any endpoint has one empty slice of each
family, so that everybody knows that we have looked. A slice that is no longer needed is used again where another one
would have to be created.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from controller_manager import ownership, pods, services, triggertimes
from controller_manager.controllers.endpointslice import packing
from controller_manager.controllers.endpointslice.packing import Identity, Ports
from steersman.api import kinds
from steersman.api.core import Pod, Service
from steersman.api.discovery import Endpoint, EndpointConditions, EndpointPort, EndpointSlice
from steersman.api.meta import ObjectMeta

MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
OURS = "endpointslice-controller.k8s.io"
SERVICE_NAME = "kubernetes.io/service-name"
ZONE = "topology.kubernetes.io/zone"

_RESERVED = frozenset({services.HEADLESS, SERVICE_NAME, MANAGED_BY})
_SERVICE = next(kind for kind in kinds.ALL if kind.struct is Service)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pod that the selector matches, and its endpoint in each address family: none if it has no place in a slice."""

    name: str
    readiness_changed_at: str
    ports: Ports = ()
    endpoints: Mapping[str, tuple[Identity, Endpoint]] = field(default_factory=dict)
    is_hidden: bool = False
    """Its node is gone, or not known yet."""


@dataclass(frozen=True, slots=True)
class CreateSlice:
    """Without a name: whoever creates it chooses one."""

    slice: EndpointSlice


@dataclass(frozen=True, slots=True)
class UpdateSlice:
    slice: EndpointSlice  # with the resourceVersion that was looked at


@dataclass(frozen=True, slots=True)
class DeleteSlice:
    slice: EndpointSlice


Action = CreateSlice | UpdateSlice | DeleteSlice


def plan(
    service: Service, candidates: Sequence[Candidate], present: Sequence[EndpointSlice], trigger: str = ""
) -> list[Action]:
    """`present`: the slices that we manage in the Service's name. `trigger`: when what we tell became true.

    New endpoints are written before old ones are taken away.
    """
    families = services.families(service)
    actions: list[Action] = [DeleteSlice(each) for each in present if each.address_type not in families]
    for family in families:
        held = [each for each in present if each.address_type == family]
        actions += _of_family(service, candidates, held, family)
    if service.metadata.deletion_timestamp is not None:  # the garbage collector takes them; do not race with it
        actions = [action for action in actions if not isinstance(action, CreateSlice)]
    order = (CreateSlice, UpdateSlice, DeleteSlice)
    return [_triggered(action, trigger) for action in sorted(actions, key=lambda action: order.index(type(action)))]


def _triggered(action: Action, trigger: str) -> Action:
    if isinstance(action, DeleteSlice):
        return action
    meta = action.slice.metadata
    annotations = triggertimes.annotated(meta.annotations, trigger)
    return type(action)(replace(action.slice, metadata=replace(meta, annotations=annotations)))


# --- One address family


def _of_family(
    service: Service, candidates: Iterable[Candidate], present: Sequence[EndpointSlice], family: str
) -> list[Action]:
    desired = _desired(candidates, family)
    held: dict[Ports, list[EndpointSlice]] = {}
    actions: list[Action] = []
    for each in present:
        if any(reference.uid == service.metadata.uid for reference in each.metadata.owner_references):
            held.setdefault(packing.normal(each.ports), []).append(each)
        else:
            actions.append(DeleteSlice(each))  # of an earlier Service of that name
    for ports, endpoints in desired.items():
        actions += _of_ports(service, held.pop(packing.normal(ports), []), endpoints, ports, family)
    actions += [DeleteSlice(each) for unwanted in held.values() for each in unwanted]
    leaving = sum(isinstance(action, DeleteSlice) for action in actions)
    if leaving == len(present) and not any(isinstance(action, CreateSlice) for action in actions):
        actions.append(CreateSlice(_empty_slice(service, (), family)))
    return _recycled(service, actions)


def _desired(candidates: Iterable[Candidate], family: str) -> dict[Ports, dict[Identity, Endpoint]]:
    found: dict[Ports, dict[Identity, Endpoint]] = {}
    for each in candidates:
        if family in each.endpoints:
            identity, endpoint = each.endpoints[family]
            found.setdefault(each.ports, {})[identity] = endpoint
    return found


def _of_ports(
    service: Service, present: Sequence[EndpointSlice], desired: dict[Identity, Endpoint], ports: Ports, family: str
) -> list[Action]:
    packing_of = packing.packed(present, desired)
    labels = labels_of(service)
    actions: list[Action] = []
    for each in present:
        contents = packing_of.contents[each.metadata.name]
        if not contents:
            actions.append(DeleteSlice(each))
        elif contents != each.endpoints or labels != each.metadata.labels:
            actions.append(UpdateSlice(_with(each, contents, labels)))
    born = _empty_slice(service, ports, family)
    return actions + [CreateSlice(replace(born, endpoints=contents)) for contents in packing_of.fresh]


def _with(slice: EndpointSlice, endpoints: tuple[Endpoint, ...] | None, labels: dict[str, str]) -> EndpointSlice:
    return replace(slice, endpoints=endpoints, metadata=replace(slice.metadata, labels=labels))


def _recycled(service: Service, actions: Sequence[Action]) -> list[Action]:
    """Where one slice would be created and another deleted, one is written instead; an empty one perhaps not even that.

    Only the Service's own: those of an earlier one of the same name are on their way out with it.
    """
    births = [action.slice for action in actions if isinstance(action, CreateSlice)]
    rest: list[Action] = []
    for action in actions:
        own = isinstance(action, DeleteSlice) and any(
            reference.uid == service.metadata.uid for reference in action.slice.metadata.owner_references
        )
        if own and births:
            born = births.pop()
            reused = replace(_with(action.slice, born.endpoints, born.metadata.labels), ports=born.ports)
            if reused != action.slice:
                rest.append(UpdateSlice(reused))
        elif not isinstance(action, CreateSlice):
            rest.append(action)
    return [*map(CreateSlice, births), *rest]


# --- What is in a slice


def candidate(service: Service, zones: Mapping[str, str], pod: Pod) -> Candidate:
    """`zones`: the zone of every node there is, empty where none is known.

    A pod whose node is gone is only waiting to be swept up; its address is published no more, except by a Service that
    wants every address.
    """
    name, changed, node = pod.metadata.name, triggertimes.readiness_changed_at(pod), pod.spec.node_name
    if not services.is_backend(pod):
        return Candidate(name, changed)
    if node not in zones and not service.spec.publish_not_ready_addresses:
        return Candidate(name, changed, is_hidden=True)
    endpoints: dict[str, tuple[Identity, Endpoint]] = {}
    for family in services.families(service):
        if addresses := services.addresses(pod, family):
            endpoint = endpoint_of(service, pod, addresses, zones.get(node, ""))
            endpoints[family] = (packing.identity(endpoint), endpoint)
    return Candidate(name, changed, ports_of(service, pod), endpoints)


def endpoint_of(service: Service, pod: Pod, addresses: tuple[str, ...], zone: str) -> Endpoint:
    serving, terminating = pods.is_ready(pod), pod.metadata.deletion_timestamp is not None
    ready = service.spec.publish_not_ready_addresses or (serving and not terminating)
    return Endpoint(
        addresses=addresses,
        conditions=EndpointConditions(ready=ready, serving=serving, terminating=terminating),
        hostname=services.hostname(pod, service) or None,
        target_ref=services.reference_to(pod),
        node_name=pod.spec.node_name or None,
        zone=zone or None,
    )


def ports_of(service: Service, pod: Pod) -> Ports:
    return tuple(
        EndpointPort(name=port.name, port=number, protocol=port.protocol, app_protocol=port.app_protocol)
        for port in service.spec.ports
        if (number := services.resolved_port(pod, port)) is not None
    )


def labels_of(service: Service) -> dict[str, str]:
    labels = {key: value for key, value in service.metadata.labels.items() if key not in _RESERVED}
    headless = {services.HEADLESS: ""} if services.is_headless(service) else {}
    return {**labels, **headless, SERVICE_NAME: service.metadata.name, MANAGED_BY: OURS}


def _empty_slice(service: Service, ports: Ports, family: str) -> EndpointSlice:
    meta = ObjectMeta(
        namespace=service.metadata.namespace,
        labels=labels_of(service),
        owner_references=(ownership.reference_to(service, _SERVICE),),
    )
    return EndpointSlice(metadata=meta, address_type=family, ports=ports or None)
