"""Those who lost a race line up."""

from __future__ import annotations

import asyncio

from apiserver.storage.swap import Lines


async def test_one_at_a_time_in_the_order_of_arrival() -> None:
    lines = Lines()
    order: list[int] = []

    async def wait_in_line(number: int) -> None:
        await lines.join("key")
        order.append(number)
        await asyncio.sleep(0)
        lines.leave("key")

    async with asyncio.TaskGroup() as tasks:
        for number in range(5):
            tasks.create_task(wait_in_line(number))
    assert order == [0, 1, 2, 3, 4]
    assert not lines._locks


async def test_who_leaves_the_line_early_holds_nobody_up() -> None:
    lines = Lines()
    await lines.join("key")
    async with asyncio.TaskGroup() as tasks:
        impatient = tasks.create_task(lines.join("key"))
        patient = tasks.create_task(lines.join("key"))
        await asyncio.sleep(0)
        impatient.cancel()
        lines.leave("key")
        await patient
    lines.leave("key")
    assert not lines._locks
    assert not lines._lengths
