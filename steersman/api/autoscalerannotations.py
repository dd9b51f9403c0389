"""The texts in which annotations keep an autoscaler's metrics, behavior and conditions.

Each has the shape that Kubernetes gives it, which for behavior means Go's names and `null` for what is absent. Whatever
does not read is as if it were not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec import field

from steersman.api import codec
from steersman.api.autoscaling import (
    HorizontalPodAutoscalerBehavior,
    HorizontalPodAutoscalerCondition,
    HPAScalingPolicy,
    HPAScalingRules,
    MetricSpec,
    MetricStatus,
)
from steersman.api.errors import BadRequest
from steersman.api.flatmeasurements import Measured
from steersman.api.flatmetrics import Metric
from steersman.api.part import Int32, Part, Quantity, null

T = TypeVar("T", bound=Part)


def write_metrics(metrics: Sequence[MetricSpec]) -> str:
    return _text([Metric.of(metric) for metric in metrics])


def read_metrics(text: str) -> tuple[MetricSpec, ...]:
    read = _listed(_Metrics, text)
    return () if read is None else tuple(metric.full() for metric in read.items)


def write_current_metrics(metrics: Sequence[MetricStatus]) -> str:
    return _text([Measured.of(metric) for metric in metrics])


def read_current_metrics(text: str) -> tuple[MetricStatus, ...] | None:
    """None where nothing was kept."""
    read = _listed(_Measurements, text)
    return None if read is None else tuple(metric.full() for metric in read.items)


def write_conditions(conditions: Sequence[HorizontalPodAutoscalerCondition]) -> str:
    return _text(conditions)


def read_conditions(text: str) -> tuple[HorizontalPodAutoscalerCondition, ...]:
    read = _listed(_Conditions, text)
    return () if read is None else read.items


def write_behavior(behavior: HorizontalPodAutoscalerBehavior) -> str:
    both = _Behavior(scale_up=_go_rules(behavior.scale_up), scale_down=_go_rules(behavior.scale_down))
    return codec.encode(both).decode()


def read_behavior(text: str) -> HorizontalPodAutoscalerBehavior | None:
    try:
        both = codec.decode(_Behavior, text.encode(errors="replace"))[0]
    except BadRequest:
        return None
    if both.scale_up is None and both.scale_down is None:
        return None
    return HorizontalPodAutoscalerBehavior(scale_up=_rules(both.scale_up), scale_down=_rules(both.scale_down))


class _Metrics(Part):
    items: tuple[Metric, ...] = ()


class _Measurements(Part):
    items: tuple[Measured, ...] = ()


class _Conditions(Part):
    items: tuple[HorizontalPodAutoscalerCondition, ...] = ()


class _Policy(Part, rename="pascal"):
    type: str = field(default_factory=str)
    value: Int32 = field(default_factory=int)
    period_seconds: Int32 = field(default_factory=int)


class _Rules(Part, rename="pascal"):
    stabilization_window_seconds: Int32 | None = field(default_factory=null)
    select_policy: str | None = field(default_factory=null)
    policies: tuple[_Policy, ...] | None = field(default_factory=null)
    tolerance: Quantity | None = field(default_factory=null)


class _Behavior(Part, rename="pascal"):
    scale_up: _Rules | None = field(default_factory=null)
    scale_down: _Rules | None = field(default_factory=null)


def _go_rules(rules: HPAScalingRules | None) -> _Rules | None:
    if rules is None:
        return None
    policies = (
        _Policy(type=each.type, value=each.value, period_seconds=each.period_seconds) for each in rules.policies
    )
    return _Rules(
        stabilization_window_seconds=rules.stabilization_window_seconds,
        select_policy=rules.select_policy,
        policies=tuple(policies) or None,
        tolerance=rules.tolerance,
    )


def _rules(rules: _Rules | None) -> HPAScalingRules | None:
    if rules is None:
        return None
    policies = (
        HPAScalingPolicy(type=each.type, value=each.value, period_seconds=each.period_seconds)
        for each in rules.policies or ()
    )
    return HPAScalingRules(
        stabilization_window_seconds=rules.stabilization_window_seconds,
        select_policy=rules.select_policy,
        policies=tuple(policies),
        tolerance=rules.tolerance,
    )


def _text(items: Sequence[Part]) -> str:
    return f"[{','.join(codec.encode(item).decode() for item in items)}]"


def _listed(struct: type[T], text: str) -> T | None:
    """A list, read as the `items` of a struct; None where there is none to read."""
    try:
        plain = msgspec.json.decode(text.encode())
        return codec.from_dict(struct, {"items": plain})[0] if isinstance(plain, list) else None
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError, BadRequest):
        return None
