"""What every Store promises about keys and writes, one test per promise. Lists and watches have files of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from apiserver.storage.interface import NO_REVISION, Expect, Guard, Page, Put, Store, Stored
from steersman.api.errors import AlreadyExists, Conflict, Deposed, Invalid, NotFound
from steersman.api.names import Revision
from tests.contract.changing import append, keys_of, to
from tests.contract.conftest import Reopen
from tests.eventually import eventually

BIG = bytes(range(256)) * 6000  # 1.5 MB, every byte


# --- one key


async def test_create_gives_back_what_get_then_finds(store: Store, prefix: str) -> None:
    before = await store.revision()
    created = await store.create(prefix + "a", b"one")
    assert (created.key, created.value) == (prefix + "a", b"one")
    assert created.revision > before
    assert await store.get(prefix + "a") == created
    assert await store.revision() == created.revision


async def test_create_of_an_existing_key_is_refused_and_takes_no_revision(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    with pytest.raises(AlreadyExists) as refusal:
        await store.create(prefix + "a", b"two")
    assert refusal.value.revision == created.revision
    assert await store.get(prefix + "a") == created
    assert await store.revision() == created.revision


async def test_get_of_an_absent_key_says_since_when_it_knows(store: Store, prefix: str) -> None:
    with pytest.raises(NotFound) as refusal:
        await store.get(prefix + "absent")
    assert refusal.value.revision == await store.revision()


async def test_update_changes_the_value_it_is_given(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    updated = await store.update(prefix + "a", append(b"+"))
    assert (updated.value, await store.get(prefix + "a")) == (b"one+", updated)
    assert updated.revision == created.revision + 1


async def test_update_with_the_expected_revision(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    updated = await store.update(prefix + "a", to(b"two"), Expect(created.revision))
    assert updated.revision > created.revision


async def test_update_expecting_an_older_revision_conflicts(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    updated = await store.update(prefix + "a", to(b"two"))
    with pytest.raises(Conflict) as refusal:
        await store.update(prefix + "a", to(b"three"), Expect(created.revision))
    assert refusal.value.revision == updated.revision
    assert await store.get(prefix + "a") == updated


async def test_update_of_an_absent_key(store: Store, prefix: str) -> None:
    with pytest.raises(NotFound) as refusal:
        await store.update(prefix + "absent", to(b"x"))
    assert refusal.value.revision == await store.revision()


async def test_update_to_equal_bytes_writes_nothing(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    assert await store.update(prefix + "a", to(b"one")) == created
    assert await store.revision() == created.revision


async def test_update_refused_by_its_change(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")

    def refuse(_current: Stored) -> bytes:
        raise Invalid("never")

    with pytest.raises(Invalid, match="never"):
        await store.update(prefix + "a", refuse)
    assert await store.get(prefix + "a") == created


async def test_delete_takes_a_revision_and_the_key(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    deleted = await store.delete(prefix + "a")
    assert deleted == created.revision + 1 == await store.revision()
    with pytest.raises(NotFound):
        await store.get(prefix + "a")
    with pytest.raises(NotFound) as refusal:
        await store.delete(prefix + "a")
    assert refusal.value.revision == deleted


async def test_delete_expecting_an_older_revision_conflicts(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    updated = await store.update(prefix + "a", to(b"two"))
    with pytest.raises(Conflict):
        await store.delete(prefix + "a", Expect(created.revision))
    assert await store.delete(prefix + "a", Expect(updated.revision)) > updated.revision


async def test_delete_of_a_namesake_created_later_conflicts(store: Store, prefix: str) -> None:
    first = await store.create(prefix + "a", b"one")
    await store.delete(prefix + "a")
    await store.create(prefix + "a", b"one")
    with pytest.raises(Conflict):
        await store.delete(prefix + "a", Expect(first.revision))


@pytest.mark.parametrize(
    "value", [b"", b"\0", b"\xff\xfe\0", BIG], ids=["empty", "a zero byte", "not text", "one and a half megabytes"]
)
async def test_any_bytes_are_a_value(store: Store, prefix: str, value: bytes) -> None:
    created = await store.create(prefix + "a", value)
    assert (await store.get(prefix + "a")).value == value
    assert (await store.list(prefix)).items == (created,)
    updated = await store.update(prefix + "a", append(b"."))
    assert (await store.list(prefix, Page(revision=created.revision))).items == (created,)
    assert (await store.get(prefix + "a")).value == value + b"." == updated.value


async def test_revisions_grow_even_when_the_newest_key_goes(store: Store, reopen: Reopen, prefix: str) -> None:
    await store.create(prefix + "a", b"one")
    deleted = await store.delete(prefix + "a")
    await store.compact(deleted)
    again = await reopen()
    assert await again.revision() >= deleted
    assert (await again.create(prefix + "a", b"two")).revision > deleted


async def test_what_was_acknowledged_is_there_after_reopening(store: Store, reopen: Reopen, prefix: str) -> None:
    kept = [await store.create(f"{prefix}{number}", b"v%d" % number) for number in range(5)]
    deleted = await store.delete(prefix + "0")
    again = await reopen()
    assert (await again.list(prefix)).items == tuple(kept[1:])
    assert (await again.list(prefix, Page(revision=kept[-1].revision))).items == tuple(kept)
    assert await again.revision() == deleted


# --- the hint: an old copy to start from, from which nothing is concluded


async def test_a_fresh_hint_saves_the_read_and_wins(store: Store, prefix: str) -> None:
    created = await store.create(prefix + "a", b"one")
    assert (await store.update(prefix + "a", append(b"+"), hint=created)).value == b"one+"


async def test_an_old_hint_loses_to_the_key_as_it_is(store: Store, prefix: str) -> None:
    old = await store.create(prefix + "a", b"one")
    await store.update(prefix + "a", to(b"two"))
    assert (await store.update(prefix + "a", append(b"+"), hint=old)).value == b"two+"


async def test_an_old_hint_refuses_nothing(store: Store, prefix: str) -> None:
    old = await store.create(prefix + "a", b"closed")
    await store.update(prefix + "a", to(b"open"))

    def change(current: Stored) -> bytes:
        if current.value == b"closed":
            raise Invalid("closed")
        return b"changed"

    assert (await store.update(prefix + "a", change, hint=old)).value == b"changed"


async def test_an_old_hint_with_equal_bytes_still_writes(store: Store, prefix: str) -> None:
    old = await store.create(prefix + "a", b"wanted")
    await store.update(prefix + "a", to(b"other"))
    updated = await store.update(prefix + "a", to(b"wanted"), hint=old)
    assert updated.revision == await store.revision() > old.revision
    assert (await store.get(prefix + "a")).value == b"wanted"


async def test_an_old_hint_conflicts_with_nothing(store: Store, prefix: str) -> None:
    old = await store.create(prefix + "a", b"one")
    newer = await store.update(prefix + "a", to(b"two"))
    updated = await store.update(prefix + "a", to(b"three"), Expect(newer.revision), hint=old)
    assert updated.value == b"three"


async def test_a_hint_of_a_deleted_key(store: Store, prefix: str) -> None:
    old = await store.create(prefix + "a", b"one")
    await store.delete(prefix + "a")
    with pytest.raises(NotFound):
        await store.update(prefix + "a", to(b"two"), hint=old)


# --- guards and further puts


async def write(store: Store, verb: str, key: str, guard: Guard, also: Sequence[Put] = ()) -> None:
    """The same guarded write by each verb; the key exists for update and delete, and does not for create."""
    match verb:
        case "create":
            await store.create(key, b"new", given=[guard], also=also)
        case "update":
            await store.update(key, to(b"new"), given=[guard], also=also)
        case "delete":
            await store.delete(key, given=[guard], also=also)


VERBS = pytest.mark.parametrize("verb", ["create", "update", "delete"])


async def ready_for(store: Store, verb: str, key: str) -> None:
    if verb != "create":
        await store.create(key, b"old")


@VERBS
async def test_a_guard_that_holds(store: Store, prefix: str, verb: str) -> None:
    fence = await store.create(prefix + "fence", b"term 1")
    await ready_for(store, verb, prefix + "a")
    before = await store.revision()
    await write(store, verb, prefix + "a", Guard(fence.key, fence.revision))
    assert await store.revision() == before + 1


@VERBS
async def test_a_guard_that_fails_deposes_and_changes_nothing(store: Store, prefix: str, verb: str) -> None:
    fence = await store.create(prefix + "fence", b"term 1")
    await store.update(fence.key, to(b"term 2"))
    await ready_for(store, verb, prefix + "a")
    before = await store.list(prefix)
    with pytest.raises(Deposed):
        await write(store, verb, prefix + "a", Guard(fence.key, fence.revision), [Put(prefix + "b", b"x")])
    assert await store.list(prefix) == before


@VERBS
async def test_a_guard_on_an_absent_key(store: Store, prefix: str, verb: str) -> None:
    await ready_for(store, verb, prefix + "a")
    await write(store, verb, prefix + "a", Guard(prefix + "fence", NO_REVISION))
    await store.create(prefix + "fence", b"term 1")
    await ready_for(store, verb, prefix + "b")
    with pytest.raises(Deposed):
        await write(store, verb, prefix + "b", Guard(prefix + "fence", NO_REVISION))


async def test_a_failed_guard_outweighs_an_existing_key(store: Store, prefix: str) -> None:
    await store.create(prefix + "a", b"one")
    with pytest.raises(Deposed):
        await store.create(prefix + "a", b"two", given=[Guard(prefix + "fence", Revision(1))])


async def test_a_deposed_leader_learns_it_even_where_nothing_would_be_written(store: Store, prefix: str) -> None:
    stored = await store.create(prefix + "a", b"one")
    fence = await store.create(prefix + "fence", b"term 1")
    await store.update(fence.key, to(b"term 2"))
    given = [Guard(fence.key, fence.revision)]
    with pytest.raises(Deposed):  # else "nothing to do"
        await store.update(stored.key, to(b"one"), given=given)
    with pytest.raises(Deposed):  # else Conflict
        await store.update(stored.key, to(b"two"), Expect(Revision(stored.revision + 1)), given=given)
    with pytest.raises(Deposed):  # else NotFound
        await store.update(prefix + "missing", to(b"two"), given=given)
    with pytest.raises(Deposed):
        await store.delete(prefix + "missing", given=given)


@VERBS
async def test_further_puts_share_the_revision(store: Store, prefix: str, verb: str) -> None:
    await store.create(prefix + "gone", b"x")
    await store.create(prefix + "changed", b"x")
    await ready_for(store, verb, prefix + "a")
    holds = Guard(prefix + "absent", NO_REVISION)
    also = [Put(prefix + "gone", None), Put(prefix + "changed", b"y"), Put(prefix + "made", b"z")]
    await write(store, verb, prefix + "a", holds, [*also, Put(prefix + "never", None)])
    now = await store.revision()
    listing = await store.list(prefix)
    written = {item.key: item.value for item in listing.items if item.revision == now}
    left = {prefix + "changed": b"y", prefix + "made": b"z"}
    assert written == (left if verb == "delete" else left | {prefix + "a": b"new"})
    assert prefix + "gone" not in keys_of(listing.items)


@VERBS
async def test_a_claim_that_is_taken_fails_the_whole_write(store: Store, prefix: str, verb: str) -> None:
    await store.create(prefix + "claim", b"mine")
    await ready_for(store, verb, prefix + "a")
    before = await store.list(prefix)
    holds = Guard(prefix + "absent", NO_REVISION)
    with pytest.raises(AlreadyExists, match="claim") as refusal:
        await write(store, verb, prefix + "a", holds, [Put(prefix + "claim", b"x", absent=True)])
    assert refusal.value.revision == before.revision
    assert await store.list(prefix) == before


async def test_a_claim_that_is_free_is_taken_once(store: Store, prefix: str) -> None:
    claim = Put(prefix + "claim", b"x", absent=True)
    results = await asyncio.gather(
        *(store.create(f"{prefix}{number}", b"x", also=[claim]) for number in range(8)), return_exceptions=True
    )
    refusals = [result for result in results if isinstance(result, AlreadyExists)]
    assert len(refusals) == 7
    assert len((await store.list(prefix)).items) == 2


async def test_further_puts_computed_from_old_and_new(store: Store, prefix: str) -> None:
    old = await store.create(prefix + "a", b"one")
    await store.update(prefix + "a", to(b"two"))

    def trace(current: Stored, new: bytes) -> Sequence[Put]:
        return [Put(prefix + "trace", current.value + b" -> " + new)]

    updated = await store.update(prefix + "a", append(b"+"), hint=old, also=trace)
    assert await store.get(prefix + "trace") == Stored(prefix + "trace", b"two -> two+", updated.revision)


# --- many at once


async def test_sixteen_writers_count_on_one_key(store: Store, prefix: str) -> None:
    await store.create(prefix + "count", b"0")
    taken: list[Revision] = []

    async def count() -> None:
        for _ in range(10):
            counted = await store.update(prefix + "count", lambda current: b"%d" % (int(current.value) + 1))
            taken.append(counted.revision)

    async with asyncio.TaskGroup() as writers:
        for _ in range(16):
            writers.create_task(count())
    assert (await store.get(prefix + "count")).value == b"160"
    assert len(set(taken)) == 160


async def test_a_refused_write_does_not_touch_its_neighbours(store: Store, prefix: str) -> None:
    await store.create(prefix + "taken", b"x")
    results = await asyncio.gather(
        store.create(prefix + "a", b"x"),
        store.create(prefix + "taken", b"y"),
        store.create(prefix + "b", b"x", given=[Guard(prefix + "taken", NO_REVISION)]),
        store.create(prefix + "c", b"x"),
        store.create(prefix + "c", b"y"),
        return_exceptions=True,
    )
    assert isinstance(results[0], Stored)
    assert isinstance(results[1], AlreadyExists)
    assert isinstance(results[2], Deposed)
    assert isinstance(results[3], Stored) != isinstance(results[4], Stored)
    assert keys_of((await store.list(prefix)).items) == [prefix + name for name in ("a", "c", "taken")]


async def test_a_cancelled_callers_write_still_lands(store: Store, prefix: str) -> None:
    await store.create(prefix + "before", b"x")
    caller = asyncio.create_task(store.create(prefix + "a", b"one"))
    for _ in range(3):
        await asyncio.sleep(0)  # until it has been sent
    caller.cancel()
    await asyncio.wait([caller])

    async def landed() -> bool:
        return prefix + "a" in keys_of((await store.list(prefix)).items)

    await eventually(landed)
