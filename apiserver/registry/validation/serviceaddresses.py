"""Rules for a Service's cluster addresses and their families: what fits together, and what may change later."""

from __future__ import annotations

from apiserver.registry import servicespec
from apiserver.registry.servicespec import IPV4, IPV6, NO_ADDRESS, SINGLE_STACK
from apiserver.registry.validation import addresses, checks
from steersman.api import fields
from steersman.api.core import ServiceSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path

FAMILIES = (IPV4, IPV6)
FAMILY_POLICIES = (servicespec.PREFER_DUAL_STACK, servicespec.REQUIRE_DUAL_STACK, SINGLE_STACK)

_SPEC = Path("spec")
_IPS = _SPEC.child("clusterIPs")
_FAMILIES = _SPEC.child("ipFamilies")
_POLICY = _SPEC.child("ipFamilyPolicy")


def validate_addresses(spec: ServiceSpec) -> list[Cause]:
    if servicespec.is_named_elsewhere(spec):
        return []  # must have none of this, which is said elsewhere
    causes = _validate_singular(spec)
    for index, family in enumerate(spec.ip_families):
        causes += checks.choice(family, _FAMILIES.index(index), FAMILIES)
        if family in spec.ip_families[:index]:
            causes.append(fields.duplicate(_FAMILIES.index(index), family))
    if spec.ip_family_policy is not None:
        causes += checks.choice(spec.ip_family_policy, _POLICY, FAMILY_POLICIES)
    malformed = _validate_form(spec.cluster_ips)
    causes += malformed
    if len(spec.cluster_ips) > 2:
        causes.append(fields.invalid(_IPS, spec.cluster_ips, "may only hold up to 2 values"))
    return causes if malformed else causes + _validate_families(spec)


def _validate_singular(spec: ServiceSpec) -> list[Cause]:
    """The older field says the same as the first of the newer one."""
    if not spec.cluster_ip:
        if not spec.cluster_ips:
            return []
        return [fields.invalid(_IPS, spec.cluster_ips, "must be empty when `clusterIP` is not specified")]
    if not spec.cluster_ips:
        return [fields.required(_IPS)]
    if spec.cluster_ips[0] != spec.cluster_ip:
        return [fields.invalid(_IPS, spec.cluster_ips, "first value must match `clusterIP`")]
    return []


def _validate_form(ips: tuple[str, ...]) -> list[Cause]:
    causes: list[Cause] = []
    for index, ip in enumerate(ips):
        if index == 0 and ip == NO_ADDRESS:
            if len(ips) > 1:
                causes.append(fields.invalid(_IPS, ips, "'None' must be the first and only value"))
        else:
            causes += addresses.validate_ip(ip, _IPS.index(index))
    return causes


def _validate_families(spec: ServiceSpec) -> list[Cause]:
    if servicespec.is_headless(spec):
        return []
    causes: list[Cause] = []
    found = [family_of(ip) for ip in spec.cluster_ips]
    if len(found) > 1 and len(set(found)) < 2:
        detail = "may specify no more than one IP for each IP family"
        causes.append(fields.invalid(_IPS, spec.cluster_ips, detail))
    for index, (ip, family, wanted) in enumerate(zip(spec.cluster_ips, found, spec.ip_families, strict=False)):
        if wanted in FAMILIES and wanted != family:
            detail = f"expected an {wanted} value as indicated by `ipFamilies[{index}]`"
            causes.append(fields.invalid(_IPS.index(index), ip, detail))
    return causes


def family_of(ip: str) -> str:
    parsed = addresses.parse(addresses.without_leading_zeros(ip))
    return IPV6 if parsed is not None and parsed.version == 6 else IPV4


# --- Updates


def validate_address_changes(new: ServiceSpec, old: ServiceSpec) -> list[Cause]:
    """A first address and family are for life; a second may come and go. Types without addresses start afresh."""
    if servicespec.is_named_elsewhere(new) or servicespec.is_named_elsewhere(old):
        return []
    headless = servicespec.is_headless(new), servicespec.is_headless(old)
    causes = [] if all(headless) else _validate_ip_changes(new, old)
    return causes if any(headless) else causes + _validate_family_changes(new, old)


def _validate_ip_changes(new: ServiceSpec, old: ServiceSpec) -> list[Cause]:
    now, before = new.cluster_ips, old.cluster_ips
    changed = "may not change once set"
    if len(now) == len(before):
        pairs = enumerate(zip(now, before, strict=True))
        return [fields.invalid(_IPS.index(index), now, changed) for index, (ip, was) in pairs if ip != was]
    causes: list[Cause] = []
    if not now:
        causes.append(fields.invalid(_IPS.index(0), now, "primary clusterIP can not be unset"))
    elif before and now[0] != before[0]:
        causes.append(fields.invalid(_IPS.index(0), now, changed))
    if len(now) == 1 and len(before) > 1 and new.ip_family_policy != SINGLE_STACK:
        detail = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        causes.append(fields.invalid(_POLICY, new.ip_family_policy, detail))
    return causes


def _validate_family_changes(new: ServiceSpec, old: ServiceSpec) -> list[Cause]:
    now, before = new.ip_families, old.ip_families
    changed = "may not change once set"
    if len(now) == len(before):
        pairs = zip(now, before, strict=True)
        return [fields.invalid(_FAMILIES.index(0), now, changed) for family, was in pairs if family != was]
    causes: list[Cause] = []
    if len(now) < len(before) and not new.cluster_ips:
        causes.append(fields.invalid(_FAMILIES.index(0), now, "primary ipFamily can not be unset"))
    if now and before and now[0] != before[0]:
        # Kubernetes shows the addresses here.
        causes.append(fields.invalid(_FAMILIES.index(0), new.cluster_ips, changed))
    if len(now) == 1 and len(before) > 1 and new.ip_family_policy != SINGLE_STACK:
        detail = "must be set to 'SingleStack' when releasing the secondary ipFamily"
        causes.append(fields.invalid(_POLICY, new.ip_family_policy, detail))
    return causes
