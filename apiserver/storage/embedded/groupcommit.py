"""Group commit: many writers, one writer thread, one COMMIT per group.

    waiting ──judged on the event loop──▶ in flight ──COMMIT in the writer thread──▶ landed, back on the event loop

While one group is in flight the next one gathers. A group is judged when the one before it has landed, so it is judged
on what is durable plus its own earlier members, never on something that may yet fail. When it has landed, in one
hand-over to the loop: the present moves on, watchers get their events, and only then callers their answers.

A group whose COMMIT fails leaves no trace but its revision numbers, which are not used again: should a crash bring
such a group back from the log after all, it cannot be mistaken for another.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial

from apiserver.storage.embedded.history import Row
from apiserver.storage.embedded.judge import MAX_KEYS, Judged, Outcome, check, judge_group
from apiserver.storage.embedded.present import Present
from apiserver.storage.interface import Revised
from apiserver.storage.swap import Refused, Transaction
from steersman.api.errors import ApiError, Internal, Timeout, TooManyRequests, Unavailable
from steersman.base import log

_log = log.get(__name__)

WAITING_REQUESTS = 4096
WAITING_BYTES = 64 * 1024 * 1024
GROUP_ROWS = 512
GROUP_BYTES = 8 * 1024 * 1024
STALL_SECONDS = 10.0

_NOTHING_WRITTEN = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_TOOBIG,
}


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    transaction: Transaction
    answer: asyncio.Future[Outcome]
    rows: int
    size_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class _Flight:
    group: Sequence[_Request]
    judged: Judged
    deadline: asyncio.TimerHandle


class GroupCommit:
    def __init__(
        self,
        present: Present,
        writer: Executor,
        append: Callable[[Sequence[Row]], None],
        landed: Callable[[Sequence[Revised]], None],
    ) -> None:
        self._present = present
        self._writer = writer
        self._append = append
        self._on_landed = landed
        self._loop = asyncio.get_running_loop()
        self._taken = present.revision
        self._waiting: deque[_Request] = deque()
        self._waiting_bytes = 0
        self._flight: _Flight | None = None
        self._gathering = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._closed = self._stalled = False

    async def commit(self, transaction: Transaction) -> Outcome:
        check(transaction)
        self._refuse_when_unable()
        answer: asyncio.Future[Outcome] = self._loop.create_future()
        request = _Request(transaction, answer, len(transaction.also) + 1, _size_of(transaction))
        self._waiting.append(request)
        self._waiting_bytes += request.size_bytes
        self._idle.clear()
        if self._flight is None and not self._gathering:
            # Not at once: everybody who runs in this turn of the loop may join the group.
            self._gathering = True
            self._loop.call_soon(self._take_off)
        return await answer

    async def drain(self) -> None:
        """Take no more, and wait until everything taken has landed."""
        self._closed = True
        try:
            async with asyncio.timeout(STALL_SECONDS):
                await self._idle.wait()
        except TimeoutError:
            _log.error("writes are still in flight at close", requests=len(self._waiting))

    def _refuse_when_unable(self) -> None:
        if self._closed:
            raise Unavailable("the store is closed")
        if self._stalled:
            raise Unavailable(f"the disk has not answered for {STALL_SECONDS:.0f} s")
        if len(self._waiting) >= WAITING_REQUESTS or self._waiting_bytes >= WAITING_BYTES:
            raise TooManyRequests(f"{len(self._waiting)} writes are waiting for the disk")

    def _take_off(self) -> None:
        self._gathering = False
        group = self._next_group()
        judged = judge_group(
            (request.transaction for request in group),
            self._present.find,
            now=self._present.revision,
            taken=self._taken,
        )
        if not judged.revised:
            _answer(group, judged.outcomes)
            self._continue()
            return
        self._taken = judged.revised[-1].revision
        deadline = self._loop.call_later(STALL_SECONDS, self._stall)
        self._flight = _Flight(group, judged, deadline)
        written = self._writer.submit(self._append, _rows_of(judged.revised))
        written.add_done_callback(partial(self._hand_over, self._flight))

    def _next_group(self) -> Sequence[_Request]:
        group: list[_Request] = []
        rows = size_bytes = 0
        while self._waiting and rows + MAX_KEYS <= GROUP_ROWS and size_bytes < GROUP_BYTES:
            request = self._waiting.popleft()
            self._waiting_bytes -= request.size_bytes
            rows += request.rows
            size_bytes += request.size_bytes
            group.append(request)
        return group

    def _hand_over(self, flight: _Flight, written: Future[None]) -> None:
        """In the writer thread: the one hand-over of the group."""
        self._loop.call_soon_threadsafe(self._land, flight, written.exception())

    def _land(self, flight: _Flight, error: BaseException | None) -> None:
        flight.deadline.cancel()
        self._flight, self._stalled = None, False
        if error is None:
            judged = flight.judged
            self._present.apply(judged.standing, judged.revised[-1].revision)
            self._on_landed(judged.revised)
            _answer(flight.group, judged.outcomes)
        else:
            _log.error("commit failed", error=str(error), requests=len(flight.group))
            _refuse(flight.group, partial(_explain, error))
        self._continue()

    def _continue(self) -> None:
        if self._waiting:
            self._gathering = True
            self._loop.call_soon(self._take_off)
        else:
            self._idle.set()

    def _stall(self) -> None:
        """The disk hangs. Who is in flight may yet land; who still waits must not wait for ever."""
        if self._flight is None:
            return
        self._stalled = True
        _log.error("the disk does not answer", requests=len(self._flight.group), waiting=len(self._waiting))
        _refuse(self._flight.group, lambda: Timeout(f"no answer from the disk in {STALL_SECONDS:.0f} s"))
        _refuse(self._waiting, lambda: Unavailable("the disk does not answer; nothing was written"))
        self._waiting.clear()
        self._waiting_bytes = 0


def _rows_of(revised: Sequence[Revised]) -> list[Row]:
    return [(one.revision, change.key, change.value) for one in revised for change in one.changes]


def _size_of(transaction: Transaction) -> int:
    return len(transaction.value or b"") + sum(len(put.value or b"") for put in transaction.also)


def _answer(group: Sequence[_Request], outcomes: Sequence[Outcome]) -> None:
    """Losers first: they try again before the winners come with something new, so that nobody loses for ever."""
    answers = sorted(zip(group, outcomes, strict=True), key=lambda pair: not isinstance(pair[1], Refused))
    for request, outcome in answers:
        if not request.answer.done():  # else its caller was cancelled, or was told Timeout
            request.answer.set_result(outcome)


def _refuse(group: Sequence[_Request] | deque[_Request], reason: Callable[[], ApiError]) -> None:
    for request in group:
        if not request.answer.done():
            request.answer.set_exception(reason())


def _explain(error: BaseException) -> ApiError:
    """What a failed COMMIT means for its callers: known to have done nothing, or unknown."""
    if not isinstance(error, sqlite3.Error):
        return Internal(f"writing failed: {error!r}")
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code & 0xFF in _NOTHING_WRITTEN:
        return Unavailable(f"nothing was written: {error}")
    return Timeout(f"the write may or may not be on disk: {error}")
