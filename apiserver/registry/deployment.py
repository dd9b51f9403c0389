"""Deployments: a template, how many pods of it, and how to get from one template to the next.

Annotations are copied on to ReplicaSets, so a change of them counts as a new generation like a change of the spec.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults.container import note
from apiserver.registry.defaults.pod import default_pod_template
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import members, podform, workloads
from apiserver.registry.warnings import workloads as warned
from steersman.api import fields
from steersman.api.apps import Deployment, DeploymentSpec, DeploymentStatus, DeploymentStrategy, RollingUpdateDeployment
from steersman.api.errors import Cause
from steersman.api.fields import Path

RECREATE = "Recreate"
ROLLING_UPDATE = "RollingUpdate"
REVISION_HISTORY_LIMIT = 10
PROGRESS_DEADLINE_SECONDS = 600
QUARTER = "25%"

_TRACE = "tracing.k8s.io/traceparent"
_SPEC = Path("spec")
_STATUS = Path("status")


def default(new: Deployment) -> Deployment:
    spec = new.spec
    changes: dict[str, Any] = {}
    if spec.replicas is None:
        changes["replicas"] = 1
    note(changes, "strategy", spec.strategy, _default_strategy(spec.strategy))
    if spec.revision_history_limit is None:
        changes["revision_history_limit"] = REVISION_HISTORY_LIMIT
    if spec.progress_deadline_seconds is None:
        changes["progress_deadline_seconds"] = PROGRESS_DEADLINE_SECONDS
    note(changes, "template", spec.template, default_pod_template(spec.template))
    return replace(new, spec=replace(spec, **changes)) if changes else new


def _default_strategy(strategy: DeploymentStrategy) -> DeploymentStrategy:
    if strategy.type not in ("", ROLLING_UPDATE):
        return strategy
    given = strategy.rolling_update or RollingUpdateDeployment()
    if strategy.type and given.max_unavailable is not None and given.max_surge is not None:
        return strategy
    rolling = RollingUpdateDeployment(
        max_unavailable=QUARTER if given.max_unavailable is None else given.max_unavailable,
        max_surge=QUARTER if given.max_surge is None else given.max_surge,
    )
    return DeploymentStrategy(type=ROLLING_UPDATE, rolling_update=rolling)


def validate(new: Deployment) -> list[Cause]:
    spec = new.spec
    causes = members.not_negative(spec, _SPEC, "replicas")
    causes += workloads.validate_replicated(spec.selector, spec.template, _SPEC)
    causes += _validate_strategy(spec.strategy, _SPEC.child("strategy"))
    causes += members.not_negative(spec, _SPEC, "min_ready_seconds", "revision_history_limit")
    return causes + _validate_deadline(spec)


def _validate_strategy(strategy: DeploymentStrategy, path: Path) -> list[Cause]:
    rolling = strategy.rolling_update
    where = path.child("rollingUpdate")
    if strategy.type == ROLLING_UPDATE:
        return _validate_rolling_update(rolling or RollingUpdateDeployment(), where)
    if strategy.type != RECREATE:
        return [fields.not_supported(path, _shown(strategy), (RECREATE, ROLLING_UPDATE))]
    if rolling is not None:
        return [fields.forbidden(where, f"may not be specified when strategy `type` is '{RECREATE}'")]
    return []


def _validate_rolling_update(rolling: RollingUpdateDeployment, path: Path) -> list[Cause]:
    unavailable, surge = workloads.counted(rolling.max_unavailable), workloads.counted(rolling.max_surge)
    where = path.child("maxUnavailable")
    causes = workloads.validate_count_or_percent(unavailable, where)
    causes += workloads.validate_count_or_percent(surge, path.child("maxSurge"))
    if workloads.magnitude(unavailable) == 0 and workloads.magnitude(surge) == 0:
        causes.append(fields.invalid(where, unavailable, "may not be 0 when `maxSurge` is 0"))
    return causes + workloads.validate_at_most_all(unavailable, where)


def _shown(strategy: DeploymentStrategy) -> Any:
    """Kubernetes shows numbers that were left out as the zeros which it holds."""
    rolling = strategy.rolling_update
    if rolling is not None:
        rolling = RollingUpdateDeployment(
            max_unavailable=workloads.counted(rolling.max_unavailable), max_surge=workloads.counted(rolling.max_surge)
        )
    return podform.as_json(replace(strategy, rolling_update=rolling))


def _validate_deadline(spec: DeploymentSpec) -> list[Cause]:
    causes = members.not_negative(spec, _SPEC, "progress_deadline_seconds")
    deadline = spec.progress_deadline_seconds
    if deadline is not None and deadline <= spec.min_ready_seconds:
        where = _SPEC.child("progressDeadlineSeconds")
        causes.append(fields.invalid(where, deadline, "must be greater than minReadySeconds"))
    return causes


def validate_update(new: Deployment, old: Deployment) -> list[Cause]:
    causes = members.immutable(new.spec, old.spec, _SPEC, "selector")
    return causes if new.status == old.status else causes + validate_status(new.status, old.status)


def validate_status(new: DeploymentStatus, old: DeploymentStatus) -> list[Cause]:
    counted = ("updated_replicas", "ready_replicas", "available_replicas")
    causes = members.not_negative(
        new,
        _STATUS,
        "observed_generation",
        "replicas",
        *counted,
        "unavailable_replicas",
        "terminating_replicas",
        "collision_count",
    )
    causes += members.not_above(new, _STATUS, "replicas", *counted, called="status.replicas")
    causes += members.not_above(new, _STATUS, "ready_replicas", "available_replicas", called="readyReplicas")
    return causes + members.not_decremented(new.collision_count, old.collision_count, _STATUS.child("collisionCount"))


def prepare_update(new: Deployment, old: Deployment) -> Deployment:
    if _meant(new.metadata.annotations) == _meant(old.metadata.annotations):
        return new
    return replace(new, metadata=replace(new.metadata, generation=old.metadata.generation + 1))


def _meant(annotations: Mapping[str, str]) -> dict[str, str]:
    """All but the trace of the write that was last: that one is nothing anybody asked for."""
    return {key: value for key, value in annotations.items() if key != _TRACE}


DEPLOYMENT = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    prepare_update=prepare_update,
    warn=warned.of_replicated,
    status_keeps=("labels",),
)
