"""A watch: history first, then live, with nothing between them lost.

    catching up: reads (given, live_after] from the log     live: given >= live_after, takes from its buffer, or waits

A watch collects live revisions from the moment it starts to read the past up to that moment. A reader so slow that the
buffer outgrows its bound loses the buffer, not revisions: it goes back to the log, and only when the log no longer
reaches back far enough does it end with Expired.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Protocol

from apiserver.storage.embedded.history import Slice
from apiserver.storage.interface import Revised
from steersman.api.errors import ApiError, Expired
from steersman.api.names import Revision

BUFFER_BYTES = 16 * 1024 * 1024
EVENT_OVERHEAD_BYTES = 256


class Source(Protocol):
    """What a watch needs of its store."""

    @property
    def newest(self) -> Revision: ...

    @property
    def compacted(self) -> Revision: ...

    async def read_history(self, prefix: str, after: Revision, upto: Revision) -> Slice: ...

    def forget(self, watch: EmbeddedWatch) -> None: ...


class EmbeddedWatch:
    def __init__(self, source: Source, prefix: str, after: Revision) -> None:
        self._source = source
        self._prefix = prefix
        self._given = after
        self._past: deque[Revised] = deque()
        self._buffer: deque[Revised] = deque()
        self._buffer_bytes = 0
        self._live_after: Revision | None = after if after == source.newest else None
        self._progress_wanted = False
        self._waiter: asyncio.Future[None] | None = None
        self._end: Exception | None = None
        if after > source.newest:
            self._end = Expired(f"revision {after} is above the store's own, {source.newest}", revision=source.newest)

    def __aiter__(self) -> EmbeddedWatch:
        return self

    async def __anext__(self) -> Revised:
        while self._end is None:
            if self._past:
                return self._give(self._past.popleft())
            if self._live_after is None or self._live_after > self._given:
                await self._catch_up()
            elif self._buffer:
                revised = self._buffer.popleft()
                self._buffer_bytes -= _weight(revised)
                return self._give(revised)
            elif self._progress_wanted or self._source.newest > self._given:
                self._progress_wanted = False
                return self._give(Revised(self._source.newest))
            else:
                await self._news()
        raise self._end

    async def request_progress(self) -> None:
        self._progress_wanted = True
        self._wake()
        await asyncio.sleep(0)  # who asks and reads in a circle must not keep the writers from running

    async def aclose(self) -> None:
        self.end(StopAsyncIteration())

    def end(self, error: ApiError | StopAsyncIteration) -> None:
        if self._end is None:
            self._end = error
        self._drop_buffer()
        self._past.clear()
        self._source.forget(self)
        self._wake()

    def offer(self, revisions: Iterable[Revised]) -> None:
        """The revisions of one group, in order. Called after the source's `newest` has moved past them."""
        for revised in revisions:
            if self._live_after is None:
                break
            self._collect(revised)
        self._wake()

    def _collect(self, revised: Revised) -> None:
        ours = _under(self._prefix, revised)
        if ours is None:
            return
        self._buffer.append(ours)
        self._buffer_bytes += _weight(ours)
        if self._buffer_bytes > BUFFER_BYTES:
            self._drop_buffer()

    def _drop_buffer(self) -> None:
        self._live_after = None
        self._buffer.clear()
        self._buffer_bytes = 0

    async def _catch_up(self) -> None:
        if self._live_after is None:
            self._live_after = self._source.newest
        upto = self._live_after
        self._end_if_compacted()
        if self._end is None:
            past = await self._source.read_history(self._prefix, self._given, upto)
            self._end_if_compacted()  # what was being read may have been dropped meanwhile
            if self._end is None:
                self._past.extend(past.revised)
                if not past.revised or past.revised[-1].revision < past.reached:
                    self._past.append(Revised(past.reached))

    def _end_if_compacted(self) -> None:
        oldest = self._source.compacted
        if self._given < oldest:
            self.end(Expired(f"revision {self._given} is compacted; the oldest kept is {oldest}", revision=oldest))

    def _give(self, revised: Revised) -> Revised:
        self._given = revised.revision
        return revised

    async def _news(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _under(prefix: str, revised: Revised) -> Revised | None:
    """The part of a revision that lies under `prefix`; all of it: the same object, shared by watches."""
    changes = tuple(change for change in revised.changes if change.key.startswith(prefix))
    if len(changes) == len(revised.changes):
        return revised
    return Revised(revised.revision, changes) if changes else None


def _weight(revised: Revised) -> int:
    return sum(EVENT_OVERHEAD_BYTES + len(change.value or b"") for change in revised.changes)
