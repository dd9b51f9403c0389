"""API servers without processes or sockets: registries that share a fake store and know nothing of each other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

from apiserver.registry.catalog import STRATEGIES
from apiserver.registry.registry import Registry
from apiserver.watchcache.cache import WatchCache
from steersman.api import selectors
from steersman.base.clock import Clock
from tests.fakes.store import FakeStore


@asynccontextmanager
async def registry_over(store: FakeStore, clock: Clock) -> AsyncIterator[Registry]:
    """A registry whose cache has seen what was there."""
    cache = WatchCache(store, clock, selectors.SELECTABLE_FIELDS)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(cache.run())
        await cache.ready()
        yield Registry(store, cache, STRATEGIES, clock, Random(1))
        running.cancel()
