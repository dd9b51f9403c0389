"""Keep the EndpointSlices of every Service with a selector equal to its pods: the thin part around `plan`.

Reads Services (index: selector), Pods (index: label), Nodes, and EndpointSlices (index: Service). Writes EndpointSlices
that carry our name as their manager, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from random import Random

from msgspec.structs import replace

from controller_manager import pods, refusals, services
from controller_manager.controllers.endpointslice.plan import (
    MANAGED_BY,
    OURS,
    SERVICE_NAME,
    ZONE,
    Action,
    Candidate,
    CreateSlice,
    DeleteSlice,
    UpdateSlice,
    candidate,
    plan,
)
from controller_manager.derivation import Derivation
from controller_manager.pacing import Pace
from controller_manager.recording import Recorder
from controller_manager.triggertimes import TriggerTimes
from steersman.api.core import Node, Pod, Service
from steersman.api.discovery import EndpointSlice
from steersman.api.errors import ApiError, Conflict, Deposed, NotFound
from steersman.base.clock import Clock
from steersman.client.cache import Cache, ObjectKey
from steersman.control.loop import DONE, After, Outcome
from steersman.control.writes import Tracked

BY_SERVICE = "service"
"""EndpointSlices by manager, namespace and Service; see `service_index`."""
SECONDS_UNTIL_NODE_APPEARS = 3.0


def service_index(slice: EndpointSlice) -> tuple[str, ...]:
    labels = slice.metadata.labels
    name = labels.get(SERVICE_NAME, "")
    return (managed_for(labels.get(MANAGED_BY, ""), ObjectKey(slice.metadata.namespace, name)),) if name else ()


def managed_for(manager: str, key: ObjectKey) -> str:
    return f"{manager}/{key}"


def service_of(slice: EndpointSlice) -> list[ObjectKey]:
    """The key of the Service that the slice is about, whoever manages it."""
    name = slice.metadata.labels.get(SERVICE_NAME, "")
    return [ObjectKey(slice.metadata.namespace, name)] if name else []


class SliceWriter:
    """Carries out what a plan says; new slices get random names."""

    def __init__(self, slices: Tracked[EndpointSlice], random: Random) -> None:
        self._slices = slices
        self._random = random

    async def carry_out(self, actions: Iterable[Action], base_name: str) -> None:
        for action in actions:
            await self._act(action, base_name)

    async def _act(self, action: Action, base_name: str) -> None:
        meta = action.slice.metadata
        try:
            match action:
                case CreateSlice(slice):
                    name = pods.fresh_name(base_name, self._random)
                    await self._slices.create(replace(slice, metadata=replace(meta, name=name)))
                case UpdateSlice(slice):
                    await self._slices.update(slice)
                case DeleteSlice():
                    await self._slices.delete(meta.name, meta.namespace, uid=meta.uid)
        except NotFound:
            return  # gone is success; if it is wanted, its own change wakes us
        except ApiError as error:
            if not refusals.is_of_ending_namespace(error):
                raise


class EndpointSliceController:
    """The caches have the indexes that the module's docstring names."""

    name = "endpointslice"

    def __init__(
        self,
        slices: Tracked[EndpointSlice],
        *,
        service_cache: Cache[Service],
        pod_cache: Cache[Pod],
        node_cache: Cache[Node],
        slice_cache: Cache[EndpointSlice],
        recorder: Recorder,
        clock: Clock,
        random: Random,
    ) -> None:
        self._writer = SliceWriter(slices, random)
        self._service_cache = service_cache
        self._pod_cache = pod_cache
        self._node_cache = node_cache
        self._slice_cache = slice_cache
        self._recorder = recorder
        self._clock = clock
        self._triggers = TriggerTimes()
        self._derived: Derivation[Candidate] = Derivation()
        self._pace = Pace()

    async def reconcile(self, key: ObjectKey) -> Outcome:
        wait = self._pace.wait(key, self._clock.monotonic())
        if wait:
            return After(wait)
        service = self._service_cache.get(key)
        if service is None or not services.has_backends(service):
            self._triggers.forget(key)  # what is left of its slices goes with their owner
            self._derived.forget(key)
            return DONE
        candidates = self._candidates(key, service)
        present = self._slice_cache.by_index(BY_SERVICE, managed_for(OURS, key))
        readiness = {each.name: each.readiness_changed_at for each in candidates}
        actions = plan(service, candidates, present, self._triggers.advance(service, readiness))
        if actions:
            self._pace.acted(key, self._clock.monotonic(), len(candidates))
            await self._carry_out(service, actions)
        return After(SECONDS_UNTIL_NODE_APPEARS) if any(each.is_hidden for each in candidates) else DONE

    def _candidates(self, key: ObjectKey, service: Service) -> list[Candidate]:
        matching = services.selected_by(service, self._pod_cache)
        zones = self._zones_of(matching)
        return self._derived.of(key, (service, zones), matching, partial(candidate, service, zones))

    def woken_by_pod(self, pod: Pod) -> list[ObjectKey]:
        return services.leading_to(pod, self._service_cache)

    def _zones_of(self, matching: Iterable[Pod]) -> dict[str, str]:
        """The zone of every node that has one of the pods and is there; empty where none is known."""
        names = {pod.spec.node_name for pod in matching}
        nodes = (node for name in names if (node := self._node_cache.get(ObjectKey("", name))) is not None)
        return {node.metadata.name: node.metadata.labels.get(ZONE, "") for node in nodes}

    async def _carry_out(self, service: Service, actions: Sequence[Action]) -> None:
        try:
            await self._writer.carry_out(actions, service.metadata.name)
        except (Deposed, Conflict):
            raise
        except ApiError as error:
            name = f"{service.metadata.namespace}/{service.metadata.name}"
            message = f"Error updating Endpoint Slices for Service {name}: {error}"
            self._recorder.warning(service, "FailedToUpdateEndpointSlices", message)
            raise
