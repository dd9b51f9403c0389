"""The events group, v1: the newer form of Event, over the same stored objects as the core one."""

from typing import Annotated

from msgspec import field

from steersman.api.core import EventSource, ObjectReference
from steersman.api.meta import Object
from steersman.api.part import At, Int32, MicroTime, Part, Time, null


class EventSeries(Part):
    count: Annotated[Int32, At(1)] = field(default_factory=int)
    last_observed_time: Annotated[MicroTime | None, At(2, required=True)] = field(default_factory=null)


class Event(Object):
    """Something that happened to an object, in the newer form."""

    event_time: Annotated[MicroTime | None, At(2, required=True)] = field(default_factory=null)
    series: Annotated[EventSeries | None, At(3)] = None
    reporting_controller: Annotated[str, At(4)] = ""
    reporting_instance: Annotated[str, At(5)] = ""
    action: Annotated[str, At(6)] = ""
    reason: Annotated[str, At(7)] = ""
    regarding: Annotated[ObjectReference, At(8)] = field(default_factory=ObjectReference)
    related: Annotated[ObjectReference | None, At(9)] = None
    note: Annotated[str, At(10)] = ""
    type: Annotated[str, At(11)] = ""
    deprecated_source: Annotated[EventSource, At(12)] = field(default_factory=EventSource)
    deprecated_first_timestamp: Annotated[Time | None, At(13)] = field(default_factory=null)
    deprecated_last_timestamp: Annotated[Time | None, At(14)] = field(default_factory=null)
    deprecated_count: Annotated[Int32, At(15)] = 0
