"""What can be seen of a running API server: the store's latencies and spans, the cache's size, the watchers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from weakref import WeakKeyDictionary

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from apiserver.limits import Limits
from apiserver.storage.interface import (
    ANY,
    WHOLE,
    Also,
    Change,
    Expect,
    Guard,
    Listing,
    Page,
    Put,
    Store,
    Stored,
    Watch,
)
from apiserver.watchcache.cache import WatchCache
from steersman.api.errors import ApiError
from steersman.api.names import Revision
from steersman.base import metrics, tracing


def request_seconds(registry: CollectorRegistry) -> Callable[..., Histogram]:
    """How long requests took, by front, verb, resource and code: one histogram for all fronts."""
    known = _REQUEST_SECONDS.get(registry)
    if known is None:
        seconds = metrics.histogram(
            registry,
            "apiserver_request_duration_seconds",
            "How long calls took.",
            ("front", "verb", "resource", "code"),
        )
        known = _REQUEST_SECONDS[registry] = metrics.children(seconds)
    return known


_REQUEST_SECONDS: WeakKeyDictionary[CollectorRegistry, Callable[..., Histogram]] = WeakKeyDictionary()


class _Observation:
    """One call to the store, from `with` to its end. (A class: a generator would cost more than it measures.)"""

    __slots__ = ("_operation", "_seconds", "_span", "_started")

    def __init__(self, seconds: Callable[..., Histogram], operation: str, key: str) -> None:
        self._seconds = seconds
        self._operation = operation
        self._span = tracing.span(f"store {operation}", key=key) if tracing.enabled() else None

    def __enter__(self) -> None:
        # The span is not entered: a change is computed during the call, and leaves the request's place in the trace.
        self._started = time.perf_counter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        match error:
            case ApiError():
                outcome = error.reason
            case asyncio.CancelledError():
                outcome = "cancelled"
            case _:  # also a change that turned out to be something else, and said so by an exception
                outcome = "ok"
        self._seconds(self._operation, outcome).observe(time.perf_counter() - self._started)
        if self._span is not None:
            self._span.__exit__(kind, error, trace)


class ObservedStore:
    """A store that tells how long each call took and how it ended; otherwise the store that it wraps."""

    def __init__(self, store: Store, registry: CollectorRegistry) -> None:
        self._store = store
        seconds = metrics.histogram(
            registry, "store_request_duration_seconds", "How long calls to the store took.", ("operation", "outcome")
        )
        self._seconds = metrics.children(seconds)

    def _observed(self, operation: str, key: str = "") -> _Observation:
        return _Observation(self._seconds, operation, key)

    async def get(self, key: str) -> Stored:
        with self._observed("get", key):
            return await self._store.get(key)

    async def list(self, prefix: str, page: Page = WHOLE) -> Listing:
        with self._observed("list", prefix):
            return await self._store.list(prefix, page)

    async def create(self, key: str, value: bytes, *, given: Sequence[Guard] = (), also: Sequence[Put] = ()) -> Stored:
        with self._observed("create", key):
            return await self._store.create(key, value, given=given, also=also)

    async def update(
        self,
        key: str,
        change: Change,
        expect: Expect = ANY,
        *,
        hint: Stored | None = None,
        given: Sequence[Guard] = (),
        also: Sequence[Put] | Also = (),
    ) -> Stored:
        with self._observed("update", key):
            return await self._store.update(key, change, expect, hint=hint, given=given, also=also)

    async def delete(
        self, key: str, expect: Expect = ANY, *, given: Sequence[Guard] = (), also: Sequence[Put] = ()
    ) -> Revision:
        with self._observed("delete", key):
            return await self._store.delete(key, expect, given=given, also=also)

    def watch(self, prefix: str, after: Revision) -> Watch:
        return self._store.watch(prefix, after)

    async def revision(self) -> Revision:
        with self._observed("revision"):
            return await self._store.revision()

    async def oldest(self) -> Revision:
        return await self._store.oldest()

    async def compact(self, upto: Revision) -> None:
        with self._observed("compact"):
            await self._store.compact(upto)


class _Seen(Collector):
    """Read off the cache and the gates whenever somebody asks for the metrics."""

    def __init__(self, cache: WatchCache, limits: Limits) -> None:
        self._cache = cache
        self._limits = limits
        self._loop = asyncio.get_running_loop()

    def collect(self) -> Iterator[Metric]:
        objects = GaugeMetricFamily("watch_cache_objects", "Objects in the watch cache.", labels=["resource"])
        windows = GaugeMetricFamily("watch_cache_window_bytes", "Bytes that the window keeps.", labels=["resource"])
        watchers = GaugeMetricFamily("apiserver_watchers", "Open watches.", labels=["resource"])
        for collection in self._cache.collections():
            objects.add_metric([collection.resource], len(collection))
            windows.add_metric([collection.resource], collection.window_bytes)
            watchers.add_metric([collection.resource], collection.watchers)
        inflight = GaugeMetricFamily("apiserver_requests_inflight", "Requests in progress.", labels=["kind"])
        for kind, gate in (
            ("read", self._limits.reads),
            ("write", self._limits.writes),
            ("watch", self._limits.watches),
        ):
            inflight.add_metric([kind], gate.taken)
        lag = GaugeMetricFamily(
            "watch_cache_lag_seconds", "How long the last read that asked for the newest state waited for the cache."
        )
        lag.add_metric([], self._cache.lag_seconds)
        yield from (objects, windows, watchers, inflight, lag)
        revision = GaugeMetricFamily("watch_cache_revision", "The revision that the watch cache holds.")
        revision.add_metric([], self._cache.revision)
        yield revision
        tasks = GaugeMetricFamily(
            "asyncio_tasks", "Tasks that have not ended: what grows when requests leave some behind."
        )
        tasks.add_metric([], len(asyncio.all_tasks(self._loop)))
        yield tasks


def expose(registry: CollectorRegistry, cache: WatchCache, limits: Limits) -> None:
    registry.register(_Seen(cache, limits))
