"""From `main` to exit code: an event loop, signals that ask for an ordered stop, and one clear line when all fails.

    async def main(stopping: Stopping) -> None:
        async with open_store() as store, asyncio.TaskGroup() as group:
            ...
            await stopping.wait()

    sys.exit(run(main))

The first SIGTERM or SIGINT sets `stopping`; `main` then closes what it opened, inside out, as its `async with` blocks
end. A stop that outlasts its bound is cancelled; a second signal ends the process at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from steersman.base import log, tracing

_log = log.get(__name__)

SIGNALS = (signal.SIGTERM, signal.SIGINT)
STOP_WITHIN_SECONDS = 30.0


class Stopping:
    """Set once, when the process has been asked to end; never taken back."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

    async def wait(self) -> None:
        await self._event.wait()


Main = Callable[[Stopping], Awaitable[None]]


def run(main: Main, *, stop_within_seconds: float = STOP_WITHIN_SECONDS) -> int:
    """Run `main` to its end and return the process's exit code: 0 for a clean end, 1 after an error."""
    try:
        with asyncio.Runner(loop_factory=_fastest_loop()) as runner:
            runner.run(_supervised(main, stop_within_seconds))
    except Exception as error:  # noqa: BLE001 -- the last line of defence: every error becomes a log line and a code
        for leaf in leaves(error):
            _log.error("stopped by an error", **describe(leaf))
        _log.debug("where it came from", exc_info=error)
        return 1
    finally:
        tracing.shutdown()
    return 0


async def _supervised(main: Main, stop_within_seconds: float) -> None:
    stopping = Stopping()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_log_stray_error)
    try:
        async with asyncio.timeout(None) as patience:

            def stop_in_order() -> None:
                stopping.set()
                patience.reschedule(loop.time() + stop_within_seconds)

            with _signals(loop, stop_in_order):
                await main(stopping)
    except TimeoutError as error:
        if not patience.expired():
            raise
        raise TimeoutError(f"not stopped {stop_within_seconds:g} s after being asked to") from error


@contextmanager
def _signals(loop: asyncio.AbstractEventLoop, stop_in_order: Callable[[], None]) -> Iterator[None]:
    asked = False

    def on_signal(number: signal.Signals) -> None:
        nonlocal asked
        if asked:
            _log.warning("second signal: ending at once", signal=number.name)
            os._exit(128 + number)
        asked = True
        stop_in_order()
        _log.info("stopping", signal=number.name)

    for number in SIGNALS:
        loop.add_signal_handler(number, on_signal, number)
    try:
        yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)


def _fastest_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not made for this platform
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def _log_stray_error(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An error that no task waited for: never silent, never fatal."""
    error = context.get("exception")
    details = describe(error) if isinstance(error, Exception) else {}
    _log.error("error outside any task", what=context.get("message"), **details)


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The single errors inside nested groups: a TaskGroup wraps even one."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def describe(error: BaseException) -> dict[str, str]:
    """An error in one line: what, and where unless it is the outside world that failed."""
    told = {"error": f"{type(error).__name__}: {error}" if str(error) else type(error).__name__}
    frames = traceback.extract_tb(error.__traceback__)
    if frames and not isinstance(error, OSError):
        told["at"] = f"{frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}"
    return told
