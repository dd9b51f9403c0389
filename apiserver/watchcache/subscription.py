"""One watcher's mailbox: bounded, filled synchronously by the cache, emptied in batches by a front.

A watcher that does not keep up is cut off with Expired: it must list again. Nothing is ever dropped silently.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from apiserver.watchcache.items import Change, Event, EventType, Matches
from steersman.api.errors import ApiError, Expired
from steersman.api.names import Revision

MAX_PENDING_EVENTS = 10_000
MAX_PENDING_BYTES = 64 * 1024 * 1024


class Bucket(NamedTuple):
    """Where a watcher is found when something changes: the narrowest of its conditions."""

    by: str = "all"
    value: str = ""


class Finished(Exception):
    """The watch was ended for no fault of its own; everything before has been taken."""


class Subscription:
    wants_bookmarks = False

    def __init__(
        self,
        bucket: Bucket,
        matches: Matches | None,
        backlog: list[Event],
        *,
        on_close: Callable[[Subscription], None],
    ) -> None:
        self.bucket = bucket
        self._matches = matches
        self._pending = backlog
        self._pending_bytes = 0
        self._room = len(self._pending) + MAX_PENDING_EVENTS
        self._waiter: asyncio.Future[None] | None = None
        self.on_news: Callable[[], None] | None = None
        """Called, besides whoever waits in `take`, when there is something to take, and when the watch is ended."""
        self._ended: ApiError | Finished | None = None
        self._idle = True
        self._on_close = on_close

    def offer(self, change: Change) -> None:
        """Called by the cache, in revision order."""
        kind = change.seen_by(self._matches)
        if kind is None or self._ended is not None:
            return
        self._idle = False
        self._pending.append(Event(kind, change.revision, change))
        self._pending_bytes += change.size
        if len(self._pending) > self._room or self._pending_bytes > MAX_PENDING_BYTES:
            self.end(Expired("the watcher was too slow and has been cut off: list again"))
            return
        self._wake()

    def bookmark(self, revision: Revision) -> None:
        """Say, behind what is pending, that everything up to `revision` has been given.

        A bookmark that nobody has taken yet is replaced: they may be asked for by the thousand and never be read.
        """
        if self._ended is not None:
            return
        if self._pending and self._pending[-1].type is EventType.BOOKMARK and not self._pending[-1].ends_initial_events:
            self._pending.pop()
        self._pending.append(Event(EventType.BOOKMARK, revision))
        self._wake()

    def bookmark_if_idle(self, revision: Revision) -> None:
        """Called at regular intervals: a watcher that got nothing since the last time learns how far it is."""
        if self._idle and self.wants_bookmarks:
            self.bookmark(revision)
        self._idle = True

    def finish(self) -> None:
        """Let the watcher take what is pending, then end with Finished."""
        if self._ended is None:
            self._ended = Finished()
            self._wake()

    def end(self, error: ApiError) -> None:
        """Cut the watcher off: what is pending is thrown away, `take` raises."""
        if not isinstance(self._ended, ApiError):
            self._ended = error
            self._pending.clear()
            self._wake()

    async def take(self) -> list[Event]:
        """All pending events, at least one. Raises what ended the watch."""
        while not self._pending:
            if self._ended is not None:
                raise self._ended
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self.take_more()

    @property
    def pending(self) -> Sequence[Event]:
        """What `take_more` would give."""
        return self._pending

    @property
    def has_news(self) -> bool:
        """Whether `take` would not wait."""
        return bool(self._pending) or self.is_over

    @property
    def is_over(self) -> bool:
        """Nothing comes behind what is pending."""
        return self._ended is not None

    def take_more(self) -> list[Event]:
        """What is pending right now, perhaps nothing."""
        events, self._pending = self._pending, []
        self._pending_bytes = 0
        self._room = MAX_PENDING_EVENTS
        return events

    def close(self) -> None:
        self._on_close(self)

    def _wake(self) -> None:
        if self.on_news is not None:
            self.on_news()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
