"""The cache over a store: fresh reads, history after a restart, what happens when history is lost, bounded windows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from apiserver.storage.interface import Stored
from apiserver.watchcache import freshness
from apiserver.watchcache.cache import KEEP_SECONDS, MAX_WINDOW_BYTES, RETRY_SECONDS, WatchCache
from apiserver.watchcache.freshness import Arrival, SharedQuestion
from apiserver.watchcache.subscription import Bucket
from steersman.api.errors import Expired, Timeout, Unavailable
from steersman.api.names import Revision
from tests.fakes.clock import FakeClock
from tests.fakes.store import FakeStore

CONFIGMAPS = "/registry/configmaps/"


def _numbered(number: int, _: Stored) -> bytes:
    return value(str(number))


def value(text: str = "x") -> bytes:
    return b'{"metadata":{"name":"a"},"data":{"k":"%s"}}' % text.encode()


@asynccontextmanager
async def running(
    store: FakeStore, clock: FakeClock | None = None, max_window_bytes: int = MAX_WINDOW_BYTES
) -> AsyncIterator[WatchCache]:
    cache = WatchCache(store, clock or FakeClock(), max_window_bytes=max_window_bytes)
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(cache.run())
        await cache.ready()
        yield cache
        task.cancel()


async def test_a_fresh_read_sees_every_acknowledged_write() -> None:
    store = FakeStore()
    async with running(store) as cache:
        for number in range(20):
            stored = await store.create(f"{CONFIGMAPS}ns/{number}", value())
            assert await cache.fresh() >= stored.revision
            assert cache.collection("configmaps").get(stored.key) is not None


async def test_a_fresh_read_after_a_write_outside_the_prefix_does_not_hang() -> None:
    store = FakeStore()
    async with running(store) as cache:
        stored = await store.create("/steersman/marker", b"x")
        assert await cache.fresh() >= stored.revision


async def test_after_a_restart_watches_resume_from_the_stores_history() -> None:
    store = FakeStore()
    first = await store.create(f"{CONFIGMAPS}ns/a", value())
    await store.create(f"{CONFIGMAPS}ns/b", value())
    await store.delete(f"{CONFIGMAPS}ns/a")
    async with running(store) as cache:
        watcher = cache.collection("configmaps").subscribe(Bucket(), None, first.revision)
        events = await watcher.take()
        assert [(event.type.value, event.revision) for event in events] == [("ADDED", 2), ("DELETED", 3)]
        assert [item.name for item in cache.collection("configmaps").scan()] == ["b"]


async def test_a_store_that_is_away_for_a_while_repeats_nothing() -> None:
    store, clock = FakeStore(), FakeClock()
    await store.create(f"{CONFIGMAPS}ns/a", value())
    async with running(store, clock) as cache:
        watcher = cache.collection("configmaps").subscribe(Bucket(), None, Revision(0))
        store.end_watches(Unavailable("the disk is slow"))
        await clock.advance(RETRY_SECONDS)
        assert cache.is_ready
        await store.delete(f"{CONFIGMAPS}ns/a")
        await cache.fresh()
        assert [(event.type.value, event.revision) for event in await watcher.take()] == [("ADDED", 1), ("DELETED", 2)]


async def test_a_collection_asked_for_while_loading_does_not_claim_history_that_is_lost() -> None:
    store = FakeStore()
    for number in range(10):
        await store.create(f"{CONFIGMAPS}ns/{number}", value())
    await store.compact(Revision(8))
    cache = WatchCache(store, FakeClock())
    assert len(cache.collection("configmaps")) == 0
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(cache.run())
        await cache.ready()
        with pytest.raises(Expired):
            cache.collection("configmaps").subscribe(Bucket(), None, Revision(2))
        task.cancel()


async def test_large_objects_do_not_outgrow_the_window_between_two_trims() -> None:
    store, bound = FakeStore(), 1_000_000
    large = value("x" * 50_000)
    async with running(store, max_window_bytes=bound) as cache:
        await store.create(f"{CONFIGMAPS}ns/a", large)
        for number in range(60):
            await store.update(f"{CONFIGMAPS}ns/a", lambda _, number=number: large + b" " * number)  # type: ignore[misc]
            await cache.fresh()
            assert cache.collection("configmaps").window_bytes < bound * 1.2


@pytest.mark.parametrize(
    ("key", "foreign"),
    [
        pytest.param("/registry/stray", b"x", id="a key of no resource"),
        pytest.param(f"{CONFIGMAPS}ns/a", b"not json", id="not JSON"),
        pytest.param(f"{CONFIGMAPS}ns/a", b'{"metadata":{"labels":{"a":1}}}', id="labels that are none"),
        pytest.param(f"{CONFIGMAPS}ns/a", b'{"kind":"ConfigMap","metadata":{}}', id="metadata not first"),
    ],
)
async def test_what_others_wrote_into_the_store_is_taken_as_absent(key: str, foreign: bytes) -> None:
    store = FakeStore()
    await store.create(key, foreign)
    async with running(store) as cache:
        await store.update(key, lambda _: foreign + b" ")
        await cache.fresh()
        assert [len(collection) for collection in cache.collections()] == [0]


async def test_lost_history_ends_every_watch_and_loads_anew() -> None:
    store = FakeStore()
    async with running(store) as cache:
        watcher = cache.collection("configmaps").subscribe(Bucket(), None, cache.revision)
        store.end_watches(Expired("restored from an older copy"))
        with pytest.raises(Expired):
            await watcher.take()
        await cache.ready()
        stored = await store.create(f"{CONFIGMAPS}ns/a", value())
        await cache.fresh()
        assert cache.collection("configmaps").get(stored.key) is not None


async def test_a_revision_above_the_stores_is_expired() -> None:
    store = FakeStore()
    async with running(store) as cache:
        with pytest.raises(Expired):
            await cache.reached(Revision(1_000_000))


async def test_reads_while_loading_are_refused() -> None:
    cache = WatchCache(FakeStore(), FakeClock())
    with pytest.raises(Unavailable):
        await cache.fresh()


async def test_windows_forget_what_is_old() -> None:
    store, clock = FakeStore(), FakeClock()
    async with running(store, clock) as cache:
        old = await store.create(f"{CONFIGMAPS}ns/a", value())
        await cache.fresh()
        await clock.advance(KEEP_SECONDS - 10)
        await store.create(f"{CONFIGMAPS}ns/b", value())
        await cache.fresh()
        await clock.advance(20)
        cache.trim()
        assert cache.collection("configmaps").window_start == old.revision
        assert len(cache.collection("configmaps")) == 2


async def test_windows_that_are_too_large_shrink_where_it_is_missed_least() -> None:
    store = FakeStore()
    async with running(store, max_window_bytes=4_000) as cache:
        for key in ("/registry/leases.coordination.k8s.io/ns/l", f"{CONFIGMAPS}ns/c"):
            await store.create(key, value())
            for number in range(9):
                await store.update(key, partial(_numbered, number))
        await cache.fresh()
        leases, configmaps = cache.collection("leases.coordination.k8s.io"), cache.collection("configmaps")
        untouched = configmaps.window_bytes
        cache.trim()
        assert leases.window_bytes + configmaps.window_bytes <= 4_000
        assert configmaps.window_bytes == untouched
        assert leases.window_bytes < untouched


async def test_askers_never_join_a_call_in_flight() -> None:
    asked: list[asyncio.Future[Revision]] = []

    async def ask() -> Revision:
        asked.append(asyncio.get_running_loop().create_future())
        return await asked[-1]

    question = SharedQuestion(ask, within_seconds=5)
    async with asyncio.TaskGroup() as tasks:
        running_question = tasks.create_task(question.run())
        first = tasks.create_task(question.answer())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        late = [tasks.create_task(question.answer()) for _ in range(3)]
        await asyncio.sleep(0)
        asked[0].set_result(Revision(1))
        assert await first == 1
        while len(asked) < 2:
            await asyncio.sleep(0)
        asked[1].set_result(Revision(2))
        assert [await task for task in late] == [2, 2, 2]
        assert len(asked) == 2
        running_question.cancel()


async def test_one_askers_cancellation_does_not_touch_the_others() -> None:
    answered = asyncio.Event()

    async def ask() -> Revision:
        await answered.wait()
        return Revision(5)

    question = SharedQuestion(ask, within_seconds=5)
    async with asyncio.TaskGroup() as tasks:
        running_question = tasks.create_task(question.run())
        gone, stays = tasks.create_task(question.answer()), tasks.create_task(question.answer())
        await asyncio.sleep(0)
        gone.cancel()
        answered.set()
        assert await stays == 5
        running_question.cancel()


async def test_waiting_nudges_the_store_and_ends_in_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "FIRST_NUDGE_SECONDS", 0.0)
    monkeypatch.setattr(freshness, "NEXT_NUDGE_SECONDS", 0.0)
    nudges = 0

    async def nudge() -> None:
        nonlocal nudges
        nudges += 1

    arrival = Arrival(nudge)
    async with asyncio.TaskGroup() as tasks:
        running_arrival = tasks.create_task(arrival.run())
        with pytest.raises(Timeout):
            await arrival.wait(Revision(3), within_seconds=0.005)
        assert nudges > 0
        waiting = tasks.create_task(arrival.wait(Revision(3), within_seconds=5))
        await asyncio.sleep(0)
        arrival.reach(Revision(3))
        await waiting
        running_arrival.cancel()


async def test_a_store_that_has_gone_back_is_not_read_from_old_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FakeStore()
    async with running(store) as cache:
        await store.create(f"{CONFIGMAPS}ns/a", value())
        await cache.fresh()

        async def restored() -> Revision:
            return Revision(0)

        monkeypatch.setattr(cache._newest, "_ask", restored)
        with pytest.raises(Unavailable, match="gone back"):
            await cache.fresh()
