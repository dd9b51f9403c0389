"""Delayed caches, lost answers, writes that change nothing, deletions, relists and new terms, in any order: no child
too many is ever created, and no key waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from hypothesis import example, given, settings
from hypothesis import strategies as st

from steersman.api.core import ConfigMap
from steersman.client.cache import ObjectKey
from steersman.control.barrier import Barrier
from steersman.control.loop import Loop
from steersman.control.workqueue import WorkQueue
from steersman.control.writes import Tracked
from tests.fakes.clock import FakeClock
from tests.unit.control.simulation import KEY, Fault, Keeper, LaggingInformer, Server, resource_of

WANTED = 3

Step = tuple[str, int]
STEPS = st.lists(
    st.tuples(st.just("deliver"), st.integers(1, 3))
    | st.tuples(st.sampled_from(["relist", "wake", "touch", "change terms"]), st.just(0))
    | st.tuples(st.just("remove"), st.integers(0, 2)),
    max_size=12,
)
FAULTS = st.lists(st.sampled_from(Fault), max_size=12)


class World:
    def __init__(self, faults: Sequence[Fault] = (), *, with_barrier: bool = True) -> None:
        self.clock = FakeClock()
        self.server = Server()
        self.server.faults = list(faults)
        self.informer = LaggingInformer(self.server)
        self.queue: WorkQueue[ObjectKey] = WorkQueue(self.clock)
        self.informer.handlers.append(lambda: self.queue.add(KEY))
        children = Tracked(resource_of(self.server, self.clock), clock=self.clock)
        self.keeper = Keeper(self.informer.cache, children, WANTED)
        self.barrier = Barrier({ConfigMap: self.informer} if with_barrier else {})
        self.loop = Loop(self.keeper, self.queue, self.barrier, workers=2, clock=self.clock)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self.term = asyncio.create_task(self.loop.run())
        try:
            yield
        finally:
            self.term.cancel()
            await asyncio.wait((self.term,))

    async def change_terms(self) -> None:
        """A term ends in the midst of its work; the next begins when the caches hold all that it wrote."""
        self.term.cancel()
        await asyncio.wait((self.term,))
        self.informer.relist()
        self.term = asyncio.create_task(self.loop.run())

    async def take(self, step: Step) -> None:
        match step:
            case "deliver", count:
                self.informer.deliver(count)
            case "relist", _:
                self.informer.relist()
            case "wake", _:
                self.queue.add(KEY)
            case "touch", _:
                self.server.touch()
            case "change terms", _:
                await self.change_terms()
            case "remove", index:
                names = sorted(self.server.objects)
                if index < len(names):
                    self.server.remove(names[index])
        await self.clock.advance(1)

    async def heal(self) -> None:
        self.server.faults.clear()
        for _ in range(4):
            await self.clock.advance(10)
            self.informer.relist()
        await self.clock.advance(1)


async def play(faults: Sequence[Fault], steps: Sequence[Step], *, with_barrier: bool = True) -> World:
    world = World(faults, with_barrier=with_barrier)
    async with world.running():
        world.queue.add(KEY)
        await world.clock.advance(1)
        for step in steps:
            await world.take(step)
        await world.heal()
        passes = world.keeper.passes
        world.queue.add(KEY)
        await world.clock.advance(1)
        assert world.keeper.passes > passes, "the key waits for ever"
    return world


STALE: list[Step] = [("wake", 0), ("wake", 0), ("deliver", 1)]


@settings(max_examples=60, deadline=None)
@given(faults=FAULTS, steps=STEPS)
@example(faults=[Fault.LOST_ANSWER] * 4, steps=STALE)
@example(faults=[Fault.NONE, Fault.LOST_REQUEST, Fault.LOST_ANSWER], steps=[("relist", 0), ("remove", 0), *STALE])
def test_no_duplicate_and_no_key_that_waits_for_ever(faults: list[Fault], steps: list[Step]) -> None:
    world = asyncio.run(play(faults, steps))
    assert world.server.most <= WANTED
    assert len(world.server.objects) == WANTED


async def test_without_the_barrier_the_same_world_has_duplicates() -> None:
    """The model can fail."""
    world = await play([], STALE, with_barrier=False)
    assert world.server.most > WANTED


async def test_a_key_stays_closed_until_its_writes_are_seen() -> None:
    world = World()
    async with world.running():
        world.queue.add(KEY)
        await world.clock.advance(1)
        assert world.keeper.passes == 1
        world.queue.add(KEY)
        world.informer.deliver(2)
        await world.clock.advance(1)
        assert world.keeper.passes == 1
        world.informer.deliver(1)
        await world.clock.advance(1)
        assert world.keeper.passes == 2


async def test_a_store_that_was_set_back_opens_the_key() -> None:
    world = World()
    world.server.touch()
    world.informer.relist()
    async with world.running():
        world.queue.add(KEY)
        await world.clock.advance(1)
        world.queue.add(KEY)
        world.informer.set_back(world.informer.revision)
        await world.clock.advance(1)
        assert world.keeper.passes == 2


async def test_a_store_that_was_set_back_before_anybody_waited_opens_the_key_too() -> None:
    world = World()
    world.server.touch()
    world.informer.relist()
    noted = world.barrier.begin()
    with noted.opened():
        await world.keeper.reconcile(KEY)
    assert not world.barrier.is_open(noted)
    world.informer.cache.revision = type(world.server.revision)(1)
    assert world.barrier.is_open(noted)
