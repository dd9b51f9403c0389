"""Compaction of the store's history, by one API server at a time, to the revision of one interval ago.

All API servers run the same loop over one marker key. Who finds the marker as it was an interval ago swaps it, and
whoever wins the swap compacts to the *old* marker's revision: nothing written within the last interval is ever
forgotten. The others see a new marker and wait another interval, so a dead compactor is replaced without an election.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from apiserver.storage import keys
from apiserver.storage.interface import Expect, Store, Stored
from steersman.api.errors import AlreadyExists, ApiError, Conflict, NotFound

log = structlog.get_logger(__name__)

MARKER = keys.PRIVATE + "compaction"
INTERVAL_SECONDS = 300.0


async def compact_periodically(
    store: Store,
    *,
    interval_seconds: float = INTERVAL_SECONDS,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Run for ever. A round that fails is logged, and made up for by the next."""
    seen: Stored | None = None
    while True:
        try:
            seen = await compact_once(store, seen)
        except ApiError as error:
            log.warning("compaction is put off", reason=error.reason, error=error.message)
        await sleep(interval_seconds)


async def compact_once(store: Store, seen: Stored | None) -> Stored:
    """One round. `seen` is the marker as the last round (an interval ago) returned it; returns the marker of now."""
    marker = await _marker(store)
    if seen is None or marker.revision != seen.revision:
        return marker
    try:
        # The old revision as the new value: it differs each time, and tells a curious reader what was compacted.
        swapped = await store.update(MARKER, lambda _: b"%d" % seen.revision, Expect(seen.revision), hint=marker)
    except Conflict:
        return await _marker(store)
    await store.compact(seen.revision)
    log.info("store compacted", revision=seen.revision)
    return swapped


async def _marker(store: Store) -> Stored:
    try:
        return await store.get(MARKER)
    except NotFound:
        pass
    try:
        return await store.create(MARKER, b"0")
    except AlreadyExists:
        return await store.get(MARKER)
