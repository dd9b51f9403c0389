"""Rules for addresses that traffic is sent to: endpoints behind services, and the external addresses of services."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network

from apiserver.registry.validation import addresses, checks
from steersman.api import fields, names
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

PROTOCOLS = ("SCTP", "TCP", "UDP")

_LINK_LOCAL_MULTICAST_4 = IPv4Address("224.0.0.0"), IPv4Address("224.0.0.255")
_MULTICAST_6 = IPv6Network("ff00::/8")
_LINK_LOCAL_SCOPE = 2


def validate_protocol(protocol: str, path: Path) -> list[Cause]:
    return checks.required_choice(protocol, path, PROTOCOLS)


def validate_reachable(text: str, path: Path) -> list[Cause]:
    """An address that means the same on every machine. What is no address at all is said again, in older words."""
    return [fields.invalid(path, text, complaint) for complaint in _complaints(text)]


@lru_cache(maxsize=8192)
def _complaints(text: str) -> tuple[str, ...]:
    """Remembered: the same few addresses are in every slice that a controller writes."""
    address = addresses.parse(addresses.without_leading_zeros(text))
    if address is None:
        return ("must be a valid IP address",)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    complaints: list[str] = []
    if address.is_unspecified:
        complaints.append(f"may not be unspecified ({text})")
    if address.is_loopback:
        complaints.append("may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if address.is_link_local:
        complaints.append("may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if _is_link_local_multicast(address):
        complaints.append("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
    return tuple(complaints)


def validate_canonical_ip(text: str, path: Path) -> list[Cause]:
    """The rule of newer fields: an address, written in its one canonical form."""
    causes = addresses.validate_ip(text, path)
    if causes:
        return causes
    canonical = str(addresses.parse(text))
    return [] if text == canonical else [fields.invalid(path, text, f"must be in canonical form ({quoted(canonical)})")]


def validate_domain_name(text: str, path: Path) -> list[Cause]:
    """A domain of at least two labels; a dot at its end is fine."""
    if not text:
        return [fields.required(path)]
    name = text.removesuffix(".")
    complaints = names.dns_subdomain(name)
    if complaints:
        return [fields.invalid(path, name, ",".join(complaints))]
    labels = name.split(".")
    if len(labels) < 2:
        return [fields.invalid(path, name, "should be a domain with at least two segments separated by dots")]
    for label in labels:
        complaints = names.dns_label(label)
        if complaints:
            return [fields.invalid(path, label, ",".join(complaints))]
    return []


def _is_link_local_multicast(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        first, last = _LINK_LOCAL_MULTICAST_4
        return first <= address <= last
    return address in _MULTICAST_6 and address.packed[1] & 0x0F == _LINK_LOCAL_SCOPE
