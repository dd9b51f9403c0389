"""Asking containers by HTTP, TCP and gRPC, with real listeners on this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator

import pytest
from aiohttp import web
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from nodeagent import handlers
from nodeagent.handlers import NoAnswer, Target
from steersman.api.core import Container, ContainerPort, GRPCAction, HTTPGetAction, HTTPHeader, TCPSocketAction

SECONDS = 20.0


def target(*ports: ContainerPort) -> Target:
    return Target(Container(name="main", ports=ports), "id", "127.0.0.1")


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """A server that answers with the status that its path names, and says who asked."""

    async def answer(request: web.Request) -> web.Response:
        if request.match_info["code"] == "slow":
            await asyncio.sleep(60)
        agent = request.headers.get("User-Agent", "") + request.headers.get("X-Who", "")
        return web.Response(status=int(request.match_info["code"]), text=agent, headers={"Location": "/200"})

    application = web.Application()
    application.router.add_get("/{code}", answer)
    runner = web.AppRunner(application, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield runner.addresses[0][1]
    await runner.cleanup()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Nobody listens there, and nobody else can."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


@pytest.mark.parametrize(("path", "ok"), [("/200", True), ("301", True), ("/404", False), ("/500", False)])
async def test_http(port: int, path: str, ok: bool) -> None:
    named = ContainerPort(name="web", container_port=port)
    action = HTTPGetAction(path=path, port="web", http_headers=(HTTPHeader(name="X-Who", value="me"),))
    answer = await handlers.get(action, target(named), SECONDS)
    assert answer.ok == ok
    if not ok:
        assert answer.told == f"HTTP probe failed with statuscode: {path.strip('/')}"


async def test_http_that_takes_too_long(port: int) -> None:
    answer = await handlers.get(HTTPGetAction(path="/slow", port=port), target(), 0.2)
    assert not answer.ok
    assert "deadline exceeded" in answer.told


async def test_http_where_nobody_listens(closed_port: int) -> None:
    answer = await handlers.get(HTTPGetAction(path="/", port=closed_port), target(), SECONDS)
    assert not answer.ok
    assert answer.told.startswith(f'Get "http://127.0.0.1:{closed_port}/": ')


async def test_tcp(port: int, closed_port: int) -> None:
    assert (await handlers.connect(TCPSocketAction(port=port), target(), SECONDS)).ok
    refused = await handlers.connect(TCPSocketAction(port=closed_port), target(), SECONDS)
    assert not refused.ok
    assert refused.told.startswith(f"dial tcp 127.0.0.1:{closed_port}: ")


async def test_grpc() -> None:
    server = aio.server()
    servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await servicer.set("sick", health_pb2.HealthCheckResponse.NOT_SERVING)
    try:
        assert (await handlers.ask_grpc(GRPCAction(port=port), target(), SECONDS)).ok
        sick = await handlers.ask_grpc(GRPCAction(port=port, service="sick"), target(), SECONDS)
        assert sick.told == 'service unhealthy (responded with "NOT_SERVING")'
        unknown = await handlers.ask_grpc(GRPCAction(port=port, service="nobody"), target(), SECONDS)
        assert not unknown.ok
    finally:
        await server.stop(None)


def test_a_port_without_a_name_cannot_be_asked() -> None:
    with pytest.raises(NoAnswer, match="couldn't find port: web in container main"):
        handlers.port_number("web", Container(name="main"))
