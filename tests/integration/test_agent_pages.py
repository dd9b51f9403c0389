"""The agent's pages with TLS: metrics for whoever shows a certificate of the cluster, and for nobody else."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from apiserver.auth import certificates
from apiserver.auth.certificates import Credential, Pki
from nodeagent.measures import Measures
from nodeagent.nodes.localnodes import LocalNode, LocalNodes
from nodeagent.pages import Pages
from nodeagent.podmachine import Stage
from steersman.api.core import Pod
from steersman.base import metrics
from steersman.base.clock import SystemClock
from steersman.base.values import Address
from steersman.client.cache import Cache
from tests import runtimes
from tests.eventually import eventually

WITHIN = 30.0


class World:
    def __init__(self, pki: Pki, port: int, nodes: LocalNodes) -> None:
        self.pki = pki
        self.port = port
        self.nodes = nodes

    async def get(self, path: str, who: Credential | None) -> str:
        trust = ssl.create_default_context(cafile=self.pki.authority.certificate_file)
        trust.check_hostname = False
        if who is not None:
            trust.load_cert_chain(who.certificate_file, who.key_file)

        def fetch() -> str:
            try:
                with urlopen(f"https://127.0.0.1:{self.port}{path}", context=trust, timeout=WITHIN) as answer:
                    return str(answer.read().decode())
            except HTTPError as error:
                with error:
                    return f"{error.code}"

        return await asyncio.to_thread(fetch)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    now = SystemClock().now()
    pki = certificates.ensure(tmp_path, server_url="https://127.0.0.1:1", now=now)
    node = certificates.ensure_node(pki, "node-a", now=now)
    files = (pki.authority.certificate_file, node.certificate_file, node.key_file)
    registry, nodes = metrics.new_registry(), LocalNodes()
    Measures(registry).follow("node-a", lambda: [Stage.SYNC, Stage.SYNC, Stage.TERMINATED])
    pages = Pages(registry, Address("127.0.0.1", 0), files, nodes, expected=1)
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(pages.run(SystemClock()))
        await eventually(lambda: pages.port, within=WITHIN)
        yield World(pki, pages.port, nodes)
        serving.cancel()


async def test_metrics_for_the_cluster(world: World) -> None:
    text = await world.get("/metrics", world.pki.admin)
    assert 'steersman_agent_pods{node="node-a",stage="sync"} 2.0' in text
    assert 'steersman_agent_pods{node="node-a",stage="terminated"} 1.0' in text
    assert await world.get("/healthz", world.pki.admin) == "ok"


async def test_nothing_for_strangers(world: World) -> None:
    with pytest.raises(OSError):  # noqa: PT011 -- the handshake, or the connection after it
        await world.get("/metrics", None)


async def test_ready_with_all_nodes(world: World) -> None:
    assert await world.get("/readyz", world.pki.admin) == "500"
    async with runtimes.hollow_world() as hollow:
        world.nodes.add(LocalNode("node-a", hollow.runtime, Cache[Pod]()))
        assert await world.get("/readyz", world.pki.admin) == "ok"


async def test_a_port_that_is_taken_harms_nobody() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = Address("127.0.0.1", taken.getsockname()[1])
        pages = Pages(metrics.new_registry(), address, None, LocalNodes(), expected=1)
        async with asyncio.TaskGroup() as tasks:
            trying = tasks.create_task(pages.run(SystemClock()))
            await eventually(lambda: pages.failures, within=WITHIN)
            assert not trying.done()
            trying.cancel()
