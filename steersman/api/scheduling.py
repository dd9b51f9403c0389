"""The scheduling group, v1: priorities; and the parts of pod groups that a Job refers to."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Object
from steersman.api.part import At, Int32, Part, atomic


class PriorityClass(Object):
    """A name for a pod priority."""

    value: Annotated[Int32, At(2, required=False)] = field(default_factory=int)
    global_default: Annotated[bool, At(3)] = False
    description: Annotated[str, At(4)] = ""
    preemption_policy: Annotated[str | None, At(5)] = None


# --- Pod groups


class WorkloadPodGroupBasicSchedulingPolicy(Part):
    pass


class WorkloadPodGroupGangSchedulingPolicy(Part):
    min_count: Int32 | None = None


class WorkloadPodGroupSchedulingPolicy(Part):
    """Whether a group of pods is placed together or one by one."""

    basic: WorkloadPodGroupBasicSchedulingPolicy | None = None
    gang: WorkloadPodGroupGangSchedulingPolicy | None = None


class TopologyConstraint(Part):
    key: str = field(default_factory=str)


class WorkloadPodGroupSchedulingConstraints(Part):
    topology: Annotated[tuple[TopologyConstraint, ...], atomic(())] = ()


class WorkloadPodGroupAllDisruptionMode(Part):
    pass


class WorkloadPodGroupSingleDisruptionMode(Part):
    pass


class WorkloadPodGroupDisruptionMode(Part):
    all: WorkloadPodGroupAllDisruptionMode | None = None
    single: WorkloadPodGroupSingleDisruptionMode | None = None


class WorkloadPodGroupResourceClaim(Part):
    name: str = field(default_factory=str)
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None
