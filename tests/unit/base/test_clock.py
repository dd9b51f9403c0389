from __future__ import annotations

import asyncio
from datetime import timedelta

from steersman.base.clock import Clock, SystemClock
from tests.fakes.clock import START, FakeClock


def test_system_clock_is_aware_and_in_utc() -> None:
    assert SystemClock().now().utcoffset() == timedelta(0)


def test_both_clocks_are_clocks() -> None:
    clocks: list[Clock] = [SystemClock(), FakeClock()]
    assert all(clock.monotonic() <= clock.monotonic() for clock in clocks)


async def test_fake_time_stands_still_until_advanced() -> None:
    clock = FakeClock()
    assert (clock.now(), clock.monotonic()) == (START, 0.0)
    await clock.advance(90)
    assert (clock.now(), clock.monotonic()) == (START + timedelta(seconds=90), 90.0)


async def test_sleepers_wake_in_the_order_of_their_deadlines() -> None:
    clock = FakeClock()
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    async with asyncio.TaskGroup() as group:
        for name, seconds in (("late", 3), ("early", 1), ("first of two", 2), ("second of two", 2)):
            group.create_task(sleeper(name, seconds))
        await clock.advance(10)
    assert woken == [("early", 1), ("first of two", 2), ("second of two", 2), ("late", 3)]
    assert clock.monotonic() == 10


async def test_a_loop_that_sleeps_again_is_woken_again_within_one_advance() -> None:
    clock = FakeClock()
    ticks: list[float] = []

    async def tick() -> None:
        while True:
            await clock.sleep(1)
            ticks.append(clock.monotonic())

    async with asyncio.TaskGroup() as group:
        ticking = group.create_task(tick())
        await clock.advance(3.5)
        assert clock.sleepers == 1
        ticking.cancel()
    assert ticks == [1, 2, 3]


async def test_a_cancelled_sleeper_is_forgotten() -> None:
    clock = FakeClock()
    async with asyncio.TaskGroup() as group:
        asleep = group.create_task(clock.sleep(5))
        await clock.advance(1)
        asleep.cancel()
    assert clock.sleepers == 0
    await clock.advance(10)


async def test_sleeping_no_time_still_lets_others_run() -> None:
    clock = FakeClock()
    ran: list[str] = []

    async def other() -> None:
        ran.append("other")

    async with asyncio.TaskGroup() as group:
        group.create_task(other())
        await clock.sleep(0)
        assert ran == ["other"]
