"""Do many things of one sort, carefully at first: batches of 1, 2, 4, … that stop at the first failure.

Whatever refuses the first child of a thousand (a quota, an admission rule, a namespace that is going away) refuses
the others too; so that costs one call, and not a thousand in each retry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TypeVar

from steersman.api.errors import Deposed

R = TypeVar("R")

Action = Callable[[], Awaitable[R]]

LARGEST_BATCH = 256


def sizes(count: int, largest: int = LARGEST_BATCH) -> Iterator[int]:
    """1, 2, 4, … up to `largest`; together `count`."""
    size = 1
    while count > 0:
        size = min(size, largest, count)
        yield size
        count -= size
        size *= 2


async def slow_start(actions: Sequence[Action[R]], *, largest: int = LARGEST_BATCH) -> list[R]:
    """The results in order. After a failure the rest of its batch still ends, no further batch begins, and the first
    failure is raised; Deposed before any other, as it speaks about all of them."""
    results: list[R] = []
    position = 0
    for size in sizes(len(actions), largest):
        ends = await _together(actions[position : position + size])
        position += size
        failures = [end for end in ends if isinstance(end, Exception)]
        if failures:
            raise next((failure for failure in failures if isinstance(failure, Deposed)), failures[0])
        results += [end for end in ends if not isinstance(end, Exception)]
    return results


async def _together(actions: Sequence[Action[R]]) -> list[R | Exception]:
    """All at the same time, each to its own end: one that fails must not leave another's write without its answer."""
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(_end_of(action)) for action in actions]
    return [task.result() for task in running]


async def _end_of(action: Action[R]) -> R | Exception:
    try:
        return await action()
    except Exception as failure:  # noqa: BLE001 -- handed to the caller, who raises it
        return failure
