"""What a Service's type implies: which addresses and ports it needs, and who reaches it. Pure."""

from __future__ import annotations

from steersman.api.core import ServiceSpec

CLUSTER_IP = "ClusterIP"
NODE_PORT = "NodePort"
LOAD_BALANCER = "LoadBalancer"
EXTERNAL_NAME = "ExternalName"
TYPES = (CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT)

NO_ADDRESS = "None"
"""What a headless Service has instead of an address."""

SINGLE_STACK = "SingleStack"
PREFER_DUAL_STACK = "PreferDualStack"
REQUIRE_DUAL_STACK = "RequireDualStack"
IPV4, IPV6 = "IPv4", "IPv6"


def is_headless(spec: ServiceSpec) -> bool:
    return spec.cluster_ips == (NO_ADDRESS,)


def is_named_elsewhere(spec: ServiceSpec) -> bool:
    """Whether the Service is but another name for something outside: no address, no ports, no endpoints."""
    return spec.type == EXTERNAL_NAME


def is_on_nodes(spec: ServiceSpec) -> bool:
    """Whether every node answers for the Service on ports of its own."""
    return spec.type in (NODE_PORT, LOAD_BALANCER)


def picks_node_ports(spec: ServiceSpec) -> bool:
    """Whether a port without a node port gets one. Load balancers that reach pods themselves may go without."""
    if spec.type == LOAD_BALANCER:
        return spec.allocate_load_balancer_node_ports is not False
    return spec.type == NODE_PORT


def is_reached_from_outside(spec: ServiceSpec) -> bool:
    return is_on_nodes(spec) or (spec.type == CLUSTER_IP and bool(spec.external_ips))


def needs_health_check(spec: ServiceSpec) -> bool:
    """Whether load balancers must ask nodes which of them have endpoints."""
    return spec.type == LOAD_BALANCER and spec.external_traffic_policy == "Local"
