"""Points in time as text: RFC 3339 in UTC, to the second (`Time`) or to the microsecond (`MicroTime`).

Texts of one type compare like the times they stand for. What does not parse is refused in the words of Go's `time`
package, because those are the words that users of Kubernetes know.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from steersman.api.errors import quoted
from steersman.api.part import MicroTime, Time

SECONDS_LAYOUT = "2006-01-02T15:04:05Z07:00"
MICROS_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"
_LENGTH = len("2006-01-02T15:04:05Z")
_MICRO_LENGTH = len("2006-01-02T15:04:05.000000Z")

_SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)")
_MICROS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)")
_PIECES = (
    ("2006", r"\d{4}"),
    ("-", "-"),
    ("01", r"\d\d"),
    ("-", "-"),
    ("02", r"\d\d"),
    ("T", "T"),
    ("15", r"\d\d"),
    (":", ":"),
    ("04", r"\d\d"),
    (":", ":"),
    ("05", r"\d\d"),
)
_RANGES = (("month", 5, 1, 12), ("day", 8, 1, 31), ("hour", 11, 0, 23), ("minute", 14, 0, 59), ("second", 17, 0, 59))


@lru_cache(maxsize=1024)
def time(text: str) -> Time:
    """`text` brought to UTC and whole seconds, as Kubernetes writes it; ValueError when it is no time."""
    if _SECONDS.fullmatch(text) is None:
        raise ValueError(_why_not(text, SECONDS_LAYOUT))
    moment = _moment(text)
    return Time(text) if len(text) == _LENGTH else from_datetime(moment)


@lru_cache(maxsize=1024)
def micro_time(text: str) -> MicroTime:
    """Like `time`, to the microsecond: exactly six digits are wanted."""
    if _MICROS.fullmatch(text) is None:
        raise ValueError(_why_not(text, MICROS_LAYOUT))
    moment = _moment(text)
    return MicroTime(text) if len(text) == _MICRO_LENGTH else micro_from_datetime(moment)


def from_datetime(moment: datetime) -> Time:
    return _to_the_second(int(moment.timestamp() // 1))


@lru_cache(maxsize=64)
def _to_the_second(seconds: int) -> Time:
    """Remembered: whoever writes many objects writes most of them within a few seconds."""
    return Time(datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(_LENGTH, "0"))


def micro_from_datetime(moment: datetime) -> MicroTime:
    return MicroTime(moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(_MICRO_LENGTH, "0"))


def to_datetime(text: str) -> datetime:
    """The moment, aware and in UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


def _moment(text: str) -> datetime:
    try:
        return to_datetime(text.replace(",", "."))
    except (ValueError, OverflowError):
        # Beyond the named ranges: a day that its month does not have, or a moment that no calendar of ours holds.
        out = next((what for what, at, least, most in _RANGES if not least <= int(text[at : at + 2]) <= most), "day")
        raise ValueError(f"parsing time {quoted(text)}: {out} out of range") from None


def _why_not(text: str, layout: str) -> str:
    rest = text
    for piece, pattern in _PIECES:
        match = re.match(pattern, rest)
        if match is None:
            return _cannot_parse(text, layout, rest, piece)
        rest = rest[match.end() :]
    if layout == MICROS_LAYOUT:
        if not (match := re.match(r"\.\d{6}(?!\d)", rest)):
            return _cannot_parse(text, layout, rest, ".000000")
        rest = rest[match.end() :]
    elif match := re.match(r"[.,]\d+", rest):
        rest = rest[match.end() :]
    if match := re.match(r"Z|[+-]\d\d:\d\d", rest):
        return f"parsing time {quoted(text)}: extra text: {quoted(rest[match.end() :])}"
    return _cannot_parse(text, layout, rest, "Z07:00")


def _cannot_parse(text: str, layout: str, rest: str, piece: str) -> str:
    return f'parsing time {quoted(text)} as "{layout}": cannot parse {quoted(rest)} as "{piece}"'
