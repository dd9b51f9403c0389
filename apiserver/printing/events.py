"""Events: what happened to whom, and when last."""

from __future__ import annotations

from datetime import datetime

from apiserver.printing import ages
from apiserver.printing.columns import Cells, Column, Printer, wide
from steersman.api.core import Event


def cells(event: Event, now: datetime) -> Cells:
    first = ages.since(event.first_timestamp or event.event_time, now)
    last = ages.since(event.last_timestamp, now) if event.last_timestamp else first
    count = event.count or 1  # a single one need not say so
    if event.series is not None:
        last, count = ages.since(event.series.last_observed_time, now), event.series.count
    about = event.involved_object
    kind = about.kind.lower()
    return [
        last,
        event.type,
        event.reason,
        f"{kind}/{about.name}" if about.name else kind,
        about.field_path,
        _source(event),
        event.message.strip(),
        first,
        count,
        event.metadata.name,
    ]


def _source(event: Event) -> str:
    component = event.source.component or event.reporting_component
    instance = event.source.host or event.reporting_instance
    return f"{component}, {instance}" if instance else component


EVENT = Printer(
    (
        Column("Last Seen", "How long ago it last happened."),
        Column("Type", "Normal, or a warning."),
        Column("Reason", "One word for what happened."),
        Column("Object", "To which object it happened."),
        wide("Subobject", "To which part of the object."),
        wide("Source", "Who says so."),
        Column("Message", "What happened, in a sentence."),
        wide("First Seen", "How long ago it first happened."),
        wide("Count", "How often it has happened."),
        Column("Name", "The name of the event itself.", format="name", priority=1),
    ),
    cells,
)
