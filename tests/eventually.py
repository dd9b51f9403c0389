"""Waiting in tests: poll a condition until it holds, or fail with the last thing seen."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar, overload

T = TypeVar("T")

INTERVAL_SECONDS = 0.01
PATIENCE_SECONDS = 30.0
"""Costs nothing where all is well, and a busy machine may need seconds for what an idle one does in milliseconds."""


@overload
async def eventually(condition: Callable[[], Awaitable[T]], *, within: float = ...) -> T: ...


@overload
async def eventually(condition: Callable[[], T], *, within: float = ...) -> T: ...


async def eventually(condition: Callable[[], T | Awaitable[T]], *, within: float = PATIENCE_SECONDS) -> T:
    """The first truthy value of `condition`, asked every 10 ms. AssertionError with the last value after `within`.

    An AssertionError raised by the condition counts as "not yet", so a condition may be written as assertions that
    return something truthy.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within
    while True:
        last: T | AssertionError
        try:
            last = await _value(condition)
            if last:
                return last
        except AssertionError as failure:
            last = failure
        if loop.time() >= deadline:
            raise AssertionError(f"not within {within} s; last value: {last!r}")
        await asyncio.sleep(INTERVAL_SECONDS)


async def _value(condition: Callable[[], T | Awaitable[T]]) -> T:
    value = condition()
    if inspect.isawaitable(value):
        return await value
    return value
