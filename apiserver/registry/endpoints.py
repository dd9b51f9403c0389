"""Endpoints: addresses that share ports, each reachable from every node."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import addresses, checks, destinations
from apiserver.registry.warnings import network as warned
from steersman.api import fields, names
from steersman.api.core import EndpointAddress, EndpointPort, Endpoints, EndpointSubset
from steersman.api.errors import Cause
from steersman.api.fields import Path


def default(new: Endpoints) -> Endpoints:
    if all(port.protocol for subset in new.subsets for port in subset.ports):
        return new
    return replace(new, subsets=tuple(map(_with_protocols, new.subsets)))


def _with_protocols(subset: EndpointSubset) -> EndpointSubset:
    ports = tuple(port if port.protocol else replace(port, protocol="TCP") for port in subset.ports)
    return replace(subset, ports=ports)


def validate(new: Endpoints) -> list[Cause]:
    causes: list[Cause] = []
    for index, subset in enumerate(new.subsets):
        causes += _validate_subset(subset, Path("subsets").index(index))
    return causes


def _validate_subset(subset: EndpointSubset, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not subset.addresses and not subset.not_ready_addresses:
        causes.append(fields.required(path, "must specify `addresses` or `notReadyAddresses`"))
    for index, address in enumerate(subset.addresses):
        causes += _validate_address(address, path.child("addresses").index(index))
    for index, address in enumerate(subset.not_ready_addresses):
        causes += _validate_address(address, path.child("notReadyAddresses").index(index))
    for index, port in enumerate(subset.ports):
        causes += _validate_port(port, path.child("ports").index(index), needs_name=len(subset.ports) > 1)
    return causes


def _validate_address(address: EndpointAddress, path: Path) -> list[Cause]:
    causes = addresses.validate_ip(address.ip, path.child("ip"))
    if address.hostname:
        causes += checks.name(address.hostname, path.child("hostname"), names.dns_label)
    if address.node_name is not None:
        causes += checks.name(address.node_name, path.child("nodeName"), names.dns_subdomain)
    return causes + destinations.validate_reachable(address.ip, path.child("ip"))


def _validate_port(port: EndpointPort, path: Path, *, needs_name: bool) -> list[Cause]:
    causes: list[Cause] = []
    if port.name:
        causes += checks.name(port.name, path.child("name"), names.dns_label)
    elif needs_name:
        causes.append(fields.required(path.child("name")))
    causes += checks.port_number(port.port, path.child("port"))
    causes += destinations.validate_protocol(port.protocol, path.child("protocol"))
    if port.app_protocol is not None:
        causes += checks.name(port.app_protocol, path.child("appProtocol"), names.qualified_name)
    return causes


ENDPOINTS = Strategy(
    default=default,
    validate=validate,
    warn=warned.of_endpoints,
)
