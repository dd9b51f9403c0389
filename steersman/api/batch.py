"""The batch group, v1: pods that end."""

from typing import Annotated

from msgspec import field

from steersman.api.core import ObjectReference, PodTemplateSpec
from steersman.api.meta import LabelSelector, Object, ObjectMeta
from steersman.api.part import At, Int32, Int64, Part, Some, Time, atomic, empty, keyed, null, unique
from steersman.api.scheduling import (
    WorkloadPodGroupDisruptionMode,
    WorkloadPodGroupResourceClaim,
    WorkloadPodGroupSchedulingConstraints,
    WorkloadPodGroupSchedulingPolicy,
)


class PodFailurePolicyOnExitCodesRequirement(Part):
    container_name: Annotated[str | None, At(1)] = None
    operator: Annotated[str, At(2)] = field(default_factory=str)
    values: Annotated[tuple[Int32, ...], unique(3)] = field(default_factory=empty)


class PodFailurePolicyOnPodConditionsPattern(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2, required=False)] = field(default_factory=str)


class PodFailurePolicyRule(Part):
    action: Annotated[str, At(1)] = field(default_factory=str)
    on_exit_codes: Annotated[PodFailurePolicyOnExitCodesRequirement | None, At(2)] = None
    on_pod_conditions: Annotated[tuple[PodFailurePolicyOnPodConditionsPattern, ...], atomic(3)] = ()


class PodFailurePolicy(Part):
    """What a failed pod means, by exit code or condition."""

    rules: Annotated[Some[PodFailurePolicyRule] | None, atomic(1)] = field(default_factory=null)


class JobSchedulingConfiguration(Part):
    scheduling_policy: Annotated[WorkloadPodGroupSchedulingPolicy | None, At(1)] = None
    scheduling_constraints: Annotated[WorkloadPodGroupSchedulingConstraints | None, At(2)] = None
    disruption_mode: Annotated[WorkloadPodGroupDisruptionMode | None, At(3)] = None
    resource_claims: Annotated[tuple[WorkloadPodGroupResourceClaim, ...], keyed(4, "name")] = ()


class SuccessPolicyRule(Part):
    succeeded_indexes: Annotated[str | None, At(1)] = None
    succeeded_count: Annotated[Int32 | None, At(2)] = None


class SuccessPolicy(Part):
    rules: Annotated[tuple[SuccessPolicyRule, ...], atomic(1)] = field(default_factory=empty)


class JobSpec(Part):
    """How many runs, how many at once, and when to give up."""

    parallelism: Annotated[Int32 | None, At(1)] = None
    completions: Annotated[Int32 | None, At(2)] = None
    active_deadline_seconds: Annotated[Int64 | None, At(3)] = None
    pod_failure_policy: Annotated[PodFailurePolicy | None, At(11)] = None
    success_policy: Annotated[SuccessPolicy | None, At(16)] = None
    backoff_limit: Annotated[Int32 | None, At(7)] = None
    backoff_limit_per_index: Annotated[Int32 | None, At(12)] = None
    max_failed_indexes: Annotated[Int32 | None, At(13)] = None
    selector: Annotated[LabelSelector | None, At(4)] = None
    manual_selector: Annotated[bool | None, At(5)] = None
    template: Annotated[PodTemplateSpec, At(6, required=True)] = field(default_factory=PodTemplateSpec)
    ttl_seconds_after_finished: Annotated[Int32 | None, At(8)] = None
    completion_mode: Annotated[str | None, At(9)] = None
    suspend: Annotated[bool | None, At(10)] = None
    pod_replacement_policy: Annotated[str | None, At(14)] = None
    managed_by: Annotated[str | None, At(15)] = None
    scheduling: Annotated[JobSchedulingConfiguration | None, At(17)] = None


class JobCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    last_probe_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    last_transition_time: Annotated[Time | None, At(4)] = field(default_factory=null)
    reason: Annotated[str, At(5)] = ""
    message: Annotated[str, At(6)] = ""


class UncountedTerminatedPods(Part):
    succeeded: Annotated[tuple[str, ...], unique(1)] = ()
    failed: Annotated[tuple[str, ...], unique(2)] = ()


class JobStatus(Part):
    conditions: Annotated[tuple[JobCondition, ...], atomic(1, merge="type")] = ()
    start_time: Annotated[Time | None, At(2)] = None
    completion_time: Annotated[Time | None, At(3)] = None
    active: Annotated[Int32, At(4)] = 0
    succeeded: Annotated[Int32, At(5)] = 0
    failed: Annotated[Int32, At(6)] = 0
    terminating: Annotated[Int32 | None, At(11)] = None
    completed_indexes: Annotated[str, At(7)] = ""
    failed_indexes: Annotated[str | None, At(10)] = None
    uncounted_terminated_pods: Annotated[UncountedTerminatedPods | None, At(8)] = None
    ready: Annotated[Int32 | None, At(9)] = None


class Job(Object):
    """Pods that run until enough of them have succeeded."""

    spec: Annotated[JobSpec, At(2)] = field(default_factory=JobSpec)
    status: Annotated[JobStatus, At(3)] = field(default_factory=JobStatus)


class JobTemplateSpec(Part):
    metadata: Annotated[ObjectMeta, At(1)] = field(default_factory=ObjectMeta)
    spec: Annotated[JobSpec, At(2)] = field(default_factory=JobSpec)


class CronJobSpec(Part):
    schedule: Annotated[str, At(1)] = field(default_factory=str)
    time_zone: Annotated[str | None, At(8)] = None
    starting_deadline_seconds: Annotated[Int64 | None, At(2)] = None
    concurrency_policy: Annotated[str, At(3)] = ""
    suspend: Annotated[bool | None, At(4)] = None
    job_template: Annotated[JobTemplateSpec, At(5, required=True)] = field(default_factory=JobTemplateSpec)
    successful_jobs_history_limit: Annotated[Int32 | None, At(6)] = None
    failed_jobs_history_limit: Annotated[Int32 | None, At(7)] = None


class CronJobStatus(Part):
    active: Annotated[tuple[ObjectReference, ...], atomic(1)] = ()
    last_schedule_time: Annotated[Time | None, At(4)] = None
    last_successful_time: Annotated[Time | None, At(5)] = None


class CronJob(Object):
    """Jobs made to a timetable."""

    spec: Annotated[CronJobSpec, At(2, required=True)] = field(default_factory=CronJobSpec)
    status: Annotated[CronJobStatus, At(3)] = field(default_factory=CronJobStatus)
