"""Warnings about addresses and ranges that are understood, but not written the way everybody reads them."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

from apiserver.registry.validation import addresses, cidrs
from steersman.api.errors import quoted
from steersman.api.fields import Path

Address = IPv4Address | IPv6Address


def of_ip(text: str, path: Path) -> list[str]:
    strict = addresses.parse(text)
    meant = strict or addresses.parse(addresses.without_leading_zeros(text))
    if meant is None:
        return []
    if strict is None or _is_mapped(strict):
        return [f"{path}: non-standard IP address {quoted(text)} is invalid: use {quoted(str(_unmapped(meant)))}"]
    if isinstance(strict, IPv6Address) and str(strict) != text:
        canonical = quoted(str(strict))
        return [f"{path}: IPv6 address {quoted(text)} should be in RFC 5952 canonical format ({canonical})"]
    return []


def of_cidr(text: str, path: Path) -> list[str]:
    network = cidrs.parse(text)
    if network is None:
        return []
    written, _, length = text.partition("/")
    address = ip_address(addresses.without_leading_zeros(written))
    warnings: list[str] = []
    if address != network.network_address:
        single = f"{address}/{address.max_prefixlen}"
        choice = f"{quoted(str(network))} or {quoted(single)}"
        warnings.append(f"{path}: CIDR value {quoted(text)} is ambiguous in this context (should be {choice}?)")
    if addresses.parse(written) is None or str(int(length)) != length or _is_mapped(address):
        warnings.append(f"{path}: non-standard CIDR value {quoted(text)} is invalid: use {quoted(str(network))}")
    if not warnings and isinstance(address, IPv6Address) and str(network) != text:
        canonical = quoted(str(network))
        warnings.append(f"{path}: IPv6 CIDR value {quoted(text)} should be in RFC 5952 canonical format ({canonical})")
    return warnings


def _is_mapped(address: Address) -> bool:
    return isinstance(address, IPv6Address) and address.ipv4_mapped is not None


def _unmapped(address: Address) -> Address:
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
