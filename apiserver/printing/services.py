"""How pods are reached: Services and what stands behind and before them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from apiserver.printing import ages, phrases
from apiserver.printing.columns import AGE, NAME, Cells, Column, Printer, wide
from steersman.api.core import Endpoints, EndpointSubset, Service, ServicePort
from steersman.api.discovery import EndpointPort, EndpointSlice
from steersman.api.networking import Ingress, IngressClass, IngressRule, IPAddress, NetworkPolicy, ServiceCIDR

DEFAULT_INGRESS_CLASS = "ingressclass.kubernetes.io/is-default-class"


def service_cells(shown: Service, now: datetime) -> Cells:
    spec = shown.spec
    return [
        shown.metadata.name,
        spec.type,
        spec.cluster_ips[0] if spec.cluster_ips else phrases.NONE,
        _external_addresses(shown),
        ",".join(map(_service_port, spec.ports)) or phrases.NONE,
        ages.since(shown.metadata.creation_timestamp, now),
        phrases.labels(spec.selector),
    ]


def _external_addresses(shown: Service) -> str:
    spec = shown.spec
    match spec.type:
        case "ClusterIP" | "NodePort":
            return ",".join(spec.external_ips) or phrases.NONE
        case "LoadBalancer":
            balancers = phrases.balancer_addresses(shown.status.load_balancer.ingress)
            return ",".join((*balancers, *spec.external_ips)) or "<pending>"
        case "ExternalName":
            return spec.external_name
    return phrases.UNKNOWN


def _service_port(port: ServicePort) -> str:
    at_nodes = f":{port.node_port}" if port.node_port > 0 else ""
    return f"{port.port}{at_nodes}/{port.protocol}"


def endpoints_cells(shown: Endpoints, now: datetime) -> Cells:
    named = [text for subset in shown.subsets for text in _subset_addresses(subset)]
    addresses = phrases.first_of(named) if shown.subsets else phrases.NONE
    return [shown.metadata.name, addresses, ages.since(shown.metadata.creation_timestamp, now)]


def _subset_addresses(subset: EndpointSubset) -> Iterable[str]:
    addresses = [address.ip for address in subset.addresses]
    if not subset.ports:
        return addresses
    hosts = [f"[{ip}]" if ":" in ip else ip for ip in addresses]
    return [f"{host}:{port.port}" for port in subset.ports for host in hosts]


def endpointslice_cells(shown: EndpointSlice, now: datetime) -> Cells:
    addresses = [address for endpoint in shown.endpoints or () for address in endpoint.addresses]
    return [
        shown.metadata.name,
        shown.address_type,
        phrases.first_of([_slice_port(port) for port in shown.ports or ()]) or phrases.UNSET,
        phrases.first_of(addresses) or phrases.UNSET,
        ages.since(shown.metadata.creation_timestamp, now),
    ]


def _slice_port(port: EndpointPort) -> str:
    if port.port is not None:
        return str(port.port)
    return "*" if port.name is None else port.name


def ingress_cells(shown: Ingress, now: datetime) -> Cells:
    spec = shown.spec
    return [
        shown.metadata.name,
        phrases.NONE if spec.ingress_class_name is None else spec.ingress_class_name,
        _hosts(spec.rules),
        ",".join(phrases.balancer_addresses(shown.status.load_balancer.ingress)),
        "80, 443" if spec.tls else "80",
        ages.since(shown.metadata.creation_timestamp, now),
    ]


def _hosts(rules: tuple[IngressRule, ...]) -> str:
    """Rules without a host are not named, but count among those that are not shown."""
    named: list[str] = []
    for rule in rules:
        if len(named) == phrases.SHOWN:
            return f"{','.join(named)} + {len(rules) - phrases.SHOWN} more..."
        if rule.host:
            named.append(rule.host)
    return ",".join(named) or "*"


def ingressclass_cells(shown: IngressClass, now: datetime) -> Cells:
    spec, name = shown.spec, shown.metadata.name
    if shown.metadata.annotations.get(DEFAULT_INGRESS_CLASS) == "true":
        name += " (default)"
    parameters = phrases.NONE
    if spec.parameters is not None:
        group = "" if spec.parameters.api_group is None else f".{spec.parameters.api_group}"
        parameters = f"{spec.parameters.kind}{group}/{spec.parameters.name}"
    return [name, spec.controller, parameters, ages.since(shown.metadata.creation_timestamp, now)]


def networkpolicy_cells(shown: NetworkPolicy, now: datetime) -> Cells:
    age = ages.since(shown.metadata.creation_timestamp, now)
    return [shown.metadata.name, phrases.selector(shown.spec.pod_selector), age]


def servicecidr_cells(shown: ServiceCIDR, now: datetime) -> Cells:
    return [shown.metadata.name, ",".join(shown.spec.cidrs), ages.since(shown.metadata.creation_timestamp, now)]


def ipaddress_cells(shown: IPAddress, _: datetime) -> Cells:
    parent, text = shown.spec.parent_ref, phrases.NONE
    if parent is not None:
        resource = f"{parent.resource}.{parent.group}" if parent.group else parent.resource
        text = "/".join(part for part in (resource.lower(), parent.namespace, parent.name) if part)
    return [shown.metadata.name, text]


SERVICE = Printer(
    (
        NAME,
        Column("Type", "How the service is exposed."),
        Column("Cluster-IP", "The service's address inside the cluster."),
        Column("External-IP", "The service's addresses outside the cluster."),
        Column("Port(s)", "The service's ports, and behind a colon those on every node."),
        AGE,
        wide("Selector", "Which pods stand behind the service, by their labels."),
    ),
    service_cells,
)
ENDPOINTS = Printer((NAME, Column("Endpoints", "Where the service's pods are reached."), AGE), endpoints_cells)
ENDPOINT_SLICE = Printer(
    (
        NAME,
        Column("AddressType", "What the addresses are: IPv4, IPv6 or names."),
        Column("Ports", "The ports of every endpoint."),
        Column("Endpoints", "The addresses of the endpoints."),
        AGE,
    ),
    endpointslice_cells,
)
INGRESS = Printer(
    (
        NAME,
        Column("Class", "The class whose controller carries the rules out."),
        Column("Hosts", "The host names that the rules are about."),
        Column("Address", "Where the load balancer is reached."),
        Column("Ports", "The ports that are open."),
        AGE,
    ),
    ingress_cells,
)
INGRESS_CLASS = Printer(
    (
        NAME,
        Column("Controller", "Who carries out what ingresses of the class ask for."),
        Column("Parameters", "Where further settings of the class are kept."),
        AGE,
    ),
    ingressclass_cells,
)
NETWORK_POLICY = Printer(
    (NAME, Column("Pod-Selector", "Which pods the policy is about, by their labels."), AGE), networkpolicy_cells
)
SERVICE_CIDR = Printer(
    (NAME, Column("CIDRs", "The ranges that service addresses are taken from."), AGE), servicecidr_cells
)
IP_ADDRESS = Printer((NAME, Column("ParentRef", "What the address is given to.")), ipaddress_cells)
