"""RuntimeClasses: a handler that never changes, what it costs per pod, and where it can be found."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from apiserver.registry.defaults.resources import rounded
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, members, podform, resources, tolerations
from apiserver.registry.warnings import small as warned
from steersman.api import fields, names
from steersman.api.core import Toleration
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.node import RuntimeClass, Scheduling


def default(new: RuntimeClass) -> RuntimeClass:
    if new.overhead is None:
        return new
    amounts = rounded(new.overhead.pod_fixed)
    return new if amounts is new.overhead.pod_fixed else replace(new, overhead=replace(new.overhead, pod_fixed=amounts))


def validate(new: RuntimeClass) -> list[Cause]:
    causes = checks.required_name(new.handler, Path("handler"), names.dns_label)
    if new.overhead is not None:
        causes += resources.validate_overhead(new.overhead.pod_fixed, Path("overhead"))
    if new.scheduling is not None:
        causes += _validate_scheduling(new.scheduling, Path("scheduling"))
    return causes


def _validate_scheduling(scheduling: Scheduling, path: Path) -> list[Cause]:
    causes = checks.validate_labels(scheduling.node_selector, path.child("nodeSelector"))
    where = path.child("tolerations")
    causes += tolerations.validate_tolerations(scheduling.tolerations, where)
    return causes + _validate_different(scheduling.tolerations, where)


def _validate_different(given: Sequence[Toleration], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[Toleration] = set()
    for index, toleration in enumerate(given):
        key = replace(toleration, toleration_seconds=None)
        if key in seen:
            causes.append(fields.duplicate(path.index(index), podform.as_json(toleration)))
        seen.add(key)
    return causes


def validate_update(new: RuntimeClass, old: RuntimeClass) -> list[Cause]:
    return members.immutable(new, old, Path(), "handler")


RUNTIMECLASS = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    warn=warned.of_runtimeclass,
)
