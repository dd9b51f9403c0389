"""Real `steersman-nodeagent` processes for tests: killed at the end, and in between as often as the test likes.

async with node_agent_process(server.grpc, folder, "--runtime=docker", node="node-a") as agent:
    await agent.kill()
    await agent.start()
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import shutil
import signal
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path


class NodeAgentProcess:
    """One process; what it says is in `log_file`, over all its restarts."""

    def __init__(
        self, server: str, folder: Path, node: str, arguments: tuple[str, ...], cluster_dir: Path | None = None
    ) -> None:
        self.node = node
        self.folder = folder
        self.memory = Path(f"/dev/shm/steersman-test-{uuid.uuid4()}")
        self._command = (
            sys.executable,
            "-m",
            "nodeagent",
            f"--server={server}",
            f"--node-name={node}",
            f"--data-dir={folder / 'data'}",
            "--insecure" if cluster_dir is None else f"--cluster-dir={cluster_dir}",
            "--heartbeat-interval=1s",
            "--address=127.0.0.1:0",
            *(() if "--runtime=hollow" in arguments else ("--http-address=127.0.0.1:0",)),
            "--eviction-hard=",  # whatever else goes on on this machine
            f"--memory-dir={self.memory}",
            *arguments,
        )
        self._process: asyncio.subprocess.Process | None = None

    @property
    def log_file(self) -> Path:
        return self.folder / "nodeagent.log"

    @property
    def pid(self) -> int:
        assert self._process is not None, "the node agent is not running"
        return self._process.pid

    async def start(self) -> None:
        """Start it; that it is ready shows in the API."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(*self._command, stdout=output, stderr=output)
        _running.add(self._process.pid)

    async def kill(self) -> None:
        """As kill -9."""
        await self._end(signal.SIGKILL)

    async def terminate(self) -> int:
        """Ask it to stop, and wait until it has; its exit code."""
        return await self._end(signal.SIGTERM)

    async def _end(self, with_signal: signal.Signals) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(with_signal)
        code = await process.wait()
        _running.discard(process.pid)
        return code


@asynccontextmanager
async def node_agent_process(
    server: str, folder: Path, *arguments: str, node: str = "node-a", cluster_dir: Path | None = None
) -> AsyncIterator[NodeAgentProcess]:
    """`cluster_dir`: the data dir of a server with TLS, which was told to make a certificate for the node."""
    agent = NodeAgentProcess(server, folder, node, arguments, cluster_dir)
    try:
        await agent.start()
        yield agent
    finally:
        await agent.kill()
        await asyncio.to_thread(shutil.rmtree, agent.memory, ignore_errors=True)


_running: set[int] = set()


@atexit.register
def _kill_leftovers() -> None:
    """For test runs that end so badly that no `finally` was reached."""
    for pid in _running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            print(f"killed a left-over node agent, pid {pid}", file=sys.stderr)
