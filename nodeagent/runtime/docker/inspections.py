"""Containers looked at one by one, remembered while nothing can have changed.

Docker's list has no exit codes and no times, so each container must be asked for. An agent with fifty pods would do
little else; therefore an answer is kept as long as the engine's events are being followed, none has come for that
container, and the list still gives the state that the answer has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from nodeagent.runtime.docker import naming, reading
from nodeagent.runtime.docker.client import EngineClient
from nodeagent.runtime.docker.naming import Identity
from nodeagent.runtime.docker.reading import Json, Seen
from steersman.api.errors import NotFound

AT_ONCE = 16
KEPT_STATES = frozenset({"running", "exited"})  # a "created" one may yet fail to start, which makes no event


@dataclass(frozen=True, slots=True)
class _Kept:
    listed_state: str
    identity: Identity
    seen: Seen


class Inspections:
    def __init__(self, client: EngineClient) -> None:
        self._client = client
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._kept: dict[str, _Kept] = {}
        self._followers = 0
        self._news = 0

    @contextmanager
    def following(self) -> Iterator[None]:
        """While the engine's events are read (and reported by `forget`), answers may be kept."""
        self._kept.clear()
        self._followers += 1
        try:
            yield
        finally:
            self._followers -= 1
            self._kept.clear()

    def forget(self, container_id: str) -> None:
        self._news += 1
        self._kept.pop(container_id, None)

    async def seen(self, listed: Sequence[Json]) -> list[tuple[Identity, Seen]]:
        """What was seen of each listed container that still exists and is ours, in the order of the list."""
        try:
            async with asyncio.TaskGroup() as tasks:
                asked = [tasks.create_task(self._one(item)) for item in listed]
        except ExceptionGroup as group:
            raise group.exceptions[0] from group  # those that fail together fail for the same reason
        return [answer for task in asked if (answer := task.result()) is not None]

    async def _one(self, item: Json) -> tuple[Identity, Seen] | None:
        container_id, state = item["Id"], item["State"]
        kept = self._kept.get(container_id)
        if kept is not None and kept.listed_state == state:
            return kept.identity, kept.seen
        identity = naming.identity_of(item["Labels"] or {})
        if identity is None:
            return None
        news = self._news
        async with self._slots:
            try:
                inspected = await self._client.call("GET", f"/containers/{container_id}/json")
            except NotFound:
                return None
        seen = reading.seen(identity, inspected)
        # An event that came meanwhile may be about this container, and newer than the answer.
        unchanged = news == self._news and inspected["State"]["Status"] == state
        if self._followers and unchanged and state in KEPT_STATES:
            self._kept[container_id] = _Kept(state, identity, seen)
        return identity, seen
