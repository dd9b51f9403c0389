"""Get, list and watch: answered from the watch cache, never decoding what nobody asked to have decoded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from apiserver.registry import continuation, freshness, selection, versions
from apiserver.registry.continuation import Continuation
from apiserver.registry.freshness import Freshness, Wanted
from apiserver.registry.requests import EVERYTHING, Found, FoundList, Listed, Selection, Target, WatchOptions
from apiserver.storage.interface import Page, Store
from apiserver.watchcache.cache import WatchCache
from apiserver.watchcache.items import Event, EventType, Item, Matches
from apiserver.watchcache.subscription import Subscription
from steersman.api import errors
from steersman.api.errors import Expired, Timeout
from steersman.api.kinds import Kind
from steersman.api.names import Revision

CHUNK = 100
MATCHED_IN_ONE_GO = 1000
"""Objects converted, or only looked at, between two chances for other requests: a list of thousands must not hold up a
write."""

LARGE = 500
LARGE_LISTS_AT_ONCE = 1
"""Lists of more than so many objects that are put together at the same time; the others wait their turn."""


class Reader:
    def __init__(self, store: Store, cache: WatchCache) -> None:
        self._store = store
        self._cache = cache
        self._large_lists = asyncio.Semaphore(LARGE_LISTS_AT_ONCE)

    async def get(self, target: Target, resource_version: str = "") -> Found:
        await self._arrive(freshness.of_get(resource_version))
        item = self._cache.collection(target.collection).get(target.key)
        if item is None:
            raise errors.not_found(target.kind.subject, target.name, self._cache.revision)
        return Found(versions.shown(target.kind, item.json), item.revision)

    async def list(self, target: Target, wanted: Selection = EVERYTHING) -> FoundList:
        if len(self._cache.collection(target.collection)) <= LARGE:
            return await self._list(target, wanted)
        async with self._large_lists:
            return await self._list(target, wanted)

    async def _list(self, target: Target, wanted: Selection) -> FoundList:
        matches = selection.matcher(target, wanted)
        if wanted.continue_token:
            return await self._continued(target, wanted, matches)
        fresh = freshness.of_list(wanted)
        await self._arrive(fresh)
        if fresh.freshness is Freshness.EXACT:
            return await self._past(target, wanted, matches, fresh.revision, after_key="")
        return await self._present(target, wanted, matches, after_key="")

    async def watch(self, target: Target, options: WatchOptions) -> Subscription:
        """A subscription that the caller must close."""
        matches = selection.matcher(target, options.selection)
        bucket = selection.bucket(target, options.selection)
        wanted = freshness.of_watch(options)
        if wanted.freshness is Freshness.NOT_OLDER and not options.initial_events:
            await self._cache.reached(wanted.revision)
            subscription = self._cache.collection(target.collection).subscribe(bucket, matches, wanted.revision)
        else:
            await self._arrive(wanted)
            collection, now = self._cache.collection(target.collection), self._cache.revision
            if options.initial_events is False:
                subscription = collection.subscribe(bucket, matches, now)
            else:
                ends = options.initial_events and options.bookmarks
                mark = (Event(EventType.BOOKMARK, now, ends_initial_events=True),) if ends else ()
                subscription = collection.subscribe_with_state(bucket, matches, target.prefix, mark)
        subscription.wants_bookmarks = options.bookmarks
        return subscription

    async def progress(self, subscription: Subscription, revision: Revision) -> None:
        """Put a bookmark into the watch as soon as everything up to `revision` is in it."""
        await self._cache.reached(revision)
        subscription.bookmark(self._cache.revision)

    async def _arrive(self, wanted: Wanted) -> None:
        """Wait until the cache is as fresh as wanted."""
        match wanted.freshness:
            case Freshness.NEWEST:
                await self._cache.fresh()
            case Freshness.ANY:
                self._cache.check_ready()
            case _:
                try:
                    await self._cache.arrive(wanted.revision)
                except Timeout as error:
                    raise freshness.too_large(wanted.revision, self._cache.revision) from error

    async def _present(self, target: Target, wanted: Selection, matches: Matches | None, after_key: str) -> FoundList:
        collection, revision = self._cache.collection(target.collection), self._cache.revision
        items = list(collection.scan(target.prefix, after_key))
        return await _page(items, target, wanted, matches, revision)

    async def _past(
        self, target: Target, wanted: Selection, matches: Matches | None, revision: Revision, after_key: str
    ) -> FoundList:
        """The collection at an older revision: from the cache's window if that goes back so far, or from the store."""
        try:
            past = self._cache.collection(target.collection).at(revision)
        except Expired:
            page = Page(after_key=after_key, revision=revision)
            stored = await self._store.list(target.prefix, page)
            items = [self._cache.item(one.key, one.value, one.revision) for one in stored.items]
        else:
            items = list(past.scan(target.prefix, after_key))
        return await _page(items, target, wanted, matches, revision)

    async def _continued(self, target: Target, wanted: Selection, matches: Matches | None) -> FoundList:
        freshness.of_list(wanted)
        going_on = continuation.decode(wanted.continue_token)
        after_key = target.prefix + going_on.after
        if not going_on.revision:
            await self._cache.fresh()
            return await self._present(target, wanted, matches, after_key)
        await self._arrive(Wanted(Freshness.NOT_OLDER, going_on.revision))
        try:
            return await self._past(target, wanted, matches, going_on.revision, after_key)
        except Expired as error:
            raise continuation.expired(going_on) from error


async def _page(
    candidates: Sequence[Item], target: Target, wanted: Selection, matches: Matches | None, revision: Revision
) -> FoundList:
    """The first `limit` of the matching items, with a token for the rest."""
    limit = wanted.limit or len(candidates)
    chosen = candidates if matches is None else await _matching(candidates, matches, limit + 1)
    shown = chosen[:limit]
    items: tuple[Listed, ...] = await _converted(shown, target.kind) if target.kind.stored_as else tuple(shown)
    if len(shown) == len(chosen):
        return FoundList(items, revision)
    token = continuation.encode(Continuation(revision, shown[-1].key[len(target.prefix) :]))
    remaining = len(candidates) - limit if matches is None else None
    return FoundList(items, revision, token, remaining)


async def _converted(items: Sequence[Item], kind: Kind) -> tuple[Found, ...]:
    found: list[Found] = []
    for start in range(0, len(items), CHUNK):
        if start:
            await asyncio.sleep(0)
        part = items[start : start + CHUNK]
        found += [Found(versions.shown(kind, item.json), item.revision) for item in part]
    return tuple(found)


async def _matching(candidates: Sequence[Item], matches: Matches, enough: int) -> Sequence[Item]:
    """The first so many that match, or all."""
    chosen: list[Item] = []
    for start in range(0, len(candidates), MATCHED_IN_ONE_GO):
        if start:
            await asyncio.sleep(0)
        chosen += [item for item in candidates[start : start + MATCHED_IN_ONE_GO] if matches(item)]
        if len(chosen) >= enough:
            break
    return chosen[:enough]


def whole(wanted: Selection) -> Selection:
    """The same selection, all in one page and as fresh as can be: what a deletion of many must look at."""
    return replace(wanted, limit=0, continue_token="", resource_version="", resource_version_match="")
