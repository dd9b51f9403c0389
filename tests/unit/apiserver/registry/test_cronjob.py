"""CronJobs: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.cronjob import CRONJOB
from steersman.api.batch import CronJob
from tests.unit.apiserver.registry.tables import DEFAULTED_TEMPLATE_SPEC, TEMPLATE, Row, Subject, ids, row

SUBJECT = Subject(
    CronJob,
    CRONJOB,
    {
        "metadata": {"name": "tick", "namespace": "default"},
        "spec": {
            "schedule": "*/5 * * * *",
            "jobTemplate": {"spec": {"template": {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}},
        },
    },
)
NOT_NEGATIVE = "must be greater than or equal to 0"
USE_FIELD = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"


def test_defaults() -> None:
    """The template inside stays without the defaults of a Job: those come when the Job does."""
    assert SUBJECT.defaulted()["spec"] == {
        "schedule": "*/5 * * * *",
        "concurrencyPolicy": "Allow",
        "suspend": False,
        "jobTemplate": {
            "metadata": {},
            "spec": {
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {**DEFAULTED_TEMPLATE_SPEC, "restartPolicy": "Never"},
                }
            },
        },
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 1,
    }


def test_what_is_given_stays() -> None:
    whole = SUBJECT.make({"spec": {"successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 0, "suspend": True}})
    limits = (whole.spec.successful_jobs_history_limit, whole.spec.failed_jobs_history_limit)
    assert (*limits, whole.spec.suspend) == (0, 0, True)
    assert CRONJOB.default(whole) is whole


def schedule(text: str, *complaints: str) -> Row:
    """Complaints begin behind the schedule."""
    wanted = (f'spec.schedule: Invalid value: "{text}": {complaint}' for complaint in complaints)
    return row(f"schedule {text}", {"spec": {"schedule": text}}, *wanted)


def zone(text: str, *complaints: str) -> Row:
    wanted = (f'spec.timeZone: Invalid value: "{text}": {complaint}' for complaint in complaints)
    return row(f"zone {text!r}", {"spec": {"timeZone": text}}, *wanted)


EXPLICIT = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
ROWS = [
    row("as it should be", {}),
    schedule("@hourly"),
    schedule("@every 5m"),
    schedule("0 9 * * mon-fri"),
    schedule("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
    schedule("61 * * * *", "end of range (61) above maximum (59): 61"),
    schedule("@sometimes", "unrecognized descriptor: @sometimes"),
    schedule("TZ=UTC 0 * * * *", USE_FIELD),
    schedule("CRON_TZ=Europe/Berlin 0 0 * *", "expected exactly 5 fields, found 4: [0 0 * *]", USE_FIELD),
    schedule("TZ=Mars/Base 0 * * * *", "provided bad location Mars/Base: unknown time zone Mars/Base", USE_FIELD),
    row("no schedule", {"spec": {"schedule": None}}, "spec.schedule: Required value"),
    zone("Europe/Berlin"),
    zone("Etc/GMT+5"),
    zone("", "timeZone must be nil or non-empty string"),
    zone("Mars/Base", "unknown time zone Mars/Base"),
    zone("Europe", "unknown time zone Europe"),
    zone("../etc/passwd", "unknown time zone ../etc/passwd"),
    zone("Europe//Berlin", "unknown time zone Europe//Berlin"),
    zone("-Europe/Berlin", "unknown time zone -Europe/Berlin"),
    zone("Europe/Berlin-am-Meer", "unknown time zone Europe/Berlin-am-Meer"),
    zone("Local", EXPLICIT),
    zone("LOCAL", EXPLICIT, "unknown time zone LOCAL"),
    row(
        "a negative deadline",
        {"spec": {"startingDeadlineSeconds": -1}},
        f"spec.startingDeadlineSeconds: Invalid value: -1: {NOT_NEGATIVE}",
    ),
    row(
        "no such policy",
        {"spec": {"concurrencyPolicy": "Queue"}},
        'spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"',
    ),
    row(
        "negative histories",
        {"spec": {"successfulJobsHistoryLimit": -1, "failedJobsHistoryLimit": -2}},
        f"spec.successfulJobsHistoryLimit: Invalid value: -1: {NOT_NEGATIVE}",
        f"spec.failedJobsHistoryLimit: Invalid value: -2: {NOT_NEGATIVE}",
    ),
    row(
        "a selector of one's own",
        {"spec": {"jobTemplate": {"spec": {"selector": {"matchLabels": {"a": "b"}}, "manualSelector": True}}}},
        'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ),
    row(
        "pods that never end",
        {"spec": {"jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": None}}}}}},
        'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ),
    row(
        "a Job that cannot be",
        {"spec": {"jobTemplate": {"spec": {"parallelism": -1}}}},
        f"spec.jobTemplate.spec.parallelism: Invalid value: -1: {NOT_NEGATIVE}",
    ),
    row(
        "a name too long for its Jobs",
        {"metadata": {"name": "t" * 53}},
        f'metadata.name: Invalid value: "{"t" * 53}": must be no more than 52 characters',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


def test_a_long_name_is_forgiven_later_on() -> None:
    assert CRONJOB.validate(SUBJECT.make({"metadata": {"name": "t" * 53}})) == []
