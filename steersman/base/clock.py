"""Time as a value that is handed in, so that tests can hold it still.

Whoever decides by time takes a `now` argument; whoever waits takes a `Clock`. Nothing else reads the machine's clock.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The time of day, aware, in UTC. May jump: compare it with stored times, never measure with it."""

    def monotonic(self) -> float:
        """Seconds that only grow, from an arbitrary start: for durations and deadlines."""

    async def sleep(self, seconds: float) -> None:
        """Return once `monotonic` has grown by `seconds`. Zero or less still lets other tasks run."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 -- the one place that is allowed to ask

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
