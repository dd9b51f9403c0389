"""What is known about a running cluster, on disk: written by its keeper at every change, read by every other `steer`.

The file is replaced whole, so a reader never sees half of it. Pids come with the birth of their process, because
numbers come back.
"""

from __future__ import annotations

import os
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec


class Role(StrEnum):
    APISERVER = "apiserver"
    CONTROLLER_MANAGER = "controller-manager"
    NODE = "node"


class State(StrEnum):
    WAITING = "waiting"
    """For what it needs, or for its next start."""
    RUNNING = "running"
    ENDED = "ended"


class Pid(msgspec.Struct, frozen=True):
    """A process. `birth` is the moment of its start as the system tells it; only both together mean that one."""

    number: int
    birth: str


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One component as it is now. `log_offset`: where in its log this start of it begins."""

    name: str
    role: Role
    state: State
    log: str
    pid: Pid | None = None
    started_at: datetime | None = None
    log_offset: int = 0
    restarts: int = 0
    exit_code: int | None = None
    next_start_at: datetime | None = None
    nodes: tuple[str, ...] = ()


class Ledger(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One cluster. It outlives the cluster: the next start takes the same ports."""

    name: str
    keeper: Pid
    began_at: datetime
    grpc: tuple[str, ...]
    rest: tuple[str, ...]
    runtime: str
    kubeconfig: str
    runtime_reason: str = ""
    otlp: str = ""
    usable_after_seconds: float | None = None
    parts: tuple[Part, ...] = ()

    def part(self, name: str) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)

    def of(self, role: Role) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.role is role)


_DECODER = msgspec.json.Decoder(Ledger)


def read(file: Path) -> Ledger | None:
    """None if there is none, or none that this version can read."""
    try:
        return _DECODER.decode(file.read_bytes())
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def write(file: Path, ledger: Ledger) -> None:
    fresh = file.with_suffix(".new")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(ledger), indent=1))
    os.replace(fresh, file)
