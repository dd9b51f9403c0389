"""Events for people: which are about an object, in which order, and as rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from steersman.api.core import Event
from steersman.cli import ages
from steersman.cli.pages.page import NONE, Page

HEADER = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]


def last_seen(event: Event) -> str:
    series = event.series.last_observed_time if event.series is not None else None
    return str(series or event.last_timestamp or event.event_time or event.metadata.creation_timestamp or "")


def ordered(events: Iterable[Event]) -> list[Event]:
    """Oldest first; those of one second as they were written."""
    return sorted(events, key=lambda event: (last_seen(event)[:19], int(event.metadata.resource_version or 0)))


def selector(kind: str, name: str) -> str:
    """The field selector for the Events about one object."""
    return f"involvedObject.kind={kind},involvedObject.name={name}"


def row(event: Event, now: datetime) -> list[str]:
    about = event.involved_object
    message = event.message.strip().replace("\n", " ")
    return [_when(event, now), event.type, event.reason, f"{about.kind}/{about.name}", message]


def _when(event: Event, now: datetime) -> str:
    """Since when, and how often since."""
    begin = event.event_time or event.first_timestamp
    first = ages.since(str(begin or event.last_timestamp or event.metadata.creation_timestamp or ""), now)
    if event.series is not None:
        return f"{ages.since(last_seen(event), now)} (x{event.series.count} over {first})"
    if event.count > 1:
        return f"{ages.since(last_seen(event), now)} (x{event.count} over {first})"
    return first


def write(page: Page, events: Iterable[Event], now: datetime) -> None:
    """As `describe` shows them: about one object, so the object is not named."""
    told = ordered(events)
    if not told:
        page.pair("Events", NONE)
        return
    page.line("Events:")
    page.row(["Type", "Reason", "Age", "From", "Message"], 1)
    page.row(["----", "------", "----", "----", "-------"], 1)
    for event in told:
        source = event.source.component or event.reporting_component
        page.row([event.type, event.reason, _when(event, now), source, event.message.strip()], 1)
