"""Keeps the node's own object in the API as it should be: made when missing, its status current, nobody else's touched.

Looks again every few seconds, and at once when somebody changes the object; what has not changed is written only every
five minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from msgspec import structs

from nodeagent import nodestatus
from nodeagent.nodestatus import Facts
from nodeagent.runtime.interface import ContainerRuntime
from steersman.api.core import Node
from steersman.api.errors import AlreadyExists, ApiError, Conflict, NotFound
from steersman.base import log
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock
from steersman.client.cache import ObjectKey
from steersman.client.client import Resource
from steersman.client.informer import Informer

CHECK_SECONDS = 10.0
BETWEEN_TRIES = Backoff(initial=0.2, maximum=10.0, jitter=0.5)

_log = log.get("registration")


class Registration:
    """`pressures` says what the machine is short of now, by the names of the conditions."""

    def __init__(
        self,
        nodes: Resource[Node],
        facts: Facts,
        runtime: ContainerRuntime,
        clock: Clock,
        pressures: Callable[[], frozenset[str]],
    ) -> None:
        self._pressures = pressures
        self._nodes = nodes
        self._facts = facts
        self._runtime = runtime
        self._clock = clock
        self._changed = asyncio.Event()
        self._trouble = ""
        self._told = asyncio.Event()

    def announce(self, trouble: str) -> None:
        """The node is not ready from now on, and why."""
        self._trouble = trouble
        self._changed.set()

    async def announced(self) -> None:
        """Until the API knows what was announced."""
        await self._told.wait()

    async def register(self) -> Node:
        """The node, registered: as long as it takes. One that exists is taken over, with what others wrote on it."""
        failures = 0
        while True:
            try:
                return await self._ensure()
            except ApiError as error:
                _log.warning("cannot register", node=self._facts.name, error=error.reason, reason=error.message)
            await self._clock.sleep(BETWEEN_TRIES.delay(failures))
            failures += 1

    async def run(self, informer: Informer[Node]) -> None:
        """Until cancelled."""
        informer.on_change(lambda _old, _new: self._changed.set())
        await informer.synced.wait()
        while True:
            self._changed.clear()
            await self._refresh(lambda: informer.cache.get(ObjectKey("", self._facts.name)))
            try:
                async with asyncio.timeout(CHECK_SECONDS):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def _refresh(self, known: Callable[[], Node | None]) -> None:
        try:
            node = known()
            if node is None:
                await self._ensure()
            else:
                facts = await self._facts_now()
                await self._write(node, facts)
                if self._trouble and facts.trouble == self._trouble:
                    self._told.set()
        except Conflict:
            return  # somebody else has just written: the informer will bring that, and wake us
        except ApiError as error:
            _log.info("cannot update the node", node=self._facts.name, error=error.reason, reason=error.message)

    async def _ensure(self) -> Node:
        facts = await self._facts_now()
        try:
            node = await self._nodes.get(facts.name)
        except NotFound:
            try:
                return (await self._nodes.create(nodestatus.new(facts, self._clock.now()))).object
            except AlreadyExists:
                node = await self._nodes.get(facts.name)
        return await self._write(node, facts)

    async def _write(self, node: Node, facts: Facts) -> Node:
        labelled = nodestatus.with_labels(node, facts)
        if labelled is not node:
            node = (await self._nodes.update(labelled)).object
        now = self._clock.now()
        status = nodestatus.status(facts, node.status, now)
        if not nodestatus.is_worth_writing(status, node.status, now):
            return node
        return (await self._nodes.update_status(structs.replace(node, status=status))).object

    async def _facts_now(self) -> Facts:
        """With the engine's state; while it is away, no pod can be run and its images are not known."""
        facts = replace(self._facts, trouble=self._trouble, pressures=self._pressures())
        try:
            await self._runtime.ping()
            return replace(facts, images=await self._runtime.list_images())
        except ApiError as error:
            return replace(facts, trouble=f"container runtime is down: {error.message}")
