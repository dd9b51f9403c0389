"""Services, with the addresses behind them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from steersman.api.core import LoadBalancerIngress, Service, ServicePort
from steersman.api.discovery import EndpointSlice
from steersman.cli.pages.around import Around
from steersman.cli.pages.page import NONE, UNSET, Page

SHOWN = 3
"""Addresses that are named before the rest is only counted."""


def of_service(service: Service, beside: Around) -> Page:
    page, meta, spec = Page(), service.metadata, service.spec
    page.pair("Name", meta.name)
    page.pair("Namespace", meta.namespace)
    page.labels("Labels", meta.labels)
    page.annotations("Annotations", meta.annotations)
    page.pair("Selector", ",".join(f"{key}={value}" for key, value in sorted(spec.selector.items())) or NONE)
    page.pair("Type", spec.type)
    page.pairs({"IP Family Policy": spec.ip_family_policy})
    page.pair("IP Families", ",".join(spec.ip_families) or NONE)
    page.pair("IP", spec.cluster_ip)
    page.pair("IPs", ",".join(spec.cluster_ips) or NONE)
    page.pairs(
        {
            "External IPs": ",".join(spec.external_ips),
            "Desired LoadBalancer IP": spec.load_balancer_ip,
            "External Name": spec.external_name,
            "LoadBalancer Ingress": ", ".join(map(_ingress, service.status.load_balancer.ingress)),
        }
    )
    for port in spec.ports:
        _write_port(page, port, beside.slices)
    page.pair("Session Affinity", spec.session_affinity)
    page.pairs(
        {
            "External Traffic Policy": spec.external_traffic_policy,
            "Internal Traffic Policy": spec.internal_traffic_policy,
            "HealthCheck NodePort": spec.health_check_node_port or None,
            "LoadBalancer Source Ranges": ",".join(spec.load_balancer_source_ranges),
            "Traffic Distribution": spec.traffic_distribution,
        }
    )
    return page


def _ingress(point: LoadBalancerIngress) -> str:
    if not point.ip:
        return point.hostname
    return f"{point.ip} ({point.ip_mode})" if point.ip_mode else point.ip


def _write_port(page: Page, port: ServicePort, slices: Sequence[EndpointSlice]) -> None:
    name = port.name or UNSET
    page.row(["Port:", name, f"{port.port}/{port.protocol}"])
    page.pair("TargetPort", f"{port.target_port}/{port.protocol}")
    page.pairs({"AppProtocol": port.app_protocol})
    if port.node_port:
        page.row(["NodePort:", name, f"{port.node_port}/{port.protocol}"])
    page.pair("Endpoints", endpoints(slices, port.name))


def endpoints(slices: Sequence[EndpointSlice], port_name: str) -> str:
    """The ready addresses behind one port."""
    if not slices:
        return NONE
    found: list[str] = []
    for each in slices:
        addresses = [
            endpoint.addresses[0]
            for endpoint in each.endpoints or ()
            if endpoint.addresses and endpoint.conditions.ready is not False
        ]
        if not each.ports:
            found += addresses
        for port in each.ports or ():
            if (port.name or "") == port_name:
                found += [f"[{one}]:{port.port}" if ":" in one else f"{one}:{port.port}" for one in addresses]
    named = ",".join(found[:SHOWN])
    return f"{named} + {len(found) - SHOWN} more..." if len(found) > SHOWN else named
