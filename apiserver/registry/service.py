"""Services: defaults, what an update keeps without being told, and the strategy for a cluster's ranges.

A Service is one of several things, told apart by `type`. An update that changes the type drops what the new type has no
use for, unless the same update also touched it; what the server once filled in is kept when left out.
"""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

from msgspec.structs import replace

from apiserver.registry import servicespec
from apiserver.registry.claiming import Claiming
from apiserver.registry.serviceallocation import Allocation, address_pool, port_pool
from apiserver.registry.servicespec import LOAD_BALANCER
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import service as rules
from apiserver.registry.warnings import network as warned
from steersman.api import names
from steersman.api.core import (
    ClientIPConfig,
    LoadBalancerIngress,
    LoadBalancerStatus,
    Service,
    ServicePort,
    ServiceSpec,
    ServiceStatus,
    SessionAffinityConfig,
)
from steersman.api.errors import Cause

CLUSTER_IPS = IPv4Network("10.96.0.0/12")
NODE_PORTS = range(30000, 32768)
AFFINITY_SECONDS = 10800


# --- Defaults


def default(new: Service) -> Service:
    return replace(new, spec=_default_spec(new.spec), status=_default_status(new.status, new.spec.type))


def _default_spec(spec: ServiceSpec) -> ServiceSpec:
    spec = replace(
        spec,
        session_affinity=spec.session_affinity or "None",
        type=spec.type or servicespec.CLUSTER_IP,
        ports=tuple(map(_default_port, spec.ports)),
    )
    changes: dict[str, Any] = {"session_affinity_config": _default_affinity(spec)}
    if servicespec.is_reached_from_outside(spec) and not spec.external_traffic_policy:
        changes["external_traffic_policy"] = "Cluster"
    if servicespec.is_named_elsewhere(spec):
        changes["internal_traffic_policy"] = None
    elif spec.internal_traffic_policy is None and spec.type in servicespec.TYPES:
        changes["internal_traffic_policy"] = "Cluster"
    if spec.type == LOAD_BALANCER and spec.allocate_load_balancer_node_ports is None:
        changes["allocate_load_balancer_node_ports"] = True
    return replace(spec, **changes)


def _default_port(port: ServicePort) -> ServicePort:
    return replace(port, protocol=port.protocol or "TCP", target_port=port.target_port or port.port)


def _default_affinity(spec: ServiceSpec) -> SessionAffinityConfig | None:
    config = spec.session_affinity_config
    if spec.session_affinity == "None":
        return None
    if spec.session_affinity != "ClientIP":
        return config
    if config is None or config.client_ip is None or config.client_ip.timeout_seconds is None:
        return SessionAffinityConfig(client_ip=ClientIPConfig(timeout_seconds=AFFINITY_SECONDS))
    return config


def _default_status(status: ServiceStatus, service_type: str) -> ServiceStatus:
    ingress = status.load_balancer.ingress
    if service_type != LOAD_BALANCER or not ingress:
        return status
    return replace(status, load_balancer=LoadBalancerStatus(ingress=tuple(map(_default_ingress, ingress))))


def _default_ingress(entry: LoadBalancerIngress) -> LoadBalancerIngress:
    return replace(entry, ip_mode="VIP") if entry.ip and entry.ip_mode is None else entry


# --- Updates


def prepare_update(new: Service, old: Service) -> Service:
    spec = _with_values_kept(new.spec, old.spec)
    spec = _with_addresses_agreeing(spec, old.spec)
    spec = _without_leftovers(spec, old.spec)
    status = new.status
    if spec.type != LOAD_BALANCER and status.load_balancer.ingress:
        status = replace(status, load_balancer=LoadBalancerStatus())
    return replace(new, spec=spec, status=status)


