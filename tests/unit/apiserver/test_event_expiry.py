"""When an Event is over."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from apiserver import event_expiry

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
HOUR = 3600.0
OLD, RECENT, FUTURE = "2026-05-04T10:59:59Z", "2026-05-04T11:00:01Z", "2030-01-01T00:00:00Z"


def event(created: str, **fields: Any) -> bytes:
    return msgspec.json.encode({"metadata": {"name": "e", "creationTimestamp": created}, "reason": "R", **fields})


@pytest.mark.parametrize(
    ("value", "over"),
    [
        pytest.param(event(RECENT), False, id="just created"),
        pytest.param(event(OLD), True, id="created long ago"),
        pytest.param(event(OLD, lastTimestamp=RECENT), False, id="said again"),
        pytest.param(event(OLD, lastTimestamp=OLD), True, id="not said again"),
        pytest.param(event(OLD, eventTime="2026-05-04T11:00:01.000000Z"), False, id="new form"),
        pytest.param(event(OLD, series={"lastObservedTime": "2026-05-04T11:30:00.5Z"}), False, id="goes on"),
        pytest.param(event(OLD, lastTimestamp=FUTURE), True, id="a time to come does not count"),
        pytest.param(event(OLD, lastTimestamp=None, eventTime=None, series=None), True, id="nothing but its creation"),
    ],
)
def test_an_event_is_over_an_hour_after_it_was_last_said(value: bytes, over: bool) -> None:
    assert event_expiry.is_over(value, NOW, HOUR) is over
