"""ReplicationControllers: the forerunners of ReplicaSets, which take selector and labels from their template."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults.container import note
from apiserver.registry.defaults.pod import default_pod_template
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import members, pod, workloads
from apiserver.registry.warnings import workloads as warned
from steersman.api import fields, selectors
from steersman.api.core import PodTemplateSpec, ReplicationController, ReplicationControllerStatus
from steersman.api.errors import Cause
from steersman.api.fields import Path

_SPEC = Path("spec")
_STATUS = Path("status")


def default(new: ReplicationController) -> ReplicationController:
    spec, metadata = new.spec, new.metadata
    changes: dict[str, Any] = {}
    if spec.replicas is None:
        changes["replicas"] = 1
    if spec.template is not None:
        labels = spec.template.metadata.labels
        if labels and not spec.selector:
            changes["selector"] = labels
        if labels and not metadata.labels:
            metadata = replace(metadata, labels=labels)
        note(changes, "template", spec.template, default_pod_template(spec.template))
    if not changes and metadata is new.metadata:
        return new
    return replace(new, spec=replace(spec, **changes), metadata=metadata)


def validate(new: ReplicationController) -> list[Cause]:
    spec = new.spec
    causes = members.not_negative(spec, _SPEC, "min_ready_seconds")
    if not spec.selector:
        causes.append(fields.required(_SPEC.child("selector")))
    causes += members.not_negative(spec, _SPEC, "replicas")
    where = _SPEC.child("template")
    if spec.template is None:
        return [*causes, fields.required(where)]
    return causes + _validate_template(spec.template, spec.selector, where)


def _validate_template(template: PodTemplateSpec, selector: dict[str, str], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    labels = template.metadata.labels
    if not selectors.of_labels(selector).matches(labels):
        causes.append(fields.invalid(path.child("metadata").child("labels"), labels or None, workloads.MISMATCH))
    causes += pod.validate_pod_template(template, path)
    return causes + workloads.validate_runs_forever(template, path, workload="ReplicationController")


def validate_update(new: ReplicationController, old: ReplicationController) -> list[Cause]:
    return [] if new.status == old.status else validate_status(new.status)


def validate_status(status: ReplicationControllerStatus) -> list[Cause]:
    counted = ("fully_labeled_replicas", "ready_replicas", "available_replicas")
    causes = members.not_negative(status, _STATUS, "replicas", *counted, "observed_generation")
    causes += members.not_above(status, _STATUS, "replicas", *counted, called="status.replicas")
    return causes + members.not_above(status, _STATUS, "ready_replicas", "available_replicas", called="readyReplicas")


REPLICATIONCONTROLLER = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    warn=warned.of_replicationcontroller,
    orphans=True,
)
