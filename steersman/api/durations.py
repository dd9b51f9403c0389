"""Spans of time as Go writes them: `1h30m`, `-1.5s`, `300ms`, `0`. The complaints are Go's too. Pure."""

from __future__ import annotations

import re

from steersman.api.errors import quoted

SECOND = 10**9
_LARGEST = 2**63 - 1
_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_PART = re.compile(r"([0-9]*)(\.?)([0-9]*)([^0-9.]*)")


def parse(text: str) -> int:
    """Nanoseconds; ValueError with the complaint."""
    invalid = ValueError(f"time: invalid duration {quoted(text)}")
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return 0
    if not rest:
        raise invalid
    total = 0
    while rest:
        match = _PART.match(rest)
        assert match is not None  # every part of it may be empty
        whole, _, decimals, unit = match.groups()
        if not (whole or decimals) or len(whole) > 19:
            raise invalid
        if not unit:
            raise ValueError(f"time: missing unit in duration {quoted(text)}")
        if unit not in _UNITS:
            raise ValueError(f"time: unknown unit {quoted(unit)} in duration {quoted(text)}")
        digits = decimals[:18]
        total += int(whole or 0) * _UNITS[unit] + int(digits or 0) * _UNITS[unit] // 10 ** len(digits)
        if total > _LARGEST:
            raise invalid
        rest = rest[match.end() :]
    return sign * total
