"""Points and spans of time: reading and writing them, and their parts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from steersman.cel.environment import Library
from steersman.cel.values import INT_BOUND, Duration, EvaluationError, Timestamp

TIMEKEEPING: Final = Library()
SECOND: Final = 10**9

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST: Final = -62135596800 * SECOND
_LATEST: Final = 253402300800 * SECOND
_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}  # both signs for micro
_PART: Final = re.compile(r"(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_POINT: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_OFFSET: Final = re.compile(r"([+-]?)(\d{1,2}):(\d\d)", re.ASCII)


def duration(nanoseconds: int) -> Duration:
    if not -INT_BOUND <= nanoseconds < INT_BOUND:
        raise EvaluationError("duration overflow")
    return Duration(nanoseconds)


def timestamp(nanoseconds: int) -> Timestamp:
    if not _EARLIEST <= nanoseconds < _LATEST:
        raise EvaluationError("timestamp overflow")
    return Timestamp(nanoseconds)


def parse_duration(text: str) -> Duration:
    """`1h30m`, `-1.5s`, `0`."""
    body = text[1:] if text[:1] in ("-", "+") else text
    if body == "0":
        return Duration(0)
    end, total = 0, 0
    while body and end < len(body):
        match = _PART.match(body, end)
        if match is None or not (match[1] or match[2]) or len(body) > 256:
            break
        unit, digits = _UNITS[match[3]], match[2] or ""
        total += int(match[1] or 0) * unit + int(digits or 0) * unit // 10 ** len(digits)
        end = match.end()
    if not body or end < len(body):
        raise EvaluationError(f'time: invalid duration "{text}"')
    return duration(-total if text.startswith("-") else total)


def parse_timestamp(text: str) -> Timestamp:
    match = _POINT.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        moment = datetime.fromisoformat(match[1] + ("+00:00" if match[3] == "Z" else match[3]))
    except ValueError:
        raise EvaluationError(f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse') from None
    whole = (moment - _EPOCH) // timedelta(seconds=1)
    return timestamp(whole * SECOND + int((match[2] or "").ljust(9, "0")))


def shown_duration(span: Duration) -> str:
    return f"{_decimal(span.nanoseconds)}s"


def shown_timestamp(point: Timestamp) -> str:
    whole, rest = divmod(point.nanoseconds, SECOND)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    moment = _EPOCH + timedelta(seconds=whole)
    return f"{moment:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + f"{fraction}Z"


def _decimal(nanoseconds: int) -> str:
    whole, rest = divmod(abs(nanoseconds), SECOND)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{'-' if nanoseconds < 0 else ''}{whole}{fraction}"


def _local(point: Timestamp, zone: str) -> datetime:
    moment = _EPOCH + timedelta(seconds=point.nanoseconds // SECOND)
    try:
        return moment.astimezone(_zone(zone))
    except OverflowError:
        raise EvaluationError("timestamp overflow") from None


def _zone(name: str) -> tzinfo:
    if match := _OFFSET.fullmatch(name):
        hours, minutes = int(match[2]), int(match[3])
        if hours > 23 or minutes > 59:
            raise EvaluationError(f"invalid timezone offset: {name}")
        offset = timedelta(hours=hours, minutes=minutes)
        return timezone(-offset if match[1] == "-" else offset)
    if name in ("", "UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise EvaluationError(f"unknown time zone {name}") from None


_PARTS: Final = {
    "getFullYear": lambda moment: moment.year,
    "getMonth": lambda moment: moment.month - 1,
    "getDayOfYear": lambda moment: moment.timetuple().tm_yday - 1,
    "getDayOfMonth": lambda moment: moment.day - 1,
    "getDate": lambda moment: moment.day,
    "getDayOfWeek": lambda moment: moment.isoweekday() % 7,
    "getHours": lambda moment: moment.hour,
    "getMinutes": lambda moment: moment.minute,
    "getSeconds": lambda moment: moment.second,
}
_DURATION_PARTS: Final = {"getHours": 3600 * SECOND, "getMinutes": 60 * SECOND, "getSeconds": SECOND}


def _declare_parts() -> None:
    for name, part in _PARTS.items():
        TIMEKEEPING.member(name, "timestamp -> int", "timestamp, string -> int")(
            lambda point, zone="", part=part: part(_local(point, zone))
        )
    for name, unit in _DURATION_PARTS.items():
        TIMEKEEPING.member(name, "duration -> int")(lambda span, unit=unit: int(span.nanoseconds / unit))


_declare_parts()


@TIMEKEEPING.member("getMilliseconds", "timestamp -> int", "timestamp, string -> int")
def milliseconds_of_point(point: Timestamp, _zone: str = "") -> int:
    return point.nanoseconds % SECOND // 10**6


@TIMEKEEPING.member("getMilliseconds", "duration -> int")
def milliseconds(span: Duration) -> int:
    return int(span.nanoseconds / 10**6)
