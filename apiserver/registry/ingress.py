"""Ingresses: hosts and paths that make sense, each with a backend to go to.

A new ingress may name its class in `ingressClassName` and in the older annotation, as long as they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import addresses, backends, checks
from apiserver.registry.warnings import network as warned
from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.networking import (
    HTTPIngressPath,
    Ingress,
    IngressLoadBalancerStatus,
    IngressRule,
    IngressSpec,
    IngressTLS,
)

CLASS_ANNOTATION: Final = "kubernetes.io/ingress.class"
PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")

_SPEC: Final = Path("spec")
_NOT_IN_PATHS: Final = ("//", "/./", "/../", "%2f", "%2F")
_NOT_AT_THE_END: Final = ("/..", "/.")
_NO_ADDRESS: Final = "must be a DNS name, not an IP address"


def validate(new: Ingress) -> list[Cause]:
    return _validate_spec(new.spec, _SPEC)


def validate_create(new: Ingress) -> list[Cause]:
    annotated = new.metadata.annotations.get(CLASS_ANNOTATION)
    named = new.spec.ingress_class_name
    if annotated is None or named is None or annotated == named:
        return []
    path = Path("annotations").child(CLASS_ANNOTATION)
    return [fields.invalid(path, annotated, "must match `ingressClassName` when both are specified")]


def validate_update(new: Ingress, old: Ingress) -> list[Cause]:
    """The rules of the status endpoint; the main one leaves status alone."""
    if new.status == old.status:
        return []
    known = [entry.ip for entry in old.status.load_balancer.ingress]
    return _validate_balancer(new.status.load_balancer, known, Path("status").child("loadBalancer"))


def _validate_spec(spec: IngressSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not spec.rules and spec.default_backend is None:
        causes.append(fields.invalid(path, None, "either `defaultBackend` or `rules` must be specified"))
    if spec.default_backend is not None:
        causes += backends.validate_backend(spec.default_backend, path.child("defaultBackend"))
    for index, rule in enumerate(spec.rules):
        causes += _validate_rule(rule, path.child("rules").index(index))
    for index, tls in enumerate(spec.tls):
        causes += _validate_tls(tls, path.child("tls").index(index))
    if spec.ingress_class_name is not None:
        causes += checks.name(spec.ingress_class_name, path.child("ingressClassName"), names.dns_subdomain)
    return causes


def _validate_rule(rule: IngressRule, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if rule.host:
        where = path.child("host")
        if _is_address(rule.host):
            causes.append(fields.invalid(where, rule.host, _NO_ADDRESS))
        causes += _validate_host(rule.host, where)
    if rule.http is not None:
        where = path.child("http").child("paths")
        if not rule.http.paths:
            causes.append(fields.required(where))
        for index, entry in enumerate(rule.http.paths):
            causes += _validate_path(entry, where.index(index))
    return causes


def _validate_host(host: str, path: Path) -> list[Cause]:
    return checks.name(host, path, names.wildcard_subdomain if "*" in host else names.dns_subdomain)


def _validate_path(entry: HTTPIngressPath, path: Path) -> list[Cause]:
    if entry.path_type is None:
        return [fields.required(path.child("pathType"), "pathType must be specified")]
    causes: list[Cause] = []
    if entry.path_type not in PATH_TYPES:
        causes.append(fields.not_supported(path.child("pathType"), entry.path_type, PATH_TYPES))
    elif entry.path_type == "ImplementationSpecific":
        if entry.path and not entry.path.startswith("/"):
            causes.append(fields.invalid(path.child("path"), entry.path, "must be an absolute path"))
    else:
        causes += [fields.invalid(path.child("path"), entry.path, complaint) for complaint in _exact_path(entry.path)]
    return causes + backends.validate_backend(entry.backend, path.child("backend"))


def _exact_path(text: str) -> list[str]:
    """Complaints about a path that is compared element by element, and so must be in its plainest form."""
    return [
        *([] if text.startswith("/") else ["must be an absolute path"]),
        *(f"must not contain '{piece}'" for piece in _NOT_IN_PATHS if piece in text),
        *(f"cannot end with '{piece}'" for piece in _NOT_AT_THE_END if text.endswith(piece)),
    ]


def _validate_tls(tls: IngressTLS, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, host in enumerate(tls.hosts):
        causes += _validate_host(host, path.child("hosts").index(index))
    if tls.secret_name:
        causes += checks.name(tls.secret_name, path.child("secretName"), names.dns_subdomain)
    return causes


def _validate_balancer(status: IngressLoadBalancerStatus, known: Sequence[str], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, entry in enumerate(status.ingress):
        where = path.child("ingress").index(index)
        if entry.ip:
            causes += addresses.validate_ip(entry.ip, where.child("ip"), known)
        if entry.hostname:
            causes += checks.name(entry.hostname, where.child("hostname"), names.dns_subdomain)
            if _is_address(entry.hostname):
                causes.append(fields.invalid(where.child("hostname"), entry.hostname, _NO_ADDRESS))
    return causes


def _is_address(text: str) -> bool:
    return addresses.parse(addresses.without_leading_zeros(text)) is not None


INGRESS = Strategy(
    validate=validate,
    validate_create=validate_create,
    validate_update=validate_update,
    warn=warned.of_ingress,
    warn_of_status=warned.of_balanced,
)
