"""Keep the Endpoints of every Service with a selector equal to the addresses of its pods.

Reads Services (index: selector), Pods (index: label) and Endpoints. Writes Endpoints. A pod that is going is left out,
unless the Service wants addresses that are not ready too; a Service without a selector keeps what its user has written.
At most 1,000 addresses are listed, the ready ones first: EndpointSlices have no such limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from controller_manager import pods, refusals, services, triggertimes
from controller_manager.derivation import Derivation
from controller_manager.pacing import Pace
from controller_manager.recording import Recorder
from controller_manager.triggertimes import TriggerTimes
from steersman.api.core import EndpointAddress, EndpointPort, Endpoints, EndpointSubset, Pod, Service
from steersman.api.errors import ApiError, Conflict, Deposed, NotFound
from steersman.api.meta import ObjectMeta
from steersman.base.clock import Clock
from steersman.client.cache import Cache, ObjectKey
from steersman.control.loop import DONE, After, Outcome
from steersman.control.writes import Tracked

MANAGED_BY = "endpoints.kubernetes.io/managed-by"
OURS = "endpoint-controller"
OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity"
TRUNCATED = "truncated"
CAPACITY = 1_000

_Ports = tuple[EndpointPort, ...]
_Place = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class CreateEndpoints:
    endpoints: Endpoints


@dataclass(frozen=True, slots=True)
class UpdateEndpoints:
    endpoints: Endpoints  # with the resourceVersion that was looked at


@dataclass(frozen=True, slots=True)
class DeleteEndpoints:
    endpoints: Endpoints


Action = CreateEndpoints | UpdateEndpoints | DeleteEndpoints


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pod that the selector matches. Without an address it is not listed."""

    name: str
    readiness_changed_at: str
    address: EndpointAddress | None = None
    place: _Place = (0, 0, "")
    """Of its address among others."""
    ports: _Ports = ()
    ready: bool = False


def plan(service: Service, candidates: Iterable[Candidate], present: Endpoints | None, trigger: str) -> Action | None:
    """`trigger`: when what we tell became true; see `triggertimes`."""
    if not services.has_backends(service) or service.metadata.deletion_timestamp is not None:
        return None
    whole = subsets_of(candidates)
    subsets = truncated(whole)
    capacity = {OVER_CAPACITY: TRUNCATED} if subsets != whole else {}
    labels = labels_of(service)
    if present is None:
        annotations = triggertimes.annotated(capacity, trigger)
        meta = ObjectMeta(
            name=service.metadata.name, namespace=service.metadata.namespace, labels=labels, annotations=annotations
        )
        return CreateEndpoints(Endpoints(metadata=meta, subsets=subsets))
    told = {key: value for key, value in present.metadata.annotations.items() if key != OVER_CAPACITY} | capacity
    if (present.subsets, present.metadata.labels, present.metadata.annotations) == (subsets, labels, told):
        return None
    meta = replace(present.metadata, labels=labels, annotations=triggertimes.annotated(told, trigger))
    return UpdateEndpoints(replace(present, metadata=meta, subsets=subsets))


def abandoned(present: Endpoints | None, *, served: bool) -> Action | None:
    """What to do with the Endpoints of no Service. `served`: there was one, and it has been deleted."""
    if present is None or _holds_election(present):
        return None
    return DeleteEndpoints(present) if served or present.metadata.labels.get(MANAGED_BY) == OURS else None


def _holds_election(endpoints: Endpoints) -> bool:
    """Whether somebody holds an election on it: old clients do that, and their Endpoints belong to no Service."""
    return "control-plane.alpha.kubernetes.io/leader" in endpoints.metadata.annotations


def labels_of(service: Service) -> dict[str, str]:
    labels = {key: value for key, value in service.metadata.labels.items() if key != services.HEADLESS}
    headless = {services.HEADLESS: ""} if services.is_headless(service) else {}
    return {**labels, **headless, MANAGED_BY: OURS}


# --- Addresses that share ports


def candidate(service: Service, pod: Pod) -> Candidate:
    unready_too = service.spec.publish_not_ready_addresses
    name, changed = pod.metadata.name, triggertimes.readiness_changed_at(pod)
    leaving = pod.metadata.deletion_timestamp is not None and not unready_too
    ports = ports_of(service, pod)
    if leaving or not services.is_backend(pod) or (not ports and not services.needs_no_ports(service)):
        return Candidate(name, changed)
    address = address_of(service, pod)
    place = (0, 0, "") if address is None else (*services.address_order(address.ip), pod.metadata.uid)
    return Candidate(name, changed, address, place, ports, ready=unready_too or pods.is_ready(pod))


def subsets_of(candidates: Iterable[Candidate]) -> tuple[EndpointSubset, ...]:
    """One subset for each set of ports; pods differ in theirs when they call them differently."""
    groups: dict[_Ports, tuple[list[EndpointAddress], list[EndpointAddress]]] = {}
    for each in sorted(candidates, key=_place):
        if each.address is not None:
            ready, unready = groups.setdefault(each.ports, ([], []))
            (ready if each.ready else unready).append(each.address)
    return tuple(
        EndpointSubset(addresses=tuple(ready), not_ready_addresses=tuple(unready), ports=ports)
        for ports, (ready, unready) in sorted(groups.items(), key=lambda group: _port_order(group[0]))
    )


