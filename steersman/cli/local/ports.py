"""Which ports a cluster's API servers listen on: those given, else those of last time, else the usual or any free ones.

The usual ports belong to the cluster called "default"; any other gets free ones, so that several run side by side.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from steersman.base import values

HOST = "127.0.0.1"
REST, GRPC = 6443, 6444
SPARE = range(20_000, 32_000)
"""Below those that the system gives to outgoing connections: one of them could take the port of an API server that is
just being started again, even a client's that keeps calling it."""
ATTEMPTS = 100


@dataclass(frozen=True, slots=True)
class Ports:
    grpc: tuple[str, ...]
    rest: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.grpc, *self.rest)


def row(first: int, count: int) -> tuple[str, ...]:
    """Every second port: REST and gRPC are neighbours by default, and both rows must fit."""
    return tuple(f"{HOST}:{first + 2 * number}" for number in range(count))


def wanted(
    count: int, rest_port: int | None, grpc_port: int | None, before: Ports | None, *, are_usual: bool
) -> Ports | None:
    """None: any free ones will do."""
    if rest_port is None and grpc_port is None:
        if before is not None and len(before.grpc) == count:
            return before
        return Ports(row(GRPC, count), row(REST, count)) if are_usual else None
    rest = rest_port if rest_port is not None else (grpc_port or 0) - 1
    grpc = grpc_port if grpc_port is not None else rest + 1
    return Ports(row(grpc, count), row(rest, count))


def taken(addresses: Sequence[str]) -> list[str]:
    """Where somebody listens already."""
    return [address for address in addresses if not _is_free(address)]


def _is_free(address: str) -> bool:
    where = values.parse_address(address)
    with socket.socket() as probe:
        # As a server binds: a connection of a moment ago that still winds down is no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((where.host, where.port))
        except OSError:
            return False
    return True


def free(count: int) -> Ports:
    """Held all at once, so that they differ."""
    with contextlib.ExitStack() as stack:
        found = [f"{HOST}:{_held(stack)}" for _ in range(2 * count)]
    return Ports(tuple(found[:count]), tuple(found[count:]))


def _held(stack: contextlib.ExitStack) -> int:
    for _ in range(ATTEMPTS):
        port = secrets.choice(SPARE)
        probe = stack.enter_context(socket.socket())
        with contextlib.suppress(OSError):
            probe.bind((HOST, port))
            return port
    raise OSError(f"no free port found from {SPARE.start} to {SPARE.stop}")
