"""Memory that is free again goes back to the system.

glibc keeps what a burst of large requests has freed, and a server that was at 100 MB stays at 180 for good. Whenever
the process has grown by SLACK_BYTES since it was smallest, glibc is asked to give back what it can: some milliseconds,
and not again before the process has grown by as much once more. Elsewhere than on Linux with glibc nothing is done.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path

from steersman.base import log
from steersman.base.clock import Clock

LOOK_SECONDS = 5.0
SLACK_BYTES = 32 * 1024 * 1024

_STATM = Path("/proc/self/statm")
_log = log.get("memory")


async def give_back(clock: Clock) -> None:
    """Until cancelled, or at once where it cannot be done."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
        resident_bytes()
    except (AttributeError, OSError):
        return
    await keep_small(clock, resident_bytes, lambda: trim(0))


async def keep_small(clock: Clock, resident: Callable[[], int], trim: Callable[[], object]) -> None:
    """Trim when the process has grown; what then remains is in use."""
    smallest = resident()
    while True:
        await clock.sleep(LOOK_SECONDS)
        before = resident()
        if before - smallest <= SLACK_BYTES:
            smallest = min(smallest, before)
            continue
        trim()
        smallest = resident()
        _log.debug("memory given back", before=before, after=smallest)


def resident_bytes() -> int:
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
