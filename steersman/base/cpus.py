"""Where a process runs: one core, for those whose work is done by one thread (docs/adr/0005)."""

from __future__ import annotations

import os

from steersman.base import log

_log = log.get(__name__)


def bind(wanted: int | None, *, spread_by: int) -> None:
    """Stay on CPU `wanted`, or on one of those we may use, chosen by a number that differs between neighbours.

    Where the system cannot do that, or does not allow that CPU, nothing happens but a word about it.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    allowed = sorted(os.sched_getaffinity(0))
    chosen = allowed[spread_by % len(allowed)] if wanted is None else wanted
    try:
        os.sched_setaffinity(0, {chosen})
    except OSError as error:
        _log.warning("not bound to a CPU", cpu=chosen, allowed=allowed, error=str(error))
