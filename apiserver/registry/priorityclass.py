"""PriorityClasses: names for numbers, which keep their number for good. Names with `system-` belong to the cluster."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, members
from apiserver.registry.validation.podspec import PREEMPTION_POLICIES
from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.scheduling import PriorityClass

SYSTEM_PREFIX = "system-"
HIGHEST_OF_USERS = 1_000_000_000
SYSTEM_CLASSES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}


def default(new: PriorityClass) -> PriorityClass:
    return new if new.preemption_policy is not None else replace(new, preemption_policy=PREEMPTION_POLICIES[0])


def validate(new: PriorityClass) -> list[Cause]:
    causes: list[Cause] = []
    if new.metadata.name.startswith(SYSTEM_PREFIX):
        problem = _difference_from_system_class(new)
        if problem:
            rule = f"priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use only."
            causes.append(fields.forbidden(Path("metadata").child("name"), f"{rule} error: {problem}"))
    elif new.value > HIGHEST_OF_USERS:
        detail = f"maximum allowed value of a user defined priority is {HIGHEST_OF_USERS}"
        causes.append(fields.forbidden(Path("value"), detail))
    if new.preemption_policy is not None:
        causes += checks.required_choice(new.preemption_policy, Path("preemptionPolicy"), PREEMPTION_POLICIES)
    return causes


def _difference_from_system_class(new: PriorityClass) -> str:
    name = new.metadata.name
    value = SYSTEM_CLASSES.get(name)
    if value is None:
        return f"{name} is not a known system priority class"
    if new.value != value:
        return f"value of {name} PriorityClass must be {value}"
    return f"globalDefault of {name} PriorityClass must be false" if new.global_default else ""


def validate_update(new: PriorityClass, old: PriorityClass) -> list[Cause]:
    causes: list[Cause] = []
    if new.value != old.value:
        causes.append(fields.forbidden(Path("value"), "may not be changed in an update."))
    return causes + members.immutable(new, old, Path(), "preemption_policy")


PRIORITYCLASS = Strategy(default=default, validate=validate, validate_update=validate_update)
