"""Rules for ranges of addresses (`10.9.8.0/24`) in the older fields."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_network

from apiserver.registry.validation import addresses
from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path

NOT_A_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_NUMBER = re.compile("0|[1-9][0-9]*")
_LOOSE_NUMBER = re.compile("[0-9]+")


def validate_cidr(text: str, path: Path) -> list[Cause]:
    complaint = _complaint(text)
    return [fields.invalid(path, text, complaint)] if complaint else []


def parse(text: str) -> IPv4Network | IPv6Network | None:
    """The range, whatever leading zeros and surplus bits it was written with; None for anything else."""
    address, slash, length = text.partition("/")
    if not slash or not _LOOSE_NUMBER.fullmatch(length):
        return None
    parsed = addresses.parse(addresses.without_leading_zeros(address))
    if parsed is None or int(length) > parsed.max_prefixlen:
        return None
    return ip_network((parsed, int(length)), strict=False)


def _complaint(text: str) -> str:
    network = parse(text)
    if network is None:
        return NOT_A_CIDR
    written, _, length = text.partition("/")
    address = addresses.parse(written)
    if address is None or not _NUMBER.fullmatch(length):
        return "must not have leading 0s in IP or prefix length"
    if not isinstance(network, IPv4Network) and network.network_address.ipv4_mapped is not None:
        return "must not have an IPv4-mapped IPv6 address"
    if address != network.network_address:
        return "must not have bits set beyond the prefix length"
    return ""
