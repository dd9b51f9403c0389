"""Random ownership, random deletions, caches that lag, passes in any order: the end is always as defined."""

from __future__ import annotations

import asyncio
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.client.requests import Propagation
from tests.unit.controller_manager.controllers.garbagecollector.world import World, kind_of, make, refers_to

NAMES = "abcdefg"
FOLLOWING = st.sampled_from([Propagation.BACKGROUND, Propagation.FOREGROUND])

Owners = dict[str, dict[str, bool]]
"""For each object its owners, and whether it blocks their deletion in the foreground."""

ownership = st.dictionaries(
    st.sampled_from(NAMES), st.dictionaries(st.sampled_from(NAMES), st.booleans(), max_size=3), min_size=1
)
randoms = st.integers(0, 2**32).map(Random)


async def deleted_from(owners: Owners, deletions: dict[str, Propagation], random: Random) -> dict[str, tuple[str, ...]]:
    """What is left in the end: each object with the owners that it still names."""
    world = World()
    for name in sorted(everybody(owners)):
        named = owners.get(name, {}).items()
        world.server.put(
            make(name, *(refers_to(owner, kind=kind_of(owner).kind, blocking=blocks) for owner, blocks in named))
        )
    wanted = list(deletions.items())
    random.shuffle(wanted)
    for name, propagation in wanted:
        for _ in range(random.randrange(8)):
            await world.step(random)
        if name in world.server.objects:
            world.server.remove(name, propagation)
    await world.settle(random)
    return {
        name: tuple(each.name for each in value.metadata.owner_references)
        for name, value in sorted(world.server.objects.items())
    }


def doomed(owners: Owners, deleted: set[str]) -> set[str]:
    """The definition: who is deleted, and whoever has owners and all of them are doomed."""
    found = set(deleted)
    while True:
        more = {name for name, named in owners.items() if named and named.keys() <= found} - found
        if not more:
            return found
        found |= more


def everybody(owners: Owners) -> set[str]:
    return {*owners, *(owner for named in owners.values() for owner in named)}


@given(ownership, st.dictionaries(st.sampled_from(NAMES), FOLLOWING), randoms)
@settings(max_examples=150, deadline=None)
def test_what_has_lost_its_last_owner_goes_and_nothing_else(
    owners: Owners, deletions: dict[str, Propagation], random: Random
) -> None:
    gone = doomed(owners, deletions.keys() & everybody(owners))
    left = asyncio.run(deleted_from(owners, deletions, random))
    assert left.keys() == everybody(owners) - gone
    for name, named in left.items():
        assert set(named) == owners.get(name, {}).keys() - gone


@given(ownership, st.sets(st.sampled_from(NAMES)), randoms)
@settings(max_examples=150, deadline=None)
def test_orphans_all_stay_and_forget(owners: Owners, deleted: set[str], random: Random) -> None:
    left = asyncio.run(deleted_from(owners, dict.fromkeys(deleted, Propagation.ORPHAN), random))
    assert left.keys() == everybody(owners) - deleted
    for name, named in left.items():
        assert set(named) == owners.get(name, {}).keys() - deleted


def test_two_that_are_both_deleted_in_the_foreground_do_not_wait_for_each_other_for_ever() -> None:
    owners: Owners = {"a": {"b": True}, "b": {"a": True}}
    deletions = dict.fromkeys("ab", Propagation.FOREGROUND)
    assert asyncio.run(deleted_from(owners, deletions, Random(1))) == {}
