"""Real `steersman-apiserver` processes for tests: on free loopback ports, killed at the end.

async with api_server_process(data_dir=tmp_path) as server:
    async with client.connect([server.grpc]) as api: …
    await server.kill()
    await server.restart()
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

from grpc import aio
from grpc_health.v1 import health_pb2

from tests import freeports

READY_SECONDS = 60.0


class ApiServerProcess:
    """One process. Its addresses stay the same over restarts."""

    def __init__(self, data_dir: Path, arguments: Sequence[str]) -> None:
        self.grpc = f"127.0.0.1:{freeports.take()}"
        self.rest = f"127.0.0.1:{freeports.take()}"
        self.data_dir = data_dir
        self._arguments = tuple(arguments)
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "the API server is not running"
        return self._process.pid

    @property
    def log_file(self) -> Path:
        """What the process has said, over all its restarts."""
        return self.data_dir / "apiserver.log"

    async def start(self) -> None:
        """Start it and wait until it serves."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        before = self._times_ready()
        with self.log_file.open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "apiserver",
                f"--data-dir={self.data_dir}",
                f"--grpc-address={self.grpc}",
                f"--rest-address={self.rest}",
                *self._arguments,
                stdout=output,
                stderr=output,
            )
        _running.add(self._process.pid)
        async with asyncio.timeout(READY_SECONDS):
            if "--insecure" in self._arguments:
                await self._serving()
            else:  # the health service needs a certificate: go by the log
                while self._times_ready() == before:
                    self._check_alive()
                    await asyncio.sleep(0.02)

    def _times_ready(self) -> int:
        return self.log_file.read_text().count('"event":"ready"') if self.log_file.exists() else 0

    async def _serving(self) -> None:
        options = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_reconnect_backoff_ms", 100))
        async with aio.insecure_channel(self.grpc, options=options) as channel:
            check = channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                response_deserializer=health_pb2.HealthCheckResponse.FromString,
            )
            while True:
                self._check_alive()
                with contextlib.suppress(aio.AioRpcError):
                    answer = await check(health_pb2.HealthCheckRequest(), timeout=1)
                    if answer.status == health_pb2.HealthCheckResponse.SERVING:
                        return
                await asyncio.sleep(0.02)

    def _check_alive(self) -> None:
        if self._process is None or self._process.returncode is not None:
            raise RuntimeError(f"the API server has ended: {self.log_file.read_text()[-3000:]}")

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

    async def restart(self) -> None:
        """Kill it if it runs, start it again with the same addresses and what is in its folder."""
        await self.kill()
        await self.start()

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)


@asynccontextmanager
async def api_server_process(
    *, data_dir: Path, etcd_endpoints: Sequence[str] = (), insecure: bool = True, arguments: Sequence[str] = ()
) -> AsyncIterator[ApiServerProcess]:
    """A process that serves; `arguments` are further flags."""
    flags = [*arguments]
    if insecure:
        flags.append("--insecure")
    if etcd_endpoints:
        flags.append("--etcd-endpoints=" + ",".join(etcd_endpoints))
    server = ApiServerProcess(data_dir, flags)
    try:
        await server.start()
        yield server
    finally:
        await server.kill()


_running: set[int] = set()


@atexit.register
def _kill_leftovers() -> None:
    """For test runs that end so badly that no `finally` was reached."""
    for pid in _running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            print(f"killed a left-over API server, pid {pid}", file=sys.stderr)
