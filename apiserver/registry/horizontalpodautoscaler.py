"""HorizontalPodAutoscalers, in the form that is stored (v2): by which metrics, between which bounds, how fast.

Who says nothing about metrics wants 80 % of the CPU that the pods ask for.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, members, metrics
from steersman.api import fields, quantity
from steersman.api.autoscaling import (
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerBehavior,
    HorizontalPodAutoscalerSpec,
    HorizontalPodAutoscalerStatus,
    HPAScalingPolicy,
    HPAScalingRules,
    MetricSpec,
    MetricTarget,
    ResourceMetricSource,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

CPU_UTILIZATION = 80
LEAST_REPLICAS = 1
LONGEST_PERIOD_SECONDS = 1800
LONGEST_WINDOW_SECONDS = 3600
SELECT_POLICIES = ("Disabled", "Max", "Min")
POLICY_TYPES = ("Percent", "Pods")

_SPEC = Path("spec")
_STATUS = Path("status")
_PERIOD_SECONDS = 15
_DOUBLE = HPAScalingPolicy(type="Percent", value=100, period_seconds=_PERIOD_SECONDS)
_FOUR_PODS = HPAScalingPolicy(type="Pods", value=4, period_seconds=_PERIOD_SECONDS)
_UP = HPAScalingRules(stabilization_window_seconds=0, select_policy="Max", policies=(_FOUR_PODS, _DOUBLE))
_DOWN = HPAScalingRules(select_policy="Max", policies=(_DOUBLE,))


def cpu_metric(utilization: int) -> MetricSpec:
    target = MetricTarget(type="Utilization", average_utilization=utilization)
    return MetricSpec(type=metrics.RESOURCE, resource=ResourceMetricSource(name="cpu", target=target))


def default(new: HorizontalPodAutoscaler) -> HorizontalPodAutoscaler:
    spec = new.spec
    changes: dict[str, Any] = {}
    if spec.min_replicas is None:
        changes["min_replicas"] = LEAST_REPLICAS
    if not spec.metrics:
        changes["metrics"] = (cpu_metric(CPU_UTILIZATION),)
    if spec.behavior is not None:
        up, down = _completed(spec.behavior.scale_up, _UP), _completed(spec.behavior.scale_down, _DOWN)
        changes["behavior"] = HorizontalPodAutoscalerBehavior(scale_up=up, scale_down=down)
    return replace(new, spec=replace(spec, **changes)) if changes else new


def _completed(rules: HPAScalingRules | None, usual: HPAScalingRules) -> HPAScalingRules:
    if rules is None:
        return usual
    window = rules.stabilization_window_seconds
    return HPAScalingRules(
        stabilization_window_seconds=usual.stabilization_window_seconds if window is None else window,
        select_policy=usual.select_policy if rules.select_policy is None else rules.select_policy,
        policies=rules.policies or usual.policies,
        tolerance=rules.tolerance,
    )


def validate(new: HorizontalPodAutoscaler) -> list[Cause]:
    spec = new.spec
    causes = _validate_bounds(spec)
    target = spec.scale_target_ref
    # Of what can be scaled, only ReplicationControllers have no group.
    needs_group = target.kind != "ReplicationController"
    causes += metrics.validate_reference(target, _SPEC.child("scaleTargetRef"), needs_group=needs_group)
    where = _SPEC.child("metrics")
    causes += metrics.validate_metrics(spec.metrics, where)
    if spec.min_replicas == 0 and not any(each.type in (metrics.OBJECT, metrics.EXTERNAL) for each in spec.metrics):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        causes.append(fields.forbidden(where, detail))
    if spec.behavior is not None:
        where = _SPEC.child("behavior")
        causes += _validate_rules(spec.behavior.scale_up, where.child("scaleUp"))
        causes += _validate_rules(spec.behavior.scale_down, where.child("scaleDown"))
    return causes


def _validate_bounds(spec: HorizontalPodAutoscalerSpec) -> list[Cause]:
    causes: list[Cause] = []
    least, most = spec.min_replicas, spec.max_replicas
    if least is not None and least < LEAST_REPLICAS:
        detail = f"must be greater than or equal to {LEAST_REPLICAS}"
        causes.append(fields.invalid(_SPEC.child("minReplicas"), least, detail))
    where = _SPEC.child("maxReplicas")
    if most == 0:
        causes.append(fields.required(where, "must be set and greater than 0"))
    elif most < 0:
        causes.append(fields.invalid(where, most, "must be greater than or equal to 1"))
    if least is not None and most < least:
        causes.append(fields.invalid(where, most, "must be greater than or equal to `minReplicas`"))
    return causes


def _validate_rules(rules: HPAScalingRules | None, path: Path) -> list[Cause]:
    if rules is None:
        return []
    causes: list[Cause] = []
    window, where = rules.stabilization_window_seconds, path.child("stabilizationWindowSeconds")
    if window is not None and window < 0:
        causes.append(fields.invalid(where, window, "must be greater than or equal to zero"))
    if window is not None and window > LONGEST_WINDOW_SECONDS:
        causes.append(fields.invalid(where, window, f"must be less than or equal to {LONGEST_WINDOW_SECONDS}"))
    if rules.select_policy is not None:
        causes += checks.choice(rules.select_policy, path.child("selectPolicy"), SELECT_POLICIES)
    where = path.child("policies")
    if not rules.policies:
        causes.append(fields.required(where, "must specify at least one Policy"))
    for index, policy in enumerate(rules.policies):
        causes += _validate_policy(policy, where.index(index))
    tolerance = rules.tolerance
    if tolerance is not None and quantity.value(tolerance) < 0:
        detail = "must be greater than or equal to 0"
        causes.append(fields.invalid(path.child("tolerance"), tolerance, detail))
    return causes


def _validate_policy(policy: HPAScalingPolicy, path: Path) -> list[Cause]:
    causes = checks.choice(policy.type, path.child("type"), POLICY_TYPES)
    if policy.value <= 0:
        causes.append(fields.invalid(path.child("value"), policy.value, "must be greater than zero"))
    period, where = policy.period_seconds, path.child("periodSeconds")
    if period <= 0:
        causes.append(fields.invalid(where, period, "must be greater than zero"))
    if period > LONGEST_PERIOD_SECONDS:
        causes.append(fields.invalid(where, period, f"must be less than or equal to {LONGEST_PERIOD_SECONDS}"))
    return causes


def validate_update(new: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler) -> list[Cause]:
    return [] if new.status == old.status else validate_status(new.status)


def validate_status(status: HorizontalPodAutoscalerStatus) -> list[Cause]:
    return members.not_negative(status, _STATUS, "current_replicas", "desired_replicas")


HORIZONTALPODAUTOSCALER = Strategy(default=default, validate=validate, validate_update=validate_update)
