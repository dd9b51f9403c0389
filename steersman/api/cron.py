"""Timetables: the five fields of cron, `@daily` and its kin, `@every 1h30m`; and when they fall due.

The grammar and the complaints are those that users of Kubernetes' CronJobs know. Pure: the time zone and the moment are
arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from steersman.api import durations
from steersman.api.errors import quoted

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LARGEST = 2**63 - 1
_YEARS_AHEAD = 5
"""A day that does not come within so many years (the 30th of February) never comes."""


@dataclass(frozen=True, slots=True)
class _Field:
    least: int
    most: int
    names: Mapping[str, int]


_FIELDS = (
    _Field(0, 59, {}),
    _Field(0, 23, {}),
    _Field(1, 31, {}),
    _Field(1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    _Field(0, 6, {name: number for number, name in enumerate(_DAYS)}),
)
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


@dataclass(frozen=True, slots=True)
class Places:
    """The numbers that one field allows. `unrestricted`: the user wrote a star, and leaves the choice to others."""

    allowed: frozenset[int]
    unrestricted: bool = False


@dataclass(frozen=True, slots=True)
class Timetable:
    """Due in every minute that all five fields allow; of the two fields for days, one is enough."""

    minutes: Places
    hours: Places
    days: Places
    months: Places
    weekdays: Places

    def next_after(self, moment: datetime, zone: tzinfo) -> datetime | None:
        """The first minute after `moment` that is due by the clocks of `zone`; None if there is none.

        An hour that the clocks skip has no minutes; an hour that they show twice has them twice.
        """
        at = moment.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
        last_year = at.year + _YEARS_AHEAD
        while at.year <= last_year:
            local = at.astimezone(zone)
            if local.month not in self.months.allowed:
                at = _forward(at, (_midnight(local).replace(day=1) + timedelta(days=32)).replace(day=1))
            elif not self._is_day(local):
                at = _forward(at, _midnight(local) + timedelta(days=1))
            elif local.hour not in self.hours.allowed:
                at += timedelta(minutes=60 - local.minute)
            elif local.minute not in self.minutes.allowed:
                at += timedelta(minutes=1)
            else:
                return at
        return None

    def _is_day(self, local: datetime) -> bool:
        by_date = local.day in self.days.allowed
        by_weekday = local.isoweekday() % 7 in self.weekdays.allowed
        if self.days.unrestricted or self.weekdays.unrestricted:
            return by_date and by_weekday
        return by_date or by_weekday


@dataclass(frozen=True, slots=True)
class Interval:
    """Due again and again after so many whole seconds."""

    seconds: int

    def next_after(self, moment: datetime, zone: tzinfo) -> datetime | None:
        whole = moment.astimezone(UTC).replace(microsecond=0)
        return whole + timedelta(seconds=self.seconds)


Schedule = Timetable | Interval


@lru_cache(maxsize=1024)
def parse(text: str) -> Schedule:
    """ValueError in the usual words for what is no timetable. A zone in front (`TZ=…`) is the caller's to refuse."""
    if not text:
        raise ValueError("empty spec string")
    if text.startswith("@"):
        return _descriptor(text)
    written = text.split()
    if len(written) != len(_FIELDS):
        raise ValueError(f"expected exactly {len(_FIELDS)} fields, found {len(written)}: [{' '.join(written)}]")
    return Timetable(*map(_places, written, _FIELDS))


def _descriptor(text: str) -> Schedule:
    if text in _DESCRIPTORS:
        return parse(_DESCRIPTORS[text])
    if not text.startswith("@every "):
        raise ValueError(f"unrecognized descriptor: {text}")
    try:
        nanoseconds = durations.parse(text.removeprefix("@every "))
    except ValueError as err:
        raise ValueError(f"failed to parse duration {text}: {err}") from None
    return Interval(max(1, nanoseconds // durations.SECOND))


# --- Fields


def _places(text: str, field: _Field) -> Places:
    allowed: set[int] = set()
    unrestricted = False
    for expression in filter(None, text.split(",")):
        numbers, star = _range(expression, field)
        allowed.update(numbers)
        unrestricted = unrestricted or star
    return Places(frozenset(allowed), unrestricted)


def _range(expression: str, field: _Field) -> tuple[range, bool]:
    limits, *steps = expression.split("/")
    low, *high = limits.split("-")
    star = low in ("*", "?")
    if star:
        start, end = field.least, field.most
    else:
        start = _number(low, field.names)
        end = _number(high[0], field.names) if len(high) == 1 else start
        if len(high) > 1:
            raise ValueError(f"too many hyphens: {expression}")
    step = _number(steps[0], {}) if len(steps) == 1 else 1
    if len(steps) > 1:
        raise ValueError(f"too many slashes: {expression}")
    if steps and not high:
        end = field.most
    if start < field.least:
        raise ValueError(f"beginning of range ({start}) below minimum ({field.least}): {expression}")
    if end > field.most:
        raise ValueError(f"end of range ({end}) above maximum ({field.most}): {expression}")
    if start > end:
        raise ValueError(f"beginning of range ({start}) beyond end of range ({end}): {expression}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {expression}")
    return range(start, end + 1, step), star and step == 1


def _number(text: str, known: Mapping[str, int]) -> int:
    if text.lower() in known:
        return known[text.lower()]
    if re.fullmatch("[+-]?[0-9]+", text) is None:
        why = f"strconv.Atoi: parsing {quoted(text)}: invalid syntax"
        raise ValueError(f"failed to parse int from {text}: {why}")
    if len(text) > 19 or not -_LARGEST - 1 <= int(text) <= _LARGEST:
        why = f"strconv.Atoi: parsing {quoted(text)}: value out of range"
        raise ValueError(f"failed to parse int from {text}: {why}")
    number = int(text)
    if number < 0:
        raise ValueError(f"negative number ({number}) not allowed: {text}")
    return number


# --- Clocks


def _midnight(local: datetime) -> datetime:
    return local.replace(hour=0, minute=0, fold=0)


def _forward(at: datetime, to: datetime) -> datetime:
    """Ahead in any case, also where a zone's clocks have no such midnight."""
    return max(to.astimezone(UTC), at + timedelta(minutes=1))
