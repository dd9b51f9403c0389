"""Real `steersman-controller-manager` processes for tests and benchmarks: signalled as one likes, killed at the end.

async with replica_processes(server.grpc, tmp_path, count=3) as replicas:
    leader = await replicas.leading(api)
    leader.signal(signal.SIGKILL)
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from tests import freeports

READY_SECONDS = 60.0


class _Line(msgspec.Struct):
    event: str = ""
    instance: str = ""


class ReplicaProcess:
    """One process. `instance` is the name under which it holds Leases and writes Events."""

    def __init__(self, process: asyncio.subprocess.Process, log_file: Path, http: str) -> None:
        self._process = process
        self.http = http
        self.log_file = log_file
        self.instance = ""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    def said(self, event: str) -> int:
        """How often it has logged that."""
        return sum(line.event == event for line in self._lines())

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    async def ended(self) -> int:
        """Its exit code."""
        code = await self._process.wait()
        _running.discard(self.pid)
        return code

    async def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self.ended()

    async def ready(self) -> None:
        """Its caches are warm."""
        async with asyncio.timeout(READY_SECONDS):
            while not self.said("ready"):
                if not self.is_alive:
                    raise RuntimeError(f"the replica has ended: {self.log_file.read_text()[-3000:]}")
                await asyncio.sleep(0.02)
        self.instance = next(line.instance for line in self._lines() if line.event == "standing")

    def _lines(self) -> list[_Line]:
        text = self.log_file.read_bytes()
        return [msgspec.json.decode(line, type=_Line) for line in text.splitlines(keepends=True) if line[-1:] == b"\n"]


class ReplicaProcesses:
    """Several replicas over one API server; the log of each start is a file of its own."""

    def __init__(self, server: str, folder: Path, arguments: Sequence[str]) -> None:
        self._server = server
        self._folder = folder
        self._arguments = tuple(arguments)
        self._started = 0
        self.all: list[ReplicaProcess] = []

    async def start(self) -> ReplicaProcess:
        """One more, ready to lead."""
        self._started += 1
        log_file = self._folder / f"replica-{self._started}.log"
        http = f"127.0.0.1:{freeports.take()}"
        with log_file.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "controller_manager",
                f"--server={self._server}",
                f"--http-address={http}",
                "--log-style=json",
                *self._arguments,
                stdout=output,
                stderr=output,
            )
        _running.add(process.pid)
        replica = ReplicaProcess(process, log_file, http)
        self.all.append(replica)
        await replica.ready()
        return replica

    def called(self, instance: str) -> ReplicaProcess | None:
        return next((each for each in self.all if each.instance == instance and each.is_alive), None)

    async def kill_all(self) -> None:
        for replica in self.all:
            await replica.kill()


@asynccontextmanager
async def replica_processes(
    server: str, folder: Path, *, count: int, arguments: Sequence[str] = (), data_dir: Path | None = None
) -> AsyncIterator[ReplicaProcesses]:
    """Processes that stand for election; `data_dir`: where their certificate is; without it they need none."""
    security = "--insecure" if data_dir is None else f"--data-dir={data_dir}"
    replicas = ReplicaProcesses(server, folder, [security, *arguments])
    try:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(count):
                tasks.create_task(replicas.start())
        yield replicas
    finally:
        await replicas.kill_all()


_running: set[int] = set()


@atexit.register
def _kill_leftovers() -> None:
    """For runs that end so badly that no `finally` was reached."""
    for pid in _running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            print(f"killed a left-over controller manager, pid {pid}", file=sys.stderr)
