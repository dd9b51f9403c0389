"""Keeps a cache of one kind up to date: lists, then watches, and lists again when the server no longer has our past.

    informer = Informer(api.of(Pod), indexes={"node": lambda pod: (pod.spec.node_name,)})
    informer.on_change(lambda old, new: queue.add(...))
    tasks.create_task(informer.run())
    await informer.synced.wait()

Its revision never falls, whichever API server it talks to: a list is consistent, or not older than the highest
revision seen. The one exception is a store that was itself set back, which only a consistent list can show.

Handlers see every difference between two states of the cache, after the cache has it; changes that a break has hidden
come as one difference, deletions included. They are called in the informer's task and must not wait.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

from steersman.api.errors import ApiError, Expired, Timeout
from steersman.api.meta import Object
from steersman.api.names import Revision
from steersman.base import log
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock, SystemClock
from steersman.client import cache
from steersman.client.cache import Cache, Difference, Index
from steersman.client.client import Resource
from steersman.client.watching import Bookmark, Change, ChangeType, Watch

T = TypeVar("T", bound=Object)

Handler = Callable[[T | None, T | None], None]
"""Called with an object before and after: (None, new) when it appeared, (old, None) when it went."""

BETWEEN_LISTS = Backoff(initial=0.1, maximum=5.0, jitter=0.5)
TOO_LARGE = "ResourceVersionTooLarge"
PROGRESS_GRACE_SECONDS = 0.005
"""Our own writes come back by themselves in less: only then is it worth asking."""
PROGRESS_AGAIN_SECONDS = 0.2

_log = log.get("informer")


class Informer(Generic[T]):
    def __init__(
        self,
        resource: Resource[T],
        *,
        namespace: str = "",
        label_selector: str = "",
        field_selector: str = "",
        indexes: Mapping[str, Index[T]] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.cache: Cache[T] = Cache(indexes)
        self.synced = asyncio.Event()
        self._resource = resource
        self._namespace = namespace
        self._label_selector = label_selector
        self._field_selector = field_selector
        self._clock = clock or SystemClock()
        self._handlers: list[Handler[T]] = []
        self._watch: Watch[T] | None = None
        self._waiters: list[tuple[Revision, int, asyncio.Future[None]]] = []
        self._order = itertools.count()
        self._asked = Revision(0)
        self._asked_at = 0.0

    @property
    def revision(self) -> Revision:
        """Everything up to here is in the cache."""
        return self.cache.revision

    def on_change(self, handler: Handler[T]) -> Callable[[], None]:
        """Call `handler` from now on; for what is in the cache already, at once, as if it had just appeared.

        Whoever goes before the informer does calls what it gets back, and is not told any more.
        """
        for value in self.cache.list():
            handler(None, value)
        self._handlers.append(handler)
        return lambda: self._handlers.remove(handler)

    async def reached(self, revision: Revision) -> None:
        """Return once everything up to `revision` is in the cache. Expired if the store was set back meanwhile."""
        if self.synced.is_set() and self.revision >= revision:
            return
        arrival: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiters, (revision, next(self._order), arrival))
        try:
            wait = PROGRESS_GRACE_SECONDS
            while not (await asyncio.wait((arrival,), timeout=wait))[0]:
                await self._ask(revision)
                wait = PROGRESS_AGAIN_SECONDS
        finally:
            if not arrival.done():
                arrival.cancel()
        arrival.result()

    async def _ask(self, revision: Revision) -> None:
        """One question serves all who wait for that much or less."""
        now = self._clock.monotonic()
        if self._watch is None or (revision <= self._asked and now < self._asked_at + PROGRESS_AGAIN_SECONDS):
            return
        self._asked, self._asked_at = revision, now
        await self._watch.progress(revision)

    async def run(self) -> None:
        """List and watch until cancelled."""
        failures = 0
        while True:
            try:
                await self._list()
                failures = 0
                await self._follow()
            except Expired as error:
                _log.info("listing again", resource=self._resource.kind.resource, reason=error.message)
            except ApiError as error:
                _log.warning(
                    "cannot list or watch",
                    resource=self._resource.kind.resource,
                    error=error.reason,
                    reason=error.message,
                    failures=failures + 1,
                )
            await self._clock.sleep(BETWEEN_LISTS.delay(failures))
            failures += 1

    async def _list(self) -> None:
        highest = self.revision
        try:
            values, revision = await self._collect(not_older_than=highest)
        except Timeout as error:
            if not _is_too_large(error):
                raise
            # Either that server is behind, and then a consistent list is a Timeout too, or the store was set back.
            values, revision = await self._collect(not_older_than=Revision(0))
        if revision < highest:
            _log.warning("the store was set back", resource=self._resource.kind.resource, was=highest, now=revision)
            self._give_up_waiting()
        differences = self.cache.replace(values)
        self.cache.revision = revision
        self.synced.set()
        self._tell(differences)
        self._advance()

    async def _collect(self, *, not_older_than: Revision) -> tuple[list[T], Revision]:
        """The whole list at one revision; 0: the newest."""
        values: list[T] = []
        revision = Revision(0)
        async for page in self._resource.pages(
            self._namespace,
            label_selector=self._label_selector,
            field_selector=self._field_selector,
            resource_version=str(not_older_than) if not_older_than else "",
            resource_version_match="NotOlderThan" if not_older_than else "",
        ):
            values.extend(page.items)
            revision = page.revision
        return values, revision

    async def _follow(self) -> None:
        """Raises what ended the watch."""
        watch = self._resource.watch(
            after=self.revision,
            namespace=self._namespace,
            label_selector=self._label_selector,
            field_selector=self._field_selector,
        )
        async with watch:
            self._watch = watch
            self._asked = Revision(0)
            try:
                async for event in watch:
                    self._take(event)
            finally:
                self._watch = None

    def _take(self, event: Change[T] | Bookmark) -> None:
        difference: Difference[T] | None = None
        if isinstance(event, Change):
            difference = (
                self.cache.drop(cache.key_of(event.object))
                if event.type is ChangeType.DELETED
                else self.cache.put(event.object)
            )
        self.cache.revision = max(self.cache.revision, event.revision)
        if difference is not None:
            self._tell((difference,))
        self._advance()

    def _tell(self, differences: Iterable[Difference[T]]) -> None:
        for old, new in differences:
            for handler in tuple(self._handlers):
                handler(old, new)

    def _advance(self) -> None:
        while self._waiters and self._waiters[0][0] <= self.revision:
            arrival = heapq.heappop(self._waiters)[2]
            if not arrival.done():
                arrival.set_result(None)

    def _give_up_waiting(self) -> None:
        waiters, self._waiters = self._waiters, []
        for _, _, arrival in waiters:
            if not arrival.done():
                arrival.set_exception(Expired("the store was set back: the revision waited for is not of this store"))


def _is_too_large(error: ApiError) -> bool:
    return error.details is not None and any(cause.reason == TOO_LARGE for cause in error.details.causes)
