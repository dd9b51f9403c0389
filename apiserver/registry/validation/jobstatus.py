"""Rules for the status of a Job, which others than our own controller may write (`spec.managedBy`).

A Job ends once and for good: complete or failed, never both, with no pod left and every one counted. Rules about a
field are asked only when the field changes, so that an odd status does not block repairs elsewhere in it.
"""

from __future__ import annotations

from apiserver.registry.validation import jobindexes, jobs, members, podform
from apiserver.registry.validation.jobpolicies import without_value
from steersman.api import fields
from steersman.api.batch import Job, JobStatus, UncountedTerminatedPods
from steersman.api.errors import Cause
from steersman.api.fields import Path

COMPLETE = "Complete"
FAILED = "Failed"
FAILURE_TARGET = "FailureTarget"
SUCCESS_CRITERIA_MET = "SuccessCriteriaMet"
SUSPENDED = "Suspended"

_STATUS = Path("status")
_CONDITIONS = _STATUS.child("conditions")


def is_true(status: JobStatus, condition: str) -> bool:
    return any(each.type == condition and each.status == "True" for each in status.conditions)


def is_finished(status: JobStatus) -> bool:
    return is_true(status, COMPLETE) or is_true(status, FAILED)


def validate_status(new: Job, old: Job) -> list[Cause]:
    causes = members.not_negative(new.status, _STATUS, "active", "succeeded", "failed", "ready", "terminating")
    causes += _validate_uncounted(new.status.uncounted_terminated_pods)
    causes += _validate_end(new.status, old.status)
    causes += _validate_finished(new, old)
    causes += _validate_indexes(new, old)
    causes += _validate_pods(new.status, old.status)
    causes += _validate_success(new)
    return causes + _validate_step(new, old)


def _validate_uncounted(pods: UncountedTerminatedPods | None) -> list[Cause]:
    if pods is None:
        return []
    causes: list[Cause] = []
    seen: set[str] = set()
    for field, uids in (("succeeded", pods.succeeded), ("failed", pods.failed)):
        where = _STATUS.child("uncountedTerminatedPods").child(field)
        for index, uid in enumerate(uids):
            if not uid:
                causes.append(fields.invalid(where.index(index), uid, "must not be empty"))
            elif uid in seen:
                causes.append(fields.duplicate(where.index(index), uid))
            seen.add(uid)
    return causes


def _validate_end(new: JobStatus, old: JobStatus) -> list[Cause]:
    """Which conditions exclude or need each other, and when a Job has a time of completion."""

    def flipped(*conditions: str) -> bool:
        return any(is_true(new, condition) != is_true(old, condition) for condition in conditions)

    causes: list[Cause] = []
    complete, failed = is_true(new, COMPLETE), is_true(new, FAILED)
    completed_at, where = new.completion_time, _STATUS.child("completionTime")
    timed = flipped(COMPLETE) or completed_at != old.completion_time
    if flipped(COMPLETE, FAILED) and complete and failed:
        causes.append(without_value(_CONDITIONS, "cannot set Complete=True and Failed=true conditions"))
    if flipped(COMPLETE, FAILURE_TARGET) and complete and is_true(new, FAILURE_TARGET):
        causes.append(without_value(_CONDITIONS, "cannot set Complete=True and FailureTarget=true conditions"))
    if timed and completed_at is not None and not complete:
        detail = "cannot set completionTime when there is no Complete=True condition"
        causes.append(fields.invalid(where, completed_at, detail))
    if timed and completed_at is None and complete:
        causes.append(fields.required(where, "completionTime is required for Complete jobs"))
    moved = new.start_time != old.start_time or completed_at != old.completion_time
    if moved and new.start_time is not None and completed_at is not None and completed_at < new.start_time:
        causes.append(fields.invalid(where, completed_at, "must be equal to or after `startTime`"))
    if (flipped(FAILED) or new.failed_indexes != old.failed_indexes) and failed and not is_true(new, FAILURE_TARGET):
        detail = "cannot set Failed=True condition without the FailureTarget=true condition"
        causes.append(without_value(_CONDITIONS, detail))
    if flipped(COMPLETE, SUCCESS_CRITERIA_MET) and complete and not is_true(new, SUCCESS_CRITERIA_MET):
        detail = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        causes.append(without_value(_CONDITIONS, detail))
    return causes


def _validate_finished(new: Job, old: Job) -> list[Cause]:
    """A finished Job has started once, has no pod running, and has counted all that ran."""
    status, before = new.status, old.status
    if not is_finished(status):
        return []
    ends = not is_finished(before)
    causes: list[Cause] = []
    if (ends or status.active != before.active) and status.active > 0:
        causes.append(fields.invalid(_STATUS.child("active"), status.active, "active>0 is invalid for finished job"))
    never_ran = bool(new.spec.suspend) and new.spec.completions == 0
    if (ends or status.start_time != before.start_time) and status.start_time is None and not never_ran:
        causes.append(fields.required(_STATUS.child("startTime"), "startTime is required for finished job"))
    uncounted = status.uncounted_terminated_pods
    if (ends or uncounted != before.uncounted_terminated_pods) and uncounted not in (None, UncountedTerminatedPods()):
        where = _STATUS.child("uncountedTerminatedPods")
        causes.append(fields.invalid(where, podform.as_json(uncounted), "must be empty for finished job"))
    return causes


