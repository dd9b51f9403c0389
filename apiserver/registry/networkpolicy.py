"""NetworkPolicies: which peers and ports; a policy that does not say which traffic it is about is about ingress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network
from typing import Final

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, cidrs
from apiserver.registry.warnings import network as warned
from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.networking import (
    IPBlock,
    NetworkPolicy,
    NetworkPolicyPeer,
    NetworkPolicyPort,
    NetworkPolicySpec,
)

INGRESS, EGRESS = "Ingress", "Egress"
PROTOCOLS: Final = ("TCP", "UDP", "SCTP")

_SPEC: Final = Path("spec")
Network = IPv4Network | IPv6Network


def default(new: NetworkPolicy) -> NetworkPolicy:
    spec = new.spec
    types = spec.policy_types or ((INGRESS, EGRESS) if spec.egress else (INGRESS,))
    return replace(
        new,
        spec=replace(
            spec,
            ingress=tuple(replace(rule, ports=_with_protocols(rule.ports)) for rule in spec.ingress),
            egress=tuple(replace(rule, ports=_with_protocols(rule.ports)) for rule in spec.egress),
            policy_types=types,
        ),
    )


def _with_protocols(ports: Iterable[NetworkPolicyPort]) -> tuple[NetworkPolicyPort, ...]:
    return tuple(replace(port, protocol="TCP") if port.protocol is None else port for port in ports)


def validate(new: NetworkPolicy) -> list[Cause]:
    spec = new.spec
    causes = checks.validate_label_selector(spec.pod_selector, _SPEC.child("podSelector"))
    for index, ingress in enumerate(spec.ingress):
        path = _SPEC.child("ingress").index(index)
        causes += _validate_ports(ingress.ports, path.child("ports"))
        causes += _validate_peers(ingress.from_, path.child("from"))
    for index, egress in enumerate(spec.egress):
        path = _SPEC.child("egress").index(index)
        causes += _validate_ports(egress.ports, path.child("ports"))
        causes += _validate_peers(egress.to, path.child("to"))
    return causes + _validate_types(spec, _SPEC.child("policyTypes"))


def _validate_types(spec: NetworkPolicySpec, path: Path) -> list[Cause]:
    allowed = (INGRESS, EGRESS)
    if len(spec.policy_types) > len(allowed):
        return [fields.invalid(path, spec.policy_types, "may not specify more than two policyTypes")]
    causes: list[Cause] = []
    for index, policy_type in enumerate(spec.policy_types):
        causes += checks.choice(policy_type, path.index(index), allowed)
    return causes


def _validate_ports(ports: Sequence[NetworkPolicyPort], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, port in enumerate(ports):
        where = path.index(index)
        if port.protocol is not None:
            causes += checks.choice(port.protocol, where.child("protocol"), PROTOCOLS)
        causes += _validate_port(port, where)
    return causes


def _validate_port(port: NetworkPolicyPort, path: Path) -> list[Cause]:
    """A number, which may begin a range, or the name that a container gives to its port."""
    last = port.end_port
    if port.port is None or isinstance(port.port, str):
        causes: list[Cause] = []
        if last is not None:
            why = "is not specified" if port.port is None else "is non-numeric"
            causes.append(fields.invalid(path.child("endPort"), last, f"may not be specified when `port` {why}"))
        return causes if port.port is None else causes + checks.name(port.port, path.child("port"), names.port_name)
    causes = checks.port_number(port.port, path.child("port"))
    if last is not None:
        if last < port.port:
            # Kubernetes shows the first port here, not the last.
            causes.append(fields.invalid(path.child("endPort"), port.port, "must be greater than or equal to `port`"))
        causes += checks.port_number(last, path.child("endPort"))
    return causes


def _validate_peers(peers: Sequence[NetworkPolicyPeer], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, peer in enumerate(peers):
        causes += _validate_peer(peer, path.index(index))
    return causes


def _validate_peer(peer: NetworkPolicyPeer, path: Path) -> list[Cause]:
    causes = [
        *checks.validate_label_selector(peer.pod_selector, path.child("podSelector")),
        *checks.validate_label_selector(peer.namespace_selector, path.child("namespaceSelector")),
    ]
    selects = peer.pod_selector is not None or peer.namespace_selector is not None
    if peer.ip_block is None:
        return causes if selects else [fields.required(path, "must specify a peer")]
    causes += _validate_block(peer.ip_block, path.child("ipBlock"))
    if selects:
        causes.append(fields.forbidden(path, "may not specify both ipBlock and another peer"))
    return causes


def _validate_block(block: IPBlock, path: Path) -> list[Cause]:
    if not block.cidr:
        return [fields.required(path.child("cidr"))]
    causes = cidrs.validate_cidr(block.cidr, path.child("cidr"))
    outer = cidrs.parse(block.cidr)
    if outer is None:
        return causes
    for index, text in enumerate(block.except_):
        where = path.child("except").index(index)
        causes += cidrs.validate_cidr(text, where)
        inner = cidrs.parse(text)
        if inner is not None and not _is_strictly_within(inner, outer):
            causes.append(fields.invalid(where, text, "must be a strict subset of `cidr`"))
    return causes


def _is_strictly_within(inner: Network, outer: Network) -> bool:
    if inner.version != outer.version or inner.prefixlen <= outer.prefixlen:
        return False
    return inner.network_address in outer


NETWORK_POLICY = Strategy(
    default=default,
    validate=validate,
    warn=warned.of_networkpolicy,
)
