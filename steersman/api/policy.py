"""The policy group, v1: budgets for disruption, and evictions that respect them."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Condition, DeleteOptions, LabelSelector, Object
from steersman.api.part import At, Int32, Int64, IntOrString, Part, Time, keyed


class PodDisruptionBudgetSpec(Part):
    min_available: Annotated[IntOrString | None, At(1)] = None
    selector: Annotated[LabelSelector | None, At(2, patch="replace")] = None
    max_unavailable: Annotated[IntOrString | None, At(3)] = None
    unhealthy_pod_eviction_policy: Annotated[str | None, At(4)] = None


class PodDisruptionBudgetStatus(Part):
    observed_generation: Annotated[Int64, At(1)] = 0
    disrupted_pods: Annotated[dict[str, Time], At(2)] = field(default_factory=dict)
    disruptions_allowed: Annotated[Int32, At(3, required=False)] = field(default_factory=int)
    current_healthy: Annotated[Int32, At(4, required=False)] = field(default_factory=int)
    desired_healthy: Annotated[Int32, At(5, required=False)] = field(default_factory=int)
    expected_pods: Annotated[Int32, At(6, required=False)] = field(default_factory=int)
    conditions: Annotated[tuple[Condition, ...], keyed(7, "type")] = ()


class PodDisruptionBudget(Object):
    """How many pods of a set may be taken down on purpose at once."""

    spec: Annotated[PodDisruptionBudgetSpec, At(2)] = field(default_factory=PodDisruptionBudgetSpec)
    status: Annotated[PodDisruptionBudgetStatus, At(3)] = field(default_factory=PodDisruptionBudgetStatus)


class Eviction(Object):
    """A request to take a pod down that a budget may refuse."""

    delete_options: Annotated[DeleteOptions | None, At(2)] = None