def _validate_indexes(new: Job, old: Job) -> list[Cause]:
    spec, status, before = new.spec, new.status, old.status
    causes: list[Cause] = []
    completed, failed = status.completed_indexes, status.failed_indexes
    completed_changed, failed_changed = completed != before.completed_indexes, failed != before.failed_indexes
    where = _STATUS.child("completedIndexes")
    if completed_changed and spec.completions is not None:
        causes += _validate_list(completed, spec.completions, where)
    where_failed = _STATUS.child("failedIndexes")
    if failed_changed and failed is not None and None not in (spec.completions, spec.backoff_limit_per_index):
        causes += _validate_list(failed, spec.completions or 0, where_failed)
    if completed_changed and completed and spec.completion_mode != jobs.INDEXED:
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        causes.append(fields.invalid(where, completed, detail))
    if failed_changed and failed is not None and spec.backoff_limit_per_index is None:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        causes.append(fields.invalid(where_failed, failed, detail))
    if (completed_changed or failed_changed) and failed is not None and spec.completions is not None:
        both = jobindexes.first_in_both(completed, failed, spec.completions)
        if both is not None:
            detail = f"failedIndexes and completedIndexes overlap at index: {both}"
            causes.append(fields.invalid(where_failed, failed, detail))
    return causes


def _validate_list(indexes: str, completions: int, path: Path) -> list[Cause]:
    try:
        jobindexes.count(indexes, completions)
    except ValueError as err:
        return [fields.invalid(path, indexes, f"error parsing {path.removeprefix('status.')}: {err}")]
    return []


def _validate_pods(new: JobStatus, old: JobStatus) -> list[Cause]:
    causes: list[Cause] = []
    ending, ready = new.terminating, new.ready
    changed = is_finished(new) != is_finished(old) or ending != old.terminating
    if changed and ending is not None and ending > 0 and is_finished(new):
        where = _STATUS.child("terminating")
        causes.append(fields.invalid(where, ending, "terminating>0 is invalid for finished job"))
    if (ready != old.ready or new.active != old.active) and ready is not None and ready > new.active:
        causes.append(fields.invalid(_STATUS.child("ready"), ready, "cannot set more ready pods than active"))
    return causes


def _validate_success(new: Job) -> list[Cause]:
    status, met = new.status, is_true(new.status, SUCCESS_CRITERIA_MET)
    causes: list[Cause] = []
    for other in (FAILED, FAILURE_TARGET):
        if met and is_true(status, other):
            detail = f"cannot set SuccessCriteriaMet=True and {other}=true conditions"
            causes.append(without_value(_CONDITIONS, detail))
    if new.spec.success_policy is not None and not met and is_true(status, COMPLETE):
        detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        causes.append(without_value(_CONDITIONS, detail))
    return causes


def _validate_step(new: Job, old: Job) -> list[Cause]:
    """What has happened cannot unhappen."""
    status, before = new.status, old.status
    causes: list[Cause] = []
    for condition in (FAILED, COMPLETE, FAILURE_TARGET):
        if is_true(before, condition) and not is_true(status, condition):
            causes.append(without_value(_CONDITIONS, f"cannot disable the terminal {condition}=True condition"))
    if status.failed < before.failed:
        causes.append(fields.invalid(_STATUS.child("failed"), status.failed, "cannot decrease the failed counter"))
    shrinks = new.spec.completion_mode == jobs.INDEXED and new.spec.completions == new.spec.parallelism
    if status.succeeded < before.succeeded and not shrinks:
        where = _STATUS.child("succeeded")
        causes.append(fields.invalid(where, status.succeeded, "cannot decrease the succeeded counter"))
    if None not in (status.completion_time, before.completion_time):
        causes += members.immutable(status, before, _STATUS, "completion_time")
    if before.start_time not in (None, status.start_time) and not new.spec.suspend and not _resumes(status, before):
        detail = "field is immutable for unsuspended job once set"
        causes.append(fields.invalid(_STATUS.child("startTime"), status.start_time, detail))
    met, was_met = is_true(status, SUCCESS_CRITERIA_MET), is_true(before, SUCCESS_CRITERIA_MET)
    if was_met and not met:
        causes.append(without_value(_CONDITIONS, "cannot disable the SuccessCriteriaMet=True condition"))
    if is_true(before, COMPLETE) and met and not was_met:
        detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        causes.append(without_value(_CONDITIONS, detail))
    return causes


def _resumes(new: JobStatus, old: JobStatus) -> bool:
    awake = any(each.type == SUSPENDED and each.status == "False" for each in new.conditions)
    return is_true(old, SUSPENDED) and awake
