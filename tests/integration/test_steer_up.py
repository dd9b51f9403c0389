"""`steer up` and its kin with real processes: started, killed in parts, healed, ended, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from steersman.api.core import ConfigMap
from steersman.api.meta import ObjectMeta
from steersman.cli.local import access, ledger, processes, site
from steersman.cli.local.ledger import Ledger, Role
from tests.etcdserver import NO_FSYNC, etcd_server
from tests.eventually import eventually

WITHIN = 60.0

pytestmark = pytest.mark.timeout(180)


class Steer:
    """Runs `steer` with a home of its own."""

    def __init__(self, home: Path) -> None:
        self.environment = {**os.environ, "STEER_HOME": str(home), "DOCKER_HOST": "unix:///nowhere/docker.sock"}
        self.site = site.find("t", None, self.environment)

    async def __call__(self, *arguments: str) -> tuple[int, str]:
        """Exit code, and everything that it said."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "steersman.cli", *arguments),
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, said.decode()

    @property
    def ledger(self) -> Ledger:
        known = ledger.read(self.site.ledger)
        assert known is not None
        return known


@pytest.fixture
async def steer(tmp_path: Path) -> AsyncIterator[Steer]:
    made = Steer(tmp_path)
    yield made
    known = ledger.read(made.site.ledger)
    if known is not None:
        pids = [known.keeper, *(part.pid for part in known.parts if part.pid is not None)]
        left = [pid for pid in pids if processes.is_alive(pid)]
        for pid in left:
            processes.send(pid, signal.SIGKILL)


async def test_up_kill_status_down(steer: Steer) -> None:
    code, said = await steer("up", "--name=t", "--runtime=auto", "--detach")
    assert code == 0, said
    assert "is usable after" in said
    assert "runtime hollow (no Docker engine" in said
    first = steer.ledger

    code, said = await steer("up", "--name=t")
    assert (code, "runs already" in said) == (1, True)

    code, said = await steer("kill", "leader", "--name=t")
    assert code == 0, said
    killed = said.split(" ")[0]

    async def healed() -> bool:
        part = steer.ledger.part(killed)
        code, said = await steer("status", "--name=t")
        return code == 0 and part is not None and part.restarts == 1 and part.pid is not None and "LEADER (" in said

    await eventually(healed, within=WITHIN)

    code, said = await steer("down", "--name=t")
    assert code == 0, said
    everybody = [first.keeper, *(part.pid for part in (*first.parts, *steer.ledger.parts) if part.pid is not None)]
    assert not [pid for pid in everybody if processes.is_alive(pid)]
    code, said = await steer("status", "--name=t")
    assert (code, "is not running" in said) == (1, True)


async def test_a_keeper_that_is_killed_is_followed_by_one_that_keeps_the_data(steer: Steer) -> None:
    arguments = ("up", "--name=t", "--runtime=hollow", "--nodes=1", "--controller-managers=1", "--detach")
    code, said = await steer(*arguments)
    assert code == 0, said
    first = steer.ledger
    async with access.connected(steer.site, first) as api:
        await api.of(ConfigMap).create(ConfigMap(metadata=ObjectMeta(name="kept", namespace="default")))
    processes.send(first.keeper, signal.SIGKILL)
    await processes.ended([first.keeper], WITHIN)

    code, said = await steer(*arguments)
    assert code == 0, said
    second = steer.ledger
    assert not [part.name for part in first.parts if processes.is_alive(part.pid)]
    assert second.grpc == first.grpc
    async with access.connected(steer.site, second) as api:
        assert (await api.of(ConfigMap).get("kept", "default")).metadata.name == "kept"

    processes.send(second.keeper, signal.SIGKILL)
    code, said = await steer("down", "--name=t")
    assert code == 0, said
    assert not [part.name for part in second.parts if processes.is_alive(part.pid)]


async def test_failover_tells_the_takeover_by_its_writes(steer: Steer) -> None:
    code, said = await steer("up", "--name=t", "--runtime=hollow", "--nodes=1", "--detach")
    assert code == 0, said
    assert len(steer.ledger.of(Role.CONTROLLER_MANAGER)) == 2
    code, said = await steer("failover", "--name=t")
    assert code == 0, said
    for expected in ("renews for the last time", "gets SIGKILL", "is elected", "its first write lands", "nothing lost"):
        assert expected in said
    await steer("down", "--name=t")


async def test_a_taken_port_is_refused_before_anything_starts(steer: Steer) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code, said = await steer("up", "--name=t", "--runtime=hollow", f"--rest-port={port}")
    assert code == 1
    assert f"127.0.0.1:{port}" in said
    assert "already in use" in said
    assert ledger.read(steer.site.ledger) is None


async def test_another_cluster_beside_it(steer: Steer) -> None:
    """Each has ports, data and a life of its own."""
    alone = ("--runtime=hollow", "--nodes=0", "--controller-managers=0", "--detach")
    other = site.find("u", None, steer.environment)
    for name in ("t", "u"):
        code, said = await steer("up", f"--name={name}", *alone)
        assert code == 0, said
    known = ledger.read(other.ledger)
    assert known is not None
    assert not {*known.grpc, *known.rest} & {*steer.ledger.grpc, *steer.ledger.rest}
    code, said = await steer("down", "--name=u")
    assert code == 0, said
    code, said = await steer("get", "namespaces", "--name=t")
    assert (code, "kube-system" in said) == (0, True)
    code, said = await steer("get", "namespaces", "--name=u")
    assert (code, "is not running" in said) == (1, True)
    await steer("down", "--name=t")


@pytest.mark.etcd
async def test_two_api_servers_over_one_etcd(steer: Steer) -> None:
    async with etcd_server(*NO_FSYNC) as etcd:
        arguments = (f"--etcd={etcd.endpoint}", "--api-servers=2", "--runtime=hollow", "--nodes=1", "--detach")
        code, said = await steer("up", "--name=t", "--controller-managers=1", *arguments)
        assert code == 0, said
        assert [part.name for part in steer.ledger.of(Role.APISERVER)] == ["apiserver/0", "apiserver/1"]
        code, said = await steer("kill", "apiserver/0", "--name=t", "--signal=STOP")  # killed, it would be back at once
        assert code == 0, said
        code, said = await steer("get", "nodes", "--name=t", "--no-headers")
        assert (code, said.split()[:2]) == (0, ["node-0", "Ready"]), said
        code, said = await steer("down", "--name=t")
        assert code == 0, said


async def test_several_api_servers_need_etcd(steer: Steer) -> None:
    code, said = await steer("up", "--name=t", "--api-servers=2")
    assert code == 2
    assert "needs --etcd" in said
