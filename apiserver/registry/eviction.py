"""Whether a pod may be evicted: budgets say how many pods of a set may be missing at once. Pure.

An eviction that a budget allows is noted in the budget's status before the pod goes, so that of two evictions at the
same moment only as many succeed as the budget allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from steersman.api import errors, selectors, times
from steersman.api.core import Pod, PodCondition
from steersman.api.errors import Cause, Details, Internal, TooManyRequests
from steersman.api.kinds import Kind
from steersman.api.meta import Condition
from steersman.api.policy import PodDisruptionBudget as Budget

LARGEST_DISRUPTED: Final = 2000
"""Evictions that a budget's controller has not confirmed yet; more are a sign that it does not run."""

RETRY_SECONDS: Final = 10
_REFUSED: Final = "Cannot evict pod as it would violate the pod's disruption budget."
_SEVERAL: Final = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


def needs_no_leave(pod: Pod) -> bool:
    """A pod that does not run, or is about to end, is missed by nobody."""
    return pod.status.phase in ("Succeeded", "Failed", "Pending") or pod.metadata.deletion_timestamp is not None


def covering(pod: Pod, budgets: Iterable[Budget]) -> Budget | None:
    """The budget that speaks of the pod. Internal, as in Kubernetes, when there are several."""
    found = [budget for budget in budgets if _covers(budget, pod)]
    if len(found) > 1:
        raise Internal(_SEVERAL)
    return found[0] if found else None


def _covers(budget: Budget, pod: Pod) -> bool:
    if budget.metadata.namespace != pod.metadata.namespace:
        return False
    matcher = selectors.of_struct(budget.spec.selector)
    return matcher is not None and matcher.matches(pod.metadata.labels)


def is_free(pod: Pod, budget: Budget) -> bool:
    """Whether the pod is not ready and so adds nothing to what the budget counts."""
    if any(condition.type == "Ready" and condition.status == "True" for condition in pod.status.conditions):
        return False
    if budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
        return True
    return budget.status.current_healthy >= budget.status.desired_healthy > 0


def spent(budget: Budget, pod_name: str, kind: Kind, now: datetime) -> Budget:
    """The budget with one disruption less to give. TooManyRequests or Forbidden when it has none."""
    status, name = budget.status, budget.metadata.name
    if status.observed_generation < budget.metadata.generation:
        raise still_processed(name)
    if status.disruptions_allowed < 0:
        raise errors.forbidden(kind.subject, name, "pdb disruptions allowed is negative")
    if len(status.disrupted_pods) > LARGEST_DISRUPTED:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise errors.forbidden(kind.subject, name, why)
    if status.disruptions_allowed == 0:
        needed, present = status.desired_healthy, status.current_healthy
        raise _refusal(f"The disruption budget {name} needs {needed} healthy pods and has {present} currently")
    left = status.disruptions_allowed - 1
    return replace(
        budget,
        status=replace(
            status,
            disruptions_allowed=left,
            disrupted_pods={**status.disrupted_pods, pod_name: times.from_datetime(now)},
            conditions=_conditions(status.conditions, left, budget.metadata.generation, now),
        ),
    )


def still_processed(name: str) -> TooManyRequests:
    cause = f"The disruption budget {name} is still being processed by the server."
    return _refusal(cause, RETRY_SECONDS)


def _refusal(cause: str, retry_after_seconds: int = 0) -> TooManyRequests:
    causes = (Cause("DisruptionBudget", cause),)
    return TooManyRequests(_REFUSED, details=Details(causes=causes, retry_after_seconds=retry_after_seconds))


def _conditions(present: Sequence[Condition], left: int, generation: int, now: datetime) -> tuple[Condition, ...]:
    said = ("True", "SufficientPods") if left else ("False", "InsufficientPods")
    before = next((each for each in present if each.type == "DisruptionAllowed"), None)
    lasts = before is not None and before.status == said[0]
    allowed = Condition(
        type="DisruptionAllowed",
        status=said[0],
        reason=said[1],
        observed_generation=generation,
        last_transition_time=before.last_transition_time if before and lasts else times.from_datetime(now),
    )
    if before is None:
        return (*present, allowed)
    return tuple(allowed if each is before else each for each in present)


def targeted(pod: Pod, now: datetime) -> Pod:
    """The pod with a note on why it ends."""
    if any(condition.type == "DisruptionTarget" and condition.status == "True" for condition in pod.status.conditions):
        return pod
    note = PodCondition(
        type="DisruptionTarget",
        status="True",
        reason="EvictionByEvictionAPI",
        message="Eviction API: evicting",
        observed_generation=pod.metadata.generation,
        last_transition_time=times.from_datetime(now),
    )
    others = tuple(condition for condition in pod.status.conditions if condition.type != "DisruptionTarget")
    return replace(pod, status=replace(pod.status, conditions=(*others, note)))
