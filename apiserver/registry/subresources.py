"""Bind, scale and finalize: the small doors to an object, each changing one thing. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from steersman.api import errors, fields, selectors, times
from steersman.api.autoscaling import Scale, ScaleSpec, ScaleStatus
from steersman.api.core import Binding, Namespace, Pod, PodCondition
from steersman.api.errors import Cause
from steersman.api.kinds import Kind
from steersman.api.meta import LabelSelector, ObjectMeta
from steersman.api.names import Revision

_BINDING = errors.Subject(group="", resource="pods/binding", kind="Binding")


def validate_binding(binding: Binding) -> Sequence[Cause]:
    target, path = binding.target, fields.Path("target")
    causes = []
    if target.kind not in ("", "Node"):
        causes.append(fields.not_supported(path.child("kind"), target.kind, ("Node", "<empty>")))
    if not target.name:
        causes.append(fields.required(path.child("name")))
    return causes


def bound(pod: Pod, binding: Binding, kind: Kind, revision: Revision, now: datetime) -> Pod:
    """The pod on its node. A pod is bound once: whoever comes second gets Conflict."""
    name = pod.metadata.name
    if binding.metadata.uid and binding.metadata.uid != pod.metadata.uid:
        why = (
            f"Precondition failed: UID in precondition: {binding.metadata.uid}, UID in object meta: {pod.metadata.uid}"
        )
        raise errors.conflict(kind.subject, name, why, revision)
    if pod.metadata.deletion_timestamp is not None:
        why = f"pod {name} is being deleted, cannot be assigned to a host"
        raise errors.conflict(_BINDING, name, why, revision)
    if pod.spec.node_name:
        why = f"pod {name} is already assigned to node {errors.quoted(pod.spec.node_name)}"
        raise errors.conflict(_BINDING, name, why, revision)
    if pod.spec.scheduling_gates:
        raise errors.conflict(_BINDING, name, f"pod {name} has non-empty .spec.schedulingGates", revision)
    metadata = replace(pod.metadata, annotations={**pod.metadata.annotations, **binding.metadata.annotations})
    scheduled = PodCondition(type="PodScheduled", status="True", last_transition_time=times.from_datetime(now))
    others = tuple(condition for condition in pod.status.conditions if condition.type != "PodScheduled")
    return replace(
        pod,
        metadata=metadata,
        spec=replace(pod.spec, node_name=binding.target.name),
        status=replace(pod.status, conditions=(*others, scheduled)),
    )


def scale_of(workload: Any, revision: Revision) -> Scale:
    """How many replicas there should be and are, in the form that is the same for every workload."""
    meta: ObjectMeta = workload.metadata
    return Scale(
        metadata=ObjectMeta(
            name=meta.name,
            namespace=meta.namespace,
            uid=meta.uid,
            resource_version=str(revision),
            creation_timestamp=meta.creation_timestamp,
        ),
        api_version="autoscaling/v1",
        kind="Scale",
        spec=ScaleSpec(replicas=workload.spec.replicas or 0),
        status=ScaleStatus(replicas=workload.status.replicas, selector=_selector_text(workload.spec.selector)),
    )


def scaled(workload: Any, replicas: int) -> Any:
    return replace(workload, spec=replace(workload.spec, replicas=replicas))


def validate_replicas(replicas: int) -> Sequence[Cause]:
    if replicas < 0:
        path = fields.Path("spec").child("replicas")
        return [fields.invalid(path, replicas, "must be greater than or equal to 0")]
    return []


def finalized(new: Namespace, old: Namespace) -> Namespace:
    """The finalize door: the namespace controller takes its finalizer off; metadata may change, status does not."""
    return replace(new, status=old.status)


def _selector_text(selector: LabelSelector | dict[str, str] | None) -> str:
    if selector is None:
        return ""
    if isinstance(selector, dict):
        return ",".join(f"{key}={value}" for key, value in sorted(selector.items()))
    return selectors.text_of(selector)
