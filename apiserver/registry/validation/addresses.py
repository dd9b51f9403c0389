"""Rules for IP addresses in the older fields, which need not be canonical but must be clear."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, ip_address

from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path

NOT_AN_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_LEADING_ZEROS = re.compile(r"(^|[.:])0+(?=[0-9]+(\.|$))", re.ASCII)


def validate_ip(text: str, path: Path, known: Collection[str] = ()) -> list[Cause]:
    """`known`: addresses that the object had before; they may stay whatever they are."""
    if text in known:
        return []
    address = parse(text)
    if address is not None:
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            return [fields.invalid(path, text, "must not be an IPv4-mapped IPv6 address")]
        return []
    if parse(without_leading_zeros(text)) is not None:
        return [fields.invalid(path, text, "must not have leading 0s")]
    return [fields.invalid(path, text, NOT_AN_ADDRESS)]


def parse(text: str) -> IPv4Address | IPv6Address | None:
    """The address; None for anything else, zones (`fe80::1%eth0`) included."""
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def without_leading_zeros(text: str) -> str:
    """Dotted numbers as people mean them: `010.002.003.004` is 10.2.3.4."""
    return _LEADING_ZEROS.sub(r"\1", text) if "." in text else text
