"""Schedulers that die or fall asleep in the midst of their work, each a process: no node is ever overfilled."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from steersman.api.coordination import Lease
from steersman.api.core import Pod
from steersman.api.errors import NotFound
from steersman.api.names import Revision
from steersman.client import client
from steersman.client.client import Client
from steersman.client.watching import Change
from tests.apiserverprocess import api_server_process
from tests.eventually import eventually
from tests.integration.replicas import create_node, create_pod
from tests.replicaprocess import ReplicaProcess, ReplicaProcesses, replica_processes

NODES, ROOM, WANTED = 10, 10, 130
WITHIN = 30
pytestmark = pytest.mark.timeout(180)  # several processes start
FLAGS = ["--controllers=scheduler"]


async def leading(api: Client, replicas: ReplicaProcesses) -> ReplicaProcess | None:
    try:
        lease = await api.of(Lease).get("kube-scheduler", "kube-system")
    except NotFound:
        return None
    return replicas.called(lease.spec.holder_identity or "")


@asynccontextmanager
async def never_overfilled(api: Client, after: Revision) -> AsyncIterator[Counter[str]]:
    """How many pods each node has, checked with every step of every pod while the block is open."""
    crowd: Counter[str] = Counter()
    placed: dict[str, str] = {}

    async def follow() -> None:
        async with api.of(Pod).watch(after=after) as watch:
            async for event in watch:
                if isinstance(event, Change):
                    pod = event.object
                    assert placed.get(pod.metadata.uid, pod.spec.node_name) == pod.spec.node_name, "a pod has moved"
                    if pod.spec.node_name and pod.metadata.uid not in placed:
                        placed[pod.metadata.uid] = pod.spec.node_name
                        crowd[pod.spec.node_name] += 1
                        assert crowd[pod.spec.node_name] <= ROOM, "a node is overfilled"

    async with asyncio.TaskGroup() as tasks:
        following = tasks.create_task(follow())
        yield crowd
        following.cancel()


@pytest.mark.parametrize("how", [pytest.param(signal.SIGKILL, id="killed"), pytest.param(signal.SIGSTOP, id="paused")])
async def test_a_scheduler_that_is_lost_in_the_midst_of_it(tmp_path: Path, how: signal.Signals) -> None:
    async with (
        api_server_process(data_dir=tmp_path / "data") as server,
        client.connect([server.grpc]) as api,
        replica_processes(server.grpc, tmp_path, count=2, arguments=FLAGS) as replicas,
    ):
        for number in range(NODES):
            await create_node(api, f"n{number}", cpu=str(ROOM))
        began = (await api.of(Pod).list()).revision
        async with never_overfilled(api, began) as crowd:
            leader = await eventually(lambda: leading(api, replicas), within=WITHIN)
            assert leader is not None
            for number in range(WANTED):
                await create_pod(api, f"p{number}")
                if number == WANTED // 3:
                    leader.signal(how)
            await eventually(lambda: crowd.total() == NODES * ROOM, within=WITHIN)
            if how is signal.SIGSTOP:
                leader.signal(signal.SIGCONT)
                await eventually(lambda: leader.said("deposed, standing again"), within=WITHIN)
            waiting = (await api.of(Pod).list("default", field_selector="spec.nodeName=")).items
            assert len(waiting) == WANTED - NODES * ROOM