def _with_values_kept(new: ServiceSpec, old: ServiceSpec) -> ServiceSpec:
    """The same manifest applied again must not mean "give me others"."""
    changes: dict[str, Any] = {}
    if not servicespec.is_named_elsewhere(new) and not servicespec.is_named_elsewhere(old):
        changes["cluster_ip"] = new.cluster_ip or old.cluster_ip
        changes["cluster_ips"] = new.cluster_ips or old.cluster_ips
    if servicespec.picks_node_ports(new) and servicespec.picks_node_ports(old):
        changes["ports"] = _with_node_ports_kept(new.ports, old.ports)
    if servicespec.needs_health_check(new) and servicespec.needs_health_check(old):
        changes["health_check_node_port"] = new.health_check_node_port or old.health_check_node_port
    return replace(new, **changes)


def _with_node_ports_kept(new: tuple[ServicePort, ...], old: tuple[ServicePort, ...]) -> tuple[ServicePort, ...]:
    """By the ports' names; but a node port that the user has moved to another port stays there."""
    known = {port.name: port.node_port for port in old}
    used = {port.node_port for port in new}
    kept = []
    for port in new:
        before = known.get(port.name, 0)
        if not port.node_port and before not in used:
            port = replace(port, node_port=before)
        kept.append(port)
    return tuple(kept)


def _with_addresses_agreeing(new: ServiceSpec, old: ServiceSpec) -> ServiceSpec:
    """A client that knows one of the two fields only, and changes it, means both."""
    if new.cluster_ip == old.cluster_ip or new.cluster_ips != old.cluster_ips:
        return new
    return replace(new, cluster_ips=(new.cluster_ip,) if new.cluster_ip else ())


def _without_leftovers(new: ServiceSpec, old: ServiceSpec) -> ServiceSpec:
    changes: dict[str, Any] = {}
    if servicespec.is_named_elsewhere(new) and not servicespec.is_named_elsewhere(old):
        if (new.cluster_ip, new.cluster_ips) == (old.cluster_ip, old.cluster_ips):
            changes |= {"cluster_ip": "", "cluster_ips": ()}
        if new.ip_families == old.ip_families:
            changes["ip_families"] = ()
        if new.ip_family_policy == old.ip_family_policy:
            changes["ip_family_policy"] = None
    if servicespec.is_on_nodes(old) and not servicespec.is_on_nodes(new) and _node_ports(new) <= _node_ports(old):
        changes["ports"] = tuple(replace(port, node_port=0) for port in new.ports)
    unchecked = servicespec.needs_health_check(old) and not servicespec.needs_health_check(new)
    if unchecked and new.health_check_node_port == old.health_check_node_port:
        changes["health_check_node_port"] = 0
    if old.type == LOAD_BALANCER and new.type != LOAD_BALANCER:
        if new.allocate_load_balancer_node_ports == old.allocate_load_balancer_node_ports:
            changes["allocate_load_balancer_node_ports"] = None
        if new.load_balancer_class == old.load_balancer_class:
            changes["load_balancer_class"] = None
    withdrawn = servicespec.is_reached_from_outside(old) and not servicespec.is_reached_from_outside(new)
    if withdrawn and new.external_traffic_policy == old.external_traffic_policy:
        changes["external_traffic_policy"] = ""
    return replace(new, **changes) if changes else new


def _node_ports(spec: ServiceSpec) -> set[int]:
    return {port.node_port for port in spec.ports if port.node_port}


def validate_update(new: Service, old: Service) -> list[Cause]:
    """The rules of both endpoints: the main one leaves status alone, the status one spec, so each meets its own."""
    causes = rules.validate_service_update(new, old)
    if new.status != old.status:
        causes += rules.validate_status(new)
    return causes


def service_strategy(cluster_ips: IPv4Network = CLUSTER_IPS, node_ports: range = NODE_PORTS) -> Strategy:
    """The strategy for a cluster that hands out these addresses and ports."""
    allocation = Allocation(address_pool(cluster_ips), port_pool(node_ports))
    return Strategy(
        default=default,
        validate=rules.validate_service,
        validate_update=validate_update,
        prepare_update=prepare_update,
        claiming=Claiming(allocation.claims, allocation.allocate, (allocation.addresses, allocation.ports)),
        name_rule=names.dns_label,
        warn=warned.of_service,
        warn_of_status=warned.of_balanced,
    )
