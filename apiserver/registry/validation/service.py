"""Rules for Services: ports, affinity, addresses, and which field goes with which type."""

from __future__ import annotations

from collections.abc import Sequence

from apiserver.registry import servicespec
from apiserver.registry.servicespec import CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT
from apiserver.registry.validation import addresses, checks, cidrs, destinations, internalform, probes, serviceaddresses
from steersman.api import fields, names
from steersman.api.core import LoadBalancerIngress, Service, ServicePort, ServiceSpec, SessionAffinityConfig
from steersman.api.errors import Cause
from steersman.api.fields import Path

AFFINITIES = ("ClientIP", "None")
TRAFFIC_POLICIES = ("Cluster", "Local")
TRAFFIC_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
IP_MODES = ("Proxy", "VIP")
LONGEST_AFFINITY_SECONDS = 86400

TOPOLOGY_MODE = "service.kubernetes.io/topology-mode"
TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints"
SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"

_SPEC = Path("spec")
_PORTS = _SPEC.child("ports")
_ANNOTATIONS = Path("metadata").child("annotations")
_ONLY_LOAD_BALANCERS = "may only be used when `type` is 'LoadBalancer'"
_NOT_ELSEWHERE = "may not be set for ExternalName services"


def validate_service(service: Service) -> list[Cause]:
    spec = service.spec
    causes = _validate_topology(service.metadata.annotations)
    if not spec.ports and not servicespec.is_headless(spec) and not servicespec.is_named_elsewhere(spec):
        causes.append(fields.required(_PORTS))
    causes += _validate_for_type(spec)
    causes += _validate_ports(spec.ports)
    causes += checks.validate_labels(spec.selector, _SPEC.child("selector"))
    causes += _validate_affinity(spec)
    causes += serviceaddresses.validate_addresses(spec)
    causes += _validate_external_ips(spec.external_ips)
    causes += checks.required_choice(spec.type, _SPEC.child("type"), servicespec.TYPES)
    causes += _validate_node_ports(spec)
    causes += _validate_distinct_ports(spec.ports)
    causes += _validate_source_ranges(service)
    causes += _validate_load_balancer_fields(spec)
    causes += validate_load_balancer_class(spec)
    return causes + _validate_traffic(spec)


def validate_service_update(new: Service, old: Service) -> list[Cause]:
    causes = serviceaddresses.validate_address_changes(new.spec, old.spec)
    both = new.spec.type == old.spec.type == LOAD_BALANCER
    if both and new.spec.load_balancer_class != old.spec.load_balancer_class:
        path = _SPEC.child("loadBalancerClass")
        causes.append(fields.invalid(path, new.spec.load_balancer_class, "may not change once set"))
    checked = servicespec.needs_health_check(new.spec) and servicespec.needs_health_check(old.spec)
    if checked and new.spec.health_check_node_port != old.spec.health_check_node_port:
        causes.append(fields.forbidden(_SPEC.child("healthCheckNodePort"), "field is immutable"))
    return causes


