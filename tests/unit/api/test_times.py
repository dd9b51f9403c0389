from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from steersman.api import times


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("2026-11-18T06:59:47Z", "2026-11-18T06:59:47Z"),
        ("2026-11-18T06:59:47.999Z", "2026-11-18T06:59:47Z"),
        ("2026-11-18T06:59:47+02:00", "2026-11-18T04:59:47Z"),
        ("2026-01-01T00:30:00.5+01:00", "2025-12-31T23:30:00Z"),
        ("0009-01-01T00:00:00+00:00", "0009-01-01T00:00:00Z"),
    ],
)
def test_times_become_utc_and_whole_seconds(written: str, normal: str) -> None:
    assert times.time(written) == normal


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'),
        ("now", 'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"'),
        (
            "2026-11-18 06:59:47Z",
            'parsing time "2026-11-18 06:59:47Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 06:59:47Z" as "T"',
        ),
        (
            "2026-11-18T06:59:47",
            'parsing time "2026-11-18T06:59:47" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
        ),
        ("2026-11-18T06:59:47Zulu", 'parsing time "2026-11-18T06:59:47Zulu": extra text: "ulu"'),
        ("2026-13-18T06:59:47Z", 'parsing time "2026-13-18T06:59:47Z": month out of range'),
        ("2026-02-30T06:59:47Z", 'parsing time "2026-02-30T06:59:47Z": day out of range'),
        ("2026-02-20T24:59:47Z", 'parsing time "2026-02-20T24:59:47Z": hour out of range'),
    ],
)
def test_what_is_no_time(written: str, why: str) -> None:
    with pytest.raises(ValueError, match="parsing time") as caught:
        times.time(written)
    assert str(caught.value) == why


def test_micro_times_want_six_digits() -> None:
    assert times.micro_time("2026-11-18T06:59:47.000001+01:00") == "2026-11-18T05:59:47.000001Z"
    with pytest.raises(ValueError, match='cannot parse "Z" as ".000000"'):
        times.micro_time("2026-11-18T06:59:47Z")


def test_moments_and_texts() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=timezone(timedelta(hours=1)))
    assert times.from_datetime(moment) == "2026-01-02T02:04:05Z"
    assert times.micro_from_datetime(moment) == "2026-01-02T02:04:05.678901Z"
    assert times.to_datetime("2026-01-02T02:04:05Z") == datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC)
