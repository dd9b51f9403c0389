"""ReplicaSets: a number of pods of one template, found by a selector that never changes."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults.container import note
from apiserver.registry.defaults.pod import default_pod_template
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import members, workloads
from apiserver.registry.warnings import workloads as warned
from steersman.api.apps import ReplicaSet, ReplicaSetStatus
from steersman.api.errors import Cause
from steersman.api.fields import Path

_SPEC = Path("spec")
_STATUS = Path("status")


def default(new: ReplicaSet) -> ReplicaSet:
    spec = new.spec
    changes: dict[str, Any] = {}
    if spec.replicas is None:
        changes["replicas"] = 1
    note(changes, "template", spec.template, default_pod_template(spec.template))
    return replace(new, spec=replace(spec, **changes)) if changes else new


def validate(new: ReplicaSet) -> list[Cause]:
    spec = new.spec
    causes = members.not_negative(spec, _SPEC, "replicas", "min_ready_seconds")
    return causes + workloads.validate_replicated(spec.selector, spec.template, _SPEC)


def validate_update(new: ReplicaSet, old: ReplicaSet) -> list[Cause]:
    causes = members.immutable(new.spec, old.spec, _SPEC, "selector")
    return causes if new.status == old.status else causes + validate_status(new.status)


def validate_status(status: ReplicaSetStatus) -> list[Cause]:
    causes = members.not_negative(
        status,
        _STATUS,
        "replicas",
        "fully_labeled_replicas",
        "ready_replicas",
        "available_replicas",
        "observed_generation",
        "terminating_replicas",
    )
    counted = ("fully_labeled_replicas", "ready_replicas", "available_replicas")
    causes += members.not_above(status, _STATUS, "replicas", *counted, called="status.replicas")
    return causes + members.not_above(status, _STATUS, "ready_replicas", "available_replicas", called="readyReplicas")


REPLICASET = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    warn=warned.of_replicated,
)
