"""Rules for tolerations: which taints a pod puts up with, and for how long."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.core import Toleration
from steersman.api.errors import Cause
from steersman.api.fields import Path

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS = ("Equal", "Exists")
_COMPARISONS = ("Lt", "Gt")  # known to Kubernetes, and refused by it unless switched on


def validate_tolerations(tolerations: tuple[Toleration, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, toleration in enumerate(tolerations):
        causes += _validate_toleration(toleration, path.index(index))
    return causes


def validate_only_added(new: tuple[Toleration, ...], old: tuple[Toleration, ...], path: Path) -> list[Cause]:
    """A pod may learn to tolerate more, and for another time, but must not forget what it tolerated."""
    kept = {_without_time(toleration) for toleration in new}
    if any(_without_time(toleration) not in kept for toleration in old):
        return [fields.forbidden(path, "existing toleration can not be modified except its tolerationSeconds")]
    return validate_tolerations(new, path)


def _without_time(toleration: Toleration) -> Toleration:
    return replace(toleration, toleration_seconds=None)


def _validate_toleration(toleration: Toleration, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if toleration.key:
        causes += checks.name(toleration.key, path.child("key"), names.qualified_name)
    elif toleration.operator != "Exists":
        detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        causes.append(fields.invalid(path.child("operator"), toleration.operator, detail))
    if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
        detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        causes.append(fields.invalid(path.child("effect"), toleration.effect, detail))
    causes += _validate_operator(toleration, path.child("operator"))
    if toleration.effect:
        causes += checks.choice(toleration.effect, path.child("effect"), EFFECTS)
    return causes


def _validate_operator(toleration: Toleration, path: Path) -> list[Cause]:
    operator, value = toleration.operator, toleration.value
    if operator in ("", "Equal"):
        complaints = checks.complaints(names.label_value, value)
        return [fields.invalid(path, value, ";".join(complaints))] if complaints else []
    if operator == "Exists":
        detail = "value must be empty when `operator` is 'Exists'"
        return [fields.invalid(path, value, detail)] if value else []
    supported = (*_OPERATORS, *_COMPARISONS) if operator in _COMPARISONS else _OPERATORS
    return [fields.not_supported(path, operator, supported)]
