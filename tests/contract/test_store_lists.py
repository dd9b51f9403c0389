"""What every Store promises about lists: sorted, whole, at one revision, now or as it was."""

from __future__ import annotations

import pytest

from apiserver.storage.interface import NO_REVISION, Page, Store
from steersman.api.errors import AlreadyExists, Expired
from steersman.api.names import Revision
from tests.contract.changing import append, keys_of, to
from tests.contract.conftest import Reopen


async def test_a_list_is_sorted_by_bytes_and_bound_to_its_prefix(store: Store, prefix: str) -> None:
    stem = prefix + "a/b"
    inside = [stem + "/", stem + "/0", stem + "/A", stem + "/a", stem + "/é", stem + "/中", stem + "/😀"]
    for key in [*reversed(inside), stem, stem + "0", stem + "c", stem + ".", stem + "é"]:
        await store.create(key, b"x")
    assert keys_of((await store.list(stem + "/")).items) == inside == sorted(inside, key=str.encode)
    assert len((await store.list(prefix)).items) == 12


async def test_an_empty_list_has_a_revision(store: Store, prefix: str) -> None:
    listing = await store.list(prefix)
    assert (listing.items, listing.remaining) == ((), 0)
    assert listing.revision == await store.revision()


async def test_pages_share_one_revision_while_writes_go_on(store: Store, prefix: str) -> None:
    for number in range(10):
        await store.create(f"{prefix}{number:02}", b"old")
    before = await store.list(prefix)
    page = await store.list(prefix, Page(limit=4))
    seen, remaining = list(page.items), [page.remaining]
    while page.remaining:
        await store.update(prefix + "09", append(b"+"))
        await store.delete(f"{prefix}{len(seen):02}")
        await store.create(f"{prefix}{len(seen):02}+", b"new")
        page = await store.list(prefix, Page(limit=4, after_key=seen[-1].key, revision=page.revision))
        seen += page.items
        remaining.append(page.remaining)
        assert page.revision == before.revision
    assert tuple(seen) == before.items
    assert remaining == [6, 2, 0]


@pytest.mark.parametrize(
    ("limit", "after", "expected", "remaining"),
    [
        pytest.param(0, "", "abcd", 0, id="everything"),
        pytest.param(4, "", "abcd", 0, id="exactly all"),
        pytest.param(3, "", "abc", 1, id="all but one"),
        pytest.param(9, "b", "cd", 0, id="the rest"),
        pytest.param(1, "aa", "b", 2, id="after a key that is not there"),
        pytest.param(2, "d", "", 0, id="after the last"),
    ],
)
@pytest.mark.parametrize("when", ["now", "then"])
async def test_a_page(
    store: Store, prefix: str, limit: int, after: str, expected: str, remaining: int, when: str
) -> None:
    for name in "abcd":
        await store.create(prefix + name, b"x")
    at = await store.revision()
    if when == "then":
        await store.delete(prefix + "a")
        await store.create(prefix + "e", b"x")
    page = Page(limit, prefix + after if after else "", at if when == "then" else NO_REVISION)
    listing = await store.list(prefix, page)
    assert keys_of(listing.items) == [prefix + name for name in expected]
    assert (listing.remaining, listing.revision) == (remaining, at)


async def test_a_list_as_it_was_at_every_revision(store: Store, prefix: str) -> None:
    snapshots = []
    for step in range(12):
        key = f"{prefix}{step % 3}"
        try:
            await store.create(key, b"v%d" % step)
        except AlreadyExists:
            await (store.delete(key) if step % 2 else store.update(key, to(b"v%d" % step)))
        snapshots.append(await store.list(prefix))
    for snapshot in snapshots:
        assert await store.list(prefix, Page(revision=snapshot.revision)) == snapshot


async def test_a_list_above_the_stores_own_revision_is_expired(store: Store, prefix: str) -> None:
    with pytest.raises(Expired):
        await store.list(prefix, Page(revision=Revision(await store.revision() + 1000)))


async def test_compaction_forgets_what_was_before_and_keeps_the_rest(store: Store, prefix: str) -> None:
    first = await store.create(prefix + "a", b"one")
    await store.create(prefix + "b", b"kept, written once")
    await store.create(prefix + "c", b"x")
    await store.delete(prefix + "c")
    second = await store.update(prefix + "a", to(b"two"))
    at_second = await store.list(prefix)
    await store.update(prefix + "a", to(b"three"))
    await store.compact(second.revision)
    await store.compact(first.revision)  # lower: does nothing
    assert await store.oldest() == second.revision
    assert await store.list(prefix, Page(revision=second.revision)) == at_second
    with pytest.raises(Expired):
        await store.list(prefix, Page(revision=first.revision))
    assert [item.value for item in (await store.list(prefix)).items] == [b"three", b"kept, written once"]


async def test_compaction_survives_reopening(store: Store, reopen: Reopen, prefix: str) -> None:
    first = await store.create(prefix + "a", b"one")
    second = await store.update(prefix + "a", to(b"two"))
    await store.compact(second.revision)
    again = await reopen()
    with pytest.raises(Expired):
        await again.list(prefix, Page(revision=first.revision))
    assert (await again.get(prefix + "a")) == second
