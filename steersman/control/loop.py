"""The one control loop: a key from the queue, a pass of the controller over it, and what follows from how that ended.

    loop = Loop(controller, queue, barrier, workers=4)
    wake(queue, pods, owners_of)
    await loop.run()

A pass ends with DONE, with `After(seconds)`, or by an exception, which is logged here, once, and retried with back-off.
Deposed ends the term: it leaves `run`. Until the barrier lets a key pass it stays taken, so nobody looks at it, but
its worker is free. When `run` is cancelled, the keys in work go back to the queue for the next term.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from steersman.api.errors import ApiError, Conflict, Deposed
from steersman.api.meta import Object
from steersman.api.names import TRACEPARENT
from steersman.base import log, tracing
from steersman.base.clock import Clock, SystemClock
from steersman.base.tracing import Span, SpanContext
from steersman.client import cache
from steersman.client.cache import ObjectKey
from steersman.client.informer import Informer
from steersman.control.barrier import Barrier
from steersman.control.passes import Pass
from steersman.control.workqueue import Taken, WorkQueue

WORKERS = 4
TRACE_ANNOTATION = TRACEPARENT

T = TypeVar("T", bound=Object)

_log = log.get("control")


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing more to do until something changes."""


@dataclass(frozen=True, slots=True)
class After:
    """Look again after that time, even if nothing changes."""

    seconds: float


DONE: Final = Done()
Outcome = Done | After


class Controller(Protocol):
    @property
    def name(self) -> str: ...

    async def reconcile(self, key: ObjectKey) -> Outcome:
        """Bring what the key stands for closer to what is wanted. Raises to be called again."""


def own_key(value: Object) -> tuple[ObjectKey]:
    return (cache.key_of(value),)


def cause_of(value: Object) -> SpanContext | None:
    """The trace of the write that left the object so."""
    return tracing.extract(value.metadata.annotations.get(TRACE_ANNOTATION))


def wake(
    queue: WorkQueue[ObjectKey], informer: Informer[T], keys_of: Callable[[T], Iterable[ObjectKey]] = own_key
) -> Callable[[], None]:
    """Add the keys that an object concerns whenever it changes: those of its old state too, for it may have moved.

    What it gives back ends that.
    """

    def on_change(old: T | None, new: T | None) -> None:
        for state in (old, new):
            if state is not None:
                for key in keys_of(state):
                    queue.add(key, cause_of(state) if state is new else None)

    return informer.on_change(on_change)


class Loop:
    """`run` it for one term; the queue may outlive it."""

    def __init__(
        self,
        controller: Controller,
        queue: WorkQueue[ObjectKey],
        barrier: Barrier,
        *,
        workers: int = WORKERS,
        clock: Clock | None = None,
    ) -> None:
        self._controller = controller
        self._queue = queue
        self._barrier = barrier
        self._workers = workers
        self._clock = clock or SystemClock()
        self._unfinished: list[ObjectKey] = []
        self._idle: set[asyncio.Task[None]] = set()
        self._in_hand = 0
        self._draining = False
        self._rested = asyncio.Event()

    async def drain(self) -> None:
        """Take no further key, and return when the passes under way have ended. `run` is then to be cancelled."""
        self._draining = True
        for worker in self._idle:
            worker.cancel()
        if self._in_hand:
            await self._rested.wait()

    async def run(self) -> None:
        """Work until cancelled, or until Deposed."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._queue.run())
                for _ in range(self._workers):
                    tasks.create_task(self._work(tasks))
        except BaseExceptionGroup as group:
            deposed = _deposed_in(group)
            if deposed is not None:
                raise deposed from group
            raise
        finally:
            # Only now: a worker of this term that was still waiting would take them.
            while self._unfinished:
                key = self._unfinished.pop()
                self._queue.add(key)
                self._queue.done(key)

    async def _work(self, tasks: asyncio.TaskGroup) -> None:
        while not self._draining:
            taken = await self._next()
            noted = self._barrier.begin()
            try:
                await self._pass(taken, noted)
            except BaseException:
                self._unfinished.append(taken.key)
                raise
            finally:
                self._put_down()
            if self._barrier.is_open(noted):
                self._queue.done(taken.key)
            else:
                tasks.create_task(self._hold(taken.key, noted))

    async def _next(self) -> Taken[ObjectKey]:
        worker = asyncio.current_task()
        assert worker is not None
        self._idle.add(worker)
        try:
            taken = await self._queue.get()
        finally:
            self._idle.discard(worker)
        self._in_hand += 1
        return taken

    def _put_down(self) -> None:
        self._in_hand -= 1
        if self._draining and not self._in_hand:
            self._rested.set()

    async def _hold(self, key: ObjectKey, noted: Pass) -> None:
        """Keep the key until its own writes are seen. A term that ends meanwhile leaves nothing to wait for: the next
        one begins only when every earlier write is seen."""
        try:
            await self._barrier.passed(noted)
        except BaseException:
            self._unfinished.append(key)
            raise
        self._queue.done(key)

    async def _pass(self, taken: Taken[ObjectKey], noted: Pass) -> None:
        key, name = taken.key, self._controller.name
        began = self._clock.monotonic()
        with (
            noted.opened(),
            tracing.span(
                f"reconcile {name}",
                parent=next(iter(taken.causes), None),
                links=taken.causes[1:],
                controller=name,
                key=str(key),
                attempt=taken.failures + 1,
                queue_seconds=taken.waited_seconds,
            ) as span,
        ):
            try:
                outcome = await self._controller.reconcile(key)
            except Exception as error:  # noqa: BLE001 -- whatever it is, it is logged and tried again
                self._failed(taken, error, span)
            else:
                span.set(outcome="done" if isinstance(outcome, Done) else "after")
                self._queue.forget(key)
                if isinstance(outcome, After):
                    self._queue.add_after(key, outcome.seconds)
            if noted.changes:
                seconds = round(self._clock.monotonic() - began, 4)
                _log.info("reconciled", controller=name, key=str(key), changes=str(noted), seconds=seconds)

    def _failed(self, taken: Taken[ObjectKey], error: Exception, span: Span) -> None:
        deposed = _deposed_in(error)
        if deposed is not None:
            span.set(outcome="deposed")
            raise deposed
        span.set(outcome="retry")
        span.fail(error)
        delay = self._queue.retry(taken.key)
        report = {
            "controller": self._controller.name,
            "key": str(taken.key),
            "attempt": taken.failures + 1,
            "again_in_seconds": delay,
        }
        match error:
            case Conflict():  # somebody else was first: everyday, and the next pass sees it
                _log.info("reconcile overtaken", reason=error.message, **report)
            case ApiError():
                _log.warning("reconcile failed", error=error.reason, reason=error.message, **report)
            case _:
                _log.error("reconcile failed", exc_info=error, **report)


def _deposed_in(error: BaseException) -> Deposed | None:
    """A controller that works in a task group of its own raises a group."""
    if isinstance(error, BaseExceptionGroup):
        return next((found for inner in error.exceptions if (found := _deposed_in(inner)) is not None), None)
    return error if isinstance(error, Deposed) else None
