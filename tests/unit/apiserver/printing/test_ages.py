"""Lengths of time as people read them."""

from __future__ import annotations

import pytest

from apiserver.printing import ages
from tests.unit.apiserver.printing.rows import NOW

MINUTE, HOUR, DAY = 60, 3600, 86_400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-2, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (59, "59s"),
        (119, "119s"),
        (120, "2m"),
        (121, "2m1s"),
        (9 * MINUTE + 59, "9m59s"),
        (10 * MINUTE + 59, "10m"),
        (3 * HOUR - 1, "179m"),
        (3 * HOUR, "3h"),
        (3 * HOUR + MINUTE, "3h1m"),
        (8 * HOUR - 1, "7h59m"),
        (8 * HOUR + MINUTE, "8h"),
        (48 * HOUR - 1, "47h"),
        (48 * HOUR, "2d"),
        (49 * HOUR, "2d1h"),
        (8 * DAY - 1, "7d23h"),
        (8 * DAY + HOUR, "8d"),
        (2 * 365 * DAY - 1, "729d"),
        (2 * 365 * DAY, "2y"),
        (2 * 365 * DAY + DAY, "2y1d"),
        (8 * 365 * DAY - 1, "7y364d"),
        (8 * 365 * DAY + DAY, "8y"),
    ],
)
def test_two_or_three_figures(seconds: int, text: str) -> None:
    assert ages.human(seconds) == text


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (None, "<unknown>"),
        ("", "<unknown>"),
        ("2026-11-18T11:59:30Z", "30s"),
        ("2026-11-18T11:59:30.500000Z", "29s"),
        ("2026-11-18T12:00:01Z", "0s"),
        ("2026-11-18T12:00:01.900000Z", "0s"),
        ("2026-11-18T12:00:02Z", "<invalid>"),
    ],
)
def test_since(time: str | None, text: str) -> None:
    assert ages.since(time, NOW) == text


def test_between() -> None:
    assert ages.between("2026-11-18T11:00:00Z", "2026-11-18T11:00:07Z") == "7s"
