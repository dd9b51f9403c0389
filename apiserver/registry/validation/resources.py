"""Rules for amounts: known resources, whole devices, requests within limits, containers within their pod."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping

from apiserver.registry.validation import checks
from steersman.api import fields, names, podresources, quantity
from steersman.api.core import PodSpec, ResourceClaim, ResourceRequirements
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.part import Quantity
from steersman.api.podresources import HUGE_PAGES, Side

NameRule = Callable[[str, Path], list[Cause]]

_OF_CONTAINERS = frozenset({"cpu", "memory", "ephemeral-storage"})
_MOST_NAMES_SHOWN = 100  # each wrong claim lists all right ones: thousands of both would be a gigabyte of complaints
_ORDINARY = frozenset({"cpu", "memory"})
_OF_PODS = ("cpu", HUGE_PAGES, "memory")
_COUNTED = frozenset(
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
_STANDARD = (
    _OF_CONTAINERS
    | _COUNTED
    | {"storage", "requests.storage"}
    | {f"{side}.{name}" for side in ("requests", "limits") for name in _OF_CONTAINERS}
)


def validate_container_resources(
    resources: ResourceRequirements, claim_names: Collection[str], path: Path
) -> list[Cause]:
    return _validate_requirements(resources, claim_names, path, validate_container_name)


def is_ordinary(resources: ResourceRequirements) -> bool:
    """What nearly all containers have, and nothing is wrong with: some CPU and memory, no more asked than allowed."""
    limits, requests = resources.limits, resources.requests
    if resources.claims or not (limits.keys() <= _ORDINARY and requests.keys() <= _ORDINARY):
        return False
    for name, limit in limits.items():
        amount = requests.get(name, limit)
        if limit.startswith("-") or (limit != amount and podresources.compare(amount, limit) > 0):
            return False
    return not any(amount.startswith("-") for amount in requests.values())


def validate_overhead(overhead: dict[str, Quantity], path: Path) -> list[Cause]:
    return _validate_requirements(ResourceRequirements(limits=overhead), (), path, validate_container_name)


def validate_pod_resources(spec: PodSpec, claim_names: Collection[str], path: Path) -> list[Cause]:
    """`spec.resources`: the budget of all containers together."""
    resources = spec.resources
    if resources is None:
        return []
    if spec.os is not None and spec.os.name == "windows":
        return [fields.forbidden(path, "may not be set for a windows pod")]
    causes: list[Cause] = []
    if resources.claims:
        detail = "claims may not be set for Resources at pod-level"
        causes.append(fields.forbidden(path.child("claims"), detail))
    causes += _validate_requirements(resources, claim_names, path, _validate_pod_name)
    return causes + _validate_budget(spec, resources, path)


def is_counted_whole(name: str) -> bool:
    """Whether there is no half of it: objects, and devices that plugins offer under a domain of their own."""
    if name in _COUNTED:
        return True
    if podresources.is_native(name) or name.startswith("requests."):
        return False
    return not checks.complaints(names.qualified_name, f"requests.{name}")


def validate_amount(name: str, amount: str, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if amount.startswith("-") and quantity.value(amount) < 0:
        causes.append(fields.invalid(path, amount, "must be greater than or equal to 0"))
    if name not in _OF_CONTAINERS and is_counted_whole(name) and quantity.milli(amount) % 1000:
        causes.append(fields.invalid(path, amount, "must be an integer"))
    return causes


def _validate_requirements(
    resources: ResourceRequirements, claim_names: Collection[str], path: Path, validate_name: NameRule
) -> list[Cause]:
    limits, requests = resources.limits, resources.requests
    causes: list[Cause] = []
    for name, amount in limits.items():
        causes += _validate_entry(name, amount, path, Side.LIMITS, validate_name)
    for name, amount in requests.items():
        causes += _validate_request(name, amount, limits, path, validate_name)
    involved = limits.keys() | requests.keys()
    if any(name.startswith(HUGE_PAGES) for name in involved) and involved.isdisjoint(_ORDINARY):
        causes.append(fields.forbidden(path, "HugePages require cpu or memory"))
    if resources.claims:
        causes += _validate_claims(resources.claims, claim_names, path.child("claims"))
    return causes


def _validate_entry(name: str, amount: str, path: Path, side: Side, validate_name: NameRule) -> list[Cause]:
    where = path.child(side).key(name)
    causes = validate_name(name, where)
    causes += validate_amount(name, amount, where)
    if side is Side.LIMITS:
        causes += _validate_huge_pages(name, amount, where)
    return causes


def _validate_request(
    name: str, amount: str, limits: Mapping[str, Quantity], path: Path, validate_name: NameRule
) -> list[Cause]:
    causes = _validate_entry(name, amount, path, Side.REQUESTS, validate_name)
    limit = limits.get(name)
    if limit is None:
        if not podresources.may_overcommit(name):
            detail = "Limit must be set for non overcommitable resources"
            causes.append(fields.required(path.child("limits"), detail))
    elif limit != amount:
        difference = podresources.compare(amount, limit)
        if difference and not podresources.may_overcommit(name):
            detail = f"must be equal to {name} limit of {limit}"
            causes.append(fields.invalid(path.child("requests"), amount, detail))
        elif difference > 0:
            detail = f"must be less than or equal to {name} limit of {limit}"
            causes.append(fields.invalid(path.child("requests"), amount, detail))
    if name.startswith(HUGE_PAGES):
        causes += _validate_huge_pages(name, amount, path.child("requests").key(name))
    return causes


def _validate_huge_pages(name: str, amount: str, path: Path) -> list[Cause]:
    if not name.startswith(HUGE_PAGES) or _is_multiple(amount, name.removeprefix(HUGE_PAGES)):
        return []
    return [fields.invalid(path, amount, f"{amount} is not positive integer multiple of {name}")]


def _is_multiple(amount: str, page: str) -> bool:
    try:
        size = quantity.value(page)
    except ValueError:
        return False
    return size > 0 and size.denominator == 1 and quantity.units(amount) % int(size) == 0


def validate_any_name(name: str, path: Path) -> list[Cause]:
    causes = checks.name(name, path, names.qualified_name)
    if causes or "/" in name or name in _STANDARD or name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}")):
        return causes
    return [fields.invalid(path, name, "must be a standard resource type or fully qualified")]


def validate_container_name(name: str, path: Path) -> list[Cause]:
    causes = validate_any_name(name, path)
    if "/" not in name:
        if name not in _OF_CONTAINERS and not name.startswith(HUGE_PAGES):
            causes.append(fields.invalid(path, name, "must be a standard resource for containers"))
    elif not podresources.is_native(name) and not is_counted_whole(name):
        causes.append(fields.invalid(path, name, "doesn't follow extended resource name standard"))
    return causes


def _validate_pod_name(name: str, path: Path) -> list[Cause]:
    causes = validate_any_name(name, path)
    if causes or name in _ORDINARY or name.startswith(HUGE_PAGES):
        return causes
    return [fields.not_supported(path, name, _OF_PODS)]


def _validate_claims(claims: tuple[ResourceClaim, ...], claim_names: Collection[str], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    seen: Counter[str] = Counter()
    for index, claim in enumerate(claims):
        where = path.index(index)
        if not claim.name:
            causes.append(fields.required(where))
            continue
        causes += _validate_claim_once(claim, where, seen)
        if claim.name not in claim_names:
            causes.append(_not_among(claim.name, claim_names, where))
    return causes


def _not_among(name: str, known: Collection[str], path: Path) -> Cause:
    shown = ", ".join(sorted(known)) if len(known) <= _MOST_NAMES_SHOWN else f"{len(known)} names"
    where = f": {shown}" if known else " which is empty"
    missing = fields.not_found(path, name)
    text = f"{missing.message}: must be one of the names in pod.spec.resourceClaims{where}"
    return Cause(missing.reason, text, missing.field)


def _validate_claim_once(claim: ResourceClaim, path: Path, seen: Counter[str]) -> list[Cause]:
    """A claim may be used whole, or request by request, but nothing of it twice.

    `seen` counts what has been used, and under `name/` how many requests of a claim have been.
    """
    if claim.name in seen:
        return [fields.duplicate(path, claim.name)]
    causes: list[Cause] = []
    entry = claim.name
    if claim.request:
        causes += checks.name(claim.request, path.child("request"), names.dns_label)
        entry = f"{claim.name}/{claim.request}"
    if entry in seen:
        causes.append(fields.duplicate(path, entry))
    elif not claim.request:
        causes += [fields.duplicate(path, claim.name)] * seen[f"{claim.name}/"]
    if claim.request and entry not in seen:
        seen[f"{claim.name}/"] += 1
    seen[entry] += 1
    return causes


def _validate_budget(spec: PodSpec, budget: ResourceRequirements, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for name, together in podresources.effective(spec, Side.REQUESTS).items():
        amount = budget.requests.get(name)
        if amount is not None and podresources.compare(together, amount) > 0:
            detail = f"must be greater than or equal to aggregate container requests of {together}"
            causes.append(fields.invalid(path.child("requests").key(name), amount, detail))
    for name, together in podresources.effective(spec, Side.LIMITS).items():
        amount = budget.limits.get(name)
        if name.startswith(HUGE_PAGES) and amount is not None and podresources.compare(together, amount) > 0:
            detail = f"must be greater than or equal to aggregate container limits of {together}"
            causes.append(fields.invalid(path.child("limits").key(name), amount, detail))
    for index, container in enumerate(spec.containers):
        for name, limit in container.resources.limits.items():
            amount = budget.limits.get(name)
            if amount is not None and podresources.compare(limit, amount) > 0:
                where = path.child("containers").index(index).key(name).child("limits")
                detail = f"must be less than or equal to pod limits of {amount}"
                causes.append(fields.invalid(where, limit, detail))
    return causes
