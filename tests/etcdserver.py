"""Real etcd processes for tests: one member or a cluster on loopback, in temporary folders, killed at the end.

Members can be killed (-9), restarted on the same ports, frozen and resumed, and their data can be copied while they are
down.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aetcd.rpc import rpc_pb2 as pb
from grpc import aio

from tests import freeports

READY_SECONDS = 60.0
NO_FSYNC = ("--unsafe-no-fsync",)
"""For speed, and for machines whose disk is slow. What a killed member had acknowledged is still there: only a machine
that loses its power loses what was not synced."""


def require_etcd() -> None:
    """Skip the test where there is no etcd; fail it where STEERSMAN_REQUIRE names etcd."""
    if shutil.which("etcd") is not None:
        return
    message = "the program `etcd` is not on the PATH"
    if "etcd" in os.environ.get("STEERSMAN_REQUIRE", ""):
        pytest.fail(message)
    pytest.skip(message)


class EtcdMember:
    """One etcd process and its folder. `endpoint` stays the same over restarts."""

    def __init__(self, name: str, folder: Path, *, scheme: str, arguments: Sequence[str]) -> None:
        self.name = name
        self.data_dir = folder / name
        self.endpoint = f"{scheme}://127.0.0.1:{freeports.take()}"
        self.peer_url = f"http://127.0.0.1:{freeports.take()}"
        self._metrics_url = f"http://127.0.0.1:{freeports.take()}"
        self._arguments = tuple(arguments)
        self._log = folder / f"{name}.log"
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, f"etcd {self.name} is not running"
        return self._process.pid

    async def start(self, cluster: Sequence[EtcdMember]) -> None:
        self._process = await asyncio.create_subprocess_exec(
            "etcd",
            f"--name={self.name}",
            f"--data-dir={self.data_dir}",
            f"--listen-client-urls={self.endpoint}",
            f"--advertise-client-urls={self.endpoint}",
            f"--listen-peer-urls={self.peer_url}",
            f"--initial-advertise-peer-urls={self.peer_url}",
            "--initial-cluster=" + ",".join(f"{member.name}={member.peer_url}" for member in cluster),
            f"--listen-metrics-urls={self._metrics_url}",
            "--log-level=warn",
            f"--log-outputs={self._log}",
            *self._arguments,
        )
        _running.add(self._process.pid)
        self._cluster = tuple(cluster)

    async def ready(self) -> None:
        """Until it says that it is healthy, which includes that there is a leader."""
        async with asyncio.timeout(READY_SECONDS):
            while not await self._is_healthy():
                if self._process is None or self._process.returncode is not None:
                    raise RuntimeError(f"etcd {self.name} has ended: {self._log.read_text()[-2000:]}")
                await asyncio.sleep(0.02)

    async def _is_healthy(self) -> bool:
        address = urlsplit(self._metrics_url)
        try:
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
        except OSError:
            return False
        try:
            writer.write(b"GET /health HTTP/1.0\r\n\r\n")
            return b" 200 " in await reader.readline()
        except OSError:
            return False
        finally:
            writer.close()

    async def kill(self) -> None:
        """As kill -9."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        _running.discard(self._process.pid)
        self._process = None

    async def restart(self, *arguments: str) -> None:
        """Kill it if it runs, start it again on the same ports with what is in its folder; `arguments` come on top."""
        await self.kill()
        self._arguments += arguments
        await self.start(self._cluster)
        await self.ready()

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    async def save_data(self, copy: Path) -> None:
        """Copy the data of a member that is not running."""
        assert self._process is None, "the copy of a running member's data would be torn"
        await asyncio.to_thread(shutil.copytree, self.data_dir, copy)

    async def replace_data(self, copy: Path | None) -> None:
        """Put a saved copy (None: nothing) in the place of the data of a member that is not running."""
        assert self._process is None, "a running member would not notice"
        await asyncio.to_thread(shutil.rmtree, self.data_dir)
        if copy is not None:
            await asyncio.to_thread(shutil.copytree, copy, self.data_dir)


class EtcdCluster:
    def __init__(self, members: Sequence[EtcdMember]) -> None:
        self.members = tuple(members)

    @property
    def endpoints(self) -> list[str]:
        return [member.endpoint for member in self.members]

    async def leader(self) -> EtcdMember:
        """The member that the others follow, as they say themselves."""
        async with asyncio.timeout(READY_SECONDS):
            while True:
                for member in self.members:
                    with contextlib.suppress(aio.AioRpcError):
                        status = await _status(member.endpoint)
                        if status.leader and status.leader == status.header.member_id:
                            return member
                await asyncio.sleep(0.05)


@asynccontextmanager
async def etcd_server(*arguments: str, scheme: str = "http") -> AsyncIterator[EtcdMember]:
    """One member, ready. `arguments` are further flags of etcd."""
    async with _members(1, scheme, arguments) as members:
        yield members[0]


@asynccontextmanager
async def etcd_cluster(size: int, *arguments: str) -> AsyncIterator[EtcdCluster]:
    """A cluster with a leader."""
    async with _members(size, "http", arguments) as members:
        cluster = EtcdCluster(members)
        await cluster.leader()
        yield cluster


@asynccontextmanager
async def _members(size: int, scheme: str, arguments: Sequence[str]) -> AsyncIterator[list[EtcdMember]]:
    require_etcd()
    folder = Path(tempfile.mkdtemp(prefix="steersman-etcd-"))
    members = [EtcdMember(f"m{index}", folder, scheme=scheme, arguments=arguments) for index in range(size)]
    try:
        for member in members:
            await member.start(members)
        for member in members:
            await member.ready()
        yield members
    finally:
        for member in members:
            await member.kill()
        shutil.rmtree(folder, ignore_errors=True)


async def _status(endpoint: str) -> pb.StatusResponse:
    async with aio.insecure_channel(urlsplit(endpoint).netloc) as channel:
        call = channel.unary_unary(
            "/etcdserverpb.Maintenance/Status",
            request_serializer=pb.StatusRequest.SerializeToString,
            response_deserializer=pb.StatusResponse.FromString,
        )
        return await call(pb.StatusRequest(), timeout=1)


_running: set[int] = set()


@atexit.register
def _kill_leftovers() -> None:
    """For test runs that end so badly that no `finally` was reached."""
    for pid in _running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            print(f"killed a left-over etcd, pid {pid}", file=sys.stderr)
