"""A watch that goes on: over lost connections, draining servers and time-outs, at whatever endpoint answers.

It gives every change after a revision once and in order, or raises Expired, and then the caller must list again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Generic, TypeVar

from steersman.api.errors import Timeout, TooManyRequests, Unavailable
from steersman.api.names import Revision
from steersman.base import log
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock
from steersman.client.requests import Form
from steersman.client.retrying import Failed, Fate
from steersman.client.watchstream import Interrupted, Mailbox, WatchStream, WatchStreams
from steersman.pb.resources_pb2 import WatchEvent, WatchStart

BETWEEN_TRIES = Backoff(initial=0.02, maximum=2.0, jitter=0.5)
SILENCE_SECONDS = 45.0
"""A server says something every 10 s, if only how far it is: one that is silent for so long has forgotten us."""

T = TypeVar("T")

_log = log.get("watch")


class ChangeType(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """`object` as the change has left it; for DELETED as it was, with the revision of its deletion."""

    type: ChangeType
    object: T
    revision: Revision


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Everything up to `revision` has been given."""

    revision: Revision


class Position:
    """How far a watch has come, and from where it can go on without losing or repeating anything.

    Several objects may change in one revision. After a break in its midst the watch resumes before that revision, and
    what it has given of it already is known by name.
    """

    def __init__(self, after: Revision) -> None:
        self.revision = after
        self._given: set[tuple[str, str]] | None = None

    @property
    def resume_after(self) -> Revision:
        return self.revision if self._given is None else Revision(self.revision - 1)

    def is_new(self, revision: Revision, key: tuple[str, str]) -> bool:
        """Whether this change is to be given; it counts as given from now on."""
        if revision > self.revision:
            self.revision, self._given = revision, {key}
            return True
        if revision < self.revision or self._given is None or key in self._given:
            return False
        self._given.add(key)
        return True

    def mark(self, revision: Revision) -> bool:
        """Everything up to `revision` was given. False if that was known."""
        if revision < self.revision or (revision == self.revision and self._given is None):
            return False
        self.revision, self._given = revision, None
        return True


class Watch(Generic[T]):
    """`async with resource.watch(after=…) as watch: async for event in watch: …`

    `start` says what is watched; where to begin is filled in here. Leaving the block ends the watch at the server.
    """

    def __init__(self, streams: WatchStreams, start: WatchStart, form: Form[T], after: Revision, clock: Clock) -> None:
        self._streams = streams
        self._start = start
        self._form = form
        self._clock = clock
        self._position = Position(after)
        self._open: tuple[WatchStream, Mailbox] | None = None
        self._pending: deque[WatchEvent] = deque()
        self._failures = 0
        self._wanted = Revision(0)

    async def __aenter__(self) -> Watch[T]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        if self._open is not None:
            (stream, mailbox), self._open = self._open, None
            await stream.stop(mailbox)

    def __aiter__(self) -> Watch[T]:
        return self

    async def __anext__(self) -> Change[T] | Bookmark:
        while True:
            while self._pending:
                event = self._interpret(self._pending.popleft())
                if event is not None:
                    return event
            await self._refill()

    async def progress(self, revision: Revision) -> None:
        """Ask for a Bookmark as soon as everything up to `revision` has been given: it comes by iteration.

        A question that is lost with its connection is asked again when the watch resumes; one may also be ignored by a
        busy server, so whoever must know asks again after a while.
        """
        self._wanted = max(self._wanted, revision)
        if self._open is not None and self._position.resume_after < revision:
            stream, mailbox = self._open
            await stream.ask_progress(mailbox, revision)

    def _interpret(self, event: WatchEvent) -> Change[T] | Bookmark | None:
        revision, json = Revision(event.object.revision), event.object.json
        if event.type == WatchEvent.BOOKMARK:
            return Bookmark(revision) if self._position.mark(revision) else None
        identity = self._form.named(json)
        if not self._position.is_new(revision, (identity.namespace, identity.name)):
            return None
        return Change(_TYPES[event.type], self._form.load(json), revision)

    async def _refill(self) -> None:
        try:
            _, mailbox = self._open or await self._resume()
            async with asyncio.timeout(SILENCE_SECONDS):
                self._pending.extend(await mailbox.take())
            self._failures = 0
        except Interrupted as interrupted:
            await self._pause(str(interrupted))
        except TimeoutError:
            await self.aclose()
            await self._pause("the server is silent")
        except Failed as failed:
            if failed.fate is Fate.REFUSED:
                raise failed.error from failed
            await self._pause(failed.error.message)
        except (Unavailable, Timeout, TooManyRequests) as error:
            await self._pause(error.message)

    async def _resume(self) -> tuple[WatchStream, Mailbox]:
        start = WatchStart()
        start.CopyFrom(self._start)
        start.resource_version = str(self._position.resume_after)
        self._open = await self._streams.subscribe(start)
        if self._wanted > self._position.resume_after:
            await self.progress(self._wanted)
        return self._open

    async def _pause(self, why: str) -> None:
        self._open = None
        delay = BETWEEN_TRIES.delay(self._failures)
        self._failures += 1
        _log.debug("watch resumes", resource=self._start.target.resource, after=self._position.resume_after, reason=why)
        await self._clock.sleep(delay)


_TYPES: dict[int, ChangeType] = {
    WatchEvent.ADDED: ChangeType.ADDED,
    WatchEvent.MODIFIED: ChangeType.MODIFIED,
    WatchEvent.DELETED: ChangeType.DELETED,
}
