"""services/proxy: an HTTP request passed on to one of the pods behind a service, any one that is ready."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from aiohttp import web

from apiserver.registry.registry import Registry
from apiserver.registry.requests import Selection, Target
from apiserver.restfront.call import Call
from apiserver.restfront.streams import proxying, targets
from apiserver.restfront.streams.podproxy import PodProxy
from steersman.api import codec, kinds
from steersman.api.core import Pod, Service
from steersman.api.discovery import EndpointSlice
from steersman.api.errors import BadRequest, NotFound, Unavailable, quoted
from steersman.api.kinds import Kind

SERVICE_LABEL = "kubernetes.io/service-name"
_KINDS: dict[type, Kind] = {kind.struct: kind for kind in kinds.ALL if not kind.stored_as}


class Candidate(NamedTuple):
    """A pod that may answer: where its service believes it to be."""

    pod: str
    address: str
    port: int


class ServiceProxy:
    def __init__(self, registry: Registry, pods: PodProxy) -> None:
        self._registry = registry
        self._pods = pods

    async def serve(self, call: Call) -> web.StreamResponse:
        namespace, asked = call.path.namespace, call.path.name
        backend = proxying.backend_of(asked)
        if backend is None:
            raise BadRequest(f"invalid service request {quoted(asked)}")
        port_name = backend.port
        if port_name.isascii() and port_name.isdigit():
            port_name = name_of_port(await self._service(namespace, backend.name), int(port_name))
        pod, port = await self._chosen(namespace, backend.name, port_name)
        return await self._pods.reach(call, pod, backend.scheme, port)

    async def _service(self, namespace: str, name: str) -> Service:
        """NotFound."""
        found = await self._registry.get(Target(_KINDS[Service], namespace, name))
        return codec.load(Service, found.json)

    async def _chosen(self, namespace: str, service: str, port_name: str) -> tuple[Pod, int]:
        """Unavailable when nobody is there."""
        wanted = Selection(label_selector=f"{SERVICE_LABEL}={service}")
        listed = await self._registry.list(Target(_KINDS[EndpointSlice], namespace), wanted)
        slices = [codec.load(EndpointSlice, item.json) for item in listed.items]
        found = list(candidates(slices, namespace, port_name))
        for each in random.sample(found, len(found)):
            try:
                pod = await targets.pod_of(self._registry, Target(_KINDS[Pod], namespace, each.pod))
            except NotFound:
                continue
            # Only what is a pod's own is passed on to, whatever somebody has written into a slice.
            if each.address in [known.ip for known in pod.status.pod_ips]:
                return pod, each.port
        raise Unavailable(f"no endpoints available for service {quoted(service)}")


def name_of_port(service: Service, number: int) -> str:
    """Unavailable for a port that the service has not."""
    for port in service.spec.ports:
        if port.port == number:
            return port.name
    raise Unavailable(f"no service port {number} found for service {quoted(service.metadata.name)}")


def candidates(slices: Iterable[EndpointSlice], namespace: str, port_name: str) -> Iterator[Candidate]:
    """The pods of that namespace that stand ready behind a port of this name."""
    for each in slices:
        ports = [port.port for port in each.ports or () if (port.name or "") == port_name and port.port is not None]
        for endpoint in (each.endpoints or ()) if ports else ():
            pod = endpoint.target_ref
            is_ready = endpoint.conditions.ready is not False
            if is_ready and pod is not None and pod.namespace == namespace and endpoint.addresses:
                yield Candidate(pod.name, endpoint.addresses[0], ports[0])
