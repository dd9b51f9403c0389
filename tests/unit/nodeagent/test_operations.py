"""What is under way for a pod: once at a time, called off or hurried up when need be."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from prometheus_client import CollectorRegistry

from nodeagent.images import CannotStart
from nodeagent.measures import Measures
from nodeagent.operations import Operations, Start
from nodeagent.picture import Trouble
from steersman.api.errors import Unavailable
from tests.fakes.clock import START, FakeClock
from tests.unit.nodeagent.views import after


class World:
    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self.wakes = 0
        self.done: list[str] = []
        self.open = asyncio.Event()
        self.operations = Operations(tasks, FakeClock(), self._wake, Measures(CollectorRegistry()))

    def _wake(self) -> None:
        self.wakes += 1

    async def work(self, start: Start) -> None:
        await self.open.wait()
        self.done.append("started")

    async def committed(self, start: Start) -> None:
        start.commit()
        await self.work(start)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with asyncio.TaskGroup() as tasks:
        yield World(tasks)


async def test_a_start_runs_once_and_wakes_at_its_end(world: World) -> None:
    world.operations.start("main", world.work)
    world.operations.start("main", world.work)
    assert world.operations.starting == {"main"}
    world.open.set()
    await settle()
    assert (world.done, world.wakes, world.operations.starting) == (["started"], 1, frozenset())


async def test_why_a_start_failed_is_kept_until_one_succeeds(world: World) -> None:
    trouble = Trouble("ErrImagePull", "no", after(1))

    async def fail(start: Start) -> None:
        raise CannotStart(trouble)

    world.operations.start("main", fail)
    await settle()
    assert world.operations.troubles == {"main": trouble}
    world.open.set()
    world.operations.start("main", world.work)
    await settle()
    assert world.operations.troubles == {}


async def test_an_engine_that_is_away_is_a_trouble_too(world: World) -> None:
    async def fail(start: Start) -> None:
        raise Unavailable("no engine")

    world.operations.start("main", fail)
    await settle()
    trouble = world.operations.troubles["main"]
    assert (trouble.message, trouble.retry_at > START) == ("no engine", True)


async def test_a_start_is_called_off_until_it_has_committed_itself(world: World) -> None:
    world.operations.start("pulling", world.work)
    world.operations.start("creating", world.committed)
    await settle()
    world.operations.call_off_starts()
    await settle()
    assert world.operations.starting == {"creating"}
    world.open.set()
    await settle()
    assert world.done == ["started"]


async def test_a_stop_gives_way_to_an_earlier_one(world: World) -> None:
    async def wait(name: str) -> None:
        await world.open.wait()
        world.done.append(name)

    world.operations.stop("id", after(30), lambda: wait("patient"))
    world.operations.stop("id", after(1), lambda: wait("hurried"))
    await settle()
    assert world.operations.stopping == {"id": after(1)}
    world.open.set()
    await settle()
    assert (world.done, world.operations.stopping) == (["hurried"], {})
