"""Rules for a pod's place in the network: DNS, host names and aliases, and the ports of the host."""

from __future__ import annotations

import re

from apiserver.registry.validation import addresses, checks
from steersman.api import fields, names
from steersman.api.core import HostAlias, PodDNSConfig, PodSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path

DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
MAX_NAMESERVERS = 3
MAX_SEARCHES = 32
MAX_SEARCH_CHARACTERS = 2048
MAX_HOSTNAME_LENGTH = 64
MAX_DOMAIN_LENGTH = 253

_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SEARCH_PATTERN = rf"{_LABEL}(\.{_LABEL})*"
_SEARCH = re.compile(_SEARCH_PATTERN)


def validate_dns(spec: PodSpec, path: Path) -> list[Cause]:
    """`spec.dnsConfig`, which pods without a DNS policy cannot do without."""
    config = spec.dns_config
    if spec.dns_policy == "None":
        if config is None:
            return [fields.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        if not config.nameservers:
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            return [fields.required(path.child("nameservers"), detail)]
    return [] if config is None else _validate_dns_config(config, path)


def validate_host_aliases(aliases: tuple[HostAlias, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, alias in enumerate(aliases):
        causes += addresses.validate_ip(alias.ip, path.index(index).child("ip"))
        for position, hostname in enumerate(alias.hostnames):
            where = path.index(index).child("hostnames").index(position)
            causes += checks.name(hostname, where, names.dns_subdomain)
    return causes


def validate_hostname_override(spec: PodSpec, path: Path) -> list[Cause]:
    override = spec.hostname_override
    if override is None:
        return []
    causes: list[Cause] = []
    if spec.set_hostname_as_fqdn:
        causes.append(fields.forbidden(path, "may not be specified when setHostnameAsFQDN is true"))
    if spec.host_network:
        causes.append(fields.forbidden(path, "may not be specified when hostNetwork is true"))
    if len(override.encode()) > MAX_HOSTNAME_LENGTH:
        causes.append(fields.too_long(path, MAX_HOSTNAME_LENGTH))
    return causes + checks.name(override, path, names.dns_subdomain)


def validate_host_network(spec: PodSpec, path: Path, *, in_pod: bool) -> list[Cause]:
    """In the host's network a port is the host's port. Templates may leave it open: pods get it by default."""
    causes: list[Cause] = []
    for index, container in enumerate(spec.containers):
        for position, port in enumerate(container.ports):
            if port.host_port != port.container_port and (in_pod or port.host_port):
                where = path.child("containers").index(index).child("ports").index(position).child("hostPort")
                detail = "must match `containerPort` when `hostNetwork` is true"
                causes.append(fields.invalid(where, port.host_port, detail))
    return causes


def _search_domain(text: str) -> list[str]:
    """Complaints about a domain to search in, where underscores are common."""
    complaints = []
    if len(text) > MAX_DOMAIN_LENGTH:
        complaints.append(f"must be no more than {MAX_DOMAIN_LENGTH} characters")
    if not _SEARCH.fullmatch(text):
        complaints.append(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and "
            "must start and end with an alphanumeric character "
            f"(e.g. 'example.com', regex used for validation is '{_SEARCH_PATTERN}')"
        )
    return complaints


def _validate_dns_config(config: PodDNSConfig, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    where = path.child("nameservers")
    if len(config.nameservers) > MAX_NAMESERVERS:
        detail = f"must not have more than {MAX_NAMESERVERS} nameservers"
        causes.append(fields.invalid(where, list(config.nameservers), detail))
    for index, server in enumerate(config.nameservers):
        causes += addresses.validate_ip(server, where.index(index))
    where = path.child("searches")
    if len(config.searches) > MAX_SEARCHES:
        detail = f"must not have more than {MAX_SEARCHES} search paths"
        causes.append(fields.invalid(where, list(config.searches), detail))
    if len(" ".join(config.searches)) > MAX_SEARCH_CHARACTERS:
        detail = f"must not have more than {MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list"
        causes.append(fields.invalid(where, list(config.searches), detail))
    for index, search in enumerate(config.searches):
        if search != ".":
            causes += checks.name(search.removesuffix("."), where.index(index), _search_domain)
    for index, option in enumerate(config.options):
        if not option.name:
            causes.append(fields.required(path.child("options").index(index), "must not be empty"))
    return causes
