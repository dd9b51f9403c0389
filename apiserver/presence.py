"""Which API servers there are: each keeps a Lease alive, and together they keep the endpoints of `default/kubernetes`.

Every server renews its own Lease and then writes the endpoints of all servers whose Leases are alive, if they differ
from what is there. So a server that dies is taken out by the others, and the last one is never taken out by itself.
"""

from __future__ import annotations

import ipaddress
import socket
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from msgspec.structs import replace

from apiserver.bootstrap import KUBERNETES
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Selection, Target
from steersman.api import codec, kinds, times
from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.core import EndpointAddress, EndpointPort, Endpoints, EndpointSubset
from steersman.api.discovery import Endpoint, EndpointConditions, EndpointSlice
from steersman.api.discovery import EndpointPort as SlicePort
from steersman.api.errors import AlreadyExists, ApiError, Conflict, NotFound
from steersman.api.kinds import Kind
from steersman.api.meta import Object, ObjectMeta
from steersman.base import log
from steersman.base.clock import Clock
from steersman.base.values import Address

RENEW_SECONDS = 10.0
LEASE_SECONDS = 30
ATTEMPTS = 5
"""How often a server looks again when others publish at the same time, before it leaves that to its next round."""

IDENTITY_LABEL = "apiserver.kubernetes.io/identity"
ADDRESS_ANNOTATION = "steersman.io/address"
SERVICE_LABEL = "kubernetes.io/service-name"

_THIS_START = uuid.uuid4()
"""Tells one start of a server from the next, in the Lease's holder."""

_log = log.get("presence")


def _kind(group: str, resource: str) -> Kind:
    found = kinds.by_resource(group, resource)
    assert found is not None
    return found


_LEASES = Target(_kind("coordination.k8s.io", "leases"), "kube-system")
_ENDPOINTS = Target(_kind("", "endpoints"), "default", KUBERNETES)
_SLICE = Target(_kind("discovery.k8s.io", "endpointslices"), "default", KUBERNETES)


@dataclass(frozen=True, slots=True)
class Server:
    """This API server: a name that outlives restarts, and where pods can reach it."""

    name: str
    address: Address


def advertised(rest: Address) -> Address | None:
    """Where others reach a server that listens on `rest`; None when nobody else can."""
    try:
        listening = ipaddress.ip_address(rest.host)
    except ValueError:
        listening = ipaddress.ip_address("127.0.0.1")
    if not (listening.is_loopback or listening.is_unspecified):
        return rest
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks which interface would be used
        except OSError:
            return None
        host = str(probe.getsockname()[0])
    return None if ipaddress.ip_address(host).is_loopback else Address(host, rest.port)


async def appear(registry: Registry, server: Server, clock: Clock) -> None:
    """Renew, then see to the endpoints. A store that is away for a moment is left to the next round."""
    try:
        await _renew(registry, server, clock.now())
        await _publish(registry, clock.now())
    except ApiError as error:
        _log.warning("not announced", reason=error.message)


async def stay(registry: Registry, server: Server, clock: Clock) -> None:
    """For ever, after having appeared."""
    while True:
        await clock.sleep(RENEW_SECONDS)
        await appear(registry, server, clock)


async def _renew(registry: Registry, server: Server, now: datetime) -> None:
    target = Target(_LEASES.kind, _LEASES.namespace, f"apiserver-{server.name}")
    spec = LeaseSpec(
        holder_identity=f"{target.name}_{_THIS_START}",
        lease_duration_seconds=LEASE_SECONDS,
        renew_time=times.micro_from_datetime(now),
    )
    try:
        found = await registry.get(target)
    except NotFound:
        meta = ObjectMeta(
            name=target.name,
            namespace=target.namespace,
            labels={IDENTITY_LABEL: "kube-apiserver"},
            annotations={ADDRESS_ANNOTATION: str(server.address)},
        )
        await registry.create(_LEASES, codec.encode(Lease(metadata=meta, spec=spec)))
        return
    lease = codec.load(Lease, found.json)
    annotations = {**lease.metadata.annotations, ADDRESS_ANNOTATION: str(server.address)}
    renewed = replace(lease, spec=spec, metadata=replace(lease.metadata, annotations=annotations))
    await registry.update(target, codec.encode(renewed))


