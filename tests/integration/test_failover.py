"""A leader in a process of its own, killed and paused by real signals: how soon the next one writes."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from apiserver.server import Serving
from steersman.api.core import ConfigMap
from steersman.api.errors import Deposed
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.client import client
from steersman.client.client import Client
from steersman.client.requests import Term, WriteOptions
from steersman.control.leadership import Leadership
from tests.apiserverprocess import api_server_process
from tests.leaderprocess import NAME, NAMESPACE


async def write(api: Client, term: Term, name: str) -> None:
    made = ConfigMap(metadata=ObjectMeta(name=name, namespace="default"))
    await api.with_options(WriteOptions(term=term)).of(ConfigMap).create(made)


async def token_said_by(leader: Process) -> Revision:
    """It logs to the same place: the token stands on a line of its own."""
    assert leader.stdout is not None
    while (line := (await leader.stdout.readline()).strip()) and not line.isdigit():
        pass
    return Revision(int(line))


@pytest.mark.parametrize(
    ("how", "within_seconds"),
    [pytest.param(signal.SIGKILL, 1.0, id="kill -9"), pytest.param(signal.SIGSTOP, 6.0, id="pause")],
)
async def test_the_next_leader_writes_soon(
    api_server: Serving, api: Client, how: signal.Signals, within_seconds: float
) -> None:
    leader = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.leaderprocess", str(api_server.grpc), "first", stdout=PIPE
    )
    try:
        first = Term(NAMESPACE, NAME, await asyncio.wait_for(token_said_by(leader), timeout=10))
        await write(api, first, "one")
        signalled = 0.0

        async def succeed() -> float:
            async with Leadership(api, NAMESPACE, NAME, "second").term() as second:
                await write(api, second, "two")
                return time.monotonic() - signalled

        async with asyncio.TaskGroup() as tasks:
            succession = tasks.create_task(succeed())
            await asyncio.sleep(1.5)  # the standby watches, the leader renews
            signalled = time.monotonic()
            leader.send_signal(how)
            assert await asyncio.wait_for(succession, timeout=10) < within_seconds
        with pytest.raises(Deposed):
            await write(api, first, "three")
    finally:
        with contextlib.suppress(ProcessLookupError):
            leader.kill()
        await leader.communicate()


@pytest.mark.parametrize("politely", [True, False], ids=["stopped", "killed"])
async def test_an_api_server_takes_no_leader_down_with_it(tmp_path: Path, politely: bool) -> None:
    async with (
        api_server_process(data_dir=tmp_path) as server,
        client.connect([server.grpc]) as api,
        Leadership(api, NAMESPACE, NAME, "first").term() as term,
    ):
        await asyncio.sleep(0.2)  # the line is held
        stopping = time.monotonic()
        await (server.terminate() if politely else server.kill())
        assert time.monotonic() - stopping < 1.0  # a line does not keep a server from stopping
        await server.start()
        await write(api, term, "one")
        await asyncio.sleep(1.5)
        await write(api, term, "two")
