"""How a reader of the cache knows that it is not too old: the store's newest revision, and waiting to reach it."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable

from steersman.api.errors import ApiError, Timeout
from steersman.api.names import Revision

FIRST_NUDGE_SECONDS = 0.005
NEXT_NUDGE_SECONDS = 0.05


class SharedQuestion:
    """One question to the store, asked for many at once.

    Whoever asks gets an answer to a call that began *after* they asked: joining one in flight could miss a write that
    was acknowledged in between. So at most one call runs and all newcomers share the next. `run` belongs to the owner's
    task group, so no asker's cancellation touches the call.
    """

    def __init__(self, ask: Callable[[], Awaitable[Revision]], *, within_seconds: float) -> None:
        self._ask = ask
        self._within_seconds = within_seconds
        self._next: asyncio.Future[Revision] | None = None
        self._wanted = asyncio.Event()

    async def answer(self) -> Revision:
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
            self._wanted.set()
        return await asyncio.shield(self._next)

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            asked, self._next = self._next, None
            assert asked is not None
            try:
                async with asyncio.timeout(self._within_seconds):
                    asked.set_result(await self._ask())
            except (ApiError, TimeoutError) as error:
                late = Timeout("the store did not say its revision in time")
                asked.set_exception(late if isinstance(error, TimeoutError) else error)
                asked.exception()  # askers may all have gone; that is no one's mistake


class Arrival:
    """Those who wait for the cache to reach a revision."""

    def __init__(self, nudge: Callable[[], Awaitable[None]]) -> None:
        self.revision = Revision(0)
        self._nudge = nudge
        self._waiting: list[tuple[Revision, int, asyncio.Future[None]]] = []
        self._order = 0
        self._someone = asyncio.Event()

    def reach(self, revision: Revision) -> None:
        self.revision = revision
        while self._waiting and self._waiting[0][0] <= revision:
            _, _, waiter = heapq.heappop(self._waiting)
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self, revision: Revision, within_seconds: float) -> None:
        """Timeout when the cache is not there in time."""
        if self.revision >= revision:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._order += 1
        heapq.heappush(self._waiting, (revision, self._order, waiter))
        self._someone.set()
        try:
            async with asyncio.timeout(within_seconds):
                await waiter
        except TimeoutError:
            raise Timeout(f"the watch cache is at {self.revision} and did not reach {revision} in time") from None

    async def run(self) -> None:
        """The newest revision may lie outside our prefix, where no event will come: ask the store for progress."""
        while True:
            await self._someone.wait()
            await asyncio.sleep(FIRST_NUDGE_SECONDS)
            while self._awaited():
                await self._nudge()
                await asyncio.sleep(NEXT_NUDGE_SECONDS)
            self._someone.clear()
            if self._waiting:
                self._someone.set()

    def _awaited(self) -> bool:
        while self._waiting and self._waiting[0][2].done():
            heapq.heappop(self._waiting)
        return bool(self._waiting)
