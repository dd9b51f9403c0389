from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry

from steersman.base.tracing import SpanContext
from steersman.control.workqueue import MAX_CAUSES, QueueMetrics, WorkQueue
from tests.fakes.clock import FakeClock


@asynccontextmanager
async def running(queue: WorkQueue[str]) -> AsyncIterator[None]:
    """With delayed keys being moved."""
    mover = asyncio.create_task(queue.run())
    try:
        yield
    finally:
        mover.cancel()
        await asyncio.wait((mover,))


def ready(queue: WorkQueue[str]) -> list[str]:
    """Take what can be taken at once."""
    found = []
    while True:
        getting = queue.get()
        try:
            getting.send(None)
        except StopIteration as taken:
            found.append(taken.value.key)
        else:
            getting.close()
            return found


async def test_keys_come_in_the_order_of_their_first_add() -> None:
    queue: WorkQueue[str] = WorkQueue(FakeClock())
    for key in ("b", "a", "b"):
        queue.add(key)
    assert ready(queue) == ["b", "a"]


async def test_a_key_added_while_it_is_worked_on_comes_again_when_done() -> None:
    queue: WorkQueue[str] = WorkQueue(FakeClock())
    queue.add("a")
    assert ready(queue) == ["a"]
    queue.add("a")
    assert ready(queue) == []
    queue.done("a")
    assert ready(queue) == ["a"]
    queue.done("a")
    assert ready(queue) == []


async def test_of_several_delays_the_earliest_counts() -> None:
    clock = FakeClock()
    queue: WorkQueue[str] = WorkQueue(clock)
    async with running(queue):
        for seconds in (10, 5, 20):
            queue.add_after("a", seconds)
        await clock.advance(4.9)
        assert ready(queue) == []
        await clock.advance(0.2)
        assert ready(queue) == ["a"]
        queue.done("a")
        await clock.advance(60)
        assert ready(queue) == []


async def test_no_delay_is_an_add() -> None:
    queue: WorkQueue[str] = WorkQueue(FakeClock())
    queue.add_after("a", 0)
    assert ready(queue) == ["a"]


async def test_delays_that_lost_do_not_pile_up() -> None:
    clock = FakeClock()
    queue: WorkQueue[str] = WorkQueue(clock)
    for round_ in range(1000):
        queue.add_after("a", 5000 - round_)
    assert len(queue._timers) < 100
    async with running(queue):
        await clock.advance(4001)
        assert ready(queue) == ["a"]


async def test_retries_double_from_5_ms_to_5_min_and_begin_anew_after_success() -> None:
    clock = FakeClock()
    queue: WorkQueue[str] = WorkQueue(clock)
    delays = []
    async with running(queue):
        for _ in range(18):
            delays.append(queue.retry("a"))
            await clock.advance(delays[-1])
            assert ready(queue) == ["a"]
            queue.done("a")
    assert delays[:4] == [0.005, 0.01, 0.02, 0.04]
    assert delays[-1] == 300
    queue.forget("a")
    assert queue.retry("a") == 0.005


async def test_a_taken_key_tells_how_long_it_waited_how_often_it_failed_and_why_it_is_wanted() -> None:
    clock = FakeClock()
    queue: WorkQueue[str] = WorkQueue(clock)
    causes = [SpanContext(1, span, sampled=True) for span in range(1, MAX_CAUSES + 3)]
    queue.add("a", causes[0])
    await clock.advance(3)
    for cause in causes:
        queue.add("a", cause)
    queue._failures["a"] = 2
    assert await queue.get() == ("a", 3, 2, tuple(causes[:MAX_CAUSES]))


async def test_a_worker_that_gives_up_waiting_takes_no_key_with_it() -> None:
    queue: WorkQueue[str] = WorkQueue(FakeClock())
    waiting = asyncio.create_task(queue.get())
    await asyncio.sleep(0)
    queue.add("a")
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ready(queue) == ["a"]


async def test_it_is_measured() -> None:
    registry = CollectorRegistry()
    clock = FakeClock()
    queue: WorkQueue[str] = WorkQueue(clock, name="pods", measures=QueueMetrics(registry))
    queue.add("a")
    queue.add("b")
    await queue.get()
    queue.retry("a")
    await clock.advance(2)
    queue.done("a")
    labels = {"name": "pods"}
    assert registry.get_sample_value("workqueue_adds_total", labels) == 2
    assert registry.get_sample_value("workqueue_depth", labels) == 1
    assert registry.get_sample_value("workqueue_retries_total", labels) == 1
    assert registry.get_sample_value("workqueue_work_duration_seconds_sum", labels) == 2
