"""What is under way for one pod: at most one start per container name, one stop per container id.

Each operation is a task; its end wakes the worker. A start can be called off until it has committed itself, that is
until the engine is asked to create something: from then on it is waited for, so that nothing comes to life unseen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime, timedelta

from nodeagent.images import CannotStart
from nodeagent.measures import Measures
from nodeagent.picture import SANDBOX, Trouble
from nodeagent.waiting import Reason
from steersman.api.errors import ApiError
from steersman.base import log
from steersman.base.clock import Clock

ENGINE_RETRY_SECONDS = 2.0
OK = "ok"
CALLED_OFF = "cancelled"

_log = log.get("operations")


class Start:
    """One start under way."""

    def __init__(self) -> None:
        self.is_committed = False
        self.task: asyncio.Task[None] | None = None

    def commit(self) -> None:
        self.is_committed = True


@dataclass(slots=True)
class _Stop:
    deadline: datetime
    task: asyncio.Task[None]


class Operations:
    def __init__(self, tasks: asyncio.TaskGroup, clock: Clock, wake: Callable[[], None], measures: Measures) -> None:
        self._measures = measures
        self._tasks = tasks
        self._clock = clock
        self._wake = wake
        self._starts: dict[str, Start] = {}
        self._stops: dict[str, _Stop] = {}
        self.troubles: dict[str, Trouble] = {}

    @property
    def starting(self) -> frozenset[str]:
        return frozenset(self._starts)

    @property
    def stopping(self) -> dict[str, datetime]:
        return {container_id: stop.deadline for container_id, stop in self._stops.items()}

    def start(self, name: str, work: Callable[[Start], Coroutine[None, None, None]]) -> None:
        if name in self._starts:
            return
        start = self._starts[name] = Start()
        start.task = self._tasks.create_task(self._started(name, start, work))

    async def _started(self, name: str, start: Start, work: Callable[[Start], Coroutine[None, None, None]]) -> None:
        began, outcome = self._clock.monotonic(), CALLED_OFF
        try:
            await work(start)
            self.troubles.pop(name, None)
            outcome = OK
        except CannotStart as failure:
            self.troubles[name] = failure.trouble
            outcome = failure.trouble.reason
        except ApiError as error:
            retry_at = self._clock.now() + timedelta(seconds=ENGINE_RETRY_SECONDS)
            self.troubles[name] = Trouble(Reason.CREATE, error.message, retry_at)
            outcome = error.reason
        finally:
            part = "sandbox" if name == SANDBOX else "container"
            self._measures.started(part, outcome, self._clock.monotonic() - began)
            del self._starts[name]
            self._wake()

    def call_off_starts(self) -> None:
        for start in self._starts.values():
            if not start.is_committed and start.task is not None:
                start.task.cancel()

    def stop(self, container_id: str, deadline: datetime, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """A stop that is under way gives way to one with an earlier deadline."""
        before = self._stops.get(container_id)
        if before is not None:
            before.task.cancel()
        self._stops[container_id] = _Stop(deadline, self._tasks.create_task(self._stopped(container_id, work)))

    async def _stopped(self, container_id: str, work: Callable[[], Coroutine[None, None, None]]) -> None:
        try:
            await work()
        except ApiError as error:
            _log.warning("cannot stop a container", container=container_id, reason=error.message)
            await self._clock.sleep(ENGINE_RETRY_SECONDS)
        finally:
            stop = self._stops.get(container_id)
            if stop is not None and stop.task is asyncio.current_task():
                del self._stops[container_id]
                self._wake()
