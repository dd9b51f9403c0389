"""The apps group, v1: workloads that keep pods running."""

from typing import Annotated

from msgspec import field

from steersman.api.core import PersistentVolumeClaim, PodTemplateSpec
from steersman.api.meta import LabelSelector, Object
from steersman.api.part import At, Int32, Int64, IntOrString, Json, Part, Time, atomic, json_null, keyed, null


class RollingUpdateDeployment(Part):
    max_unavailable: Annotated[IntOrString | None, At(1)] = None
    max_surge: Annotated[IntOrString | None, At(2)] = None


class DeploymentStrategy(Part):
    type: Annotated[str, At(1)] = ""
    rolling_update: Annotated[RollingUpdateDeployment | None, At(2)] = None


class DeploymentSpec(Part):
    """How many pods, of which template, and how to get from one template to the next."""

    replicas: Annotated[Int32 | None, At(1)] = None
    selector: Annotated[LabelSelector | None, At(2, required=True)] = field(default_factory=null)
    template: Annotated[PodTemplateSpec, At(3, required=True)] = field(default_factory=PodTemplateSpec)
    strategy: Annotated[DeploymentStrategy, At(4, patch="retainKeys")] = field(default_factory=DeploymentStrategy)
    min_ready_seconds: Annotated[Int32, At(5)] = 0
    revision_history_limit: Annotated[Int32 | None, At(6)] = None
    paused: Annotated[bool, At(7)] = False
    progress_deadline_seconds: Annotated[Int32 | None, At(9)] = None


