"""CronJobs: Jobs made to a timetable.

A timetable with a zone inside (`TZ=…`) is refused: the zone has a field of its own.
"""

from __future__ import annotations

import re
import zoneinfo
from typing import Any

from msgspec.structs import replace

from apiserver.registry import job
from apiserver.registry.defaults.container import note
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, jobs, members
from apiserver.registry.warnings import workloads as warned
from steersman.api import cron, fields
from steersman.api.batch import CronJob, JobTemplateSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path

CONCURRENCY_POLICIES = ("Allow", "Forbid", "Replace")
SUCCESSFUL_JOBS_HISTORY_LIMIT = 3
FAILED_JOBS_HISTORY_LIMIT = 1
LONGEST_NAME = 52
"""A Job is called after its CronJob and the minute it is for: eleven characters more, of at most 63."""

_SPEC = Path("spec")
_ZONE_PART = re.compile("[A-Za-z.\\-_0-9+]{1,14}")


def default(new: CronJob) -> CronJob:
    spec = new.spec
    changes: dict[str, Any] = {}
    if not spec.concurrency_policy:
        changes["concurrency_policy"] = CONCURRENCY_POLICIES[0]
    if spec.suspend is None:
        changes["suspend"] = False
    if spec.successful_jobs_history_limit is None:
        changes["successful_jobs_history_limit"] = SUCCESSFUL_JOBS_HISTORY_LIMIT
    if spec.failed_jobs_history_limit is None:
        changes["failed_jobs_history_limit"] = FAILED_JOBS_HISTORY_LIMIT
    template = spec.job_template
    inner = job.default_parts(template.spec)
    note(changes, "job_template", template, template if inner is template.spec else replace(template, spec=inner))
    return replace(new, spec=replace(spec, **changes)) if changes else new


def validate(new: CronJob) -> list[Cause]:
    spec = new.spec
    causes = _validate_schedule(spec.schedule, _SPEC.child("schedule"))
    causes += members.not_negative(spec, _SPEC, "starting_deadline_seconds")
    if spec.time_zone is not None:
        causes += _validate_zone(spec.time_zone, _SPEC.child("timeZone"))
    where = _SPEC.child("concurrencyPolicy")
    causes += checks.required_choice(spec.concurrency_policy, where, CONCURRENCY_POLICIES)
    causes += _validate_template(spec.job_template, _SPEC.child("jobTemplate").child("spec"))
    return causes + members.not_negative(spec, _SPEC, "successful_jobs_history_limit", "failed_jobs_history_limit")


def validate_create(new: CronJob) -> list[Cause]:
    name = new.metadata.name
    if len(name.encode()) <= LONGEST_NAME:
        return []
    return [fields.invalid(Path("metadata").child("name"), name, f"must be no more than {LONGEST_NAME} characters")]


def _validate_schedule(schedule: str, path: Path) -> list[Cause]:
    if not schedule:
        return [fields.required(path)]
    causes: list[Cause] = []
    zone, rest = _zone_in_front(schedule)
    if zone and not _is_known(zone):
        causes.append(fields.invalid(path, schedule, f"provided bad location {zone}: unknown time zone {zone}"))
    else:
        try:
            cron.parse(rest)
        except ValueError as err:
            causes.append(fields.invalid(path, schedule, str(err)))
    if "TZ" in schedule:
        detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        causes.append(fields.invalid(path, schedule, detail))
    return causes


def _zone_in_front(schedule: str) -> tuple[str, str]:
    """A zone and the timetable behind it. The zone is refused anyhow, but the rest shall be complained of as well."""
    if not schedule.startswith(("TZ=", "CRON_TZ=")):
        return "", schedule
    assignment, _, rest = schedule.partition(" ")
    return assignment.partition("=")[2], rest.strip()


def _validate_zone(zone: str, path: Path) -> list[Cause]:
    if not zone:
        return [fields.invalid(path, zone, "timeZone must be nil or non-empty string")]
    unknown = fields.invalid(path, zone, f"unknown time zone {zone}")
    for part in zone.split("/"):
        if part in (".", "..") or part.startswith("-") or _ZONE_PART.fullmatch(part) is None:
            return [unknown]
    causes: list[Cause] = []
    if zone.lower() == "local":
        detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        causes.append(fields.invalid(path, zone, detail))
    if zone != "Local" and not _is_known(zone):
        causes.append(unknown)
    return causes


def _is_known(zone: str) -> bool:
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _validate_template(template: JobTemplateSpec, path: Path) -> list[Cause]:
    spec = template.spec
    causes = jobs.validate_spec(spec, path)
    if spec.selector is not None:
        causes.append(fields.invalid(path.child("selector"), spec.selector, "`selector` will be auto-generated"))
    if spec.manual_selector:
        causes.append(fields.not_supported(path.child("manualSelector"), spec.manual_selector, ("nil", "false")))
    return causes


CRONJOB = Strategy(
    default=default,
    validate=validate,
    validate_create=validate_create,
    warn=warned.of_cronjob,
)
