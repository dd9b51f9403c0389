"""Ending processes inside containers, where this machine shows them to us.

Docker tells the number of a process as its own machine counts. An agent that runs there too (not in a container, not
far from the engine) finds the process under that number, and may kill it; any other leaves it alone.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from nodeagent.runtime.docker import namespaces


def kill(pid: int, container_id: str) -> bool:
    """Kill a process of that container and all that it has started; whether it is one that we can reach.

    The handle is opened before it is asked whose process it is: numbers are used again, handles are not.
    """
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if not namespaces.visible(pid, container_id):
            return False
        children = [*_children(pid)]  # afterwards nobody knows whose they were
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    finally:
        os.close(handle)
    for child in children:
        kill(child, container_id)
    return True


def _children(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for listed in Path(f"/proc/{pid}/task").glob("*/children"):
            yield from map(int, listed.read_text().split())
