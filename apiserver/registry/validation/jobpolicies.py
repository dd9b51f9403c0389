"""Rules for what a Job makes of its pods' ends: which failures count, and which successes are enough."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from apiserver.registry.validation import checks, jobindexes, members
from steersman.api import fields, names
from steersman.api.batch import (
    JobSpec,
    PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern,
    PodFailurePolicyRule,
    SuccessPolicyRule,
)
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

MOST_RULES = 20
MOST_EXIT_CODES = 255
MOST_PATTERNS = 20
LONGEST_INDEXES = 64 * 1024

FAIL_INDEX = "FailIndex"
ACTIONS = ("Count", FAIL_INDEX, "FailJob", "Ignore")
OPERATORS = ("In", "NotIn")
STATUSES = ("False", "True", "Unknown")
FAILED = "Failed"
REPLACEMENT_POLICIES = (FAILED, "TerminatingOrFailed")


def validate_replacement(spec: JobSpec, path: Path) -> list[Cause]:
    """With a failure policy a pod must have failed, for its verdict to be known, before it is replaced."""
    if spec.pod_replacement_policy is None:
        return []
    supported = REPLACEMENT_POLICIES if spec.pod_failure_policy is None else (FAILED,)
    return checks.choice(spec.pod_replacement_policy, path, supported)


def without_value(path: Path, detail: str) -> Cause:
    """A complaint about something as a whole, which is not worth showing."""
    return Cause("FieldValueInvalid", f"Invalid value: {detail}", str(path))


# --- Failures


def validate_failure_policy(spec: JobSpec, path: Path) -> list[Cause]:
    rules = (spec.pod_failure_policy.rules if spec.pod_failure_policy is not None else None) or ()
    where = path.child("rules")
    causes = _too_many(rules, where, MOST_RULES)
    template = spec.template.spec
    containers = {container.name for container in (*template.containers, *template.init_containers)}
    for index, rule in enumerate(rules):
        causes += _validate_failure_rule(rule, spec, containers, where.index(index))
    return causes


def _validate_failure_rule(
    rule: PodFailurePolicyRule, spec: JobSpec, containers: Collection[str], path: Path
) -> list[Cause]:
    where = path.child("action")
    causes = _required_choice(rule.action, where, ACTIONS)
    if rule.action == FAIL_INDEX and spec.backoff_limit_per_index is None:
        causes.append(fields.invalid(where, rule.action, "requires the backoffLimitPerIndex to be set"))
    if rule.on_exit_codes is not None:
        causes += _validate_exit_codes(rule.on_exit_codes, containers, path.child("onExitCodes"))
    if rule.on_pod_conditions:
        causes += _validate_patterns(rule.on_pod_conditions, path.child("onPodConditions"))
    if rule.on_exit_codes is not None and rule.on_pod_conditions:
        causes.append(without_value(path, "specifying both OnExitCodes and OnPodConditions is not supported"))
    if rule.on_exit_codes is None and not rule.on_pod_conditions:
        causes.append(without_value(path, "specifying one of OnExitCodes and OnPodConditions is required"))
    return causes


def _validate_exit_codes(
    requirement: PodFailurePolicyOnExitCodesRequirement, containers: Collection[str], path: Path
) -> list[Cause]:
    causes = _required_choice(requirement.operator, path.child("operator"), OPERATORS)
    container = requirement.container_name
    if container is not None and container not in containers:
        detail = "must be one of the container or initContainer names in the pod template"
        causes.append(fields.invalid(path.child("containerName"), container, detail))
    codes, where = requirement.values, path.child("values")
    if not codes:
        causes.append(fields.invalid(where, codes, "at least one value is required"))
    causes += _too_many(codes, where, MOST_EXIT_CODES)
    seen: set[int] = set()
    for index, code in enumerate(codes):
        if requirement.operator == "In" and code == 0:
            causes.append(fields.invalid(where.index(index), code, "must not be 0 for the In operator"))
        if code in seen:
            causes.append(fields.duplicate(where.index(index), code))
        seen.add(code)
    if list(codes) != sorted(codes):
        causes.append(fields.invalid(where, codes, "must be ordered"))
    return causes


def _validate_patterns(patterns: Sequence[PodFailurePolicyOnPodConditionsPattern], path: Path) -> list[Cause]:
    causes = _too_many(patterns, path, MOST_PATTERNS)
    for index, pattern in enumerate(patterns):
        where = path.index(index)
        causes += checks.name(pattern.type, where.child("type"), names.qualified_name)
        causes += _required_choice(pattern.status, where.child("status"), STATUSES)
    return causes


# --- Successes


def validate_success_policy(spec: JobSpec, path: Path) -> list[Cause]:
    rules = spec.success_policy.rules if spec.success_policy is not None else ()
    where = path.child("rules")
    causes: list[Cause] = []
    if not rules:
        detail = "at least one rules must be specified when the successPolicy is specified"
        causes.append(fields.required(where, detail))
    causes += _too_many(rules, where, MOST_RULES)
    for index, rule in enumerate(rules):
        causes += _validate_success_rule(rule, spec.completions, where.index(index))
    return causes


def _validate_success_rule(rule: SuccessPolicyRule, completions: int | None, path: Path) -> list[Cause]:
    indexes, wanted = rule.succeeded_indexes, rule.succeeded_count
    causes: list[Cause] = []
    if indexes is None and wanted is None:
        detail = "at least one of succeededCount or succeededIndexes must be specified"
        causes.append(fields.required(path, detail))
    if indexes is not None and len(indexes.encode()) > LONGEST_INDEXES:
        causes.append(fields.too_long(path.child("succeededIndexes"), LONGEST_INDEXES))
    if completions is None:  # a complaint of its own; without it nothing can be said about indexes
        return causes
    listed = 0
    if indexes is not None:
        try:
            listed = jobindexes.count(indexes, completions)
        except ValueError as err:
            detail = f"error parsing succeededIndexes: {err}"
            causes.append(fields.invalid(path.child("succeededIndexes"), indexes, detail))
    if wanted is None:
        return causes
    where = path.child("succeededCount")
    causes += members.not_negative(rule, path, "succeeded_count")
    if wanted > completions:
        detail = f"must be less than or equal to {completions} (the number of specified completions)"
        causes.append(fields.invalid(where, wanted, detail))
    if indexes is not None and wanted > listed:
        which = "the number of indexes in the specified succeededIndexes field"
        causes.append(fields.invalid(where, wanted, f"must be less than or equal to {listed} ({which})"))
    return causes


# --- Words


def _required_choice(value: str, path: Path, supported: Sequence[str]) -> list[Cause]:
    """Like `checks.required_choice`, but what is missing is told what it could have been."""
    if value:
        return checks.choice(value, path, supported)
    return [fields.required(path, f"valid values: [{' '.join(map(quoted, supported))}]")]


def _too_many(items: Sequence[object], path: Path, most: int) -> list[Cause]:
    return [fields.too_many(path, len(items), most)] if len(items) > most else []
