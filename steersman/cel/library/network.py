"""Kubernetes' functions on addresses, ranges of addresses, and URLs."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import ClassVar, Final
from urllib.parse import SplitResult, parse_qs, quote, urlsplit

from steersman.cel.environment import Library
from steersman.cel.values import EvaluationError

NETWORK: Final = Library()


@dataclass(frozen=True, slots=True)
class IP:
    type_name: ClassVar[str] = "net.IP"
    address: ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class CIDR:
    type_name: ClassVar[str] = "net.CIDR"
    interface: ipaddress.IPv4Interface | ipaddress.IPv6Interface


@dataclass(frozen=True, slots=True)
class URL:
    type_name: ClassVar[str] = "kubernetes.URL"
    parts: SplitResult


@NETWORK.function("ip", "string -> net.IP")
def ip(text: str) -> IP:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise EvaluationError(f'IP Address "{text}" parse error during conversion from string') from None
    if "%" in text:
        raise EvaluationError(f'IP address "{text}" with zone value is not allowed')
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        raise EvaluationError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return IP(address)


@NETWORK.function("isIP", "string -> bool")
def is_ip(text: str) -> bool:
    try:
        return bool(ip(text))
    except EvaluationError:
        return False


@NETWORK.function("ip.isCanonical", "string -> bool")
def is_canonical(text: str) -> bool:
    return str(ip(text).address) == text


@NETWORK.member("family", "net.IP -> int")
def family(given: IP) -> int:
    return given.address.version


@NETWORK.member("isUnspecified", "net.IP -> bool")
def is_unspecified(given: IP) -> bool:
    return given.address.is_unspecified


@NETWORK.member("isLoopback", "net.IP -> bool")
def is_loopback(given: IP) -> bool:
    return given.address.is_loopback


@NETWORK.member("isLinkLocalMulticast", "net.IP -> bool")
def is_link_local_multicast(given: IP) -> bool:
    address = given.address
    if isinstance(address, ipaddress.IPv4Address):
        return address in ipaddress.IPv4Network("224.0.0.0/24")
    return address.packed[0] == 0xFF and address.packed[1] & 0x0F == 0x02


@NETWORK.member("isLinkLocalUnicast", "net.IP -> bool")
def is_link_local_unicast(given: IP) -> bool:
    return given.address.is_link_local


@NETWORK.member("isGlobalUnicast", "net.IP -> bool")
def is_global_unicast(given: IP) -> bool:
    address = given.address
    if isinstance(address, ipaddress.IPv4Address) and int(address) == 2**32 - 1:
        return False
    others = address.is_unspecified, address.is_loopback, address.is_multicast, address.is_link_local
    return not any(others)


@NETWORK.function("cidr", "string -> net.CIDR")
def cidr(text: str) -> CIDR:
    address, slash, length = text.partition("/")
    proper = length.isascii() and length.isdigit() and (length == "0" or not length.startswith("0"))
    try:
        if not slash or not proper:
            raise ValueError
        interface = ipaddress.ip_interface(text)
    except ValueError:
        raise EvaluationError(f"network address parse error during conversion from string: {text}") from None
    ip(address)
    return CIDR(interface)


@NETWORK.function("isCIDR", "string -> bool")
def is_cidr(text: str) -> bool:
    try:
        return bool(cidr(text))
    except EvaluationError:
        return False


@NETWORK.member("containsIP", "net.CIDR, string -> bool", "net.CIDR, net.IP -> bool")
def contains_ip(given: CIDR, wanted: str | IP) -> bool:
    found = ip(wanted) if isinstance(wanted, str) else wanted
    return found.address in given.interface.network


@NETWORK.member("containsCIDR", "net.CIDR, string -> bool", "net.CIDR, net.CIDR -> bool")
def contains_cidr(given: CIDR, wanted: str | CIDR) -> bool:
    outer = given.interface.network
    inner = (cidr(wanted) if isinstance(wanted, str) else wanted).interface.network
    return inner.network_address in outer and inner.prefixlen >= outer.prefixlen


@NETWORK.member("ip", "net.CIDR -> net.IP")
def ip_of(given: CIDR) -> IP:
    return IP(given.interface.ip)


@NETWORK.member("prefixLength", "net.CIDR -> int")
def prefix_length(given: CIDR) -> int:
    return given.interface.network.prefixlen


@NETWORK.member("masked", "net.CIDR -> net.CIDR")
def masked(given: CIDR) -> CIDR:
    return CIDR(ipaddress.ip_interface(str(given.interface.network)))


@NETWORK.function("string", "net.IP -> string", "net.CIDR -> string")
def to_string(given: IP | CIDR) -> str:
    return str(given.address) if isinstance(given, IP) else str(given.interface)


@NETWORK.function("url", "string -> kubernetes.URL")
def url(text: str) -> URL:
    """Absolute, or a path from the root."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise EvaluationError(f"URL parse error during conversion from string: {text}") from None
    if not (text.startswith("/") or (parts.scheme and parts.netloc)) or any(ord(each) < 33 for each in text):
        raise EvaluationError(f"URL parse error during conversion from string: {text}")
    return URL(parts)


@NETWORK.function("isURL", "string -> bool")
def is_url(text: str) -> bool:
    try:
        return bool(url(text))
    except EvaluationError:
        return False


@NETWORK.member("getScheme", "kubernetes.URL -> string")
def get_scheme(given: URL) -> str:
    return given.parts.scheme


@NETWORK.member("getHost", "kubernetes.URL -> string")
def get_host(given: URL) -> str:
    return str(given.parts.netloc.rpartition("@")[2])


@NETWORK.member("getHostname", "kubernetes.URL -> string")
def get_hostname(given: URL) -> str:
    host = get_host(given)
    bare: str = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return bare


@NETWORK.member("getPort", "kubernetes.URL -> string")
def get_port(given: URL) -> str:
    return get_host(given).rpartition("]")[2].partition(":")[2]


@NETWORK.member("getEscapedPath", "kubernetes.URL -> string")
def get_escaped_path(given: URL) -> str:
    return quote(given.parts.path, safe="/%!$&'()*+,;=:@-._~[]")


@NETWORK.member("getQuery", "kubernetes.URL -> map(string, list(string))")
def get_query(given: URL) -> dict[str, list[str]]:
    return parse_qs(given.parts.query, keep_blank_values=True)
