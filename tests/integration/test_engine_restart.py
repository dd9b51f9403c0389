"""The Docker engine is killed and comes back under a running node agent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from steersman.api.core import Node, Pod
from steersman.api.errors import NotFound
from steersman.client import client
from steersman.client.client import Client
from tests.apiserverprocess import api_server_process
from tests.builders import make_pod
from tests.dockerengine import BUSYBOX_IMAGE, private_engine
from tests.eventually import eventually
from tests.nodeagentprocess import node_agent_process

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(300)]

WITHIN = 90.0
POLITE = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"


async def _node_is(api: Client, status: str) -> bool:
    try:
        node = await api.of(Node).get("node-a")
    except NotFound:
        return False
    return any(each.type == "Ready" and each.status == status for each in node.status.conditions)


async def _is_ready(api: Client, restarts: int) -> bool:
    status = (await api.of(Pod).get("web", "default")).status
    ready = any(each.type == "Ready" and each.status == "True" for each in status.conditions)
    return ready and status.container_statuses[0].restart_count >= restarts


async def test_pods_come_back_with_their_engine(tmp_path: Path) -> None:
    with private_engine() as engine:
        arguments = (f"--docker-url={engine.url}", f"--docker-network-subnet={engine.new_subnet()}")
        async with (
            api_server_process(data_dir=tmp_path / "api") as server,
            client.connect([server.grpc]) as api,
            node_agent_process(server.grpc, tmp_path / "node", *arguments),
        ):
            await eventually(lambda: _node_is(api, "True"), within=WITHIN)
            containers = [{"name": "main", "image": BUSYBOX_IMAGE, "command": ["/bin/sh", "-c", POLITE]}]
            spec = {"containers": containers, "automountServiceAccountToken": False}
            await api.raw(Pod).create(make_pod("web", node="node-a", spec=spec))
            await eventually(lambda: _is_ready(api, 0), within=WITHIN)
            await asyncio.to_thread(engine.stop)
            await eventually(lambda: _node_is(api, "False"), within=WITHIN)
            assert (await api.of(Pod).get("web", "default")).status.phase == "Running"
            await asyncio.to_thread(engine.start)
            await eventually(lambda: _node_is(api, "True"), within=WITHIN)
            await eventually(lambda: _is_ready(api, 1), within=WITHIN)
