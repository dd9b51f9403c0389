from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from steersman.api.errors import Conflict, Deposed, Forbidden
from steersman.client.cache import ObjectKey
from steersman.control.barrier import Barrier
from steersman.control.loop import DONE, After, Loop, Outcome
from steersman.control.workqueue import WorkQueue
from tests.fakes.clock import FakeClock

KEY = ObjectKey("default", "a")


class Scripted:
    """Ends its passes as told, then with DONE; notes when they began."""

    name = "scripted"

    def __init__(self, clock: FakeClock, *ends: Outcome | Exception) -> None:
        self._clock = clock
        self._ends = list(ends)
        self.began_at: list[float] = []

    async def reconcile(self, key: ObjectKey) -> Outcome:
        self.began_at.append(round(self._clock.monotonic(), 6))
        end = self._ends.pop(0) if self._ends else DONE
        if isinstance(end, Exception):
            raise end
        return end


async def passes_of(*ends: Outcome | Exception, seconds: float = 10) -> Sequence[float]:
    clock = FakeClock()
    controller = Scripted(clock, *ends)
    queue: WorkQueue[ObjectKey] = WorkQueue(clock)
    queue.add(KEY)
    running = asyncio.create_task(Loop(controller, queue, Barrier({}), clock=clock).run())
    await clock.advance(seconds)
    running.cancel()
    await asyncio.wait((running,))
    return controller.began_at


@pytest.mark.parametrize(
    ("ends", "began_at"),
    [
        pytest.param([DONE], [0], id="done"),
        pytest.param([After(3), After(4)], [0, 3, 7], id="after"),
        pytest.param([Conflict("changed")], [0, 0.005], id="conflict"),
        pytest.param([Forbidden("quota")] * 3, [0, 0.005, 0.015, 0.035], id="refused"),
        pytest.param([RuntimeError("a bug")], [0, 0.005], id="a bug"),
        pytest.param(
            [Forbidden("no"), Forbidden("no"), After(1), Forbidden("no")], [0, 0.005, 0.015, 1.015, 1.02], id="reset"
        ),
    ],
)
async def test_what_follows_from_how_a_pass_ended(ends: list[Outcome | Exception], began_at: list[float]) -> None:
    assert await passes_of(*ends) == began_at


@pytest.mark.parametrize(
    "end",
    [Deposed("over"), ExceptionGroup("many", [ValueError("x"), ExceptionGroup("deeper", [Deposed("over")])])],
    ids=["bare", "inside a group"],
)
async def test_deposed_ends_the_term_and_leaves_the_key_to_the_next(end: Exception) -> None:
    clock = FakeClock()
    queue: WorkQueue[ObjectKey] = WorkQueue(clock)
    queue.add(KEY)
    with pytest.raises(Deposed):
        await Loop(Scripted(clock, end), queue, Barrier({}), clock=clock).run()
    assert (await queue.get()).key == KEY


async def test_a_cancelled_term_leaves_its_keys_to_the_next() -> None:
    clock = FakeClock()
    queue: WorkQueue[ObjectKey] = WorkQueue(clock)

    class Slow:
        name = "slow"

        async def reconcile(self, key: ObjectKey) -> Outcome:
            await clock.sleep(100)
            return DONE

    queue.add(KEY)
    running = asyncio.create_task(Loop(Slow(), queue, Barrier({}), clock=clock).run())
    await clock.advance(1)
    assert len(queue) == 0
    running.cancel()
    await asyncio.wait((running,))
    assert (await queue.get()).key == KEY


async def test_a_loop_that_drains_ends_what_it_has_in_hand_and_takes_nothing_more() -> None:
    clock = FakeClock()
    queue: WorkQueue[ObjectKey] = WorkQueue(clock)
    ended: list[ObjectKey] = []

    class Slow:
        name = "slow"

        async def reconcile(self, key: ObjectKey) -> Outcome:
            await clock.sleep(1)
            ended.append(key)
            return DONE

    queue.add(KEY)
    loop = Loop(Slow(), queue, Barrier({}), workers=2, clock=clock)
    running = asyncio.create_task(loop.run())
    await clock.advance(0.5)
    draining = asyncio.create_task(loop.drain())
    queue.add(ObjectKey("default", "later"))
    await clock.advance(0.1)
    assert not draining.done()
    await clock.advance(10)
    assert draining.done()
    assert ended == [KEY]
    assert len(queue) == 1
    running.cancel()
    await asyncio.wait((running,))


async def test_an_idle_loop_is_drained_at_once() -> None:
    clock = FakeClock()
    loop = Loop(Scripted(clock), WorkQueue(clock), Barrier({}), clock=clock)
    running = asyncio.create_task(loop.run())
    await clock.advance(1)
    await loop.drain()
    running.cancel()
    await asyncio.wait((running,))
