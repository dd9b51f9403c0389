"""HorizontalPodAutoscalers between version 2, which is stored, and version 1, which knows nothing but CPU.

What version 1 cannot say travels in its annotations, so that a client that reads and writes it loses nothing of the
rest: other metrics, what was measured, behavior, conditions. Annotations that do not read well are dropped. Lost, as in
Kubernetes: the place of the CPU metric among the others (it comes back last) and a second target for CPU.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from steersman.api import autoscalerannotations
from steersman.api.autoscaling import (
    CrossVersionObjectReference,
    CrossVersionObjectReferenceV1,
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerSpec,
    HorizontalPodAutoscalerSpecV1,
    HorizontalPodAutoscalerStatus,
    HorizontalPodAutoscalerStatusV1,
    HorizontalPodAutoscalerV1,
    MetricSpec,
    MetricStatus,
    MetricTarget,
    MetricValueStatus,
    ResourceMetricSource,
    ResourceMetricStatus,
)
from steersman.api.meta import ObjectMeta

KIND = "HorizontalPodAutoscaler"
DEFAULT_CPU_PERCENTAGE = 80
"""The target of an autoscaler of version 1 that names none."""

_PREFIX = "autoscaling.alpha.kubernetes.io/"
METRICS = f"{_PREFIX}metrics"
CURRENT_METRICS = f"{_PREFIX}current-metrics"
BEHAVIOR = f"{_PREFIX}behavior"
CONDITIONS = f"{_PREFIX}conditions"
_OURS = frozenset(
    (METRICS, CURRENT_METRICS, BEHAVIOR, CONDITIONS, f"{_PREFIX}scale-down-tolerance", f"{_PREFIX}scale-up-tolerance")
)


def to_v1(stored: HorizontalPodAutoscaler) -> HorizontalPodAutoscalerV1:
    spec, status = stored.spec, stored.status
    targets = [target for metric in spec.metrics if (target := _cpu_target(metric)) is not None]
    measured = [value for metric in status.current_metrics or () if (value := _cpu_measured(metric)) is not None]
    return HorizontalPodAutoscalerV1(
        metadata=_annotated(stored.metadata, _kept(stored)),
        api_version="autoscaling/v1",
        kind=KIND,
        spec=HorizontalPodAutoscalerSpecV1(
            scale_target_ref=CrossVersionObjectReferenceV1(
                kind=spec.scale_target_ref.kind,
                name=spec.scale_target_ref.name,
                api_version=spec.scale_target_ref.api_version,
            ),
            min_replicas=spec.min_replicas,
            max_replicas=spec.max_replicas,
            target_cpu_utilization_percentage=targets[0] if targets else None,
        ),
        status=HorizontalPodAutoscalerStatusV1(
            observed_generation=status.observed_generation,
            last_scale_time=status.last_scale_time,
            current_replicas=status.current_replicas,
            desired_replicas=status.desired_replicas,
            current_cpu_utilization_percentage=measured[-1] if measured else None,
        ),
    )


def to_v2(asked: HorizontalPodAutoscalerV1) -> HorizontalPodAutoscaler:
    spec, status, kept = asked.spec, asked.status, asked.metadata.annotations
    target, measured = spec.target_cpu_utilization_percentage, status.current_cpu_utilization_percentage
    metrics = autoscalerannotations.read_metrics(kept.get(METRICS, ""))
    if target is not None or not metrics:
        metrics = (*metrics, _cpu_metric(DEFAULT_CPU_PERCENTAGE if target is None else target))
    current = autoscalerannotations.read_current_metrics(kept.get(CURRENT_METRICS, ""))
    if current is None:
        current = None if measured is None else (_cpu_status(measured),)
    return HorizontalPodAutoscaler(
        metadata=_annotated(asked.metadata, {}),
        api_version="autoscaling/v2",
        kind=KIND,
        spec=HorizontalPodAutoscalerSpec(
            scale_target_ref=CrossVersionObjectReference(
                kind=spec.scale_target_ref.kind,
                name=spec.scale_target_ref.name,
                api_version=spec.scale_target_ref.api_version,
            ),
            min_replicas=spec.min_replicas,
            max_replicas=spec.max_replicas,
            metrics=metrics,
            behavior=autoscalerannotations.read_behavior(kept.get(BEHAVIOR, "")),
        ),
        status=HorizontalPodAutoscalerStatus(
            observed_generation=status.observed_generation,
            last_scale_time=status.last_scale_time,
            current_replicas=status.current_replicas,
            desired_replicas=status.desired_replicas,
            current_metrics=current or None,
            conditions=autoscalerannotations.read_conditions(kept.get(CONDITIONS, "")),
        ),
    )


def _kept(stored: HorizontalPodAutoscaler) -> dict[str, str]:
    """The annotations that carry what version 1 cannot say."""
    others = [metric for metric in stored.spec.metrics if _cpu_target(metric) is None]
    kept: dict[str, str] = {}
    if others:
        kept[METRICS] = autoscalerannotations.write_metrics(others)
    if stored.status.current_metrics:
        kept[CURRENT_METRICS] = autoscalerannotations.write_current_metrics(stored.status.current_metrics)
    if stored.spec.behavior is not None:
        kept[BEHAVIOR] = autoscalerannotations.write_behavior(stored.spec.behavior)
    if stored.status.conditions:
        kept[CONDITIONS] = autoscalerannotations.write_conditions(stored.status.conditions)
    return kept


def _annotated(metadata: ObjectMeta, kept: Mapping[str, str]) -> ObjectMeta:
    """The metadata with exactly these of our annotations: a user's own under these names never survive."""
    own = {name: text for name, text in metadata.annotations.items() if name not in _OURS}
    return replace(metadata, annotations={**own, **kept})


def _cpu_target(metric: MetricSpec) -> int | None:
    is_cpu = metric.type == "Resource" and metric.resource is not None and metric.resource.name == "cpu"
    return metric.resource.target.average_utilization if is_cpu and metric.resource is not None else None


def _cpu_measured(metric: MetricStatus) -> int | None:
    is_cpu = metric.type == "Resource" and metric.resource is not None and metric.resource.name == "cpu"
    return metric.resource.current.average_utilization if is_cpu and metric.resource is not None else None


def _cpu_metric(percentage: int) -> MetricSpec:
    target = MetricTarget(type="Utilization", average_utilization=percentage)
    return MetricSpec(type="Resource", resource=ResourceMetricSource(name="cpu", target=target))


def _cpu_status(percentage: int) -> MetricStatus:
    current = MetricValueStatus(average_utilization=percentage)
    return MetricStatus(type="Resource", resource=ResourceMetricStatus(name="cpu", current=current))