def address_of(service: Service, pod: Pod) -> EndpointAddress | None:
    """Of the Service's first family: Endpoints know one. None: the pod has no address in it."""
    families = service.spec.ip_families or (
        (services.family_of(pod.status.pod_ip),) if services.is_headless(service) else services.families(service)
    )
    found = services.addresses(pod, families[0])
    if not found:
        return None
    return EndpointAddress(
        ip=found[0],
        hostname=services.hostname(pod, service),
        node_name=pod.spec.node_name or None,
        target_ref=services.reference_to(pod),
    )


def ports_of(service: Service, pod: Pod) -> _Ports:
    found = (
        EndpointPort(name=port.name, port=number, protocol=port.protocol, app_protocol=port.app_protocol)
        for port in service.spec.ports
        if (number := services.resolved_port(pod, port)) is not None
    )
    return tuple(sorted(found, key=_one_port_order))


def _one_port_order(port: EndpointPort) -> tuple[str, int, str, str]:
    return (port.name, port.port, port.protocol, port.app_protocol or "")


def _port_order(ports: _Ports) -> list[tuple[str, int, str, str]]:
    return [_one_port_order(port) for port in ports]


def _place(each: Candidate) -> _Place:
    return each.place


def _size(endpoints: Endpoints) -> int:
    return sum(len(each.addresses) + len(each.not_ready_addresses) for each in endpoints.subsets)


# --- No more than fit


def truncated(subsets: tuple[EndpointSubset, ...], capacity: int = CAPACITY) -> tuple[EndpointSubset, ...]:
    """Each subset gives up its share, of the addresses that are not ready first."""
    ready = [len(each.addresses) for each in subsets]
    unready = [len(each.not_ready_addresses) for each in subsets]
    if sum(ready) + sum(unready) <= capacity:
        return subsets
    if sum(ready) > capacity:
        shares = zip(subsets, _shares(ready, capacity), strict=True)
        left = [replace(each, addresses=each.addresses[:share], not_ready_addresses=()) for each, share in shares]
    else:
        shares = zip(subsets, _shares(unready, capacity - sum(ready)), strict=True)
        left = [replace(each, not_ready_addresses=each.not_ready_addresses[:share]) for each, share in shares]
    return tuple(each for each in left if each.addresses or each.not_ready_addresses)


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """In proportion, rounded up while there is room; the last ones get what is left."""
    total, left, shares = sum(sizes), room, []
    for size in sizes:
        share = min(math.ceil(size / total * room), left)
        shares.append(share)
        left -= share
    return shares


class EndpointsController:
    """The cache of Pods has the index `services.BY_LABEL`, that of Services `services.BY_SELECTOR`."""

    name = "endpoints"

    def __init__(
        self,
        endpoints: Tracked[Endpoints],
        *,
        service_cache: Cache[Service],
        pod_cache: Cache[Pod],
        endpoints_cache: Cache[Endpoints],
        recorder: Recorder,
        clock: Clock,
    ) -> None:
        self._endpoints = endpoints
        self._service_cache = service_cache
        self._pod_cache = pod_cache
        self._endpoints_cache = endpoints_cache
        self._recorder = recorder
        self._clock = clock
        self._triggers = TriggerTimes()
        self._derived: Derivation[Candidate] = Derivation()
        self._pace = Pace()
        self._served: set[ObjectKey] = set()

    async def reconcile(self, key: ObjectKey) -> Outcome:
        wait = self._pace.wait(key, self._clock.monotonic())
        if wait:
            return After(wait)
        service, present = self._service_cache.get(key), self._endpoints_cache.get(key)
        if service is None:
            action = abandoned(present, served=key in self._served)
        else:
            self._served.add(key)
            action = self._plan(key, service, present)
        if action is not None:
            self._pace.acted(key, self._clock.monotonic(), _size(action.endpoints))
            await self._act(service, action)
        if service is None:
            self._triggers.forget(key)
            self._derived.forget(key)
            self._served.discard(key)
        return DONE

    def _plan(self, key: ObjectKey, service: Service, present: Endpoints | None) -> Action | None:
        matching = services.selected_by(service, self._pod_cache)
        candidates = self._derived.of(key, service, matching, partial(candidate, service))
        readiness = {each.name: each.readiness_changed_at for each in candidates}
        return plan(service, candidates, present, self._triggers.advance(service, readiness))

    def woken_by_pod(self, pod: Pod) -> list[ObjectKey]:
        return services.leading_to(pod, self._service_cache)

    async def _act(self, service: Service | None, action: Action) -> None:
        meta = action.endpoints.metadata
        try:
            match action:
                case CreateEndpoints(endpoints):
                    await self._endpoints.create(endpoints)
                case UpdateEndpoints(endpoints):
                    await self._endpoints.update(endpoints)
                case DeleteEndpoints():
                    await self._endpoints.delete(meta.name, meta.namespace, uid=meta.uid)
        except (Deposed, Conflict):
            raise
        except NotFound:
            return  # gone is success, and comes back by its own change if it is wanted
        except ApiError as error:
            if refusals.is_of_ending_namespace(error):
                return
            if service is not None:
                self._tell_failure(service, action, error)
            raise

    def _tell_failure(self, service: Service, action: Action, error: ApiError) -> None:
        name = f"{service.metadata.namespace}/{service.metadata.name}"
        if isinstance(action, CreateEndpoints):
            message = f"Failed to create endpoint for service {name}: {error}"
            self._recorder.warning(service, "FailedToCreateEndpoint", message)
        else:
            self._recorder.warning(service, "FailedToUpdateEndpoint", f"Failed to update endpoint {name}: {error}")
