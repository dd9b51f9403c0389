"""Keys that wait to be worked on.

Three promises. A key is never with two workers at once. A key that is added after a worker has taken it is handed out
again once that worker is done: no wake-up is lost. A key that is added several times before it is taken is handed out
once. So the queue never holds more than there are keys, and needs no other bound.

The queue outlives the loop that works on it: what was added, delayed or left in the midst waits for the next one.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

from prometheus_client import CollectorRegistry

from steersman.base import metrics
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock
from steersman.base.tracing import SpanContext

RETRIES = Backoff(initial=0.005, maximum=300.0)
MAX_CAUSES = 8
"""So many traces are noted as the reasons of one pass; a busy owner has thousands of children."""
_MIN_HEAP_TO_CLEAN = 64

K = TypeVar("K", bound=Hashable)


class Taken(NamedTuple, Generic[K]):
    """A key in a worker's hands. `failures`: tries in a row that have failed before this one."""

    key: K
    waited_seconds: float
    failures: int = 0
    causes: tuple[SpanContext, ...] = ()


class QueueMetrics:
    """Under the names that Kubernetes' dashboards know. One for all queues of a process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ("name",)
        self.depth = metrics.gauge(registry, "workqueue_depth", "Keys that are ready and not taken.", labels)
        self.adds = metrics.counter(registry, "workqueue_adds", "Keys that became ready.", labels)
        self.retries = metrics.counter(registry, "workqueue_retries", "Keys put back after a failure.", labels)
        self.waited = metrics.histogram(registry, "workqueue_queue_duration_seconds", "From added to taken.", labels)
        self.worked = metrics.histogram(registry, "workqueue_work_duration_seconds", "From taken to done.", labels)


class _Waiting:
    """Since when a key is wanted, and what wants it."""

    __slots__ = ("causes", "since")

    def __init__(self, since: float) -> None:
        self.since = since
        self.causes: tuple[SpanContext, ...] = ()

    def note(self, cause: SpanContext | None) -> None:
        if cause is not None and cause not in self.causes and len(self.causes) < MAX_CAUSES:
            self.causes += (cause,)


class WorkQueue(Generic[K]):
    """`run` moves delayed keys when their time has come; whoever works on the queue runs it beside the workers."""

    def __init__(
        self, clock: Clock, *, name: str = "", retries: Backoff = RETRIES, measures: QueueMetrics | None = None
    ) -> None:
        self._clock = clock
        self._retries = retries
        self._ready: asyncio.Queue[K] = asyncio.Queue()
        self._dirty: dict[K, _Waiting] = {}
        self._processing: dict[K, float] = {}
        self._failures: dict[K, int] = {}
        self._due: dict[K, float] = {}
        self._timers: list[tuple[float, int, K]] = []
        self._order = itertools.count()
        self._sooner = asyncio.Event()
        measures = measures or QueueMetrics(CollectorRegistry())
        self._depth = measures.depth.labels(name)
        self._adds = measures.adds.labels(name)
        self._retried = measures.retries.labels(name)
        self._waited = measures.waited.labels(name)
        self._worked = measures.worked.labels(name)

    def __len__(self) -> int:
        """How many keys are wanted now: ready, or in work and wanted again."""
        return len(self._dirty)

    def add(self, key: K, cause: SpanContext | None = None) -> None:
        """Have `key` worked on as soon as a worker is free. `cause`: the trace of whatever woke it."""
        waiting = self._dirty.get(key)
        if waiting is None:
            waiting = self._dirty[key] = _Waiting(self._clock.monotonic())
            self._adds.inc()
            if key not in self._processing:
                self._offer(key)
        waiting.note(cause)

    def add_after(self, key: K, seconds: float) -> None:
        """Add `key` once that time has passed. Of several delays of one key the earliest counts."""
        if seconds <= 0:
            self.add(key)
            return
        due = self._clock.monotonic() + seconds
        if due >= self._due.get(key, float("inf")):
            return
        self._due[key] = due
        heapq.heappush(self._timers, (due, next(self._order), key))
        if self._timers[0][0] == due:
            self._sooner.set()
        self._clean_timers()

    async def get(self) -> Taken[K]:
        """The key that waits longest; it is the caller's until `done`."""
        key = await self._ready.get()
        now = self._clock.monotonic()
        waiting = self._dirty.pop(key)
        self._processing[key] = now
        self._depth.set(self._ready.qsize())
        self._waited.observe(now - waiting.since)
        return Taken(key, now - waiting.since, self._failures.get(key, 0), waiting.causes)

    def done(self, key: K) -> None:
        """The worker lets go; if the key was added meanwhile, it is ready again."""
        self._worked.observe(self._clock.monotonic() - self._processing.pop(key))
        if key in self._dirty:
            self._offer(key)

    def retry(self, key: K) -> float:
        """Add `key` after a delay that doubles with each failure in a row; gives the delay. `done` is still due."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        delay = self._retries.delay(failures)
        self._retried.inc()
        self.add_after(key, delay)
        return delay

    def forget(self, key: K) -> None:
        """The key has succeeded: its next failure is again the first."""
        self._failures.pop(key, None)

    async def run(self) -> None:
        """Add delayed keys at their time, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._add_due()
                self._sooner.clear()
                sleeper = tasks.create_task(self._sleep_until_next())
                await self._sooner.wait()
                sleeper.cancel()

    async def _sleep_until_next(self) -> None:
        if self._timers:
            await self._clock.sleep(self._timers[0][0] - self._clock.monotonic())
            self._sooner.set()

    def _add_due(self) -> None:
        now = self._clock.monotonic()
        while self._timers and self._timers[0][0] <= now:
            due, _, key = heapq.heappop(self._timers)
            if self._due.get(key) == due:  # else an earlier delay has taken its place
                del self._due[key]
                self.add(key)

    def _clean_timers(self) -> None:
        """Delays that lost to earlier ones stay in the heap until their time; do not let them pile up."""
        if len(self._timers) > max(_MIN_HEAP_TO_CLEAN, 2 * len(self._due)):
            self._timers = [timer for timer in self._timers if self._due.get(timer[2]) == timer[0]]
            heapq.heapify(self._timers)

    def _offer(self, key: K) -> None:
        self._ready.put_nowait(key)
        self._depth.set(self._ready.qsize())
