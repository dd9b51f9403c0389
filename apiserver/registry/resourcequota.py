"""ResourceQuotas: which resources can be counted, and which scopes make sense for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from apiserver.registry.defaults import resources as amounts
from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import internalform, resources
from apiserver.registry.warnings import small as warned
from steersman.api import fields
from steersman.api.core import ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.part import Quantity
from steersman.api.podresources import HUGE_PAGES

_SPEC, _STATUS = Path("spec"), Path("status")

_OBJECTS = frozenset(
    {
        "configmaps",
        "persistentvolumeclaims",
        "pods",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "services",
        "services.loadbalancers",
        "services.nodeports",
    }
)
_OF_PODS = frozenset({"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"})
_COUNTED = (
    _OBJECTS
    | _OF_PODS
    | {"ephemeral-storage", "requests.ephemeral-storage", "limits.ephemeral-storage", "requests.storage"}
)
_SCOPES: Mapping[str, Collection[str]] = {
    "Terminating": _OF_PODS,
    "NotTerminating": _OF_PODS,
    "BestEffort": frozenset({"pods"}),
    "NotBestEffort": _OF_PODS,
    "PriorityClass": _OF_PODS,
    "CrossNamespacePodAffinity": _OF_PODS,
    "VolumeAttributesClass": frozenset({"persistentvolumeclaims", "requests.storage"}),
}
"""The scopes, and what can be counted within each."""

_WITH_VALUES = ("PriorityClass", "VolumeAttributesClass")
_CONFLICTING = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))


def default(new: ResourceQuota) -> ResourceQuota:
    spec, status = new.spec, new.status
    return replace(
        new,
        spec=replace(spec, hard=amounts.rounded(spec.hard)),
        status=replace(status, hard=amounts.rounded(status.hard), used=amounts.rounded(status.used)),
    )


def validate(new: ResourceQuota) -> list[Cause]:
    causes = _validate_amounts(new.spec.hard, _SPEC.child("hard"))
    causes += _validate_scopes(new.spec)
    causes += _validate_selector(new.spec)
    causes += _validate_amounts(new.status.hard, _STATUS.child("hard"))
    return causes + _validate_amounts(new.status.used, _STATUS.child("used"))


def validate_update(new: ResourceQuota, old: ResourceQuota) -> list[Cause]:
    if set(new.spec.scopes) == set(old.spec.scopes):
        return []
    return [fields.invalid(_SPEC.child("scopes"), new.spec.scopes, IMMUTABLE)]


def _validate_amounts(given: Mapping[str, Quantity], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for name, amount in given.items():
        where = path.key(name)
        causes += resources.validate_any_name(name, where)
        if "/" not in name and not _is_counted(name):
            causes.append(fields.invalid(where, name, "must be a standard resource for quota"))
        causes += resources.validate_amount(name, amount, where)
    return causes


def _is_counted(name: str) -> bool:
    return name in _COUNTED or name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}"))


def _validate_scopes(spec: ResourceQuotaSpec) -> list[Cause]:
    path = _SPEC.child("scopes")
    causes: list[Cause] = []
    for scope in spec.scopes:
        if scope not in _SCOPES:
            causes.append(fields.invalid(path, spec.scopes, "unsupported scope"))
        unfit = _count_unfit(scope, spec.hard)
        causes += [fields.invalid(path, spec.scopes, "unsupported scope applied to resource")] * unfit
    return causes + _validate_pairs(spec.scopes, spec, path)


def _validate_selector(spec: ResourceQuotaSpec) -> list[Cause]:
    selector = spec.scope_selector
    if selector is None:
        return []
    path = _SPEC.child("scopeSelector").child("matchExpressions")
    causes: list[Cause] = []
    for requirement in selector.match_expressions:
        scope = requirement.scope_name
        if scope not in _SCOPES:
            causes.append(fields.invalid(path.child("scopeName"), scope, "unsupported scope"))
        unfit = fields.invalid(path, internalform.shown(selector), "unsupported scope applied to resource")
        causes += [unfit] * _count_unfit(scope, spec.hard)
        causes += _validate_requirement(requirement, path)
    return causes + _validate_pairs([each.scope_name for each in selector.match_expressions], spec, path)


def _validate_requirement(requirement: ScopedResourceSelectorRequirement, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    scope, operator = requirement.scope_name, requirement.operator
    if scope in _SCOPES and scope not in _WITH_VALUES and operator != "Exists":
        detail = (
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
            "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
            "ResourceQuotaScopeCrossNamespacePodAffinity"
        )
        causes.append(fields.invalid(path.child("operator"), operator, detail))
    match operator:
        case "In" | "NotIn":
            if not requirement.values:
                detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
                causes.append(fields.required(path.child("values"), detail))
        case "Exists" | "DoesNotExist":
            if requirement.values:
                detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
                causes.append(fields.invalid(path.child("values"), requirement.values, detail))
        case _:
            causes.append(fields.invalid(path.child("operator"), operator, "not a valid selector operator"))
    return causes


def _count_unfit(scope: str, hard: Mapping[str, Quantity]) -> int:
    """How many of the resources that quotas know cannot be counted within the scope."""
    if scope not in _SCOPES:
        return 0
    return sum(_is_counted(name) and name not in _SCOPES[scope] for name in hard)


def _validate_pairs(given: Collection[str], spec: ResourceQuotaSpec, path: Path) -> list[Cause]:
    conflicts = [pair for pair in _CONFLICTING if set(pair) <= set(given)]
    # Kubernetes shows the list of scopes even where the conflict is in the selector.
    return [fields.invalid(path, spec.scopes or None, "conflicting scopes") for _ in conflicts]


RESOURCE_QUOTA = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    warn=warned.of_quota,
)
