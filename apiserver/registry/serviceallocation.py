"""What a Service gets from the cluster: a cluster address and node ports. Pure but for the picks.

All node ports are one pool, whatever their protocol; within one Service, protocols may share a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from msgspec.structs import replace

from apiserver.registry import clusterips, servicefamilies, servicespec
from apiserver.registry.claiming import Claim, Picks, Pool, PoolFull
from apiserver.registry.servicespec import IPV4
from apiserver.registry.validation import serviceaddresses
from steersman.api import errors, fields
from steersman.api.core import Service, ServicePort, ServiceSpec
from steersman.api.errors import ApiError, Cause
from steersman.api.fields import Path

FULL = "range is full"

_SPEC = Path("spec")
_IPS = _SPEC.child("clusterIPs")


def address_pool(network: IPv4Network) -> Pool:
    """All but the network's own address and its broadcast address."""
    first, last = int(network.network_address), int(network.broadcast_address)
    members = range(first + 1, last)
    return Pool(
        name="clusterips",
        members=members,
        reserved=_reserved(len(members), share=16, most=256),
        text=lambda member: str(IPv4Address(member)),
        taken="provided IP is already allocated",
        outside="the provided network does not match the current range",
        place=clusterips.PLACE,
        is_claim=clusterips.is_claim,
    )


def port_pool(ports: range) -> Pool:
    return Pool(
        name="nodeports",
        members=ports,
        reserved=_reserved(len(ports), share=32, most=128),
        taken="provided port is already allocated",
        outside=f"provided port is not in the valid range. The range of valid ports is {ports[0]}-{ports[-1]}",
    )


def _reserved(size: int, *, share: int, most: int) -> int:
    least = 16
    return 0 if size <= least else min(max(least, size // share), most)


@dataclass(frozen=True, slots=True)
class Allocation:
    """The pools of one cluster, and what Services take from them."""

    addresses: Pool
    ports: Pool

    def claims(self, service: Service) -> list[Claim]:
        return [*self._address_claims(service), *self._port_claims(service)]

    def allocate(self, new: Service, old: Service | None, picks: Picks) -> Service:
        """The Service with whatever its user left open. Raises Invalid or Internal where that is impossible."""
        new = servicefamilies.with_families(new if old is not None else servicefamilies.with_plural_address(new), old)
        new = self._with_addresses(new, picks)
        if servicespec.is_on_nodes(new.spec):
            new = self._with_node_ports(new, old, picks)
        return self._with_health_check_port(new, picks)

    # -- claims

    def _address_claims(self, service: Service) -> list[Claim]:
        spec = service.spec
        if servicespec.is_named_elsewhere(spec) or servicespec.is_headless(spec):
            return []
        return [self._address_claim(service, ip) for ip in spec.cluster_ips if serviceaddresses.family_of(ip) == IPV4]

    def _address_claim(self, service: Service, ip: str) -> Claim:
        def refuse(why: str) -> ApiError:
            why = f"failed to allocate IP {ip}: {why}"
            return _invalid(service, fields.invalid(_IPS, service.spec.cluster_ips, why))

        return Claim(self.addresses, int(IPv4Address(ip)), refuse, clusterips.record(ip, IPV4, service))

    def _port_claims(self, service: Service) -> list[Claim]:
        spec = service.spec
        claims = []
        if servicespec.is_on_nodes(spec):
            claims += [
                self._port_claim(service, index, port.node_port)
                for index, port in enumerate(spec.ports)
                if port.node_port and port.node_port not in [earlier.node_port for earlier in spec.ports[:index]]
            ]
        if servicespec.needs_health_check(spec) and spec.health_check_node_port:
            claims.append(self._health_check_claim(spec.health_check_node_port))
        return claims

    def _port_claim(self, service: Service, index: int, node_port: int) -> Claim:
        def refuse(why: str) -> ApiError:
            path = _SPEC.child("ports").index(index).child("nodePort")
            return _invalid(service, fields.invalid(path, node_port, why))

        return Claim(self.ports, node_port, refuse)

    def _health_check_claim(self, node_port: int) -> Claim:
        def refuse(why: str) -> ApiError:
            return errors.internal(f"failed to allocate requested HealthCheck NodePort {node_port}: {why}")

        return Claim(self.ports, node_port, refuse)

    # -- picks

    def _with_addresses(self, service: Service, picks: Picks) -> Service:
        spec = service.spec
        if servicespec.is_named_elsewhere(spec) or spec.cluster_ips:
            return service
        try:
            picked = self.addresses.text(picks.choose(self.addresses))
        except PoolFull:
            name = errors.quoted(service.metadata.name)
            raise errors.internal(f"failed to allocate a serviceIP for Service {name}: {FULL}") from None
        return _changed(service, cluster_ip=picked, cluster_ips=(picked,))

    def _with_node_ports(self, service: Service, old: Service | None, picks: Picks) -> Service:
        """At creation, ports of one number (such as DNS over TCP and UDP) share a node port; later ones do not."""
        spec = service.spec
        if not servicespec.picks_node_ports(spec) or all(port.node_port for port in spec.ports):
            return service
        chosen = _node_ports(spec)
        shared = {port.port: port.node_port for port in reversed(spec.ports) if port.node_port} if old is None else {}
        ports: list[ServicePort] = []
        for port in spec.ports:
            node_port = port.node_port or shared.get(port.port) or self._pick_port(picks, chosen)
            if old is None:
                shared.setdefault(port.port, node_port)
            ports.append(port if port.node_port else replace(port, node_port=node_port))
        return _changed(service, ports=tuple(ports))

    def _pick_port(self, picks: Picks, chosen: Sequence[int]) -> int:
        try:
            return picks.choose(self.ports, besides=chosen)
        except PoolFull:
            raise errors.internal(f"failed to allocate a nodePort: {FULL}") from None

    def _with_health_check_port(self, service: Service, picks: Picks) -> Service:
        spec = service.spec
        if not servicespec.needs_health_check(spec) or spec.health_check_node_port:
            return service
        try:
            picked = picks.choose(self.ports, besides=_node_ports(spec))
        except PoolFull:
            raise errors.internal(f"failed to allocate a HealthCheck NodePort 0: {FULL}") from None
        return _changed(service, health_check_node_port=picked)


def _node_ports(spec: ServiceSpec) -> list[int]:
    return [port.node_port for port in spec.ports if port.node_port] + [spec.health_check_node_port]


def _changed(service: Service, **changes: Any) -> Service:
    return replace(service, spec=replace(service.spec, **changes))


def _invalid(service: Service, cause: Cause) -> ApiError:
    return errors.invalid(servicefamilies.SUBJECT, service.metadata.name, [cause])
