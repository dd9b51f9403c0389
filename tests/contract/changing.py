"""Small words for changing keys and for reading watches, shared by the tests of stores."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from apiserver.storage.interface import Change, Revised, Store, Stored, Watch
from steersman.api.names import Revision

SECONDS = 60


def to(value: bytes) -> Change:
    return lambda _current: value


def append(suffix: bytes) -> Change:
    return lambda current: current.value + suffix


def keys_of(items: Sequence[Stored]) -> list[str]:
    return [item.key for item in items]


@asynccontextmanager
async def watching(store: Store, prefix: str, after: Revision) -> AsyncIterator[Watch]:
    watch = store.watch(prefix, after)
    try:
        yield watch
    finally:
        await watch.aclose()


async def read_to(watch: Watch, revision: Revision) -> list[Revised]:
    """What the watch gives until it has reached `revision`, without bare progress; revisions must grow all along."""
    seen: list[Revised] = []
    reached = -1
    while reached < revision:
        async with asyncio.timeout(SECONDS):
            await watch.request_progress()
            revised = await anext(watch)
        assert revised.revision >= reached if not revised.changes else revised.revision > reached
        reached = revised.revision
        if revised.changes:
            seen.append(revised)
    return seen
