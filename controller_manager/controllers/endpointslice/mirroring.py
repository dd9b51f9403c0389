"""Endpoints that a user has written for a Service without a selector, mirrored into EndpointSlices.

Reads Endpoints, Services, and EndpointSlices (index: Service). Writes EndpointSlices that carry this controller's name
as their manager. Each set of ports and each address family has one slice of at most 1,000 endpoints. Labels and
annotations are mirrored too. Endpoints with the label `endpointslice.kubernetes.io/skip-mirror: "true"` are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from msgspec.structs import replace

from controller_manager import ownership, services, triggertimes
from controller_manager.controllers.endpointslice import packing
from controller_manager.controllers.endpointslice.controller import BY_SERVICE, SliceWriter, managed_for
from controller_manager.controllers.endpointslice.packing import Identity, Ports
from controller_manager.controllers.endpointslice.plan import (
    MANAGED_BY,
    SERVICE_NAME,
    Action,
    CreateSlice,
    DeleteSlice,
    UpdateSlice,
)
from controller_manager.recording import Recorder
from steersman.api import kinds
from steersman.api.core import EndpointAddress, Endpoints, EndpointSubset, Service
from steersman.api.discovery import Endpoint, EndpointConditions, EndpointPort, EndpointSlice
from steersman.api.meta import ObjectMeta
from steersman.client.cache import Cache, ObjectKey
from steersman.control.loop import DONE, TRACE_ANNOTATION, Outcome
from steersman.control.writes import Tracked

OURS = "endpointslicemirroring-controller.k8s.io"
SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror"
LEADER = "control-plane.alpha.kubernetes.io/leader"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
MAX_PER_SUBSET = 1_000

_ENDPOINTS = next(kind for kind in kinds.ALL if kind.struct is Endpoints)
_NOT_MIRRORED = frozenset({triggertimes.ANNOTATION, LAST_APPLIED, TRACE_ANNOTATION})

Group = tuple[str, Ports]
"""What the endpoints of a slice have in common: address family and ports."""


@dataclass(frozen=True, slots=True)
class Mirror:
    """What to write, and how many addresses are too many to be mirrored."""

    actions: tuple[Action, ...] = ()
    skipped: int = 0


def plan(endpoints: Endpoints | None, service: Service | None, present: Sequence[EndpointSlice]) -> Mirror:
    """`present`: the slices that mirror Endpoints of this name."""
    if endpoints is None or service is None or not is_mirrored(endpoints, service):
        return Mirror(tuple(map(DeleteSlice, present)))
    groups, skipped = grouped(endpoints.subsets)
    held: dict[Group, list[EndpointSlice]] = {}
    for each in present:
        held.setdefault((each.address_type, packing.normal(each.ports)), []).append(each)
    births: list[EndpointSlice] = []
    updates: list[Action] = []
    superfluous: list[EndpointSlice] = []
    for group, desired in groups.items():
        first, *others = held.pop(group, [None])
        superfluous += [each for each in others if each is not None]
        if first is None:
            births.append(_slice(endpoints, group, tuple(desired.values())))
        elif (changed := _mirrored(endpoints, first, desired)) != first:
            updates.append(UpdateSlice(changed))
    superfluous += [each for left in held.values() for each in left]
    return Mirror((*_recycled(endpoints, births, updates, superfluous),), skipped)


def is_mirrored(endpoints: Endpoints, service: Service) -> bool:
    meta = endpoints.metadata
    skips = meta.labels.get(SKIP_MIRROR) == "true" or LEADER in meta.annotations
    return not skips and not service.spec.selector


def grouped(subsets: Sequence[EndpointSubset]) -> tuple[dict[Group, dict[Identity, Endpoint]], int]:
    """The endpoints of each slice to be, and how many addresses found no place. Ready ones come first."""
    groups: dict[Group, dict[Identity, Endpoint]] = {}
    counts: dict[Ports, int] = {}
    skipped = 0
    for subset in subsets:
        ports = _ports(subset)
        for address, ready in _addresses(subset):
            family = services.family_of(address.ip)
            if not family or counts.get(ports, 0) >= MAX_PER_SUBSET:
                skipped += 1
                continue
            endpoint = _endpoint(address, ready=ready)
            groups.setdefault((family, ports), {}).setdefault(packing.identity(endpoint), endpoint)
            counts[ports] = counts.get(ports, 0) + 1
    return groups, skipped


def _addresses(subset: EndpointSubset) -> Iterator[tuple[EndpointAddress, bool]]:
    yield from ((address, True) for address in subset.addresses)
    yield from ((address, False) for address in subset.not_ready_addresses)


def _endpoint(address: EndpointAddress, *, ready: bool) -> Endpoint:
    return Endpoint(
        addresses=(services.canonical(address.ip),),
        conditions=EndpointConditions(ready=ready),
        hostname=address.hostname or None,
        node_name=address.node_name,
        target_ref=address.target_ref,
    )


def _ports(subset: EndpointSubset) -> Ports:
    return packing.normal(
        tuple(
            EndpointPort(name=port.name, port=port.port, protocol=port.protocol, app_protocol=port.app_protocol)
            for port in subset.ports
        )
    )


# --- Slices


def _slice(endpoints: Endpoints, group: Group, contents: tuple[Endpoint, ...]) -> EndpointSlice:
    family, ports = group
    meta = _with_metadata(endpoints, ObjectMeta(namespace=endpoints.metadata.namespace))
    return EndpointSlice(metadata=meta, address_type=family, ports=ports or None, endpoints=contents or None)


def _with_metadata(endpoints: Endpoints, meta: ObjectMeta) -> ObjectMeta:
    source = endpoints.metadata
    trace = {key: value for key, value in meta.annotations.items() if key == TRACE_ANNOTATION}
    mirrored = {key: value for key, value in source.annotations.items() if key not in _NOT_MIRRORED}
    return replace(
        meta,
        labels={**source.labels, SERVICE_NAME: source.name, MANAGED_BY: OURS},
        annotations={**mirrored, **trace},
        owner_references=(ownership.reference_to(endpoints, _ENDPOINTS),),
    )


def _mirrored(endpoints: Endpoints, held: EndpointSlice, desired: dict[Identity, Endpoint]) -> EndpointSlice:
    """The slice as it should be; endpoints that it has already keep their order."""
    waiting = dict(desired)
    kept = [found for each in held.endpoints or () if (found := waiting.pop(packing.identity(each), None)) is not None]
    metadata = _with_metadata(endpoints, held.metadata)
    return replace(held, metadata=metadata, endpoints=(*kept, *waiting.values()) or None)


def _recycled(
    endpoints: Endpoints, births: list[EndpointSlice], updates: Sequence[Action], superfluous: Sequence[EndpointSlice]
) -> list[Action]:
    """A slice that is no longer needed becomes one that would have to be created, if the address family agrees."""
    reused: list[Action] = []
    deletions: list[Action] = []
    for each in superfluous:
        born = next((birth for birth in births if birth.address_type == each.address_type), None)
        if born is None:
            deletions.append(DeleteSlice(each))
        else:
            births.remove(born)
            metadata = _with_metadata(endpoints, each.metadata)
            reused.append(UpdateSlice(replace(each, metadata=metadata, ports=born.ports, endpoints=born.endpoints)))
    if endpoints.metadata.deletion_timestamp is not None:
        births = []
    return [*map(CreateSlice, births), *updates, *reused, *deletions]


class EndpointSliceMirroringController:
    """The cache of EndpointSlices has the index BY_SERVICE."""

    name = "endpointslicemirroring"

    def __init__(
        self,
        slices: Tracked[EndpointSlice],
        *,
        endpoints_cache: Cache[Endpoints],
        service_cache: Cache[Service],
        slice_cache: Cache[EndpointSlice],
        recorder: Recorder,
        random: Random,
    ) -> None:
        self._writer = SliceWriter(slices, random)
        self._endpoints_cache = endpoints_cache
        self._service_cache = service_cache
        self._slice_cache = slice_cache
        self._recorder = recorder

    async def reconcile(self, key: ObjectKey) -> Outcome:
        endpoints, service = self._endpoints_cache.get(key), self._service_cache.get(key)
        present = self._slice_cache.by_index(BY_SERVICE, managed_for(OURS, key))
        mirror = plan(endpoints, service, present)
        await self._writer.carry_out(mirror.actions, key.name)
        if mirror.skipped and mirror.actions and endpoints is not None:
            message = (
                f"A max of {MAX_PER_SUBSET} addresses can be mirrored to EndpointSlices per Endpoints subset. "
                f"{mirror.skipped} addresses were skipped"
            )
            self._recorder.warning(endpoints, "TooManyAddressesToMirror", message)
        return DONE
