"""IPAddresses: named after the address they claim, and bound for good to the object that uses it."""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Final

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import addresses, checks, internalform, pathsegments
from steersman.api import fields, names
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path
from steersman.api.networking import IPAddress

_PARENT: Final = Path("spec").child("parentRef")


def validate(new: IPAddress) -> list[Cause]:
    parent = new.spec.parent_ref
    if parent is None:
        return [fields.required(_PARENT)]
    causes: list[Cause] = []
    if parent.group:
        causes += checks.name(parent.group, _PARENT.child("group"), names.dns_subdomain)
    causes += pathsegments.validate_required(parent.resource, _PARENT.child("resource"))
    causes += pathsegments.validate_required(parent.name, _PARENT.child("name"))
    return causes + pathsegments.validate(parent.namespace, _PARENT.child("namespace"))


def validate_update(new: IPAddress, old: IPAddress) -> list[Cause]:
    parent = new.spec.parent_ref
    if parent == old.spec.parent_ref:
        return []
    return [fields.invalid(_PARENT, parent and internalform.shown(parent), IMMUTABLE)]


def address_name(name: str) -> list[str]:
    """Complaints about a name: the address itself, written the one canonical way."""
    address = addresses.parse(name)
    if address is None:
        readable = addresses.parse(addresses.without_leading_zeros(name)) is not None
        return ["must not have leading 0s" if readable else addresses.NOT_AN_ADDRESS]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return ["must not be an IPv4-mapped IPv6 address"]
    return [] if name == str(address) else [f"must be in canonical form ({quoted(str(address))})"]


IP_ADDRESS = Strategy(validate=validate, validate_update=validate_update, name_rule=address_name)
