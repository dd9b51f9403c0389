"""Lengths of time as people like to read them: two or three figures, `5m30s`, `3h`, `12d`."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

UNKNOWN = "<unknown>"
INVALID = "<invalid>"
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_YEAR_DAYS = 365


def since(time: str | None, now: datetime) -> str:
    """How long ago a time in its canonical text was."""
    if not time:
        return UNKNOWN
    return human(_seconds(time, now))


def between(start: str, end: str) -> str:
    return human(_seconds(start, datetime.fromisoformat(end)))


def human(seconds: int) -> str:
    """A second or so in the future is taken for clocks that do not quite agree."""
    if seconds < 2 * _MINUTE:
        if seconds < -1:
            return INVALID
        return f"{max(seconds, 0)}s"
    return _longer(seconds)


@lru_cache(maxsize=4096)
def _longer(seconds: int) -> str:
    minutes, hours, days = seconds // _MINUTE, seconds // _HOUR, seconds // _DAY
    if minutes < 10:
        return _two(minutes, "m", seconds % _MINUTE, "s")
    if hours < 3:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    years = days // _YEAR_DAYS
    if years < 2:
        return f"{days}d"
    return _two(years, "y", days % _YEAR_DAYS, "d") if years < 8 else f"{years}y"


def _two(large: int, unit: str, small: int, small_unit: str) -> str:
    return f"{large}{unit}{small}{small_unit}" if small else f"{large}{unit}"


def _seconds(start: str, end: datetime) -> int:
    """Whole seconds, cut off towards zero."""
    return int((end - datetime.fromisoformat(start)).total_seconds())
