"""FakeStore: the Store protocol in memory, for tests of the layers above it.

Keeps the whole log for ever, so everything can be read back from it; `compact` only moves the line behind which it
answers Expired. Faults are injected by name:

    store.refuse_next(Unavailable("down"))       the next write fails and does nothing
    store.lose_next_answer(Timeout("no answer")) the next write lands, and its caller is told this
    store.end_watches(Expired("cut"))            every open watch ends
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from apiserver.storage.embedded import judge
from apiserver.storage.interface import NO_REVISION, WHOLE, Listing, Page, Revised, Stored
from apiserver.storage.swap import Refused, SwappingStore, Transaction
from steersman.api.errors import ApiError, Expired, NotFound
from steersman.api.names import Revision


@dataclass(frozen=True, slots=True)
class _Refuse:
    error: ApiError


@dataclass(frozen=True, slots=True)
class _LoseAnswer:
    error: ApiError


class FakeStore(SwappingStore):
    def __init__(self) -> None:
        super().__init__()
        self._log: list[Revised] = []  # the revision of entry i is i + 1
        self._present: dict[str, Stored] = {}
        self._compacted = NO_REVISION
        self._faults: deque[_Refuse | _LoseAnswer] = deque()
        self._watches: set[FakeWatch] = set()
        self.commits = 0

    def copy(self) -> FakeStore:
        """Another store with the same past."""
        copy = FakeStore()
        copy._log, copy._present, copy._compacted = list(self._log), dict(self._present), self._compacted
        return copy

    def refuse_next(self, error: ApiError) -> None:
        self._faults.append(_Refuse(error))

    def lose_next_answer(self, error: ApiError) -> None:
        self._faults.append(_LoseAnswer(error))

    def end_watches(self, error: ApiError) -> None:
        for watch in tuple(self._watches):
            watch.end(error)

    @property
    def newest(self) -> Revision:
        return Revision(len(self._log))

    async def get(self, key: str) -> Stored:
        if key not in self._present:
            raise NotFound(f"key {key} not found", revision=self.newest)
        return self._present[key]

    async def list(self, prefix: str, page: Page = WHOLE) -> Listing:
        at = page.revision or self.newest
        self.check_kept(at)
        items = [
            stored for key, stored in sorted(self._as_of(at).items()) if key.startswith(prefix) and key > page.after_key
        ]
        given = items[: page.limit] if page.limit else items
        return Listing(tuple(given), at, remaining=len(items) - len(given))

    async def commit(self, transaction: Transaction) -> Revision | Refused:
        judge.check(transaction)
        self.commits += 1
        fault = self._faults.popleft() if self._faults else None
        if isinstance(fault, _Refuse):
            raise fault.error
        judged = judge.judge_group([transaction], self._present.get, now=self.newest, taken=self.newest)
        self._log.extend(judged.revised)
        _apply(self._present, judged.revised)
        for watch in self._watches:
            watch.wake()
        await asyncio.sleep(0)  # others run between a write and its answer, as with a real store
        if isinstance(fault, _LoseAnswer):
            raise fault.error
        return judged.outcomes[0]

    def watch(self, prefix: str, after: Revision) -> FakeWatch:
        watch = FakeWatch(self, prefix, after)
        self._watches.add(watch)
        return watch

    async def revision(self) -> Revision:
        return self.newest

    async def oldest(self) -> Revision:
        return self._compacted

    async def compact(self, upto: Revision) -> None:
        self.check_kept(self.newest if upto < self._compacted else upto)
        self._compacted = max(self._compacted, upto)

    def log_after(self, revision: Revision) -> Sequence[Revised]:
        return self._log[revision:]

    def forget(self, watch: FakeWatch) -> None:
        self._watches.discard(watch)

    def check_kept(self, revision: Revision) -> None:
        if not self._compacted <= revision <= self.newest:
            message = f"revision {revision} is not among those kept, {self._compacted} to {self.newest}"
            raise Expired(message, revision=self.newest)

    def _as_of(self, revision: Revision) -> dict[str, Stored]:
        if revision == self.newest:
            return self._present
        past: dict[str, Stored] = {}
        _apply(past, self._log[:revision])
        return past


class FakeWatch:
    """Reads the store's log from where it stands; needs no buffer of its own."""

    def __init__(self, store: FakeStore, prefix: str, after: Revision) -> None:
        self._store = store
        self._prefix = prefix
        self._given = after
        self._news = asyncio.Event()
        self._progress_wanted = False
        self._end: Exception | None = None

    def __aiter__(self) -> FakeWatch:
        return self

    async def __anext__(self) -> Revised:
        while self._end is None:
            self._store.check_kept(self._given)
            self._news.clear()
            if (revised := self._next()) is not None:
                self._given = revised.revision
                return revised
            await self._news.wait()
        raise self._end

    async def request_progress(self) -> None:
        self._progress_wanted = True
        self.wake()
        await asyncio.sleep(0)

    async def aclose(self) -> None:
        self.end(StopAsyncIteration())

    def end(self, error: Exception) -> None:
        self._end = self._end or error
        self._store.forget(self)
        self.wake()

    def wake(self) -> None:
        self._news.set()

    def _next(self) -> Revised | None:
        for revised in self._store.log_after(self._given):
            ours = tuple(change for change in revised.changes if change.key.startswith(self._prefix))
            if ours:
                return Revised(revised.revision, ours)
        if self._progress_wanted or self._given < self._store.newest:
            self._progress_wanted = False
            return Revised(self._store.newest)
        return None


def _apply(state: dict[str, Stored], log: Sequence[Revised]) -> None:
    for revised in log:
        for change in revised.changes:
            if change.value is None:
                state.pop(change.key, None)
            else:
                state[change.key] = Stored(change.key, change.value, revised.revision)
