"""DaemonSets: one pod per node, replaced node by node.

How often the template has changed is counted in an annotation, which belongs to the server: older clients rely on it.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults.container import note
from apiserver.registry.defaults.pod import default_pod_template
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, members, pod, podform, workloads
from apiserver.registry.warnings import workloads as warned
from steersman.api import fields
from steersman.api.apps import (
    DaemonSet,
    DaemonSetSpec,
    DaemonSetStatus,
    DaemonSetUpdateStrategy,
    RollingUpdateDaemonSet,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import ObjectMeta

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
ROLLING_UPDATE = "RollingUpdate"
ON_DELETE = "OnDelete"
REVISION_HISTORY_LIMIT = 10

_SPEC = Path("spec")
_STATUS = Path("status")


def default(new: DaemonSet) -> DaemonSet:
    spec = new.spec
    changes: dict[str, Any] = {}
    note(changes, "update_strategy", spec.update_strategy, _default_strategy(spec.update_strategy))
    if spec.revision_history_limit is None:
        changes["revision_history_limit"] = REVISION_HISTORY_LIMIT
    note(changes, "template", spec.template, default_pod_template(spec.template))
    metadata = _with_template_generation(new.metadata, _template_generation(new.metadata))
    if not changes and metadata is new.metadata:
        return new
    return replace(new, spec=replace(spec, **changes), metadata=metadata)


def _default_strategy(strategy: DaemonSetUpdateStrategy) -> DaemonSetUpdateStrategy:
    if strategy.type not in ("", ROLLING_UPDATE):
        return strategy
    given = strategy.rolling_update or RollingUpdateDaemonSet()
    if strategy.type and given.max_unavailable is not None and given.max_surge is not None:
        return strategy
    rolling = RollingUpdateDaemonSet(
        max_unavailable=1 if given.max_unavailable is None else given.max_unavailable,
        max_surge=workloads.counted(given.max_surge),
    )
    return DaemonSetUpdateStrategy(type=ROLLING_UPDATE, rolling_update=rolling)


def _template_generation(metadata: ObjectMeta) -> int:
    text = metadata.annotations.get(TEMPLATE_GENERATION, "")
    return max(1, int(text)) if re.fullmatch("[0-9]{1,18}", text) else 1


def _with_template_generation(metadata: ObjectMeta, generation: int) -> ObjectMeta:
    text = str(generation)
    if metadata.annotations.get(TEMPLATE_GENERATION) == text:
        return metadata
    return replace(metadata, annotations={**metadata.annotations, TEMPLATE_GENERATION: text})


def prepare_update(new: DaemonSet, old: DaemonSet) -> DaemonSet:
    generation = _template_generation(old.metadata)
    if new.spec.template != old.spec.template:
        generation += 1
    metadata = _with_template_generation(new.metadata, generation)
    return new if metadata is new.metadata else replace(new, metadata=metadata)


def validate(new: DaemonSet) -> list[Cause]:
    spec = new.spec
    causes = _validate_selection(spec)
    where = _SPEC.child("template")
    causes += pod.validate_pod_template(spec.template, where)
    causes += workloads.validate_runs_forever(spec.template, where, workload="DaemonSet")
    causes += members.not_negative(spec, _SPEC, "min_ready_seconds")
    causes += _validate_strategy(spec.update_strategy, _SPEC.child("updateStrategy"))
    return causes + members.not_negative(spec, _SPEC, "revision_history_limit")


def _validate_selection(spec: DaemonSetSpec) -> list[Cause]:
    where = _SPEC.child("selector")
    causes = checks.validate_label_selector(spec.selector, where)
    if workloads.is_usable(spec.selector):
        causes += workloads.validate_selected(spec.selector, spec.template, _SPEC.child("template"))
    if spec.selector is not None:
        causes += workloads.validate_selects_something(spec.selector, where, workload="daemonset")
    return causes


def _validate_strategy(strategy: DaemonSetUpdateStrategy, path: Path) -> list[Cause]:
    if strategy.type == ON_DELETE:
        return []
    if strategy.type == ROLLING_UPDATE:
        return _validate_rolling_update(
            strategy.rolling_update or RollingUpdateDaemonSet(), path.child("rollingUpdate")
        )
    return [fields.not_supported(path, _shown(strategy), (ROLLING_UPDATE, ON_DELETE))]


def _shown(strategy: DaemonSetUpdateStrategy) -> Any:
    """Kubernetes shows numbers that were left out as the zeros which it holds."""
    rolling = strategy.rolling_update
    if rolling is not None:
        unavailable, surge = workloads.counted(rolling.max_unavailable), workloads.counted(rolling.max_surge)
        rolling = RollingUpdateDaemonSet(max_unavailable=unavailable, max_surge=surge)
    return podform.as_json(replace(strategy, rolling_update=rolling))


def _validate_rolling_update(rolling: RollingUpdateDaemonSet, path: Path) -> list[Cause]:
    """A node's pod is either replaced in place or joined by its successor first: one of the two numbers is zero."""
    unavailable, surge = workloads.counted(rolling.max_unavailable), workloads.counted(rolling.max_surge)
    given = ((unavailable, path.child("maxUnavailable")), (surge, path.child("maxSurge")))
    causes = [cause for value, where in given for cause in workloads.validate_count_or_percent(value, where)]
    causes += [cause for value, where in given for cause in workloads.validate_at_most_all(value, where)]
    has_unavailable, has_surge = workloads.magnitude(unavailable) != 0, workloads.magnitude(surge) != 0
    if has_unavailable and has_surge:
        detail = "may not be set when maxUnavailable is non-zero"
        causes.append(fields.invalid(path.child("maxSurge"), surge, detail))
    if not has_unavailable and not has_surge:
        causes.append(fields.required(path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0"))
    return causes


def validate_update(new: DaemonSet, old: DaemonSet) -> list[Cause]:
    causes = members.immutable(new.spec, old.spec, _SPEC, "selector")
    return causes if new.status == old.status else causes + validate_status(new.status, old.status)


def validate_status(new: DaemonSetStatus, old: DaemonSetStatus) -> list[Cause]:
    causes = members.not_negative(
        new,
        _STATUS,
        "current_number_scheduled",
        "number_misscheduled",
        "desired_number_scheduled",
        "number_ready",
        "observed_generation",
        "updated_number_scheduled",
        "number_available",
        "number_unavailable",
        "collision_count",
    )
    return causes + members.not_decremented(new.collision_count, old.collision_count, _STATUS.child("collisionCount"))


DAEMONSET = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    prepare_update=prepare_update,
    warn=warned.of_daemonset,
)
