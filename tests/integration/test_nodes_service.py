"""The agent's own server with TLS: who may call it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from apiserver.auth import certificates
from apiserver.auth.certificates import Credential, Pki
from apiserver.nodes import Nodes
from nodeagent.nodes.localnodes import LocalNode, LocalNodes
from nodeagent.nodes.server import NodesServer
from steersman.api.core import DaemonEndpoint, Node, NodeAddress, NodeDaemonEndpoints, NodeStatus, Pod
from steersman.api.errors import ApiError, Forbidden, Unavailable
from steersman.api.meta import ObjectMeta
from steersman.base.clock import SystemClock
from steersman.base.values import Address
from steersman.client.cache import Cache
from steersman.client.transport import Credentials
from tests import runtimes

ANY_PORT = Address("127.0.0.1", 0)


@dataclass
class World:
    pki: Pki
    port: int

    async def stats(self, who: Credential, host_name: str = "node-a") -> bytes:
        """As the API server asks, with somebody's certificate."""
        addresses = (
            NodeAddress(type="InternalIP", address="127.0.0.1"),
            NodeAddress(type="Hostname", address=host_name),
        )
        endpoints = NodeDaemonEndpoints(kubelet_endpoint=DaemonEndpoint(port=self.port))
        status = NodeStatus(addresses=addresses, daemon_endpoints=endpoints)
        node = Node(metadata=ObjectMeta(name="node-a"), status=status)

        async def find(_: str) -> Node:
            return node

        shown = Credentials(self.pki.authority.certificate, who.certificate, who.key)
        async with Nodes(find, lambda: shown).connected("node-a") as agent:
            return await agent.stats()


@asynccontextmanager
async def serving(local_nodes: LocalNodes, pki: Pki, node: Credential) -> AsyncIterator[NodesServer]:
    files = (pki.authority.certificate_file, node.certificate_file, node.key_file)
    server = NodesServer(local_nodes, ANY_PORT, files, SystemClock())
    await server.open()
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(server.run())
        yield server
        running.cancel()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    now = SystemClock().now()
    pki = certificates.ensure(tmp_path, server_url="https://127.0.0.1:1", now=now)
    node = certificates.ensure_node(pki, "node-a", now=now)
    async with runtimes.hollow_world() as hollow:
        local_nodes = LocalNodes()
        local_nodes.add(LocalNode("node-a", hollow.runtime, Cache[Pod]()))
        async with serving(local_nodes, pki, node) as server:
            yield World(pki, server.port)


async def test_the_api_server_may_call(world: World) -> None:
    assert b'"nodeName":"node-a"' in await world.stats(world.pki.apiserver)


@pytest.mark.parametrize("who", ["admin", "controller_manager", "scheduler"])
async def test_nobody_else_may(world: World, who: str) -> None:
    with pytest.raises(Forbidden, match="only API servers may call a node agent"):
        await world.stats(getattr(world.pki, who))


async def test_strangers_do_not_get_through_the_handshake(world: World, tmp_path: Path) -> None:
    other = certificates.ensure(tmp_path / "other", server_url="https://127.0.0.1:1", now=SystemClock().now())
    with pytest.raises(ApiError) as caught:
        await world.stats(other.apiserver)
    assert isinstance(caught.value, Unavailable)


async def test_an_agent_must_be_the_one_that_the_node_says_it_is(world: World) -> None:
    with pytest.raises(Unavailable, match="the agent of node node-a cannot be reached"):
        await world.stats(world.pki.apiserver, host_name="node-b")


async def test_renewed_certificates_are_used_without_a_restart(world: World) -> None:
    async def shown() -> str:
        return await asyncio.to_thread(ssl.get_server_certificate, ("127.0.0.1", world.port))

    certificate_file = world.pki.directory / "node-node-a.crt"
    assert await shown() == certificate_file.read_text()
    certificate_file.unlink()
    certificates.ensure_node(world.pki, "node-a", now=SystemClock().now())
    assert await shown() == certificate_file.read_text()
    assert b'"nodeName":"node-a"' in await world.stats(world.pki.apiserver)


async def test_a_port_that_is_taken_is_tried_again(world: World) -> None:
    taken = NodesServer(LocalNodes(), Address("127.0.0.1", world.port), None, SystemClock())
    await taken.open()
    assert taken.port == world.port
    running = asyncio.create_task(taken.run())
    await asyncio.sleep(0)
    assert not running.done()
    running.cancel()
    assert b'"nodeName":"node-a"' in await world.stats(world.pki.apiserver)
