from __future__ import annotations

import asyncio
from functools import partial

import pytest

from steersman.api.errors import Deposed, Forbidden
from steersman.control import batches


@pytest.mark.parametrize(
    ("count", "largest", "expected"),
    [
        pytest.param(0, 8, [], id="nothing"),
        pytest.param(1, 8, [1], id="one"),
        pytest.param(6, 8, [1, 2, 3], id="the last is what remains"),
        pytest.param(30, 8, [1, 2, 4, 8, 8, 7], id="never above the largest"),
    ],
)
def test_sizes(count: int, largest: int, expected: list[int]) -> None:
    assert list(batches.sizes(count, largest)) == expected


class Doing:
    """Actions that are counted; some fail."""

    def __init__(self, **failing: Exception) -> None:
        self.failing = {int(name.removeprefix("at")): error for name, error in failing.items()}
        self.begun: list[int] = []
        self.ended: list[int] = []

    async def act(self, index: int) -> int:
        self.begun.append(index)
        if index in self.failing:
            raise self.failing[index]
        await asyncio.sleep(0)
        self.ended.append(index)
        return index


async def run(doing: Doing, count: int) -> list[int]:
    return await batches.slow_start([partial(doing.act, index) for index in range(count)])


async def test_all_are_done_and_answered_in_order() -> None:
    assert await run(Doing(), 20) == list(range(20))


async def test_a_refused_first_child_costs_one_call() -> None:
    doing = Doing(at0=Forbidden("quota"))
    with pytest.raises(Forbidden):
        await run(doing, 1000)
    assert doing.begun == [0]


async def test_the_rest_of_the_failing_batch_still_ends() -> None:
    doing = Doing(at3=Forbidden("quota"))
    with pytest.raises(Forbidden):
        await run(doing, 100)
    assert doing.begun == list(range(7))
    assert doing.ended == [0, 1, 2, 4, 5, 6]


async def test_deposed_is_told_before_any_other_failure() -> None:
    with pytest.raises(Deposed):
        await run(Doing(at1=Forbidden("quota"), at2=Deposed("over")), 10)
