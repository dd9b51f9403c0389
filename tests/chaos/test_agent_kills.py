"""Node agents killed at random moments, two of one name at a time: no container twice, none restarted, none lost.

What lived and when is told by the engine's own events, not by us.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from nodeagent.runtime.docker import naming
from steersman.api.core import Namespace, Pod
from steersman.client import client
from steersman.client.client import Client
from tests.apiserverprocess import api_server_process
from tests.builders import make_pod
from tests.dockerengine import BUSYBOX_IMAGE, Engine
from tests.eventually import eventually
from tests.nodeagentprocess import NodeAgentProcess, node_agent_process

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(600)]

SEED = int(os.environ.get("STEERSMAN_CHAOS_SEED", "20261118"))
KILLS = int(os.environ.get("STEERSMAN_CHAOS_KILLS", "12"))
NODE = "node-a"
WITHIN = 120.0
POLITE = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"


class Lives:
    """Who is alive, by the engine's events: (pod uid, container) -> ids."""

    def __init__(self) -> None:
        self.alive: dict[tuple[str, str], set[str]] = {}
        self.starts: dict[tuple[str, str], int] = {}
        self.twins: list[str] = []

    def note(self, event: dict[str, Any]) -> None:
        attributes = event["Actor"]["Attributes"]
        key = (attributes.get(naming.POD, ""), attributes.get(naming.CONTAINER, ""))
        ids = self.alive.setdefault(key, set())
        if event["Action"] == "start":
            ids.add(event["Actor"]["ID"])
            self.starts[key] = self.starts.get(key, 0) + 1
            if len(ids) > 1:
                self.twins.append(f"{key}: {sorted(ids)}")
        elif event["Action"] == "die":
            ids.discard(event["Actor"]["ID"])

    def mains(self) -> dict[str, int]:
        """How often the container `main` of each pod has been started."""
        return {name: count for (name, container), count in self.starts.items() if container == "main"}


@asynccontextmanager
async def recorded(engine: Engine, cluster: str) -> AsyncIterator[Lives]:
    """From this moment on, however long the command takes to start."""
    lives = Lives()
    arguments = (
        "--host",
        engine.url,
        "events",
        f"--since={int(time.time())}",
        "--format",
        "{{json .}}",
        "--filter",
        f"label={naming.CLUSTER}={cluster}",
    )
    process = await asyncio.create_subprocess_exec("docker", *arguments, stdout=asyncio.subprocess.PIPE)

    async def read() -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            lives.note(json.loads(line))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(read())
        try:
            yield lives
        finally:
            process.terminate()
            await process.wait()


async def _create(api: Client, name: str, script: str, policy: str) -> None:
    containers = [{"name": "main", "image": BUSYBOX_IMAGE, "command": ["/bin/sh", "-c", script]}]
    spec = {
        "containers": containers,
        "restartPolicy": policy,
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 2,
    }
    await api.raw(Pod).create(make_pod(name, node=NODE, spec=spec))


async def _storm(api: Client, agents: list[NodeAgentProcess], chance: random.Random) -> None:
    """Kill one of the two, let it come back, all the while new pods arrive."""
    for number in range(KILLS):
        await _create(api, f"steady-{number}", POLITE, "Always")
        await _create(api, f"once-{number}", "sleep 1; exit 0", "Never")
        await asyncio.sleep(chance.uniform(0, 1.5))
        victim = chance.choice(agents)
        await victim.kill()
        await victim.start()


async def _settled(api: Client) -> bool:
    pods = (await api.of(Pod).list("default")).items
    wanted = {"steady": "Running", "once": "Succeeded"}
    wrong = [
        f"{each.metadata.name}: {each.status.phase}"
        for each in pods
        if each.status.phase != wanted[each.metadata.name.partition("-")[0]]
    ]
    assert not wrong, wrong
    return True


async def test_two_agents_of_one_name_killed_at_random_moments(docker_engine: Engine, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    async with api_server_process(data_dir=tmp_path / "api") as server, client.connect([server.grpc]) as api:
        cluster = (await api.of(Namespace).get("kube-system")).metadata.uid
        arguments = (
            f"--docker-url={docker_engine.url}",
            f"--docker-network=steersman-{cluster[:8]}",
            f"--docker-network-subnet={docker_engine.new_subnet()}",
        )
        try:
            async with (
                recorded(docker_engine, cluster) as lives,
                node_agent_process(server.grpc, tmp_path / "a", *arguments, node=NODE) as first,
                node_agent_process(server.grpc, tmp_path / "b", *arguments, node=NODE) as second,
            ):
                await _storm(api, [first, second], chance)
                await eventually(lambda: _settled(api), within=WITHIN)
                pods = (await api.of(Pod).list("default")).items
                restarts = {each.metadata.name: each.status.container_statuses[0].restart_count for each in pods}
                assert set(restarts.values()) == {0}
                await eventually(lambda: lives.mains().keys() >= restarts.keys(), within=WITHIN)  # they are told later
                assert lives.mains() == dict.fromkeys(restarts, 1)
                assert lives.twins == []
                for each in pods:
                    await api.of(Pod).delete(each.metadata.name, "default")
                await eventually(lambda: _none_left(api), within=WITHIN)
        finally:
            await eventually(lambda: asyncio.to_thread(_swept, docker_engine, cluster), within=WITHIN)


async def _none_left(api: Client) -> bool:
    return not (await api.of(Pod).list("default")).items


def _swept(engine: Engine, cluster: str) -> bool:
    try:
        engine.sweep(f"{naming.CLUSTER}={cluster}")
        engine.docker("network", "rm", "--force", f"steersman-{cluster[:8]}")
    except RuntimeError as error:
        raise AssertionError(str(error)) from error
    return True
