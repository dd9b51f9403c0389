"""EndpointSlices: endpoints of one address family, few enough to be sent around whole.

The address type is fixed for life. `deprecatedTopology` is a field of an older version: writing it has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import addresses, checks, destinations
from apiserver.registry.warnings import network as warned
from steersman.api import fields, names
from steersman.api.discovery import Endpoint, EndpointHints, EndpointPort, EndpointSlice
from steersman.api.errors import Cause
from steersman.api.fields import Path

ADDRESS_TYPES = ("FQDN", "IPv4", "IPv6")
MAX_PORTS = 20000
MAX_ENDPOINTS = 1000
MAX_ADDRESSES = 100
MAX_HINTS = 8

_ADDRESS_TYPE = Path("addressType")


def default(new: EndpointSlice) -> EndpointSlice:
    ports, endpoints = new.ports or (), new.endpoints or ()
    if any(port.name is None or port.protocol is None for port in ports):
        new = replace(new, ports=tuple(map(_default_port, ports)))
    if any(endpoint.deprecated_topology for endpoint in endpoints):
        new = replace(new, endpoints=tuple(replace(endpoint, deprecated_topology={}) for endpoint in endpoints))
    return new


def _default_port(port: EndpointPort) -> EndpointPort:
    return replace(port, name=port.name or "", protocol="TCP" if port.protocol is None else port.protocol)


def prepare_update(new: EndpointSlice, old: EndpointSlice) -> EndpointSlice:
    """Labels say which Service a slice belongs to, so for this kind they count as something else asked for."""
    if new.metadata.labels == old.metadata.labels:
        return new
    return replace(new, metadata=replace(new.metadata, generation=old.metadata.generation + 1))


def validate(new: EndpointSlice) -> list[Cause]:
    causes = checks.required_choice(new.address_type, _ADDRESS_TYPE, ADDRESS_TYPES)
    causes += _validate_ports(new.ports or (), Path("ports"))
    path, endpoints = Path("endpoints"), new.endpoints or ()
    if len(endpoints) > MAX_ENDPOINTS:
        return [*causes, fields.too_many(path, len(endpoints), MAX_ENDPOINTS)]
    for index, endpoint in enumerate(endpoints):
        causes += _validate_endpoint(endpoint, new.address_type, path.index(index))
    return causes


def validate_update(new: EndpointSlice, old: EndpointSlice) -> list[Cause]:
    if new.address_type == old.address_type:
        return []
    return [fields.invalid(_ADDRESS_TYPE, new.address_type, IMMUTABLE)]


def _validate_ports(ports: Sequence[EndpointPort], path: Path) -> list[Cause]:
    if len(ports) > MAX_PORTS:
        return [fields.too_many(path, len(ports), MAX_PORTS)]
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, port in enumerate(ports):
        where, name = path.index(index), port.name or ""
        if name:
            causes += checks.name(name, where.child("name"), names.dns_label)
        if name in seen:
            causes.append(fields.duplicate(where.child("name"), name))
        seen.add(name)
        if port.protocol is None:
            causes.append(fields.required(where.child("protocol")))
        else:
            causes += checks.choice(port.protocol, where.child("protocol"), destinations.PROTOCOLS)
        if port.app_protocol is not None:
            causes += checks.name(port.app_protocol, where.child("appProtocol"), names.qualified_name)
    return causes


def _validate_endpoint(endpoint: Endpoint, address_type: str, path: Path) -> list[Cause]:
    where = path.child("addresses")
    causes: list[Cause] = []
    if not endpoint.addresses:
        causes.append(fields.required(where, "must contain at least 1 address"))
    elif len(endpoint.addresses) > MAX_ADDRESSES:
        causes.append(fields.too_many(where, len(endpoint.addresses), MAX_ADDRESSES))
    for index, address in enumerate(endpoint.addresses):
        causes += _validate_address(address, address_type, where, where.index(index))
    if endpoint.node_name is not None:
        causes += checks.name(endpoint.node_name, path.child("nodeName"), names.dns_subdomain)
    if endpoint.hostname is not None:
        causes += checks.name(endpoint.hostname, path.child("hostname"), names.dns_label)
    if endpoint.hints is not None:
        causes += _validate_hints(endpoint.hints, path.child("hints"))
    return causes


def _validate_address(address: str, address_type: str, addresses_path: Path, path: Path) -> list[Cause]:
    match address_type:
        case "IPv4":
            causes, version = addresses.validate_ip(address, path), 4
        case "IPv6":
            causes, version = destinations.validate_canonical_ip(address, path), 6
        case "FQDN":
            return destinations.validate_domain_name(address, path)
        case _:
            return []  # the type itself has been complained of
    if causes:
        return causes
    parsed = addresses.parse(address)
    if parsed is not None and parsed.version != version:
        causes.append(fields.invalid(addresses_path, address, f"must be an IPv{version} address"))
    return causes + destinations.validate_reachable(address, path)


def _validate_hints(hints: EndpointHints, path: Path) -> list[Cause]:
    zones = [zone.name for zone in hints.for_zones]
    nodes = [node.name for node in hints.for_nodes]
    where = path.child("forZones")
    if len(zones) > MAX_HINTS:
        return [fields.too_many(where, len(zones), MAX_HINTS)]
    causes = _validate_names(zones, where, names.label_value)
    where = path.child("forNodes")
    if len(nodes) > MAX_HINTS:
        return [*causes, fields.too_many(where, len(nodes), MAX_HINTS)]
    return causes + _validate_names(nodes, where, names.dns_subdomain)


def _validate_names(given: Sequence[str], path: Path, rule: Callable[[str], list[str]]) -> list[Cause]:
    causes: list[Cause] = []
    for index, name in enumerate(given):
        where = path.index(index).child("name")
        if name in given[:index]:
            causes.append(fields.duplicate(where, name))
        causes += checks.name(name, where, rule)
    return causes


ENDPOINT_SLICE = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    prepare_update=prepare_update,
    warn=warned.of_endpointslice,
)
