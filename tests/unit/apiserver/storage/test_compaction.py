from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from apiserver.storage import compaction
from apiserver.storage.compaction import MARKER
from steersman.api.errors import Timeout, Unavailable
from tests.fakes.store import FakeStore


class Rounds:
    """A sleep that lets `count` rounds happen, with something to do after each, and then stops the loop."""

    def __init__(self, count: int, *, after_each: Callable[[int], Awaitable[object]]) -> None:
        self._count = count
        self._after_each = after_each
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        await self._after_each(len(self.slept))
        if len(self.slept) == self._count:
            raise asyncio.CancelledError


async def test_history_of_the_last_interval_is_kept() -> None:
    store = FakeStore()
    newest = [await store.revision()]

    async def write(round_: int) -> None:
        await store.create(f"/registry/{round_}", b"1")
        newest.append(await store.revision())
        if round_ > 2:
            assert newest[round_ - 2] <= await store.oldest() <= newest[round_ - 1]

    rounds = Rounds(5, after_each=write)
    with pytest.raises(asyncio.CancelledError):
        await compaction.compact_periodically(store, interval_seconds=7.0, sleep=rounds)
    assert rounds.slept == [7.0] * 5


async def test_one_of_two_compacts_and_the_other_takes_its_place() -> None:
    store = FakeStore()
    first = await compaction.compact_once(store, None)
    other = await compaction.compact_once(store, None)
    assert first == other
    swapped = await compaction.compact_once(store, first)
    assert await store.oldest() == first.revision
    beaten = await compaction.compact_once(store, other)
    assert (beaten, await store.oldest()) == (swapped, first.revision)
    await compaction.compact_once(store, beaten)
    assert await store.oldest() == swapped.revision


@pytest.mark.parametrize("error", [Unavailable("down"), Timeout("no answer")], ids=["down", "unknown"])
async def test_a_failed_round_is_made_up_for(error: Unavailable | Timeout) -> None:
    store = FakeStore()

    async def break_the_second(round_: int) -> None:
        if round_ == 1:
            (store.refuse_next if isinstance(error, Unavailable) else store.lose_next_answer)(error)

    with pytest.raises(asyncio.CancelledError):
        await compaction.compact_periodically(store, sleep=Rounds(5, after_each=break_the_second))
    assert await store.oldest() > 1
    assert int((await store.get(MARKER)).value) == await store.oldest()
