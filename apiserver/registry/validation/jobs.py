"""Rules for the spec of a Job, whether it stands alone or in the template of a CronJob."""

from __future__ import annotations

import re

from apiserver.registry.validation import checks, jobpolicies, members, pod, podform, workloads
from steersman.api import fields, names
from steersman.api.batch import Job, JobSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path

INDEXED = "Indexed"
NON_INDEXED = "NonIndexed"
COMPLETION_MODES = (NON_INDEXED, INDEXED)

JOB_NAME = "batch.kubernetes.io/job-name"
CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
OLD_JOB_NAME = "job-name"
OLD_CONTROLLER_UID = "controller-uid"

MOST_PARALLEL = 100_000
MOST_FAILED_INDEXES = 100_000
MANY_COMPLETIONS = 100_000
MOST_PARALLEL_OF_MANY = 10_000
MOST_FAILED_INDEXES_OF_MANY = 10_000
LONGEST_MANAGER = 63

_HTTP_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_SPEC = Path("spec")


def validate_job(job: Job) -> list[Cause]:
    """Complaints about a Job with its selector."""
    spec = job.spec
    causes = _validate_generated_selector(job)
    causes += validate_spec(spec, _SPEC)
    causes += _validate_selection(spec)
    if spec.completion_mode == INDEXED and spec.completions is not None and spec.completions > 0:
        hostname = f"{job.metadata.name}-{spec.completions - 1}"
        if names.dns_label(hostname):
            detail = f"will not able to create pod with invalid DNS label: {hostname}"
            causes.append(fields.invalid(Path("metadata").child("name"), job.metadata.name, detail))
    return causes


def _validate_generated_selector(job: Job) -> list[Cause]:
    """Unless the user has taken it on himself, a Job's pods carry its own uid and name and are found by them."""
    spec = job.spec
    if spec.manual_selector or spec.selector is None:
        return []
    name, uid = job.metadata.name, job.metadata.uid
    causes: list[Cause] = []
    if not uid:
        causes.append(fields.required(Path("metadata").child("uid")))
    wanted = {OLD_CONTROLLER_UID: uid, OLD_JOB_NAME: name, CONTROLLER_UID: uid, JOB_NAME: name}
    labels, where = spec.template.metadata.labels, _SPEC.child("template").child("metadata").child("labels")
    for label, value in wanted.items():
        if label not in labels:
            causes.append(fields.required(where.key(label), f"must be '{value}'"))
        elif labels[label] != value:
            causes.append(fields.invalid(where.key(label), labels, f"must be '{value}'"))
    if not workloads.selects(spec.selector, wanted):
        causes.append(fields.invalid(_SPEC.child("selector"), spec.selector, "`selector` not auto-generated"))
    return causes


def _validate_selection(spec: JobSpec) -> list[Cause]:
    where = _SPEC.child("selector")
    causes = checks.validate_label_selector(spec.selector, where)
    if spec.selector is None:
        causes.append(fields.required(where))
    if workloads.is_usable(spec.selector):
        causes += workloads.validate_selected(spec.selector, spec.template, _SPEC.child("template"))
    return causes


