"""LimitRanges: bounds and defaults that do not contradict each other."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults import resources as amounts
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, resources
from steersman.api import fields, names, podresources, quantity
from steersman.api.core import LimitRange, LimitRangeItem, LimitRangeSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path

TYPES = ("Container", "PersistentVolumeClaim", "Pod")
_AMOUNTS = ("max", "min", "default", "default_request", "max_limit_request_ratio")


# --- Defaults


def default(new: LimitRange) -> LimitRange:
    """Alone among all kinds this one needs no name: its uid will do."""
    meta = new.metadata
    if not meta.name:
        new = replace(new, metadata=replace(meta, name=meta.uid))
    limits = tuple(map(_default_item, new.spec.limits or ()))
    return replace(new, spec=LimitRangeSpec(limits=limits or None))


def _default_item(item: LimitRangeItem) -> LimitRangeItem:
    """Of a container's bounds, what is not said follows from its neighbours."""
    item = replace(item, **{name: amounts.rounded(getattr(item, name)) for name in _AMOUNTS})
    if item.type != "Container":
        return item
    limits = item.max | item.default
    return replace(item, default=limits, default_request=item.min | limits | item.default_request)


# --- Rules


def validate(new: LimitRange) -> list[Cause]:
    path = Path("spec").child("limits")
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, item in enumerate(new.spec.limits or ()):
        where = path.index(index)
        causes += _validate_type(item.type, where.child("type"))
        if item.type in seen:
            causes.append(fields.duplicate(where.child("type"), item.type))
        seen.add(item.type)
        causes += _validate_names(item, where)
        for name in _names(item):
            causes += _validate_defaults(item, name, where)
            causes += _validate_ratio(item, name, where.child("maxLimitRequestRatio").key(name))
            causes += _validate_no_overcommitment(item, name, where.child("defaultRequest").key(name))
    return causes


def _validate_type(text: str, path: Path) -> list[Cause]:
    causes = checks.name(text, path, names.qualified_name)
    if causes or "/" in text or text in TYPES:
        return causes
    return [fields.invalid(path, text, "must be a standard limit type or fully qualified")]


def _validate_names(item: LimitRangeItem, path: Path) -> list[Cause]:
    rule = resources.validate_container_name if item.type in ("Pod", "Container") else resources.validate_any_name
    causes: list[Cause] = []
    for shown, given in (("max", item.max), ("min", item.min)):
        for name in given:
            causes += rule(name, path.child(shown).key(name))
    for shown, given in (("default", item.default), ("defaultRequest", item.default_request)):
        if item.type != "Pod":
            for name in given:
                causes += rule(name, path.child(shown).key(name))
        elif given:
            causes.append(fields.forbidden(path.child(shown), "may not be specified when `type` is 'Pod'"))
    if item.type == "PersistentVolumeClaim" and "storage" not in item.min | item.max:
        detail = "either minimum or maximum storage value is required, but neither was provided"
        causes.append(fields.required(path.child("limits"), detail))
    for name in item.max_limit_request_ratio:
        causes += rule(name, path.child("maxLimitRequestRatio").key(name))
    return causes


def _names(item: LimitRangeItem) -> list[str]:
    given: dict[str, Any] = item.max | item.min
    if item.type != "Pod":
        given |= item.default | item.default_request
    return sorted(given | item.max_limit_request_ratio)


def _validate_defaults(item: LimitRangeItem, name: str, path: Path) -> list[Cause]:
    """The order min ≤ default request ≤ default ≤ max, as far as each is there."""
    least, most = item.min.get(name), item.max.get(name)
    whole = item.type == "Pod"  # has no defaults, which is said elsewhere
    limit, request = (None, None) if whole else (item.default.get(name), item.default_request.get(name))
    steps = (
        ("min", least, "min", least, "max", most),
        ("defaultRequest", request, "min", least, "default request", request),
        ("defaultRequest", request, "default request", request, "max", most),
        ("defaultRequest", request, "default request", request, "default limit", limit),
        ("default", least, "min", least, "default", limit),
        ("default", most, "default", limit, "max", most),
    )
    causes: list[Cause] = []
    for field, blamed, low_name, low, high_name, high in steps:
        if low is not None and high is not None and quantity.compare(low, high) > 0:
            detail = f"{low_name} value {low} is greater than {high_name} value {high}"
            causes.append(fields.invalid(path.child(field).key(name), blamed, detail))
    return causes


def _validate_ratio(item: LimitRangeItem, name: str, path: Path) -> list[Cause]:
    ratio = item.max_limit_request_ratio.get(name)
    if ratio is None:
        return []
    causes: list[Cause] = []
    if quantity.compare(ratio, "1") < 0:
        causes.append(fields.invalid(path, ratio, f"ratio {ratio} is less than 1"))
    least, most = item.min.get(name), item.max.get(name)
    if least is None or most is None or quantity.value(least) == 0:
        return causes  # above nothing, every ratio is possible
    largest = quantity.value(most) / quantity.value(least)
    if quantity.value(ratio) > largest:
        detail = f"ratio {ratio} is greater than max/min = {float(largest):f}"
        causes.append(fields.invalid(path, ratio, detail))
    return causes


def _validate_no_overcommitment(item: LimitRangeItem, name: str, path: Path) -> list[Cause]:
    """Devices and huge pages are there or not: who asks for some is limited to just these."""
    limit, request = item.default.get(name), item.default_request.get(name)
    if item.type == "Pod" or limit is None or request is None or podresources.may_overcommit(name):
        return []
    if quantity.compare(limit, request) == 0:
        return []
    detail = f"default value {limit} must equal to defaultRequest value {request} in {name}"
    return [fields.invalid(path, request, detail)]


LIMIT_RANGE = Strategy(default=default, validate=validate)
