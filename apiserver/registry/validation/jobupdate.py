"""What may change in a Job: how many at once, deadlines, and, while it is suspended with no pod left, where pods run.

Everything that a running pod was made from stays as it is.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec.structs import replace

from apiserver.registry.validation import jobs, jobstatus, members, podform
from steersman.api import fields
from steersman.api.batch import Job, JobSpec
from steersman.api.core import Affinity, Container, PodSpec, PodTemplateSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path

_SPEC = Path("spec")


def validate_update(new: Job, old: Job) -> list[Cause]:
    causes = _validate_completions(new.spec, old.spec)
    causes += members.immutable(new.spec, old.spec, _SPEC, "selector")
    causes += _validate_template(new, old)
    causes += members.immutable(new.spec, old.spec, _SPEC, "completion_mode")
    causes += _immutable_policy(new.spec, old.spec, "pod_failure_policy")
    causes += members.immutable(new.spec, old.spec, _SPEC, "backoff_limit_per_index", "managed_by")
    return causes + _immutable_policy(new.spec, old.spec, "success_policy")


def _validate_completions(new: JobSpec, old: JobSpec) -> list[Cause]:
    """An Indexed Job may grow and shrink, if all of it runs at once."""
    if new.completion_mode != jobs.INDEXED:
        return members.immutable(new, old, _SPEC, "completions")
    if new.completions in (old.completions, None) or new.completions == new.parallelism:
        return []
    where = _SPEC.child("completions")
    return [fields.invalid(where, new.completions, "can only be modified in tandem with spec.parallelism")]


def _immutable_policy(new: JobSpec, old: JobSpec, attribute: str) -> list[Cause]:
    policy = getattr(new, attribute)
    if policy == getattr(old, attribute):
        return []
    where = _SPEC.child(members.field_name(JobSpec, attribute))
    return [fields.invalid(where, podform.as_json(policy), members.IMMUTABLE)]


# --- The template


def _validate_template(new: Job, old: Job) -> list[Cause]:
    template, before = new.spec.template, old.spec.template
    if template == before:
        return []
    where = _SPEC.child("template")
    if not _may_move(old):
        return [fields.invalid(where, _shown(template), members.IMMUTABLE)]
    if template.spec == _moved(before.spec, template.spec):
        return []
    return [fields.invalid(where.child("spec"), podform.as_json(template.spec), members.IMMUTABLE)]


def _may_move(job: Job) -> bool:
    """Whether no pod of the present template is left, nor about to be made."""
    status = job.status
    paused = status.start_time is None or jobstatus.is_true(status, jobstatus.SUSPENDED)
    return bool(job.spec.suspend) and paused and status.active == 0


def _moved(old: PodSpec, new: PodSpec) -> PodSpec:
    """The old spec with what may be different: where pods may run, and what they need."""
    return replace(
        old,
        affinity=_moved_affinity(old.affinity, new.affinity),
        node_selector=new.node_selector,
        tolerations=new.tolerations,
        scheduling_gates=new.scheduling_gates,
        containers=_resized(old.containers, new.containers),
        init_containers=_resized(old.init_containers, new.init_containers),
    )


def _moved_affinity(old: Affinity | None, new: Affinity | None) -> Affinity | None:
    if new is None:
        rest = replace(old, node_affinity=None) if old is not None else None
        return None if rest == Affinity() else rest
    return replace(old or Affinity(), node_affinity=new.node_affinity)


def _resized(old: tuple[Container, ...], new: tuple[Container, ...]) -> tuple[Container, ...]:
    if len(old) != len(new):
        return old
    return tuple(
        replace(before, resources=after.resources) if before.name == after.name else before
        for before, after in zip(old, new, strict=True)
    )


def _shown(template: PodTemplateSpec) -> Any:
    metadata = msgspec.to_builtins(template.metadata, order="deterministic", enc_hook=str.__str__)
    whole = {**metadata, "Spec": podform.shown(template.spec)}
    return msgspec.Raw(json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode())
