"""The servers under test, as processes of their own that end with the benchmark."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

START_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class ApiServer:
    name: str
    grpc: str
    data_dir: Path
    pid: int

    @property
    def resident_mb(self) -> float:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def running(*command: str, ready_port: int) -> AsyncIterator[int]:
    """A process that listens on `ready_port`; gives its pid."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            while not await _listens(ready_port):
                if process.returncode is not None:
                    raise RuntimeError(f"{command[0]} ended with {process.returncode}")
                await asyncio.sleep(0.02)
        yield process.pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        await process.wait()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


@asynccontextmanager
async def etcd(directory: Path) -> AsyncIterator[str]:
    """One member that syncs to disk, as in production; gives its endpoint."""
    program = shutil.which("etcd")
    if program is None:
        raise RuntimeError("etcd is not installed: deploy/dev/bootstrap.sh installs it on Debian")
    client, peer = f"http://127.0.0.1:{free_port()}", f"http://127.0.0.1:{free_port()}"
    arguments = ["--data-dir", str(directory), "--listen-client-urls", client, "--advertise-client-urls", client]
    arguments += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
    arguments += ["--initial-cluster", f"default={peer}", "--log-level", "error"]
    async with running(program, *arguments, ready_port=int(client.rsplit(":", 1)[1])):
        yield client


@asynccontextmanager
async def api_server(name: str, data_dir: Path, *arguments: str, module: str = "apiserver") -> AsyncIterator[ApiServer]:
    """`module`: what is started, if it is not the API server as it is."""
    grpc_port, rest_port = free_port(), free_port()
    command = [sys.executable, "-m", module, "--data-dir", str(data_dir), "--log-level", "warning"]
    command += ["--grpc-address", f"127.0.0.1:{grpc_port}", "--rest-address", f"127.0.0.1:{rest_port}", *arguments]
    async with running(*command, ready_port=grpc_port) as pid:
        yield ApiServer(name, f"127.0.0.1:{grpc_port}", data_dir, pid)
