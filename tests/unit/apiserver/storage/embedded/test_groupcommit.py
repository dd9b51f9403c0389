"""Group commit with a writer that the test drives: what is said, in which order, if the disk works, fails or hangs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from apiserver.storage.embedded import groupcommit
from apiserver.storage.embedded.groupcommit import GroupCommit
from apiserver.storage.embedded.history import Row
from apiserver.storage.embedded.judge import Outcome
from apiserver.storage.embedded.present import Present
from apiserver.storage.interface import NO_REVISION, Revised
from apiserver.storage.swap import Transaction
from steersman.api.errors import ApiError, Internal, Timeout, TooManyRequests, Unavailable


class HandDrivenWriter(Executor):
    """Runs nothing by itself: each `land` or `fail` ends the group in flight."""

    def __init__(self) -> None:
        self.groups: list[Sequence[Row]] = []
        self._flights: list[Future[Any]] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        self.groups.append(arguments[0])
        self._flights.append(Future())
        return self._flights[-1]

    def land(self) -> None:
        self._flights.pop(0).set_result(None)

    def fail(self, error: Exception) -> None:
        self._flights.pop(0).set_exception(error)


class World:
    def __init__(self) -> None:
        self.present = Present([], NO_REVISION)
        self.writer = HandDrivenWriter()
        self.happened: list[str] = []
        self.commits = GroupCommit(self.present, self.writer, lambda rows: None, self._landed)

    def _landed(self, revisions: Sequence[Revised]) -> None:
        self.happened += [f"event {revised.changes[0].key}" for revised in revisions]

    def start(self, *keys: str) -> list[asyncio.Task[Outcome]]:
        return [asyncio.create_task(self._create(key)) for key in keys]

    async def _create(self, key: str) -> Outcome:
        outcome = await self.commits.commit(Transaction(key, b"x", NO_REVISION))
        self.happened.append(f"answer {key}")
        return outcome

    def keys_in_flight(self) -> list[str]:
        return [key for _, key, _ in self.writer.groups[-1]]


@pytest.fixture
async def world() -> World:
    return World()


async def turn() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("the disk said so")
    error.sqlite_errorcode = code
    return error


async def test_events_come_after_the_commit_and_before_the_answers(world: World) -> None:
    tasks = world.start("a", "b")
    await turn()
    assert (world.keys_in_flight(), world.happened, world.present.revision) == (["a", "b"], [], 0)
    world.writer.land()
    await turn()
    assert world.happened == ["event a", "event b", "answer a", "answer b"]
    assert ([task.result() for task in tasks], world.present.revision) == ([1, 2], 2)


async def test_what_comes_meanwhile_is_the_next_group(world: World) -> None:
    world.start("a")
    await turn()
    world.start("b", "c")
    await turn()
    assert len(world.writer.groups) == 1
    world.writer.land()
    await turn()
    assert world.keys_in_flight() == ["b", "c"]
    world.writer.land()
    await world.commits.drain()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(sqlite_error(sqlite3.SQLITE_FULL), Unavailable, id="disk full: nothing was written"),
        pytest.param(sqlite_error(sqlite3.SQLITE_BUSY), Unavailable, id="locked by somebody: nothing was written"),
        pytest.param(sqlite_error(sqlite3.SQLITE_IOERR_FSYNC), Timeout, id="fsync failed: nobody knows"),
        pytest.param(RuntimeError("bug"), Internal, id="our own bug"),
    ],
)
async def test_a_failed_commit(world: World, error: Exception, said: type[ApiError]) -> None:
    tasks = world.start("a", "a")
    await turn()
    world.writer.fail(error)
    await turn()
    for task in tasks:  # the second was refused because of the first, which is not there either
        assert type(task.exception()) is said
    assert (world.happened, world.present.revision, world.present.find("a")) == ([], 0, None)
    (again,) = world.start("a")
    await turn()
    world.writer.land()
    assert await again == 2, "a revision that may be on disk is not given to another write"


async def test_a_cancelled_caller_does_not_stop_the_write(world: World) -> None:
    (task,) = world.start("a")
    await asyncio.sleep(0)
    task.cancel()
    await turn()
    world.writer.land()
    await turn()
    assert (task.cancelled(), world.happened) == (True, ["event a"])


async def test_a_disk_that_hangs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groupcommit, "STALL_SECONDS", 0.001)
    (flying,) = world.start("a")
    await turn()
    (waiting,) = world.start("b")
    with pytest.raises(Timeout):
        await flying
    with pytest.raises(Unavailable):
        await waiting
    with pytest.raises(Unavailable):
        await world.commits.commit(Transaction("c", b"x", NO_REVISION))
    world.writer.land()
    await turn()
    assert world.happened == ["event a"], "it landed after all, and watchers are told"
    (recovered,) = world.start("d")
    await turn()
    world.writer.land()
    assert await recovered == 2


@pytest.mark.parametrize(("bound", "value"), [("WAITING_REQUESTS", 3), ("WAITING_BYTES", 3)])
async def test_a_full_queue_refuses_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch, bound: str, value: int
) -> None:
    monkeypatch.setattr(groupcommit, bound, value)
    tasks = world.start("a", "b", "c", "d")
    await turn()
    assert isinstance(tasks[3].exception(), TooManyRequests)
    world.writer.land()
    assert [await task for task in tasks[:3]] == [1, 2, 3]


async def test_a_closed_store_lands_what_it_took_and_takes_no_more(world: World) -> None:
    (task,) = world.start("a")
    await asyncio.sleep(0)
    closing = asyncio.create_task(world.commits.drain())
    await turn()
    with pytest.raises(Unavailable):
        await world.commits.commit(Transaction("b", b"x", NO_REVISION))
    assert not closing.done()
    world.writer.land()
    await closing
    assert task.result() == 1
