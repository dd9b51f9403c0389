"""Warnings about Services and what else has to do with addresses."""

from __future__ import annotations

from typing import Final

from apiserver.registry.warnings import addresses
from steersman.api.core import Endpoints, LoadBalancerIngress, Node, Service
from steersman.api.discovery import EndpointSlice
from steersman.api.errors import quoted
from steersman.api.fields import Path
from steersman.api.networking import Ingress, IngressLoadBalancerIngress, IPBlock, NetworkPolicy

TOPOLOGY_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
INGRESS_CLASS: Final = "kubernetes.io/ingress.class"
SLICE_MANAGER: Final = "endpointslice.kubernetes.io/managed-by"
ENDPOINTS_MANAGER: Final = "endpoints.kubernetes.io/managed-by"
_OUR_OWN: Final = ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")

_SPEC: Final = Path("spec")
_BALANCED: Final = Path("status.loadBalancer.ingress")


def of_service(new: Service, _old: Service | None) -> list[str]:
    spec = new.spec
    warnings: list[str] = []
    if TOPOLOGY_HINTS in new.metadata.annotations:
        use = "service.kubernetes.io/topology-mode"
        warnings.append(f"annotation {TOPOLOGY_HINTS} is deprecated, please use {use} instead")
    if spec.cluster_ip not in ("", "None"):
        for index, address in enumerate(spec.cluster_ips):
            warnings += addresses.of_ip(address, _SPEC.child("clusterIPs").index(index))
    headless = spec.type == "ClusterIP" and spec.cluster_ip == "None"
    if headless:
        warnings += _of_headless(new)
    for index, address in enumerate(spec.external_ips):
        warnings += addresses.of_ip(address, _SPEC.child("externalIPs").index(index))
    if spec.external_ips and not headless and spec.type != "ExternalName":
        warnings.append("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
    if spec.load_balancer_ip:
        warnings += addresses.of_ip(spec.load_balancer_ip, _SPEC.child("loadBalancerIP"))
    for index, cidr in enumerate(spec.load_balancer_source_ranges):
        warnings += addresses.of_cidr(cidr, _SPEC.child("loadBalancerSourceRanges").index(index))
    if spec.type == "ExternalName" and spec.external_ips:
        warnings.append('spec.externalIPs is ignored when spec.type is "ExternalName"')
    if spec.type != "ExternalName" and spec.external_name:
        warnings.append('spec.externalName is ignored when spec.type is not "ExternalName"')
    if spec.traffic_distribution == "PreferClose":
        warnings.append('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
    return warnings


def _of_headless(new: Service) -> list[str]:
    spec = new.spec
    ignored = (
        ("loadBalancerIP", bool(spec.load_balancer_ip)),
        ("externalIPs", bool(spec.external_ips)),
        ("SessionAffinity", spec.session_affinity != "None"),
    )
    return [f"spec.{field} is ignored for headless services" for field, is_given in ignored if is_given]


def of_balanced(new: Service | Ingress) -> list[str]:
    """Of the status of a Service or Ingress: the addresses at which it is reached."""
    warnings: list[str] = []
    entries: tuple[LoadBalancerIngress | IngressLoadBalancerIngress, ...] = new.status.load_balancer.ingress
    for index, entry in enumerate(entries):
        warnings += addresses.of_ip(entry.ip, _BALANCED.index(index)) if entry.ip else []
    return warnings


def of_ingress(new: Ingress, old: Ingress | None) -> list[str]:
    if old is not None or INGRESS_CLASS not in new.metadata.annotations or new.spec.ingress_class_name is not None:
        return []
    return [f"annotation {quoted(INGRESS_CLASS)} is deprecated, please use 'spec.ingressClassName' instead"]


def of_endpoints(new: Endpoints, _old: Endpoints | None) -> list[str]:
    if new.metadata.labels.get(ENDPOINTS_MANAGER) == "endpoint-controller":
        return []
    warnings: list[str] = []
    for number, subset in enumerate(new.subsets):
        here = Path("subsets").index(number)
        for index, address in enumerate(subset.addresses):
            warnings += addresses.of_ip(address.ip, here.child("addresses").index(index).child("ip"))
        for index, address in enumerate(subset.not_ready_addresses):
            warnings += addresses.of_ip(address.ip, here.child("notReadyAddresses").index(index).child("ip"))
    return warnings


def of_endpointslice(new: EndpointSlice, _old: EndpointSlice | None) -> list[str]:
    warnings = ["spec.addressType: FQDN endpoints are deprecated"] if new.address_type == "FQDN" else []
    if new.metadata.labels.get(SLICE_MANAGER) in _OUR_OWN:
        return warnings
    for number, endpoint in enumerate(new.endpoints or ()):
        for index, address in enumerate(endpoint.addresses):
            warnings += addresses.of_ip(address, Path("endpoints").index(number).child("addresses").index(index))
    return warnings


def of_networkpolicy(new: NetworkPolicy, _old: NetworkPolicy | None) -> list[str]:
    warnings: list[str] = []
    for number, ingress in enumerate(new.spec.ingress):
        for index, peer in enumerate(ingress.from_):
            here = _SPEC.child("ingress").index(number).child("from").index(index)
            warnings += _of_block(peer.ip_block, here.child("ipBlock"))
    for number, egress in enumerate(new.spec.egress):
        for index, peer in enumerate(egress.to):
            here = _SPEC.child("egress").index(number).child("to").index(index)
            warnings += _of_block(peer.ip_block, here.child("ipBlock"))
    return warnings


def _of_block(block: IPBlock | None, path: Path) -> list[str]:
    if block is None:
        return []
    warnings = addresses.of_cidr(block.cidr, path.child("cidr"))
    for index, cidr in enumerate(block.except_):
        warnings += addresses.of_cidr(cidr, path.child("except").index(index))
    return warnings


def of_node(new: Node, _old: Node | None) -> list[str]:
    warnings: list[str] = []
    if new.spec.external_id:
        warnings.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, cidr in enumerate(new.spec.pod_cidrs):
        warnings += addresses.of_cidr(cidr, _SPEC.child("podCIDRs").index(index))
    return warnings
