"""A process from its start to its exit code, with real signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest

PREAMBLE = """
import asyncio, sys
from steersman.base import log
from steersman.base.run import Stopping, run
log.configure("info", "json")
say = lambda text: print(text, flush=True)
"""

Start = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def begin(program: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", PREAMBLE + textwrap.dedent(program)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def finish(process: subprocess.Popen[str]) -> tuple[int, list[str], list[dict[str, Any]]]:
    out, errors = process.communicate(timeout=50)
    return process.returncode, out.splitlines(), [json.loads(line) for line in errors.splitlines()]


def wait_ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


WAITS = """
async def main(stopping: Stopping) -> None:
    try:
        say("ready")
        await stopping.wait()
        say("closing")
    finally:
        say("closed")
sys.exit(run(main))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_asks_for_an_ordered_stop(start: Start, number: signal.Signals) -> None:
    process = start(WAITS)
    wait_ready(process)
    process.send_signal(number)
    code, out, told = finish(process)
    assert (code, out) == (0, ["closing", "closed"])
    assert [(line["event"], line["signal"]) for line in told] == [("stopping", number.name)]


def test_a_second_signal_ends_at_once(start: Start) -> None:
    process = start("""
        async def main(stopping: Stopping) -> None:
            say("ready")
            await stopping.wait()
            say("ready")
            await asyncio.sleep(60)
        sys.exit(run(main))
    """)
    wait_ready(process)
    process.send_signal(signal.SIGTERM)
    wait_ready(process)
    process.send_signal(signal.SIGTERM)
    code, _, told = finish(process)
    assert code == 128 + signal.SIGTERM
    assert told[-1]["event"] == "second signal: ending at once"


def test_a_stop_that_takes_too_long_is_cut_off(start: Start) -> None:
    process = start("""
        async def main(stopping: Stopping) -> None:
            say("ready")
            try:
                await asyncio.sleep(60)
            finally:
                say("cancelled")
        sys.exit(run(main, stop_within_seconds=0.1))
    """)
    wait_ready(process)
    process.send_signal(signal.SIGTERM)
    code, out, told = finish(process)
    assert (code, out) == (1, ["cancelled"])
    assert told[-1]["error"] == "TimeoutError: not stopped 0.1 s after being asked to"


def test_every_error_is_one_line_and_the_code_is_1(start: Start) -> None:
    process = start("""
        async def breaks(error: Exception) -> None:
            raise error
        async def main(stopping: Stopping) -> None:
            async with asyncio.TaskGroup() as group:
                group.create_task(breaks(OSError(98, "address in use")))
                group.create_task(breaks(KeyError("spec")))
        sys.exit(run(main))
    """)
    code, _, told = finish(process)
    assert code == 1
    assert {(line["level"], line["event"]) for line in told} == {("error", "stopped by an error")}
    assert {line["error"] for line in told} == {"OSError: [Errno 98] address in use", "KeyError: 'spec'"}


def test_a_main_that_ends_by_itself_is_a_clean_end(start: Start) -> None:
    process = start("""
        async def main(stopping: Stopping) -> None:
            say(type(asyncio.get_running_loop()).__module__)
        sys.exit(run(main))
    """)
    assert finish(process) == (0, ["uvloop"], [])


def test_an_error_that_nobody_waited_for_is_told(start: Start) -> None:
    process = start("""
        async def main(stopping: Stopping) -> None:
            asyncio.get_running_loop().call_soon(lambda: 1 / 0)
            await asyncio.sleep(0.01)
        sys.exit(run(main))
    """)
    code, _, (line,) = finish(process)
    assert (code, line["event"]) == (0, "error outside any task")
    assert line["error"] == "ZeroDivisionError: division by zero"


def test_a_log_that_nobody_reads_does_not_keep_a_process_from_stopping() -> None:
    program = (
        "from steersman.base import log, run\n"
        "async def main(stopping):\n"
        "    log.get('test').info('ready')\n"
        "    await stopping.wait()\n"
        "    log.get('test').info('going')\n"
        "log.configure('info', 'json')\n"
        "raise SystemExit(run.run(main))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    assert b"ready" in process.stdout.readline()
    process.stdout.close()
    process.terminate()
    try:
        # A stream whose reader has gone may still make the interpreter's own last flush complain (exit code 120).
        assert process.wait(timeout=50) in (0, 120)
    finally:
        process.kill()
