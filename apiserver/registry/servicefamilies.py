"""Address families of Services: which they get, and which they cannot have in a cluster that has IPv4 only. Pure.

A headless Service without selector may still say IPv6: somebody else brings its endpoints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from apiserver.registry import servicespec
from apiserver.registry.servicespec import IPV4, IPV6, NO_ADDRESS, PREFER_DUAL_STACK, REQUIRE_DUAL_STACK, SINGLE_STACK
from apiserver.registry.validation import serviceaddresses
from steersman.api import errors, fields
from steersman.api.core import Service, ServiceSpec
from steersman.api.errors import Cause, Subject
from steersman.api.fields import Path

SUBJECT = Subject(group="", resource="services", kind="Service")

_SPEC = Path("spec")
_IPS = _SPEC.child("clusterIPs")
_POLICY = _SPEC.child("ipFamilyPolicy")


def with_plural_address(service: Service) -> Service:
    """At creation an older client may give the singular field alone."""
    spec = service.spec
    if spec.cluster_ip and not spec.cluster_ips:
        return _changed(service, cluster_ips=(spec.cluster_ip,))
    return service


def with_families(service: Service, old: Service | None) -> Service:
    """Policy and families filled in; Invalid where they, or the addresses, ask for what this cluster cannot do."""
    spec = service.spec
    if servicespec.is_named_elsewhere(spec) or (old is not None and _still_prefers_two(spec, old.spec)):
        return service
    if spec.ip_family_policy is None:
        service = _changed(service, ip_family_policy=_default_policy(spec, old))
    _refuse(service, serviceaddresses.validate_addresses(service.spec))
    if old is not None:
        service = _with_one_family_less(service, old)
    spec = service.spec
    _refuse(service, [*_validate_reduction(spec, old), *_validate_single_stack(spec), *_validate_known_families(spec)])
    families = spec.ip_families or tuple(map(serviceaddresses.family_of, _real_addresses(spec))) or (IPV4,)
    if _is_free_of_us(spec):
        if len(families) < 2 and spec.ip_family_policy != SINGLE_STACK:
            families = (*families, IPV6 if families[0] == IPV4 else IPV4)
    else:
        _refuse(service, _validate_offered(spec))
    return service if families == spec.ip_families else _changed(service, ip_families=families)


def _still_prefers_two(new: ServiceSpec, old: ServiceSpec) -> bool:
    """Such a Service is left as it is: it must not change because the cluster has."""
    return (
        new.type == old.type
        and new.ip_family_policy == PREFER_DUAL_STACK
        and old.ip_family_policy in (None, PREFER_DUAL_STACK)
        and (new.cluster_ips, new.ip_families) == (old.cluster_ips, old.ip_families)
    )


def _default_policy(spec: ServiceSpec, old: Service | None) -> str:
    if old is not None and old.spec.ip_family_policy is not None:
        return old.spec.ip_family_policy
    return REQUIRE_DUAL_STACK if _is_free_of_us(spec) else SINGLE_STACK


def _is_free_of_us(spec: ServiceSpec) -> bool:
    """Headless and without selector: neither addresses nor endpoints come from this cluster."""
    return spec.cluster_ip == NO_ADDRESS and not spec.selector


def _with_one_family_less(service: Service, old: Service) -> Service:
    """Asking for a single stack, and for nothing else, gives the second address and family up."""
    spec, changes = service.spec, dict[str, Any]()
    if spec.ip_family_policy == SINGLE_STACK:
        if spec.cluster_ips == old.spec.cluster_ips and len(spec.cluster_ips) > 1:
            changes["cluster_ips"] = spec.cluster_ips[:1]
        if spec.ip_families == old.spec.ip_families and len(spec.ip_families) > 1:
            changes["ip_families"] = spec.ip_families[:1]
    return _changed(service, **changes) if changes else service


def _validate_reduction(spec: ServiceSpec, old: Service | None) -> list[Cause]:
    if old is None or spec.ip_family_policy == SINGLE_STACK:
        return []
    causes: list[Cause] = []
    if 0 < len(spec.cluster_ips) < len(old.spec.cluster_ips):
        detail = "must be 'SingleStack' to release the secondary cluster IP"
        causes.append(fields.invalid(_POLICY, spec.ip_family_policy, detail))
    if 0 < len(spec.ip_families) < len(old.spec.ip_families):
        detail = "must be 'SingleStack' to release the secondary IP family"
        causes.append(fields.invalid(_POLICY, spec.ip_family_policy, detail))
    return causes


def _validate_single_stack(spec: ServiceSpec) -> list[Cause]:
    if spec.ip_family_policy != SINGLE_STACK:
        return []
    causes: list[Cause] = []
    for what, given in (("cluster IPs", spec.cluster_ips), ("IP families", spec.ip_families)):
        if len(given) == 2:
            detail = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
            causes.append(fields.invalid(_POLICY, spec.ip_family_policy, detail))
    return causes


def _validate_known_families(spec: ServiceSpec) -> list[Cause]:
    """Addresses whose family is not said and not ours."""
    return [
        fields.invalid(_IPS.index(index), spec.cluster_ips, f"{IPV6} is not configured on this cluster")
        for index, ip in enumerate(_real_addresses(spec))
        if index >= len(spec.ip_families) and serviceaddresses.family_of(ip) == IPV6
    ]


def _validate_offered(spec: ServiceSpec) -> list[Cause]:
    causes: list[Cause] = []
    if spec.ip_family_policy == REQUIRE_DUAL_STACK:
        detail = "this cluster is not configured for dual-stack services"
        causes.append(fields.invalid(_POLICY, spec.ip_family_policy, detail))
    for index, family in enumerate(spec.ip_families):
        if family != IPV4:
            path = _SPEC.child("ipFamilies").index(index)
            causes.append(fields.invalid(path, family, "not configured on this cluster"))
    return causes


def _real_addresses(spec: ServiceSpec) -> tuple[str, ...]:
    return () if servicespec.is_headless(spec) else spec.cluster_ips


def _changed(service: Service, **changes: Any) -> Service:
    return replace(service, spec=replace(service.spec, **changes))


def _refuse(service: Service, causes: Sequence[Cause]) -> None:
    if causes:
        raise errors.invalid(SUBJECT, service.metadata.name, causes)
