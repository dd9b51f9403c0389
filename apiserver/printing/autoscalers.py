"""Autoscalers: what they watch, where it stands, and where it should."""

from __future__ import annotations

from datetime import datetime

from apiserver.printing import ages, phrases
from apiserver.printing.columns import AGE, NAME, Cells, Column, Printer
from steersman.api.autoscaling import (
    HorizontalPodAutoscaler,
    MetricSpec,
    MetricStatus,
    MetricTarget,
    MetricValueStatus,
)

SHOWN = 2
"""How many metrics are named before the rest is only counted."""
_NOTHING = MetricValueStatus()


def cells(shown: HorizontalPodAutoscaler, now: datetime) -> Cells:
    spec, status = shown.spec, shown.status
    return [
        shown.metadata.name,
        f"{spec.scale_target_ref.kind}/{spec.scale_target_ref.name}",
        _targets(spec.metrics, status.current_metrics or ()),
        phrases.UNSET if spec.min_replicas is None else str(spec.min_replicas),
        spec.max_replicas,
        status.current_replicas,
        ages.since(shown.metadata.creation_timestamp, now),
    ]


def _targets(specs: tuple[MetricSpec, ...], statuses: tuple[MetricStatus, ...]) -> str:
    """Each metric is compared with the status at its own place in the list."""
    if not specs:
        return phrases.NONE
    current = (*statuses, *(None for _ in specs))
    return phrases.first_of([_metric(spec, seen) for spec, seen in zip(specs, current, strict=False)], SHOWN, ", ")


def _metric(spec: MetricSpec, seen: MetricStatus | None) -> str:
    if (resource := spec.resource or spec.container_resource) is not None:
        now = (seen.resource or seen.container_resource) if seen is not None else None
        return f"{resource.name}: {_resource(resource.target, now.current if now is not None else _NOTHING)}"
    if spec.pods is not None:
        pods = seen.pods if seen is not None else None
        return _amounts(pods.current.average_value if pods is not None else None, spec.pods.target.average_value)
    if (other := spec.external or spec.object) is not None:
        there = (seen.external or seen.object) if seen is not None else None
        return _value(other.target, there.current if there is not None else _NOTHING)
    return "<unknown type>"


def _resource(target: MetricTarget, current: MetricValueStatus) -> str:
    if target.average_value is not None:
        return _amounts(current.average_value, target.average_value)
    wanted = "<auto>" if target.average_utilization is None else f"{target.average_utilization}%"
    return _amounts(None if current.average_utilization is None else f"{current.average_utilization}%", wanted)


def _value(target: MetricTarget, current: MetricValueStatus) -> str:
    if target.average_value is not None:
        return f"{_amounts(current.average_value, target.average_value)} (avg)"
    return _amounts(current.value, target.value)


def _amounts(current: str | None, target: str | None) -> str:
    return f"{phrases.UNKNOWN if current is None else current}/{target}"


HORIZONTAL_POD_AUTOSCALER = Printer(
    (
        NAME,
        Column("Reference", "What is scaled."),
        Column("Targets", "Each metric as it stands, and as it should."),
        Column("MinPods", "The least number of pods."),
        Column("MaxPods", "The greatest number of pods."),
        Column("Replicas", "How many pods there are."),
        AGE,
    ),
    cells,
)
