"""A take-over told by what was recorded of it: writes with their revisions, and the components' own log lines. Pure.

The Lease bears the moments that its holders wrote into it, to the microsecond. A write that bears none is told with the
moment of the component's log line about it; or it is placed between two writes that do, because revisions are in order:
then the later of the two is an upper bound. No moment is that at which somebody got to see a write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich import box
from rich.table import Table

from steersman.api.coordination import Lease

RELEASED_ON_BEHALF = "released on behalf of a leader whose line broke"
IN_OFFICE = "in office"


@dataclass(frozen=True, slots=True)
class Moment:
    """`revision` 0: no write. `source`: who says when it was. `is_bound`: it was then at the latest."""

    at: datetime | None
    revision: int
    what: str
    source: str
    is_bound: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A write that bears the moment at which it was sent. Each is sent after the one before was acknowledged."""

    name: str
    revision: int
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class LeaseWrite:
    """One state of the leader's Lease."""

    revision: int
    holder: str
    acquired_at: datetime | None
    renewed_at: datetime | None


def lease_write(lease: Lease) -> LeaseWrite:
    spec = lease.spec
    return LeaseWrite(
        int(lease.metadata.resource_version),
        spec.holder_identity or "",
        parsed(spec.acquire_time),
        parsed(spec.renew_time),
    )


def parsed(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def successor(writes: Iterable[LeaseWrite], old: str) -> LeaseWrite | None:
    """The write by which somebody else began to lead; its revision is the term's token."""
    return next((write for write in writes if write.holder not in ("", old)), None)


def of_leases(writes: Sequence[LeaseWrite], old: str, names: Mapping[str, str]) -> list[Moment]:
    """What the Lease's own history tells. `names`: of the components, by instance."""
    told = []
    ours = [write for write in writes if write.holder == old]
    if ours:
        last = ours[-1]
        told.append(
            Moment(last.renewed_at, last.revision, f"{names.get(old, old)} renews for the last time", "renewTime")
        )
    new = successor(writes, old)
    ends = new.revision if new is not None else None
    released = [write for write in writes if not write.holder and (ends is None or write.revision < ends)]
    if released:
        told.append(Moment(None, released[0].revision, "the Lease is released", "its revision alone"))
    if new is not None:
        told.append(
            Moment(new.acquired_at, new.revision, f"{names.get(new.holder, new.holder)} is elected", "acquireTime")
        )
    return told


def placed(revision: int, marks: Sequence[Mark]) -> tuple[Mark, Mark] | None:
    """The last mark before a write, and the first that was sent when it had landed; None: there is none yet.

    The next mark after it may have been under way together with it. The one after that was sent when the next had been
    acknowledged.
    """
    before = [mark for mark in marks if mark.revision < revision]
    after = [mark for mark in marks if mark.revision > revision]
    return (before[-1], after[1]) if before and len(after) > 1 else None


def without_leader(writes: Sequence[LeaseWrite], old: str) -> range:
    """The revisions between the end of the old term and the beginning of the next: nobody's write may land there."""
    new = successor(writes, old)
    ended = next((write for write in writes if not write.holder), None)
    if new is None or ended is None or ended.revision > new.revision:
        return range(0)
    return range(ended.revision + 1, new.revision)


def said_at(lines: Iterable[Mapping[str, Any]], event: str, since: datetime, **wanted: object) -> datetime | None:
    """When a component has logged that, after `since`."""
    for line in lines:
        if line.get("event") == event and all(line.get(key) == value for key, value in wanted.items()):
            moment = parsed(str(line.get("timestamp", "")))
            if moment is not None and moment >= since:
                return moment
    return None


def ordered(moments: Iterable[Moment]) -> list[Moment]:
    """By time; what has none stands before the next write by revision."""
    moments = tuple(moments)
    timed = sorted([(moment.at, moment) for moment in moments if moment.at is not None], key=lambda pair: pair[0])
    told = [moment for _, moment in timed]
    for moment in (moment for moment in moments if moment.at is None):
        later = (number for number, other in enumerate(told) if other.revision > moment.revision)
        told.insert(next(later, len(told)), moment)
    return told


def milliseconds(moment: Moment, zero: datetime) -> str:
    if moment.at is None:
        return ""
    return f"{'≤ ' if moment.is_bound else ''}{(moment.at - zero).total_seconds() * 1000:+,.0f}"


def table(moments: Sequence[Moment], zero: datetime) -> Table:
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    drawn.add_column("MS", justify="right", no_wrap=True)
    drawn.add_column("REVISION", justify="right", no_wrap=True)
    drawn.add_column("WHAT")
    drawn.add_column("KNOWN FROM", style="dim")
    for moment in moments:
        drawn.add_row(milliseconds(moment, zero), str(moment.revision or ""), moment.what, moment.source)
    return drawn
