from __future__ import annotations

import pytest

from apiserver.storage.embedded.retention import Mark, Marks, Retention
from steersman.api.names import Revision

KEEP = Retention(seconds=300, rows=1000, size_bytes=10_000)


def mark(time: float, revision: int, rows: int = 0, size_bytes: int = 0) -> Mark:
    return Mark(time, Revision(revision), rows, size_bytes)


@pytest.mark.parametrize(
    ("marks", "horizon"),
    [
        pytest.param([mark(299, 40)], 0, id="all young"),
        pytest.param([mark(10, 20), mark(300, 40)], 10, id="what was there when it was opened, five minutes on"),
        pytest.param([mark(10, 20), mark(200, 30), mark(310, 40)], 20, id="five minutes of it are kept"),
        pytest.param([mark(1, 20), mark(1, 30, rows=50), mark(1, 40, rows=1050)], 30, id="too many rows"),
        pytest.param([mark(1, 20), mark(2, 30, size_bytes=900), mark(2, 40, size_bytes=10_900)], 30, id="too big"),
        pytest.param([mark(10, 20), mark(9000, 40)], 20, id="after a long pause"),
    ],
)
def test_horizon(marks: list[Mark], horizon: int) -> None:
    kept = Marks(mark(0, 10), KEEP)
    for each in marks:
        kept.advance(each)
    assert kept.horizon() == horizon


def test_the_horizon_is_told_once() -> None:
    kept = Marks(mark(0, 10), KEEP)
    kept.advance(mark(400, 20))
    assert (kept.horizon(), kept.horizon()) == (10, 0)