def validate_status(service: Service) -> list[Cause]:
    path = Path("status").child("loadBalancer").child("ingress")
    ingress = service.status.load_balancer.ingress
    if ingress and service.spec.type != LOAD_BALANCER:
        return [fields.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
    causes: list[Cause] = []
    for index, entry in enumerate(ingress):
        causes += _validate_ingress(entry, path.index(index))
    return causes


def _validate_ingress(entry: LoadBalancerIngress, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    where = path.child("ipMode")
    if entry.ip:
        causes += addresses.validate_ip(entry.ip, path.child("ip"))
        if entry.ip_mode is None:
            causes.append(fields.required(where, "must be specified when `ip` is set"))
        else:
            causes += checks.choice(entry.ip_mode, where, IP_MODES)
    elif entry.ip_mode is not None:
        causes.append(fields.forbidden(where, "may not be specified when `ip` is not set"))
    if entry.hostname:
        causes += checks.name(entry.hostname, path.child("hostname"), names.dns_subdomain)
        if addresses.parse(addresses.without_leading_zeros(entry.hostname)) is not None:
            detail = "must be a DNS name, not an IP address"
            causes.append(fields.invalid(path.child("hostname"), entry.hostname, detail))
    return causes


def _validate_topology(annotations: dict[str, str]) -> list[Cause]:
    mode, hints = annotations.get(TOPOLOGY_MODE), annotations.get(TOPOLOGY_HINTS)
    if mode is None or hints is None or mode == hints:
        return []
    detail = f"must match annotations[{TOPOLOGY_HINTS}] when both are specified"
    return [fields.invalid(_ANNOTATIONS.key(TOPOLOGY_MODE), mode, detail)]


def _validate_for_type(spec: ServiceSpec) -> list[Cause]:
    """What the type alone forbids or demands."""
    if servicespec.is_headless(spec) and spec.type in (LOAD_BALANCER, NODE_PORT):
        detail = f"may not be set to 'None' for {spec.type} services"
        return [fields.invalid(_SPEC.child("clusterIPs").index(0), spec.cluster_ips[0], detail)]
    if spec.type != EXTERNAL_NAME:
        return []
    causes: list[Cause] = []
    if spec.cluster_ips:
        causes.append(fields.forbidden(_SPEC.child("clusterIPs"), _NOT_ELSEWHERE))
    if spec.ip_families:
        causes.append(fields.forbidden(_SPEC.child("ipFamilies"), _NOT_ELSEWHERE))
    if spec.ip_family_policy is not None:
        causes.append(fields.forbidden(_SPEC.child("ipFamilyPolicy"), _NOT_ELSEWHERE))
    name = spec.external_name.removesuffix(".")
    return causes + checks.required_name(name, _SPEC.child("externalName"), names.dns_subdomain)


# --- Ports


def _validate_ports(ports: Sequence[ServicePort]) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, port in enumerate(ports):
        path = _PORTS.index(index)
        if port.name:
            causes += checks.name(port.name, path.child("name"), names.dns_label)
            if port.name in seen:
                causes.append(fields.duplicate(path.child("name"), port.name))
            seen.add(port.name)
        elif len(ports) > 1:
            causes.append(fields.required(path.child("name")))
        causes += checks.port_number(port.port, path.child("port"))
        causes += destinations.validate_protocol(port.protocol, path.child("protocol"))
        causes += probes.validate_port_reference(port.target_port, path.child("targetPort"))
        if port.app_protocol is not None:
            causes += checks.name(port.app_protocol, path.child("appProtocol"), names.qualified_name)
    return causes


def _validate_node_ports(spec: ServiceSpec) -> list[Cause]:
    causes: list[Cause] = []
    if spec.type == CLUSTER_IP:
        for index, port in enumerate(spec.ports):
            if port.node_port:
                path = _PORTS.index(index).child("nodePort")
                causes.append(fields.forbidden(path, "may not be used when `type` is 'ClusterIP'"))
    seen: set[tuple[str, int]] = set()
    for index, port in enumerate(spec.ports):
        if port.node_port and (port.protocol, port.node_port) in seen:
            causes.append(fields.duplicate(_PORTS.index(index).child("nodePort"), port.node_port))
        seen.add((port.protocol, port.node_port))
    return causes


def _validate_distinct_ports(ports: Sequence[ServicePort]) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        if (port.protocol, port.port) in seen:
            repeated = ServicePort(protocol=port.protocol, port=port.port)
            causes.append(fields.duplicate(_PORTS.index(index), internalform.shown(repeated)))
        seen.add((port.protocol, port.port))
    return causes


# --- Traffic


def _validate_affinity(spec: ServiceSpec) -> list[Cause]:
    causes = checks.required_choice(spec.session_affinity, _SPEC.child("sessionAffinity"), AFFINITIES)
    path = _SPEC.child("sessionAffinityConfig")
    if spec.session_affinity == "ClientIP":
        causes += _validate_affinity_config(spec.session_affinity_config, path)
    elif spec.session_affinity == "None" and spec.session_affinity_config is not None:
        causes.append(fields.forbidden(path, "must not be set when session affinity is None"))
    return causes


def _validate_affinity_config(config: SessionAffinityConfig | None, path: Path) -> list[Cause]:
    why = "when session affinity type is ClientIP"
    if config is None:
        return [fields.required(path, why)]
    path = path.child("clientIP")
    if config.client_ip is None:
        return [fields.required(path, why)]
    path, seconds = path.child("timeoutSeconds"), config.client_ip.timeout_seconds
    if seconds is None:
        return [fields.required(path, why)]
    if 0 < seconds <= LONGEST_AFFINITY_SECONDS:
        return []
    return [fields.invalid(path, seconds, f"must be greater than 0 and less than {LONGEST_AFFINITY_SECONDS}")]


def _validate_external_ips(ips: Sequence[str]) -> list[Cause]:
    causes: list[Cause] = []
    for index, ip in enumerate(ips):
        path = _SPEC.child("externalIPs").index(index)
        causes += addresses.validate_ip(ip, path) or destinations.validate_reachable(ip, path)
    return causes


def _validate_source_ranges(service: Service) -> list[Cause]:
    """A field or, where it is absent, an annotation; blanks around the ranges are part of the API."""
    ranges: Sequence[str] = service.spec.load_balancer_source_ranges
    annotation = service.metadata.annotations.get(SOURCE_RANGES)
    if ranges:
        path = _SPEC.child("LoadBalancerSourceRanges")
        paths = [path.index(index) for index in range(len(ranges))]
    elif annotation is not None:
        path = _ANNOTATIONS.key(SOURCE_RANGES)
        ranges = annotation.strip().split(",") if annotation.strip() else ()
        paths = [path] * len(ranges)
    else:
        return []
    causes: list[Cause] = []
    if service.spec.type != LOAD_BALANCER:
        causes.append(fields.forbidden(path, _ONLY_LOAD_BALANCERS))
    for text, where in zip(ranges, paths, strict=True):
        causes += cidrs.validate_cidr(text.strip(), where)
    return causes


def _validate_load_balancer_fields(spec: ServiceSpec) -> list[Cause]:
    given = spec.allocate_load_balancer_node_ports is not None
    if given and spec.type != LOAD_BALANCER:
        return [fields.forbidden(_SPEC.child("allocateLoadBalancerNodePorts"), _ONLY_LOAD_BALANCERS)]
    if not given and spec.type == LOAD_BALANCER:
        return [fields.required(Path("allocateLoadBalancerNodePorts"))]
    return []


def validate_load_balancer_class(spec: ServiceSpec) -> list[Cause]:
    path, given = _SPEC.child("loadBalancerClass"), spec.load_balancer_class
    if given is None:
        return []
    if spec.type != LOAD_BALANCER:
        return [fields.forbidden(path, _ONLY_LOAD_BALANCERS)]
    return checks.name(given, path, names.qualified_name)


def _validate_traffic(spec: ServiceSpec) -> list[Cause]:
    causes = _validate_external_traffic(spec)
    policy = spec.internal_traffic_policy
    if policy is not None:
        causes += checks.choice(policy, _SPEC.child("internalTrafficPolicy"), TRAFFIC_POLICIES)
    elif spec.type in (CLUSTER_IP, NODE_PORT, LOAD_BALANCER):
        causes.append(fields.required(_SPEC.child("internalTrafficPolicy")))
    distribution = spec.traffic_distribution
    if distribution is not None:
        causes += checks.choice(distribution, _SPEC.child("trafficDistribution"), TRAFFIC_DISTRIBUTIONS)
    return causes


def _validate_external_traffic(spec: ServiceSpec) -> list[Cause]:
    causes: list[Cause] = []
    path, policy = _SPEC.child("externalTrafficPolicy"), spec.external_traffic_policy
    if servicespec.is_reached_from_outside(spec):
        causes += checks.required_choice(policy, path, TRAFFIC_POLICIES)
    elif policy:
        causes.append(fields.invalid(path, policy, "may only be set for externally-accessible services"))
    path, port = _SPEC.child("healthCheckNodePort"), spec.health_check_node_port
    if not servicespec.needs_health_check(spec):
        if port:
            detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
            causes.append(fields.invalid(path, port, detail))
    elif port:
        causes += checks.port_number(port, path)
    else:
        causes.append(fields.required(path))
    return causes