async def _alive(registry: Registry, now: datetime) -> list[str]:
    """The addresses of the servers whose Leases have not run out, in order."""
    listing = await registry.list(_LEASES, Selection(label_selector=f"{IDENTITY_LABEL}=kube-apiserver"))
    leases = [codec.load(Lease, item.json) for item in listing.items]
    return sorted({lease.metadata.annotations[ADDRESS_ANNOTATION] for lease in leases if is_alive(lease, now)})


def is_alive(lease: Lease, now: datetime) -> bool:
    """Whether a server stands behind the Lease. Anybody may write Leases: one that makes no sense is nobody's."""
    renewed, seconds = lease.spec.renew_time, lease.spec.lease_duration_seconds
    if renewed is None or seconds is None or not _is_address(lease.metadata.annotations.get(ADDRESS_ANNOTATION, "")):
        return False
    return now - times.to_datetime(renewed) < timedelta(seconds=seconds)


def _is_address(text: str) -> bool:
    """Whether endpoints may hold it: one that they refuse would keep all the others out too."""
    host, _, port = text.rpartition(":")
    try:
        address = ipaddress.IPv4Address(host)
    except ValueError:
        return False
    if address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified:
        return False
    return port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535


async def _publish(registry: Registry, now: datetime) -> None:
    for target, shaped in _PUBLISHED:
        for _ in range(ATTEMPTS):
            try:
                await _put(registry, target, shaped, now)
                break
            except (AlreadyExists, Conflict):
                continue  # another server was quicker: look again who is alive


async def _put(registry: Registry, target: Target, shaped: Callable[[Sequence[str]], Object], now: datetime) -> None:
    """Make the object what the Leases say; the registry writes nothing when it is so already.

    The object is read before the Leases: whoever knows of fewer servers than the last writer did meets a Conflict.
    """
    try:
        revision = (await registry.get(target)).revision
    except NotFound:
        wanted = shaped(await _alive(registry, now))
        await registry.create(Target(target.kind, target.namespace), codec.encode(wanted))
        return
    wanted = shaped(await _alive(registry, now))
    meta = replace(wanted.metadata, resource_version=str(revision))
    await registry.update(target, codec.encode(replace(wanted, metadata=meta)))


def endpoints_of(addresses: Sequence[str]) -> Endpoints:
    by_port: dict[int, list[str]] = {}
    for address in addresses:
        host, _, port = address.rpartition(":")
        by_port.setdefault(int(port), []).append(host)
    return Endpoints(
        metadata=ObjectMeta(
            name=KUBERNETES,
            namespace="default",
            labels={"endpointslice.kubernetes.io/skip-mirror": "true"},
        ),
        subsets=tuple(
            EndpointSubset(
                addresses=tuple(EndpointAddress(ip=host) for host in hosts),
                ports=(EndpointPort(name="https", port=port, protocol="TCP"),),
            )
            for port, hosts in sorted(by_port.items())
        ),
    )


def slice_of(addresses: Sequence[str]) -> EndpointSlice:
    """A slice has one set of ports: of servers on several ports, those on the lowest are in it."""
    subsets = endpoints_of(addresses).subsets
    first = subsets[0] if subsets else EndpointSubset()
    return EndpointSlice(
        metadata=ObjectMeta(name=KUBERNETES, namespace="default", labels={SERVICE_LABEL: KUBERNETES}),
        address_type="IPv4",
        endpoints=tuple(
            Endpoint(addresses=(address.ip,), conditions=EndpointConditions(ready=True)) for address in first.addresses
        )
        or None,
        ports=tuple(SlicePort(name=port.name, port=port.port, protocol=port.protocol) for port in first.ports) or None,
    )


_PUBLISHED: tuple[tuple[Target, Callable[[Sequence[str]], Object]], ...] = (
    (_ENDPOINTS, endpoints_of),
    (_SLICE, slice_of),
)
