"""A clock that stands still until the test moves it."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from datetime import UTC, datetime, timedelta

START = datetime(2030, 1, 1, tzinfo=UTC)

# A woken task may pass its result through a few more tasks before it sleeps again; each hop is one turn of the loop.
SETTLING_TURNS = 20


class FakeClock:
    """Time moves only by `advance`, which wakes sleepers in the order of their deadlines (ties: first to sleep, first
    to wake), each at exactly its own moment."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        awake = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), awake))
        await awake

    @property
    def sleepers(self) -> int:
        """How many tasks are asleep now (the cancelled ones do not count)."""
        return sum(not awake.done() for _, _, awake in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Move time on. Sleepers that sleep again within the span are woken again within it."""
        target = self._elapsed + seconds
        await _settle()
        while self._sleepers and self._sleepers[0][0] <= target:
            deadline, _, awake = heapq.heappop(self._sleepers)
            if awake.done():
                continue
            self._elapsed = max(self._elapsed, deadline)
            awake.set_result(None)
            await _settle()
        self._elapsed = target


async def _settle() -> None:
    for _ in range(SETTLING_TURNS):
        await asyncio.sleep(0)
