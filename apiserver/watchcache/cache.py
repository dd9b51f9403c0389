"""The watch cache: every object under /registry/ in memory, kept current by one store watch.

Because one watch feeds all resources, they share one revision: a list of pods at revision N and a list of nodes at
revision N are one picture. A revision is applied whole, in one synchronous step.

* `fresh()` makes a read linearizable: it returns once the cache holds everything acknowledged before the call.
* After a restart the cache begins with the history that the store still has, so that clients resume their watches.
* When the store cannot be followed for a while, what is loaded stays, and following goes on where it broke off.
* When the store can no longer say what happened (compacted past us, or restored from an older copy), everything is
  loaded anew and every watcher is ended with Expired.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from apiserver.storage import keys
from apiserver.storage.interface import NO_REVISION, Listing, Page, Revised, Store, Watch
from apiserver.watchcache.collection import Collection
from apiserver.watchcache.freshness import Arrival, SharedQuestion
from apiserver.watchcache.items import Item
from steersman.api.errors import ApiError, Expired, Unavailable
from steersman.api.names import Revision
from steersman.base import log
from steersman.base.clock import Clock

CATCH_UP_SECONDS = 3.0
KEEP_SECONDS = 75.0
MAX_WINDOW_BYTES = 64 * 1024 * 1024
HISTORY_REVISIONS = 10_000
RETRY_SECONDS = 0.5
TRIM_SECONDS = 5.0
TRIM_SHARE = 16
"""The windows are also trimmed whenever they have grown by one part in so many of what they may hold."""
BOOKMARK_SECONDS = 10.0

SHRINK_FIRST = ("leases.coordination.k8s.io", "events", "events.events.k8s.io")
"""Resources that are rewritten all the time and whose old changes nobody misses."""

_NOTHING = Listing((), NO_REVISION)

_log = log.get("watchcache")


class WatchCache:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        selectable_fields: Mapping[str, Sequence[str]] | None = None,
        *,
        max_window_bytes: int = MAX_WINDOW_BYTES,
    ) -> None:
        self._store = store
        self._clock = clock
        self._selectable_fields = selectable_fields or {}
        self._max_window_bytes = max_window_bytes
        self._collections: dict[str, Collection] = {}
        self._start = Revision(0)
        self._watch: Watch | None = None
        self._newest = SharedQuestion(store.revision, within_seconds=CATCH_UP_SECONDS)
        self._arrival = Arrival(self._nudge)
        self._ready = asyncio.Event()
        self._is_loaded = False
        self._loaded_at = Revision(0)
        self._untrimmed_bytes = 0
        self.lag_seconds = 0.0

    @property
    def revision(self) -> Revision:
        """The revision whose state the cache holds."""
        return self._arrival.revision

    @property
    def is_ready(self) -> bool:
        return self._ready.is_set()

    async def ready(self) -> None:
        await self._ready.wait()

    # -- reading

    async def fresh(self) -> Revision:
        """Wait until the cache holds every write acknowledged before this call. Timeout after three seconds."""
        self.check_ready()
        held = self.revision
        newest = await self._newest.answer()
        if newest < held:
            raise Unavailable("the store has gone back to an older state, which is being loaded")
        if newest > self.revision:
            behind_since = self._clock.monotonic()
            await self._arrival.wait(newest, CATCH_UP_SECONDS)
            self.lag_seconds = self._clock.monotonic() - behind_since
        self.check_ready()  # history may have been lost while we waited
        return self.revision

    async def reached(self, revision: Revision) -> None:
        """Wait until the cache holds `revision`. Expired when the store itself is below it: it was reset."""
        self.check_ready()
        if revision > self.revision and revision > await self.fresh():
            raise Expired(f"revision {revision} is above the store's newest, {self.revision}")

    async def arrive(self, revision: Revision) -> None:
        """Wait until the cache holds `revision`. Timeout after three seconds."""
        self.check_ready()
        await self._arrival.wait(revision, CATCH_UP_SECONDS)
        self.check_ready()

    def item(self, key: str, value: bytes, revision: Revision) -> Item:
        """An object as the cache would hold it, from elsewhere: an older state read from the store."""
        return self.collection(keys.resource_of(key)).item(key, value, revision)

    def collection(self, resource: str) -> Collection:
        """The objects of one resource; empty for one that was never stored."""
        found = self._collections.get(resource)
        if found is None:
            fields = self._selectable_fields.get(resource, ())
            found = self._collections[resource] = Collection(resource, self._start, fields)
        return found

    def collections(self) -> Iterator[Collection]:
        return iter(self._collections.values())

    # -- following the store

    async def run(self) -> None:
        """Load and follow until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._newest.run())
            tasks.create_task(self._arrival.run())
            tasks.create_task(self._trim_regularly())
            tasks.create_task(self._bookmark_regularly())
            while True:
                try:
                    if not self._is_loaded:
                        await self._load()
                    await self._follow()
                except Expired as error:
                    _log.warning("store history lost, loading anew", reason=error.message)
                    self._reset(Expired("the store's history was lost: list again"))
                except ApiError as error:
                    _log.warning("store unreachable, going on soon", reason=error.message)
                    await self._clock.sleep(RETRY_SECONDS)

    async def _load(self) -> None:
        """Take the state at the oldest revision worth having; following from there fills the window."""
        newest = await self._store.revision()
        oldest = max(await self._store.oldest(), Revision(newest - HISTORY_REVISIONS))
        # At revision 0 there was nothing.
        listing = await self._store.list(keys.REGISTRY, Page(revision=oldest)) if oldest else _NOTHING
        # All anew: a collection that somebody asked for while we were loading says that its window starts elsewhere.
        self._start, self._collections = oldest, {}
        for stored in listing.items:
            self.collection(keys.resource_of(stored.key)).load(stored.key, stored.value, stored.revision)
        self._arrival.reach(oldest)
        self._loaded_at = newest
        self._is_loaded = True

    async def _follow(self) -> None:
        self._watch = self._store.watch(keys.REGISTRY, self.revision)
        try:
            if self._loaded_at > self.revision:
                await self._nudge()
            else:
                self._ready.set()
            async for revised in self._watch:
                self._apply(revised)
                if not self._ready.is_set() and self.revision >= self._loaded_at:
                    self._ready.set()
        finally:
            watch, self._watch = self._watch, None
            await watch.aclose()

    def _apply(self, revised: Revised) -> None:
        at = self._clock.monotonic()
        for changed in revised.changes:
            collection = self.collection(keys.resource_of(changed.key))
            before = collection.window_bytes
            collection.apply(changed.key, changed.value, revised.revision, at)
            self._untrimmed_bytes += collection.window_bytes - before
        self._arrival.reach(max(self.revision, revised.revision))
        if self._untrimmed_bytes > self._max_window_bytes // TRIM_SHARE:
            self.trim()

    def _reset(self, error: ApiError) -> None:
        self._ready.clear()
        self._is_loaded = False
        for collection in self._collections.values():
            collection.end_watches(error)
        self._collections = {}
        self._arrival.reach(Revision(0))

    async def _nudge(self) -> None:
        if self._watch is not None:
            await self._watch.request_progress()

    def check_ready(self) -> None:
        """Unavailable while the cache is loading."""
        if not self._ready.is_set():
            raise Unavailable("the watch cache is still loading")

    # -- watchers

    def finish_watches(self) -> None:
        """The server is about to stop: let every watcher take what is pending and go elsewhere."""
        for collection in self._collections.values():
            collection.finish_watches()

    async def _bookmark_regularly(self) -> None:
        while True:
            await self._clock.sleep(BOOKMARK_SECONDS)
            for collection in self._collections.values():
                collection.bookmark_idle_watches(self.revision)

    # -- bounding the windows

    async def _trim_regularly(self) -> None:
        while True:
            await self._clock.sleep(TRIM_SECONDS)
            self.trim()

    def trim(self) -> None:
        """Forget changes older than 75 s; when the windows are too large even so, the oldest of the least missed."""
        self._untrimmed_bytes = 0
        horizon = self._clock.monotonic() - KEEP_SECONDS
        for collection in self._collections.values():
            while collection.oldest_at is not None and collection.oldest_at < horizon:
                collection.drop_oldest()
        total = sum(collection.window_bytes for collection in self._collections.values())
        for collection in self._by_worth():
            while total > self._max_window_bytes and collection.oldest_at is not None:
                before = collection.window_bytes
                collection.drop_oldest()
                total -= before - collection.window_bytes

    def _by_worth(self) -> list[Collection]:
        """The least missed first: heartbeats and events, then the largest windows."""
        return sorted(
            self._collections.values(),
            key=lambda collection: (collection.resource not in SHRINK_FIRST, -collection.window_bytes),
        )
