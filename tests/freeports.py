"""Ports for the servers of tests: nobody else's, also while the server is down for a moment.

A port that is free now may be gone a moment later. Another test run may take it before our server listens; and from the
range that the system uses for outgoing connections any connection may take it while our server restarts, even that of
the client who keeps calling it (it is then connected with itself). So ports come from below that range, by the block,
and a block belongs to the process that holds the UDP port of its first number. No port is given out twice.
"""

from __future__ import annotations

import atexit
import contextlib
import secrets
import socket
import threading
from collections.abc import Iterator

LOWEST, BLOCK, BLOCKS = 10_000, 100, 220
"""Up to 32,000: Linux serves outgoing connections from 32,768 on."""

_held = contextlib.ExitStack()
atexit.register(_held.close)
_taking = threading.Lock()


def take() -> int:
    """A TCP port of 127.0.0.1 that is ours for as long as this process lives."""
    with _taking:
        return next(port for port in _ours if _is_free(port))


def _blocks() -> Iterator[int]:
    while True:
        first = LOWEST + BLOCK * secrets.randbelow(BLOCKS)
        claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            claim.bind(("127.0.0.1", first))
        except OSError:
            claim.close()
            continue
        _held.enter_context(claim)
        yield from range(first, first + BLOCK)


def _is_free(port: int) -> bool:
    """A stranger may listen there, who knows nothing of blocks."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


_ours = _blocks()
