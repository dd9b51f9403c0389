"""Processes that need not be our children: is it still that one, signal it, see it end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from steersman.cli.local.ledger import Pid

LOOK_SECONDS = 0.02
_PROC = Path("/proc")
_STATE, _STARTED = 0, 19
"""Places in /proc/PID/stat, counted behind the name in brackets, which may itself hold anything."""


def identify(number: int) -> Pid | None:
    """The process that has this number now; None if there is none, or only what a parent has not yet buried."""
    if not _PROC.joinpath("self").exists():
        return _identify_by_ps(number)
    try:
        text = (_PROC / str(number) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text[text.rindex(")") + 2 :].split()
    return None if fields[_STATE] in "ZX" else Pid(number, fields[_STARTED])


def _identify_by_ps(number: int) -> Pid | None:
    command = ("ps", "-o", "stat=,lstart=", "-p", str(number))
    said = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False).stdout.strip()
    state, _, born = said.partition(" ")
    return Pid(number, born.strip()) if born and not state.startswith("Z") else None


def is_alive(pid: Pid | None) -> bool:
    return pid is not None and identify(pid.number) == pid


def is_paused(pid: Pid) -> bool:
    """Stopped by a signal. Known where there is /proc; elsewhere nobody is."""
    try:
        text = (_PROC / str(pid.number) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text[text.rindex(")") + 2 :].split()[_STATE] == "T"


def send(pid: Pid, number: signal.Signals) -> bool:
    """False if the process is gone."""
    if not is_alive(pid):
        return False
    try:
        os.kill(pid.number, number)
    except ProcessLookupError:
        return False
    return True


def ask_to_end(pid: Pid) -> bool:
    """SIGTERM; one that is paused is woken, or it would not hear."""
    return send(pid, signal.SIGTERM) and send(pid, signal.SIGCONT)


async def ended(pids: Iterable[Pid], within_seconds: float) -> Sequence[Pid]:
    """Wait until all are gone; who is not by then."""
    left = [pid for pid in pids if is_alive(pid)]
    try:
        async with asyncio.timeout(within_seconds):
            while left:
                await asyncio.sleep(LOOK_SECONDS)
                left = [pid for pid in left if is_alive(pid)]
    except TimeoutError:
        pass
    return left


async def end(pids: Sequence[Pid], within_seconds: float) -> None:
    """Ask all to end, and kill who has not by then."""
    for pid in pids:
        ask_to_end(pid)
    left = await ended(pids, within_seconds)
    for pid in left:
        send(pid, signal.SIGKILL)
    await ended(left, within_seconds)
