"""When a process asks glibc to give memory back."""

from __future__ import annotations

import asyncio

import pytest

from steersman.base import memory
from tests.fakes.clock import FakeClock

MB = 1024 * 1024


@pytest.mark.parametrize(
    ("looks", "trims"),
    [
        pytest.param([100, 110, 132, 100], 0, id="a little growth is left alone"),
        pytest.param([100, 133, 105], 1, id="much growth is given back"),
        pytest.param([100, 140, 138, 139, 150, 138], 1, id="what remains is in use, and not asked for again"),
        pytest.param([100, 140, 138, 171, 140], 2, id="growth upon growth"),
        pytest.param([100, 60, 95, 61], 1, id="measured from where it was smallest"),
    ],
)
async def test_memory_is_given_back_when_the_process_has_grown(looks: list[int], trims: int) -> None:
    """`looks` are all sizes that are looked at: the first, one each time, and one after each trim."""
    clock, sizes, trimmed = FakeClock(), iter(looks), 0

    def trim() -> None:
        nonlocal trimmed
        trimmed += 1

    async with asyncio.TaskGroup() as tasks:
        keeping = tasks.create_task(memory.keep_small(clock, lambda: next(sizes) * MB, trim))
        await asyncio.sleep(0)
        for _ in range(len(looks) - 1 - trims):
            await clock.advance(memory.LOOK_SECONDS)
        keeping.cancel()
    assert trimmed == trims
    assert next(sizes, None) is None


def test_this_process_has_a_size() -> None:
    assert memory.resident_bytes() > MB
