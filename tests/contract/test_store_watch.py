"""What every Store promises about watches: every later revision whole, once, in order, or Expired."""

from __future__ import annotations

import asyncio

import pytest

from apiserver.storage.interface import Changed, Expect, Put, Revised, Store, Watch
from steersman.api.errors import Expired
from steersman.api.names import Revision
from tests.contract.changing import SECONDS, append, read_to, to, watching
from tests.contract.conftest import Reopen


async def test_a_watch_gives_the_past_then_the_present(store: Store, prefix: str) -> None:
    start = await store.revision()
    created = await store.create(prefix + "a", b"one")
    updated = await store.update(prefix + "a", to(b"two"))
    async with watching(store, prefix, start) as watch:
        assert await read_to(watch, updated.revision) == [
            Revised(created.revision, (Changed(prefix + "a", b"one"),)),
            Revised(updated.revision, (Changed(prefix + "a", b"two"),)),
        ]
        deleted = await store.delete(prefix + "a")
        again = await store.create(prefix + "a", b"three")
        assert await read_to(watch, again.revision) == [
            Revised(deleted, (Changed(prefix + "a", None),)),
            Revised(again.revision, (Changed(prefix + "a", b"three"),)),
        ]


async def test_a_watch_after_a_revision_does_not_repeat_it(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    async with watching(store, prefix, created.revision) as watch:
        updated = await store.update(prefix + "a", to(b"two"))
        assert [revised.revision for revised in await read_to(watch, updated.revision)] == [updated.revision]


async def test_a_revision_comes_whole(store: Store, prefix: str) -> None:
    await store.create(prefix + "gone", b"x")
    start = await store.revision()
    also = [Put(prefix + "gone", None), Put(prefix + "made", b"y"), Put(prefix + "never", None)]
    async with watching(store, prefix, start) as live:
        created = await store.create(prefix + "a", b"one", also=also)
        async with watching(store, prefix, start) as past:
            for watch in (live, past):
                (revised,) = await read_to(watch, created.revision)
                assert revised.revision == created.revision
                assert sorted(revised.changes, key=lambda change: change.key) == [
                    Changed(prefix + "a", b"one"),
                    Changed(prefix + "gone", None),
                    Changed(prefix + "made", b"y"),
                ]


@pytest.mark.parametrize("when", ["past", "live"])
async def test_a_watch_is_bound_to_its_prefix(store: Store, prefix: str, when: str) -> None:
    start = await store.revision()
    inside, outside = prefix + "a/b/c", [prefix + "a/b", prefix + "a/b0", prefix + "a/bc", prefix + "a/b."]
    watch = store.watch(prefix + "a/b/", start)
    if when == "live":
        await store.create(prefix + "first", b"x")
        await read_to(watch, await store.revision())
    for key in outside:
        await store.create(key, b"x")
    mixed = await store.create(prefix + "b", b"x", also=[Put(inside, b"y")])
    assert await read_to(watch, mixed.revision) == [Revised(mixed.revision, (Changed(inside, b"y"),))]
    await watch.aclose()


async def test_a_write_that_changes_nothing_is_not_an_event(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    async with watching(store, prefix, created.revision) as watch:
        await store.update(prefix + "a", to(b"one"))
        updated = await store.update(prefix + "a", to(b"two"))
        assert len(await read_to(watch, updated.revision)) == 1


async def test_progress_reaches_revisions_outside_the_prefix(store: Store, prefix: str) -> None:
    async with watching(store, prefix + "inside/", await store.revision()) as watch:
        outside = await store.create(prefix + "outside", b"x")
        assert await read_to(watch, outside.revision) == []


async def test_progress_is_given_when_nothing_has_happened(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"x")
    async with watching(store, prefix, created.revision) as watch:
        for _ in range(3):
            await watch.request_progress()
            async with asyncio.timeout(SECONDS):
                assert await anext(watch) == Revised(created.revision)


async def test_progress_is_given_to_one_who_waits_already(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"x")
    async with watching(store, prefix, created.revision) as watch:
        waiting = asyncio.create_task(_next(watch))
        await asyncio.sleep(0)
        await watch.request_progress()
        assert await waiting == Revised(created.revision)


async def _next(watch: Watch) -> Revised:
    async with asyncio.timeout(SECONDS):
        return await anext(watch)


async def test_a_cancelled_wait_loses_nothing(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"0")
    async with watching(store, prefix, created.revision) as watch:
        for number in range(5):
            waiting = asyncio.create_task(_next(watch))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
            updated = await store.update(prefix + "a", append(b"%d" % number))
            assert [revised.revision for revised in await read_to(watch, updated.revision)] == [updated.revision]


async def test_a_watch_above_the_stores_own_revision_is_expired(store: Store, prefix: str) -> None:
    async with watching(store, prefix, Revision(await store.revision() + 1000)) as watch:
        with pytest.raises(Expired):
            await _next(watch)


async def test_a_watch_from_before_compaction_is_expired(store: Store, prefix: str) -> None:
    first = await store.create(prefix + "a", b"one")
    second = await store.update(prefix + "a", to(b"two"))
    third = await store.update(prefix + "a", to(b"three"))
    await store.compact(second.revision)
    async with watching(store, prefix, first.revision) as watch:
        with pytest.raises(Expired):
            await _next(watch)
    async with watching(store, prefix, second.revision) as watch:
        assert [revised.revision for revised in await read_to(watch, third.revision)] == [third.revision]


async def test_a_watch_that_keeps_up_outlives_compaction(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    async with watching(store, prefix, created.revision) as watch:
        for number in range(3):
            updated = await store.update(prefix + "a", append(b"%d" % number))
            assert len(await read_to(watch, updated.revision)) == 1
            await store.compact(updated.revision)
        assert await read_to(watch, await store.revision()) == []


async def test_a_closed_watch_ends(store: Store, prefix: str) -> None:
    watch = store.watch(prefix, await store.revision())
    waiting = asyncio.create_task(_next(watch))
    await asyncio.sleep(0)
    await watch.aclose()
    with pytest.raises(StopAsyncIteration):
        await anext(watch)
    await asyncio.wait([waiting])
    assert waiting.exception() is not None


async def test_history_is_there_after_reopening(store: Store, reopen: Reopen, prefix: str) -> None:
    start = await store.revision()
    written = [await store.create(f"{prefix}{number}", b"%d" % number) for number in range(5)]
    again = await reopen()
    async with watching(again, prefix, start) as watch:
        assert await read_to(watch, written[-1].revision) == [
            Revised(stored.revision, (Changed(stored.key, stored.value),)) for stored in written
        ]


async def test_watches_opened_at_any_time_see_the_same_log(store: Store, prefix: str) -> None:
    """Writers write all along; watches begin in the past and join the present in the middle of it."""
    start = await store.revision()
    watches = [store.watch(prefix, start)]

    async def write(writer: int) -> None:
        key = f"{prefix}{writer}"
        for number in range(25):
            await store.create(key, b"%d" % number)
            if number % 5 == writer:
                watches.append(store.watch(prefix, start))
            await store.delete(key, Expect())

    async with asyncio.TaskGroup() as group:
        for writer in range(4):
            group.create_task(write(writer))
    end = await store.revision()
    first, *others = [await read_to(watch, end) for watch in watches]
    assert [revised.revision for revised in first] == list(range(start + 1, start + 201))
    assert all(other == first for other in others)
    for watch in watches:
        await watch.aclose()


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_ten_thousand_revisions_of_five_kilobytes(store: Store, prefix: str) -> None:
    start = await store.revision()
    value = b"x" * 5000

    async def write(writer: int) -> None:
        for number in range(100):
            await store.create(f"{prefix}{writer}/{number}", value)

    async with watching(store, prefix, start) as live, asyncio.TaskGroup() as writers:
        for writer in range(100):
            writers.create_task(write(writer))
        await read_to(live, Revision(start + 10))
        live_rest = await read_to(live, Revision(start + 10_000))
    async with watching(store, prefix, start) as past:
        everything = await read_to(past, Revision(start + 10_000))
    assert [revised.revision for revised in everything] == list(range(start + 1, start + 10_001))
    assert everything[-len(live_rest) :] == live_rest
