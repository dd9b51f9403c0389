"""PodDisruptionBudgets: how many pods must stay, or how many may go, but not both."""

from __future__ import annotations

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, conditions, members, podform, workloads
from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.policy import PodDisruptionBudget, PodDisruptionBudgetStatus

UNHEALTHY_POD_EVICTION_POLICIES = ("AlwaysAllow", "IfHealthyBudget")

_SPEC = Path("spec")
_STATUS = Path("status")


def validate(new: PodDisruptionBudget) -> list[Cause]:
    spec = new.spec
    causes: list[Cause] = []
    if spec.min_available is not None and spec.max_unavailable is not None:
        detail = "minAvailable and maxUnavailable cannot be both set"
        causes.append(fields.invalid(_SPEC, podform.as_json(spec), detail))
    for value, field in ((spec.min_available, "minAvailable"), (spec.max_unavailable, "maxUnavailable")):
        if value is not None:
            causes += workloads.validate_count_or_percent(value, _SPEC.child(field))
            causes += workloads.validate_at_most_all(value, _SPEC.child(field))
    causes += checks.validate_label_selector(spec.selector, _SPEC.child("selector"))
    policy = spec.unhealthy_pod_eviction_policy
    if policy is not None:
        causes += checks.choice(policy, _SPEC.child("unhealthyPodEvictionPolicy"), UNHEALTHY_POD_EVICTION_POLICIES)
    return causes


def validate_update(new: PodDisruptionBudget, old: PodDisruptionBudget) -> list[Cause]:
    return [] if new.status == old.status else validate_status(new.status)


def validate_status(status: PodDisruptionBudgetStatus) -> list[Cause]:
    causes = conditions.validate_conditions(status.conditions, _STATUS.child("conditions"))
    return causes + members.not_negative(
        status, _STATUS, "disruptions_allowed", "current_healthy", "desired_healthy", "expected_pods"
    )


PODDISRUPTIONBUDGET = Strategy(validate=validate, validate_update=validate_update)
