"""Jobs and what starts them by the clock."""

from __future__ import annotations

from datetime import datetime

from apiserver.printing import ages, phrases, workloads
from apiserver.printing.columns import AGE, CONTAINERS, IMAGES, NAME, SELECTOR, Cells, Column, Printer, flag, number
from steersman.api.batch import CronJob, Job

_ENDINGS = ("Complete", "Failed")
_STAGES = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def cells(job: Job, now: datetime) -> Cells:
    return [
        job.metadata.name,
        _status(job),
        _completions(job),
        _duration(job, now),
        ages.since(job.metadata.creation_timestamp, now),
        *workloads.containers_of(job.spec.template.spec.containers),
        phrases.selector(job.spec.selector),
    ]


def _status(job: Job) -> str:
    true: dict[str, bool] = {}
    for condition in job.status.conditions:
        true.setdefault(condition.type, condition.status == "True")
    for ending in _ENDINGS:
        if true.get(ending):
            return ending
    if job.metadata.deletion_timestamp is not None:
        return "Terminating"
    return next((stage for stage in _STAGES if true.get(stage)), "Running")


def _completions(job: Job) -> str:
    spec, succeeded = job.spec, job.status.succeeded
    if spec.completions is not None:
        return f"{succeeded}/{spec.completions}"
    parallelism = spec.parallelism or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(job: Job, now: datetime) -> str:
    status = job.status
    if status.start_time is None:
        return ""
    if status.completion_time is None:
        return ages.since(status.start_time, now)
    return ages.between(status.start_time, status.completion_time)


def cronjob_cells(shown: CronJob, now: datetime) -> Cells:
    spec, last = shown.spec, shown.status.last_schedule_time
    job = spec.job_template.spec
    return [
        shown.metadata.name,
        spec.schedule,
        phrases.NONE if spec.time_zone is None else spec.time_zone,
        phrases.yes_or_no(spec.suspend),
        len(shown.status.active),
        phrases.NONE if last is None else ages.since(last, now),
        ages.since(shown.metadata.creation_timestamp, now),
        *workloads.containers_of(job.template.spec.containers),
        phrases.selector(job.selector),
    ]


JOB = Printer(
    (
        NAME,
        Column("Status", "How far the job has come."),
        Column("Completions", "How many pods have ended well, of how many are wanted."),
        Column("Duration", "How long the job took, or has been at work."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    cells,
)
CRON_JOB = Printer(
    (
        NAME,
        Column("Schedule", "When jobs are started, in the notation of cron."),
        Column("Timezone", "The time zone that the schedule is meant in."),
        flag("Suspend", "Whether no more jobs are started."),
        number("Active", "How many of its jobs are running."),
        Column("Last Schedule", "How long ago the last job was due."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    cronjob_cells,
)
