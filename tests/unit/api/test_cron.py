"""Timetables: what is one, what is said about what is none, and when they fall due."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.api import cron

BERLIN = ZoneInfo("Europe/Berlin")
ATOI = "failed to parse int from {0}: strconv.Atoi: parsing {1}: {2}"

WRONG = [
    ("", "empty spec string"),
    ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
    ("  0 0 * * * *  ", "expected exactly 5 fields, found 6: [0 0 * * * *]"),
    ("soon", "expected exactly 5 fields, found 1: [soon]"),
    ("60 * * * *", "end of range (60) above maximum (59): 60"),
    ("* 24 * * *", "end of range (24) above maximum (23): 24"),
    ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
    ("* * * 13 *", "end of range (13) above maximum (12): 13"),
    ("* * * * 7", "end of range (7) above maximum (6): 7"),
    ("5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"),
    ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
    ("1/2/3 * * * *", "too many slashes: 1/2/3"),
    ("*/0 * * * *", "step of range should be a positive number: */0"),
    ("x * * * *", ATOI.format("x", '"x"', "invalid syntax")),
    ("*/x * * * *", ATOI.format("x", '"x"', "invalid syntax")),
    ("-5 * * * *", ATOI.format("", '""', "invalid syntax")),
    ("9" * 30 + " * * * *", ATOI.format("9" * 30, '"' + "9" * 30 + '"', "value out of range")),
    ("*/-1 * * * *", "negative number (-1) not allowed: -1"),
    ("* * * mon *", ATOI.format("mon", '"mon"', "invalid syntax")),
    ("@fortnightly", "unrecognized descriptor: @fortnightly"),
    ("@every", "unrecognized descriptor: @every"),
    ("@every ", 'failed to parse duration @every : time: invalid duration ""'),
    ("@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'),
    ("@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'),
    ("@every 5d", 'failed to parse duration @every 5d: time: unknown unit "d" in duration "5d"'),
    (
        f"@every {2**63}ns",
        f'failed to parse duration @every {2**63}ns: time: invalid duration "{2**63}ns"',
    ),
    ("@every 1.h.", 'failed to parse duration @every 1.h.: time: invalid duration "1.h."'),
]


@pytest.mark.parametrize(("text", "complaint"), WRONG, ids=[repr(text)[:30] for text, _ in WRONG])
def test_what_is_no_timetable(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=".*") as caught:
        cron.parse(text)
    assert str(caught.value) == complaint


NOON = datetime(2026, 11, 18, 12, 0, 30, tzinfo=UTC)  # a Wednesday
DUE = [
    ("*/5 * * * *", "2026-11-18 12:05"),
    ("* * * * *", "2026-11-18 12:01"),
    ("0 * * * *", "2026-11-18 13:00"),
    ("30 8,20 * * *", "2026-11-18 20:30"),
    ("0 0 1 jan *", "2027-01-01 00:00"),
    ("0 0 29 2 *", "2028-02-29 00:00"),
    ("0 9 * * MON-FRI", "2026-11-19 09:00"),
    ("0 9 * * sun", "2026-11-22 09:00"),
    ("0 0 13 * 5", "2026-11-20 00:00"),
    ("0 0 */10 * 5", "2026-11-20 00:00"),
    ("50/4 12 * * *", "2026-11-18 12:50"),
    ("? ? ? ? ?", "2026-11-18 12:01"),
    ("@yearly", "2027-01-01 00:00"),
    ("@annually", "2027-01-01 00:00"),
    ("@monthly", "2026-12-01 00:00"),
    ("@weekly", "2026-11-22 00:00"),
    ("@daily", "2026-11-19 00:00"),
    ("@midnight", "2026-11-19 00:00"),
    ("@hourly", "2026-11-18 13:00"),
]


@pytest.mark.parametrize(("text", "wanted"), DUE, ids=[text for text, _ in DUE])
def test_when_it_is_due(text: str, wanted: str) -> None:
    due = cron.parse(text).next_after(NOON, UTC)
    assert due is not None
    assert due.strftime("%Y-%m-%d %H:%M:%S") == f"{wanted}:00"


def test_a_day_that_never_comes() -> None:
    assert cron.parse("0 0 30 2 *").next_after(NOON, UTC) is None


EVERY = [
    ("@every 90s", 90),
    ("@every 1h30m", 5400),
    ("@every 1.5m", 90),
    ("@every 10ms", 1),
    ("@every -5s", 1),
    ("@every 0", 1),
]


@pytest.mark.parametrize(("text", "seconds"), EVERY, ids=[text for text, _ in EVERY])
def test_every_so_often(text: str, seconds: int) -> None:
    due = cron.parse(text).next_after(NOON, UTC)
    assert due is not None
    assert (due - NOON).total_seconds() == seconds


def runs(text: str, after: datetime, count: int) -> list[str]:
    """The next few times it is due, by the clocks of Berlin."""
    found: list[str] = []
    for _ in range(count):
        due = cron.parse(text).next_after(after, BERLIN)
        assert due is not None
        found.append(due.astimezone(BERLIN).strftime("%d %H:%M %Z"))
        after = due
    return found


def test_it_goes_by_the_clocks_of_the_zone() -> None:
    assert runs("0 9 * * *", NOON, 1) == ["19 09:00 CET"]


def test_the_hour_that_clocks_skip_has_no_minutes() -> None:
    eve = datetime(2026, 3, 28, 12, tzinfo=UTC)
    assert runs("30 2 * * *", eve, 2) == ["30 02:30 CEST", "31 02:30 CEST"]
    assert runs("0 */2 * * *", eve.replace(day=29, hour=0), 2) == ["29 04:00 CEST", "29 06:00 CEST"]


def test_the_hour_that_clocks_show_twice_has_its_minutes_twice() -> None:
    night = datetime(2026, 10, 25, 0, 15, tzinfo=UTC)
    assert runs("30 * * * *", night, 3) == ["25 02:30 CEST", "25 02:30 CET", "25 03:30 CET"]


@settings(max_examples=60, deadline=None)
@given(st.text("0123456789*/-,? @evryhmsTZ=.", max_size=24) | st.text(max_size=12))
def test_whatever_is_written(text: str) -> None:
    try:
        schedule = cron.parse(text)
    except ValueError:
        return
    due = schedule.next_after(NOON, BERLIN)
    assert due is None or due > NOON
