"""The embedded store: reads from memory, writes through group commit, history on disk."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from apiserver.storage.embedded import datadir
from apiserver.storage.embedded.compaction import Compaction
from apiserver.storage.embedded.groupcommit import GroupCommit
from apiserver.storage.embedded.history import History, Loaded, Slice
from apiserver.storage.embedded.present import Present, key_range
from apiserver.storage.embedded.retention import Mark, Retention
from apiserver.storage.embedded.watch import EmbeddedWatch
from apiserver.storage.interface import NO_REVISION, WHOLE, Changed, Listing, Page, Revised, Stored
from apiserver.storage.swap import Refused, SwappingStore, Transaction
from steersman.api.errors import Expired, NotFound, Timeout, Unavailable
from steersman.api.names import Revision

T = TypeVar("T")

FILE = "store.sqlite"
KEEP = Retention()
READ_SECONDS = 10.0
SWITCH_SECONDS = 0.0001
"""How long a thread that wants the GIL waits for a busy event loop; a commit wants it a handful of times."""


@asynccontextmanager
async def open_store(
    data_dir: Path, *, keep: Retention = KEEP, quota_bytes: int | None = None
) -> AsyncIterator[EmbeddedStore]:
    """The store in `data_dir`, for this process alone: DataDirInUse when somebody has it, UnusableStore when the file
    cannot be read. At `quota_bytes` of data, writes fail with Unavailable until compaction has made room."""
    with datadir.exclusive(data_dir), _gil_handed_over_soon():
        history = await asyncio.to_thread(History, data_dir / FILE, quota_bytes=quota_bytes)
        try:
            store = EmbeddedStore(history, await asyncio.to_thread(history.load), keep)
            try:
                yield store
            finally:
                await store.close()
        finally:
            history.close()


class EmbeddedStore(SwappingStore):
    def __init__(self, history: History, loaded: Loaded, keep: Retention) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._history = history
        self._present = Present(loaded.items, loaded.newest)
        self._watches: set[EmbeddedWatch] = set()
        self._writer = ThreadPoolExecutor(1, "store-writer")
        self._reader = ThreadPoolExecutor(1, "store-reader")
        self._commits = GroupCommit(self._present, self._writer, history.append, self._landed)
        opened = Mark(self._loop.time(), loaded.newest)
        self._compaction = Compaction(history, self._writer, keep, loaded.compacted, opened)
        self._closed = False

    @property
    def newest(self) -> Revision:
        return self._present.revision

    @property
    def compacted(self) -> Revision:
        return self._compaction.compacted

    async def get(self, key: str) -> Stored:
        stored = self._present.find(key)
        if stored is None:
            raise NotFound(f"key {key} not found", revision=self.newest)
        return stored

    async def list(self, prefix: str, page: Page = WHOLE) -> Listing:
        if page.revision in (NO_REVISION, self.newest):
            return self._present.page(prefix, page)
        self._refuse_unkept(page.revision)
        listing = await self._read(partial(self._list_as_of, prefix, page))
        self._refuse_unkept(page.revision)  # compaction may have passed it while we read
        return listing

    async def commit(self, transaction: Transaction) -> Revision | Refused:
        return await self._commits.commit(transaction)

    def watch(self, prefix: str, after: Revision) -> EmbeddedWatch:
        watch = EmbeddedWatch(self, prefix, after)
        self._watches.add(watch)
        return watch

    async def revision(self) -> Revision:
        return self.newest

    async def oldest(self) -> Revision:
        return self.compacted

    async def compact(self, upto: Revision) -> None:
        self._refuse_above_own(upto)
        await self._compaction.upto(upto)

    async def read_history(self, prefix: str, after: Revision, upto: Revision) -> Slice:
        first, last = key_range(prefix, "")
        past = await self._read(partial(self._history.slice_after, first, last, after, upto))
        return Slice(tuple(self._sharing_values(revised) for revised in past.revised), past.reached)

    def forget(self, watch: EmbeddedWatch) -> None:
        self._watches.discard(watch)

    async def close(self) -> None:
        await self._commits.drain()
        self._closed = True
        for watch in tuple(self._watches):
            watch.end(Unavailable("the store is closed"))
        for thread in (self._writer, self._reader):
            await asyncio.to_thread(thread.shutdown)

    def _landed(self, revisions: Sequence[Revised]) -> None:
        for watch in tuple(self._watches):
            watch.offer(revisions)
        self._compaction.written(revisions, self._loop.time())

    def _refuse_unkept(self, revision: Revision) -> None:
        self._refuse_above_own(revision)
        if revision < self.compacted:
            message = f"revision {revision} is compacted; the oldest kept is {self.compacted}"
            raise Expired(message, revision=self.newest)

    def _refuse_above_own(self, revision: Revision) -> None:
        if revision > self.newest:
            raise Expired(f"revision {revision} is above the store's own, {self.newest}", revision=self.newest)

    async def _read(self, read: Callable[[], T]) -> T:
        if self._closed:
            raise Unavailable("the store is closed")
        try:
            async with asyncio.timeout(READ_SECONDS):
                return await self._loop.run_in_executor(self._reader, read)
        except TimeoutError as error:
            raise Timeout(f"history was not read in {READ_SECONDS:.0f} s") from error
        except sqlite3.Error as error:
            raise Unavailable(f"history cannot be read: {error}") from error

    def _list_as_of(self, prefix: str, page: Page) -> Listing:
        """In the reader thread."""
        first, last = key_range(prefix, page.after_key)
        items = self._history.list_as_of(first, last, page.revision, limit=page.limit)
        if not page.limit or len(items) < page.limit:
            return Listing(items, page.revision)
        beyond, _ = key_range(prefix, items[-1].key)
        return Listing(items, page.revision, self._history.count_as_of(beyond, last, page.revision))

    def _sharing_values(self, revised: Revised) -> Revised:
        """The same revision, with the bytes that memory already holds instead of a second copy read from disk."""
        return Revised(
            revised.revision, tuple(self._sharing_value(change, revised.revision) for change in revised.changes)
        )

    def _sharing_value(self, change: Changed, revision: Revision) -> Changed:
        present = self._present.find(change.key)
        return Changed(change.key, present.value) if present and present.revision == revision else change


@contextmanager
def _gil_handed_over_soon() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, SWITCH_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(before)
