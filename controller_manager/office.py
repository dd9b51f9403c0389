"""What a controller is given for one term of office: fenced writes, warm caches, somebody who writes its Events.

A catalog row builds its controller from an `Office` when a term begins, and everything of that term goes with it:
whatever was remembered about the world is built afresh from the caches, so nothing of an old term can mislead the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Protocol, TypeVar, overload

from controller_manager.config import Settings
from controller_manager.informers import Informers, Reads
from controller_manager.measures import Measures
from controller_manager.sketches import Sketch
from steersman.api.core import Event
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.base.clock import Clock
from steersman.client.batch import Batch
from steersman.client.cache import Cache, ObjectKey
from steersman.client.client import Client
from steersman.client.informer import Handler, Informer
from steersman.client.recorder import Recorder
from steersman.control import loop
from steersman.control.barrier import Barrier, Follower
from steersman.control.loop import WORKERS, Controller, Loop
from steersman.control.workqueue import QueueMetrics, WorkQueue
from steersman.control.writes import Tracked

T = TypeVar("T", bound=Object)

KeysOf = Callable[[Any], Iterable[ObjectKey]]


class Work(Protocol):
    """What a controller does in a term."""

    async def run(self) -> None:
        """Until cancelled. Deposed ends the term; any other error ends the process."""

    async def drain(self) -> None:
        """Begin nothing more, and return when what was begun has ended; `run` is cancelled soon after."""


class Office:
    """For one row of the catalog in one term. `api` and `batch` write in the term's name."""

    def __init__(
        self,
        api: Client,
        batch: Batch,
        informers: Informers,
        reads: Sequence[Reads],
        *,
        settings: Settings,
        instance: str,
        clock: Clock,
        random: Random,
        measures: Measures,
    ) -> None:
        self.api = api
        self.batch = batch
        self.settings = settings
        self.clock = clock
        self.random = random
        self._kinds = {each.kind: informers.of(each.kind) for each in reads}
        self._instance = instance
        self.measures = measures
        self._recorders: list[Recorder] = []
        self._subscriptions: list[Callable[[], None]] = []

    @overload
    def informer(self, what: type[T]) -> Informer[T]: ...

    @overload
    def informer(self, what: Kind) -> Informer[Any]: ...

    def informer(self, what: type[Any] | Kind) -> Informer[Any]:
        """Of a kind that the row says it reads; KeyError for any other, which would be cold and unwaited for."""
        return self._kinds[Reads(what).kind]

    def cache(self, what: type[T]) -> Cache[T]:
        return self.informer(what).cache

    def writes(self, what: type[T]) -> Tracked[T]:
        """All verbs on a kind; what is written is known to the barrier, and travels on the term's stream."""
        return Tracked(self.api.of(what), over=self.batch.of(what), clock=self.clock)

    def sketches(self, kind: Kind) -> Tracked[Sketch]:
        """The verbs on a sketched kind, one that is built in or any other that the server serves."""
        return Tracked(self.api.of(kind), over=self.batch.of(kind), clock=self.clock)

    def recorder(self, component: str) -> Recorder:
        """Writes Events as `component`."""
        recorder = Recorder(self.batch.of(Event), component, instance=self._instance, clock=self.clock)
        self._recorders.append(recorder)
        return recorder

    @overload
    def on_change(self, what: type[T], handler: Handler[T]) -> None: ...

    @overload
    def on_change(self, what: Kind, handler: Handler[Any]) -> None: ...

    def on_change(self, what: type[Any] | Kind, handler: Handler[Any]) -> None:
        """Tell `handler` what is there, and then every change, until the term ends."""
        self._subscriptions.append(self.informer(what).on_change(handler))

    def loop(self, controller: Controller, wakes: Mapping[Any, KeysOf], *, workers: int = WORKERS) -> Loop:
        """The control loop over `controller`. `wakes`: by Struct or Kind, the keys that an object of it concerns.

        Every key is looked at once when the term begins. The barrier waits for every kind that the row reads.
        """
        queue = self.queue(controller.name)
        for what, keys_of in wakes.items():
            self._subscriptions.append(loop.wake(queue, self.informer(what), keys_of))
        return Loop(controller, queue, self.barrier(), workers=workers, clock=self.clock)

    def queue(self, name: str) -> WorkQueue[ObjectKey]:
        return WorkQueue(self.clock, name=name, measures=self.measures.of(QueueMetrics))

    def barrier(self) -> Barrier:
        """Waits for whatever was written of the kinds that the row reads."""
        followers: dict[type[Object] | Kind, Follower] = {}
        followers.update(self._kinds.items())
        return Barrier(followers)

    async def record(self) -> None:
        """Send the Events, until cancelled, or until Deposed."""
        async with asyncio.TaskGroup() as tasks:
            for recorder in self._recorders:
                tasks.create_task(recorder.run())

    def close(self) -> None:
        """Nobody of this term is told anything any more."""
        while self._subscriptions:
            self._subscriptions.pop()()