def validate_spec(spec: JobSpec, path: Path) -> list[Cause]:
    """Complaints about a spec, its selector apart."""
    causes = members.not_negative(
        spec,
        path,
        "parallelism",
        "completions",
        "active_deadline_seconds",
        "backoff_limit",
        "ttl_seconds_after_finished",
        "backoff_limit_per_index",
        "max_failed_indexes",
    )
    if spec.max_failed_indexes is not None and spec.backoff_limit_per_index is None:
        causes.append(fields.required(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
    if spec.managed_by is not None:
        causes += _validate_manager(spec.managed_by, path.child("managedBy"))
    causes += _validate_completion(spec, path)
    if spec.pod_failure_policy is not None:
        causes += jobpolicies.validate_failure_policy(spec, path.child("podFailurePolicy"))
    if spec.success_policy is not None:
        where = path.child("successPolicy")
        if spec.completion_mode == INDEXED:
            causes += jobpolicies.validate_success_policy(spec, where)
        else:
            shown = podform.as_json(spec.success_policy)
            causes.append(fields.invalid(where, shown, "requires indexed completion mode"))
    causes += jobpolicies.validate_replacement(spec, path.child("podReplacementPolicy"))
    causes += pod.validate_pod_template(spec.template, path.child("template"))
    return causes + _validate_restarts(spec, path.child("template").child("spec").child("restartPolicy"))


def _validate_manager(manager: str, path: Path) -> list[Cause]:
    if not manager:
        return [fields.required(path)]
    host, _, rest = manager.partition("/")
    if host and rest:
        causes = checks.name(host, path, names.dns_subdomain)
        if re.fullmatch(_HTTP_PATH, rest) is None:
            causes.append(fields.invalid(path, rest, f"Invalid path (regex used for validation is '{_HTTP_PATH}')"))
    else:
        causes = [fields.invalid(path, manager, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    if len(manager.encode()) > LONGEST_MANAGER:
        causes.append(fields.too_long(path, LONGEST_MANAGER))
    return causes


def _validate_completion(spec: JobSpec, path: Path) -> list[Cause]:
    mode = spec.completion_mode
    if mode == INDEXED:
        return _validate_indexed(spec, path)
    causes: list[Cause] = []
    if mode is not None and mode != NON_INDEXED:
        return checks.choice(mode, path.child("completionMode"), COMPLETION_MODES)
    for attribute in ("backoff_limit_per_index", "max_failed_indexes"):
        value = getattr(spec, attribute)
        if value is not None:
            where = path.child(members.field_name(JobSpec, attribute))
            causes.append(fields.invalid(where, value, "requires indexed completion mode"))
    return causes


def _validate_indexed(spec: JobSpec, path: Path) -> list[Cause]:
    """Each index leaves a trace in the status, so there are limits to how many may be under way, or fail."""
    causes: list[Cause] = []
    parallelism, failed, completions = spec.parallelism, spec.max_failed_indexes, spec.completions
    if completions is None:
        causes.append(fields.required(path.child("completions"), f"when completion mode is {INDEXED}"))
    if parallelism is not None and parallelism > MOST_PARALLEL:
        detail = f"must be less than or equal to {MOST_PARALLEL} when completion mode is {INDEXED}"
        causes.append(fields.invalid(path.child("parallelism"), parallelism, detail))
    where = path.child("maxFailedIndexes")
    if failed is not None and completions is not None and failed > completions:
        causes.append(fields.invalid(where, failed, "must be less than or equal to completions"))
    if failed is not None and failed > MOST_FAILED_INDEXES:
        causes.append(fields.invalid(where, failed, f"must be less than or equal to {MOST_FAILED_INDEXES}"))
    if completions is not None and completions > MANY_COMPLETIONS and spec.backoff_limit_per_index is not None:
        causes += _validate_many(spec, path)
    return causes


def _validate_many(spec: JobSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    parallelism, failed = spec.parallelism, spec.max_failed_indexes
    when = f"when completions are above {MANY_COMPLETIONS} and used with backoff limit per index"
    where = path.child("maxFailedIndexes")
    if failed is None:
        causes.append(fields.required(where, f"must be specified when completions is above {MANY_COMPLETIONS}"))
    if parallelism is not None and parallelism > MOST_PARALLEL_OF_MANY:
        detail = f"must be less than or equal to {MOST_PARALLEL_OF_MANY} {when}"
        causes.append(fields.invalid(path.child("parallelism"), parallelism, detail))
    if failed is not None and failed > MOST_FAILED_INDEXES_OF_MANY:
        detail = f"must be less than or equal to {MOST_FAILED_INDEXES_OF_MANY} {when}"
        causes.append(fields.invalid(where, failed, detail))
    return causes


def _validate_restarts(spec: JobSpec, path: Path) -> list[Cause]:
    """A pod that always restarts never ends, and `Always` is also what stands there when nobody has said anything."""
    policy = spec.template.spec.restart_policy
    if policy in ("", "Always"):
        return [fields.required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in ("OnFailure", "Never"):
        return [fields.not_supported(path, policy, ("OnFailure", "Never"))]
    if spec.pod_failure_policy is not None and policy != "Never":
        return [fields.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    return []
