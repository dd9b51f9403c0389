"""Jobs: pods that end, told apart from the pods of all other Jobs by the Job's own uid."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults.container import each, note
from apiserver.registry.defaults.pod import default_pod_template
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import jobpolicies, jobs, jobstatus, jobupdate
from apiserver.registry.warnings import workloads as warned
from steersman.api.batch import (
    Job,
    JobSpec,
    JobStatus,
    PodFailurePolicy,
    PodFailurePolicyOnPodConditionsPattern,
    PodFailurePolicyRule,
)
from steersman.api.errors import Cause
from steersman.api.meta import LabelSelector

BACKOFF_LIMIT = 6
NO_LIMIT = 2**31 - 1

_NO_STATUS = JobStatus()


def default(new: Job) -> Job:
    spec = _default_numbers(default_parts(new.spec))
    if new.status == _NO_STATUS and not spec.manual_selector:
        spec = _with_generated_selector(spec, new.metadata.name, new.metadata.uid)
    labels = spec.template.metadata.labels
    if labels and not new.metadata.labels:
        new = replace(new, metadata=replace(new.metadata, labels=labels))
    return new if spec is new.spec else replace(new, spec=spec)


def _default_numbers(spec: JobSpec) -> JobSpec:
    changes: dict[str, Any] = {}
    if spec.parallelism is None:
        changes["parallelism"] = 1
        if spec.completions is None:
            changes["completions"] = 1
    if spec.backoff_limit is None:
        changes["backoff_limit"] = BACKOFF_LIMIT if spec.backoff_limit_per_index is None else NO_LIMIT
    if spec.completion_mode is None:
        changes["completion_mode"] = jobs.NON_INDEXED
    if spec.suspend is None:
        changes["suspend"] = False
    if spec.pod_replacement_policy is None:
        failed, either = jobpolicies.REPLACEMENT_POLICIES
        changes["pod_replacement_policy"] = either if spec.pod_failure_policy is None else failed
    if spec.manual_selector is None:
        changes["manual_selector"] = False
    return replace(spec, **changes) if changes else spec


def default_parts(spec: JobSpec) -> JobSpec:
    """Defaults inside the parts of a spec: all that the template of a CronJob gets."""
    changes: dict[str, Any] = {}
    if spec.pod_failure_policy is not None and spec.pod_failure_policy.rules is not None:
        rules = each(spec.pod_failure_policy.rules, _default_rule)
        if rules is not spec.pod_failure_policy.rules:
            changes["pod_failure_policy"] = PodFailurePolicy(rules=rules)
    note(changes, "template", spec.template, default_pod_template(spec.template))
    return replace(spec, **changes) if changes else spec


def _default_rule(rule: PodFailurePolicyRule) -> PodFailurePolicyRule:
    patterns = each(rule.on_pod_conditions, _default_pattern)
    return rule if patterns is rule.on_pod_conditions else replace(rule, on_pod_conditions=patterns)


def _default_pattern(pattern: PodFailurePolicyOnPodConditionsPattern) -> PodFailurePolicyOnPodConditionsPattern:
    return pattern if pattern.status else replace(pattern, status="True")


def _with_generated_selector(spec: JobSpec, name: str, uid: str) -> JobSpec:
    """Labels that say whose the pods are, and a selector by uid. What the user has set stays, for validation to see."""
    metadata = spec.template.metadata
    labels = {
        jobs.OLD_JOB_NAME: name,
        jobs.JOB_NAME: name,
        jobs.OLD_CONTROLLER_UID: uid,
        jobs.CONTROLLER_UID: uid,
        **metadata.labels,
    }
    selector = spec.selector or LabelSelector()
    wanted = {jobs.CONTROLLER_UID: uid, **selector.match_labels}
    if labels == metadata.labels and wanted == selector.match_labels:
        return spec
    template = replace(spec.template, metadata=replace(metadata, labels=labels))
    return replace(spec, template=template, selector=replace(selector, match_labels=wanted))


def validate_update(new: Job, old: Job) -> list[Cause]:
    causes = jobupdate.validate_update(new, old)
    return causes if new.status == old.status else causes + jobstatus.validate_status(new, old)


JOB = Strategy(
    default=default,
    validate=jobs.validate_job,
    validate_update=validate_update,
    warn=warned.of_job,
    warn_of_deletion=warned.of_job_deletion,
    orphans=True,
)
