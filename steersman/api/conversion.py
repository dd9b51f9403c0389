"""One object in several group-versions: from the form that was asked for to the stored one, and back.

Pure functions from Struct to Struct, faithful to Kubernetes down to what it loses. Events lose nothing; what a
HorizontalPodAutoscaler of version 1 cannot say is in `autoscalers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from steersman.api import autoscalers, autoscaling, core, events
from steersman.api.meta import Object

S = TypeVar("S", core.EventSeries, events.EventSeries)


@dataclass(frozen=True, slots=True)
class Conversion:
    """Both ways between a form and the stored form of the same object."""

    to_stored: Callable[[Any], Any]
    to_asked: Callable[[Any], Any]


def event_to_core(event: events.Event) -> core.Event:
    return core.Event(
        metadata=event.metadata,
        api_version="v1",
        kind="Event",
        involved_object=event.regarding,
        reason=event.reason,
        message=event.note,
        source=event.deprecated_source,
        first_timestamp=event.deprecated_first_timestamp,
        last_timestamp=event.deprecated_last_timestamp,
        count=event.deprecated_count,
        type=event.type,
        event_time=event.event_time,
        series=_series(core.EventSeries, event.series),
        action=event.action,
        related=event.related,
        reporting_component=event.reporting_controller,
        reporting_instance=event.reporting_instance,
    )


def event_from_core(event: core.Event) -> events.Event:
    return events.Event(
        metadata=event.metadata,
        api_version="events.k8s.io/v1",
        kind="Event",
        event_time=event.event_time,
        series=_series(events.EventSeries, event.series),
        reporting_controller=event.reporting_component,
        reporting_instance=event.reporting_instance,
        action=event.action,
        reason=event.reason,
        regarding=event.involved_object,
        related=event.related,
        note=event.message,
        type=event.type,
        deprecated_source=event.source,
        deprecated_first_timestamp=event.first_timestamp,
        deprecated_last_timestamp=event.last_timestamp,
        deprecated_count=event.count,
    )


def _series(struct: type[S], series: core.EventSeries | events.EventSeries | None) -> S | None:
    if series is None:
        return None
    return struct(count=series.count, last_observed_time=series.last_observed_time)


CONVERSIONS: Mapping[type[Object], Conversion] = {
    events.Event: Conversion(event_to_core, event_from_core),
    autoscaling.HorizontalPodAutoscalerV1: Conversion(autoscalers.to_v2, autoscalers.to_v1),
}
"""By the form that is not stored."""
