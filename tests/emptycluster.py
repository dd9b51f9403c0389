"""The data of a server that has been started once, and stopped: most of a first start is to make what it contains.

Nobody is announced in it as a server of the cluster.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from apiserver import bootstrap
from apiserver.config import Settings, admission_of
from apiserver.registry import catalog
from apiserver.registry.registry import Registry
from apiserver.server import STORE_FILES
from apiserver.storage import embedded
from apiserver.watchcache.cache import WatchCache
from steersman.api import selectors
from steersman.base.clock import SystemClock

REST_PORT = 6443
"""Of the service `kubernetes`."""


async def fill(data_dir: Path) -> None:
    settings, clock = Settings(data_dir=data_dir), SystemClock()
    served = catalog.strategies(settings.cluster_ips, settings.node_ports)
    async with embedded.open_store(data_dir / STORE_FILES) as store, asyncio.TaskGroup() as tasks:
        cache = WatchCache(store, clock, selectors.SELECTABLE_FIELDS)
        running = tasks.create_task(cache.run())
        await cache.ready()
        registry = Registry(store, cache, served, clock, admission=admission_of(settings))
        await bootstrap.fill(registry, settings.cluster_ips, REST_PORT)
        running.cancel()
