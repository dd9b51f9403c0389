"""The garbage collector at work for a term: its loop, and the kinds that the server comes to serve meanwhile.

The built-in kinds are followed by every replica all the time, so a new leader knows them at once. All others are found
by discovery: whenever a definition of custom resources changes, and every DISCOVERY_SECONDS anyway.
"""

from __future__ import annotations

import asyncio
from functools import partial

from controller_manager import sketches
from controller_manager.controllers.garbagecollector.controller import GarbageCollector
from controller_manager.sketches import Sketch
from steersman.api.errors import ApiError
from steersman.api.kinds import Kind
from steersman.base import log
from steersman.base.clock import Clock
from steersman.client.cache import ObjectKey
from steersman.client.client import Client
from steersman.client.informer import Handler, Informer
from steersman.control.barrier import Barrier
from steersman.control.loop import Loop
from steersman.control.workqueue import WorkQueue

DISCOVERY_SECONDS = 30.0
DEFINITIONS = "customresourcedefinitions"
WORKERS = 20

_log = log.get("garbagecollector")


class Collecting:
    """`follow` the kinds that are known beforehand, then `run`."""

    def __init__(
        self, api: Client, collector: GarbageCollector, queue: WorkQueue[ObjectKey], barrier: Barrier, clock: Clock
    ) -> None:
        self._api = api
        self._collector = collector
        self._queue = queue
        self._barrier = barrier
        self._clock = clock
        self._loop = Loop(collector, queue, barrier, workers=WORKERS, clock=clock)
        self._known: set[Kind] = set()
        self._found: dict[Kind, asyncio.Task[None]] = {}
        self._look = asyncio.Event()

    def follow(self, kind: Kind, informer: Informer[Sketch]) -> Handler[Sketch]:
        """Count on `kind`; what is given back must be told all its changes, once all kinds known now are followed."""
        self._known.add(kind)
        self._collector.follow(kind, informer)
        return partial(self._changed, kind)

    async def run(self) -> None:
        """Until cancelled, or until Deposed."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._discover_regularly(tasks))
            await self._loop.run()

    async def drain(self) -> None:
        await self._loop.drain()

    def _changed(self, kind: Kind, old: Sketch | None, new: Sketch | None) -> None:
        if kind.resource == DEFINITIONS:
            self._look.set()
        for key in self._collector.changed(kind, old, new):
            self._queue.add(key)

    # -- kinds that come and go

    async def _discover_regularly(self, tasks: asyncio.TaskGroup) -> None:
        while True:
            self._look.clear()
            try:
                await self._discover(tasks)
            except ApiError as error:
                _log.warning("cannot discover kinds", error=error.reason, reason=error.message)
            try:
                async with asyncio.timeout(DISCOVERY_SECONDS):
                    await self._look.wait()
            except TimeoutError:
                continue

    async def _discover(self, tasks: asyncio.TaskGroup) -> None:
        served = sketches.followed(map(sketches.of_discovered, await self._api.kinds()))
        known = {kind.qualified_resource for kind in self._known}
        for kind in served:
            if kind.qualified_resource not in known:
                self._begin(kind, tasks)
        names = {kind.qualified_resource for kind in served}
        for kind in [each for each in self._found if each.qualified_resource not in names]:
            self._end(kind)

    def _begin(self, kind: Kind, tasks: asyncio.TaskGroup) -> None:
        _log.info("following a kind", resource=kind.qualified_resource)
        informer: Informer[Sketch] = Informer(self._api.of(kind), clock=self._clock)
        self._found[kind] = tasks.create_task(informer.run())
        handler = self.follow(kind, informer)
        self._barrier.follow(kind, informer)
        informer.on_change(handler)

    def _end(self, kind: Kind) -> None:
        _log.info("no longer following a kind", resource=kind.qualified_resource)
        self._known.discard(kind)
        self._found.pop(kind).cancel()
        self._barrier.leave(kind)
        for key in self._collector.leave(kind):
            self._queue.add(key)