class DeploymentCondition(Part):
    type: Annotated[str, At(1, required=False)] = field(default_factory=str)
    status: Annotated[str, At(2, required=False)] = field(default_factory=str)
    last_update_time: Annotated[Time | None, At(6)] = field(default_factory=null)
    last_transition_time: Annotated[Time | None, At(7)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""


class DeploymentStatus(Part):
    """How far a rollout is."""

    observed_generation: Annotated[Int64, At(1)] = 0
    replicas: Annotated[Int32, At(2)] = 0
    updated_replicas: Annotated[Int32, At(3)] = 0
    ready_replicas: Annotated[Int32, At(7)] = 0
    available_replicas: Annotated[Int32, At(4)] = 0
    unavailable_replicas: Annotated[Int32, At(5)] = 0
    terminating_replicas: Annotated[Int32 | None, At(9)] = None
    conditions: Annotated[tuple[DeploymentCondition, ...], keyed(6, "type")] = ()
    collision_count: Annotated[Int32 | None, At(8)] = None


class Deployment(Object):
    """Pods of one template, replaced step by step when the template changes."""

    spec: Annotated[DeploymentSpec, At(2, required=True)] = field(default_factory=DeploymentSpec)
    status: Annotated[DeploymentStatus, At(3)] = field(default_factory=DeploymentStatus)


class ReplicaSetSpec(Part):
    replicas: Annotated[Int32 | None, At(1)] = None
    min_ready_seconds: Annotated[Int32, At(4)] = 0
    selector: Annotated[LabelSelector | None, At(2, required=True)] = field(default_factory=null)
    template: Annotated[PodTemplateSpec, At(3)] = field(default_factory=PodTemplateSpec)


class ReplicaSetCondition(Part):
    type: Annotated[str, At(1, required=False)] = field(default_factory=str)
    status: Annotated[str, At(2, required=False)] = field(default_factory=str)
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""


class ReplicaSetStatus(Part):
    replicas: Annotated[Int32, At(1)] = field(default_factory=int)
    fully_labeled_replicas: Annotated[Int32, At(2)] = 0
    ready_replicas: Annotated[Int32, At(4)] = 0
    available_replicas: Annotated[Int32, At(5)] = 0
    terminating_replicas: Annotated[Int32 | None, At(7)] = None
    observed_generation: Annotated[Int64, At(3)] = 0
    conditions: Annotated[tuple[ReplicaSetCondition, ...], keyed(6, "type")] = ()


class ReplicaSet(Object):
    """A number of pods of one template."""

    spec: Annotated[ReplicaSetSpec, At(2, required=True)] = field(default_factory=ReplicaSetSpec)
    status: Annotated[ReplicaSetStatus, At(3)] = field(default_factory=ReplicaSetStatus)


class StatefulSetOrdinals(Part):
    start: Annotated[Int32, At(1, required=False)] = field(default_factory=int)


class StatefulSetPersistentVolumeClaimRetentionPolicy(Part):
    when_deleted: Annotated[str, At(1)] = ""
    when_scaled: Annotated[str, At(2)] = ""


class RollingUpdateStatefulSetStrategy(Part):
    partition: Annotated[Int32 | None, At(1)] = None
    max_unavailable: Annotated[IntOrString | None, At(2)] = None


class StatefulSetUpdateStrategy(Part):
    type: Annotated[str, At(1)] = ""
    rolling_update: Annotated[RollingUpdateStatefulSetStrategy | None, At(2)] = None


class StatefulSetSpec(Part):
    replicas: Annotated[Int32 | None, At(1)] = None
    selector: Annotated[LabelSelector | None, At(2, required=True)] = field(default_factory=null)
    template: Annotated[PodTemplateSpec, At(3, required=True)] = field(default_factory=PodTemplateSpec)
    volume_claim_templates: Annotated[tuple[PersistentVolumeClaim, ...], atomic(4)] = ()
    service_name: Annotated[str, At(5, required=False)] = field(default_factory=str)
    pod_management_policy: Annotated[str, At(6)] = ""
    update_strategy: Annotated[StatefulSetUpdateStrategy, At(7)] = field(default_factory=StatefulSetUpdateStrategy)
    revision_history_limit: Annotated[Int32 | None, At(8)] = None
    min_ready_seconds: Annotated[Int32, At(9)] = 0
    persistent_volume_claim_retention_policy: Annotated[
        StatefulSetPersistentVolumeClaimRetentionPolicy | None, At(10)
    ] = None
    ordinals: Annotated[StatefulSetOrdinals | None, At(11)] = None


class StatefulSetCondition(Part):
    type: Annotated[str, At(1, required=False)] = field(default_factory=str)
    status: Annotated[str, At(2, required=False)] = field(default_factory=str)
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""


class StatefulSetStatus(Part):
    observed_generation: Annotated[Int64, At(1)] = 0
    replicas: Annotated[Int32, At(2)] = field(default_factory=int)
    ready_replicas: Annotated[Int32, At(3)] = 0
    current_replicas: Annotated[Int32, At(4)] = 0
    updated_replicas: Annotated[Int32, At(5)] = 0
    current_revision: Annotated[str, At(6)] = ""
    update_revision: Annotated[str, At(7)] = ""
    collision_count: Annotated[Int32 | None, At(9)] = None
    conditions: Annotated[tuple[StatefulSetCondition, ...], keyed(10, "type")] = ()
    available_replicas: Annotated[Int32, At(11, required=False)] = field(default_factory=int)


class StatefulSet(Object):
    """Pods with names, claims and an order of their own."""

    spec: Annotated[StatefulSetSpec, At(2, required=True)] = field(default_factory=StatefulSetSpec)
    status: Annotated[StatefulSetStatus, At(3)] = field(default_factory=StatefulSetStatus)


class RollingUpdateDaemonSet(Part):
    max_unavailable: Annotated[IntOrString | None, At(1)] = None
    max_surge: Annotated[IntOrString | None, At(2)] = None


class DaemonSetUpdateStrategy(Part):
    type: Annotated[str, At(1)] = ""
    rolling_update: Annotated[RollingUpdateDaemonSet | None, At(2)] = None


class DaemonSetSpec(Part):
    selector: Annotated[LabelSelector | None, At(1, required=True)] = field(default_factory=null)
    template: Annotated[PodTemplateSpec, At(2, required=True)] = field(default_factory=PodTemplateSpec)
    update_strategy: Annotated[DaemonSetUpdateStrategy, At(3)] = field(default_factory=DaemonSetUpdateStrategy)
    min_ready_seconds: Annotated[Int32, At(4)] = 0
    revision_history_limit: Annotated[Int32 | None, At(6)] = None


class DaemonSetCondition(Part):
    type: Annotated[str, At(1, required=False)] = field(default_factory=str)
    status: Annotated[str, At(2, required=False)] = field(default_factory=str)
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""


class DaemonSetStatus(Part):
    current_number_scheduled: Annotated[Int32, At(1)] = field(default_factory=int)
    number_misscheduled: Annotated[Int32, At(2)] = field(default_factory=int)
    desired_number_scheduled: Annotated[Int32, At(3)] = field(default_factory=int)
    number_ready: Annotated[Int32, At(4)] = field(default_factory=int)
    observed_generation: Annotated[Int64, At(5)] = 0
    updated_number_scheduled: Annotated[Int32, At(6)] = 0
    number_available: Annotated[Int32, At(7)] = 0
    number_unavailable: Annotated[Int32, At(8)] = 0
    collision_count: Annotated[Int32 | None, At(9)] = None
    conditions: Annotated[tuple[DaemonSetCondition, ...], keyed(10, "type")] = ()


class DaemonSet(Object):
    """One pod on every node that fits."""

    spec: Annotated[DaemonSetSpec, At(2, required=True)] = field(default_factory=DaemonSetSpec)
    status: Annotated[DaemonSetStatus, At(3)] = field(default_factory=DaemonSetStatus)


class ControllerRevision(Object):
    """One remembered state of a StatefulSet or DaemonSet."""

    data: Annotated[Json, At(2)] = field(default_factory=json_null)
    revision: Annotated[Int64, At(3, required=False)] = field(default_factory=int)
