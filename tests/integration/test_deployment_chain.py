"""A Deployment's whole life in a cluster of real processes: API server, three controller managers, hollow nodes.

`STEERSMAN_ROLLOUT_KILLS` says how often a leader is killed in the midst of a rollout; few times without it.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from steersman.api.coordination import Lease
from steersman.client import client
from steersman.client.client import Client
from tests import hollownodes
from tests.apiserverprocess import api_server_process
from tests.deploymentchain import FIRST_IMAGE, DeploymentChain, Moment, deployment_chain
from tests.eventually import eventually
from tests.replicaprocess import ReplicaProcess, ReplicaProcesses, replica_processes

PODS, NODES, REPLICAS = 100, 10, 3
NEW_IMAGE = "registry.example/web:2"
KILLS = int(os.environ.get("STEERSMAN_ROLLOUT_KILLS", "4"))
PODS_WHEN_KILLING = 30
SEED = 20
CHANGES_OF_A_ROLLOUT = 5 * PODS_WHEN_KILLING
"""At least: each new pod comes, is bound and gets ready; each old one is told to go and goes."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600 + 60 * KILLS)]


@dataclass(frozen=True, slots=True)
class Cluster:
    api: Client
    replicas: ReplicaProcesses
    chain: DeploymentChain

    async def leader(self) -> ReplicaProcess:
        async def found() -> ReplicaProcess | None:
            lease = await self.api.of(Lease).get("kube-controller-manager", "kube-system")
            return self.replicas.called(lease.spec.holder_identity or "")

        leading = await eventually(found, within=60)
        assert leading is not None
        return leading


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with (
        api_server_process(data_dir=tmp_path / "data") as server,
        hollownodes.hollow_nodes_process(server.grpc, NODES, log_file=tmp_path / "nodes.log"),
        replica_processes(server.grpc, tmp_path, count=REPLICAS) as replicas,
        client.connect([server.grpc]) as api,
        deployment_chain(api) as chain,
    ):
        yield Cluster(api, replicas, chain)


async def test_the_life_of_a_deployment(cluster: Cluster) -> None:
    chain = cluster.chain
    await chain.create(PODS)
    assert max(moment.active for moment in chain.record.moments) == PODS, "no pod too many, not even for a moment"
    for _ in range(3):
        await chain.replace_one()
        await chain.complete(FIRST_IMAGE)
    assert max(moment.active for moment in chain.record.moments) == PODS, "one for one"
    assert await chain.roll(NEW_IMAGE) == [], "never out of its bounds"
    assert await chain.templates() == {FIRST_IMAGE: 0, NEW_IMAGE: PODS}
    assert await chain.roll(FIRST_IMAGE) == [], "nor on the way back"
    assert await chain.templates() == {FIRST_IMAGE: PODS, NEW_IMAGE: 0}
    await chain.scale_to_nothing()
    await chain.delete()


async def until(chain: DeploymentChain, rolling: asyncio.Task[list[Moment]], changes: int) -> None:
    """So many changes of pods are on record; however slow the machine, that is in the midst of the rollout."""
    await eventually(lambda: len(chain.record.moments) >= changes or rolling.done(), within=120)


async def test_a_rollout_survives_the_death_of_its_leader(cluster: Cluster) -> None:
    chain, chance = cluster.chain, Random(SEED)
    await chain.create(PODS_WHEN_KILLING)
    for number in range(KILLS):
        image, old = (NEW_IMAGE, FIRST_IMAGE) if number % 2 == 0 else (FIRST_IMAGE, NEW_IMAGE)
        leader = await cluster.leader()
        async with asyncio.TaskGroup() as tasks:
            reached = len(chain.record.moments) + chance.randrange(CHANGES_OF_A_ROLLOUT)
            rolling = tasks.create_task(chain.roll(image))
            await until(chain, rolling, reached)
            leader.signal(signal.SIGKILL)
            await leader.ended()
            await cluster.replicas.start()
        assert rolling.result() == [], f"out of its bounds in round {number}"
        assert await chain.templates() == {image: PODS_WHEN_KILLING, old: 0}
