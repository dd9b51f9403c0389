"""Our gRPC client against gRPC's own server, and against our own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc import StatusCode

from steersman.http2.limits import Limits
from steersman.rpc.asking import Failed
from steersman.rpc.channel import Channel
from steersman.rpc.server import Bounds, Server
from tests.eventually import eventually

LARGE = bytes(range(256)) * 20_000
"""Beyond every window on the way."""
LIMITS = Limits(keepalive_seconds=0.2, keepalive_timeout_seconds=20.0)
SECONDS = 40.0


class Service:
    def __init__(self) -> None:
        self.cancelled = 0
        self.hanging = 0
        self.metadata: dict[str, Any] = {}

    def handler(self) -> grpc.GenericRpcHandler:
        methods = {
            "Echo": grpc.unary_unary_rpc_method_handler(self.echo),
            "Fail": grpc.unary_unary_rpc_method_handler(self.fail),
            "Hang": grpc.unary_unary_rpc_method_handler(self.hang),
            "Chat": grpc.stream_stream_rpc_method_handler(self.chat),
            "Flood": grpc.stream_stream_rpc_method_handler(self.flood),
        }
        return grpc.method_handlers_generic_handler("test.Service", methods)

    async def echo(self, request: bytes, context: Any) -> bytes:
        self.metadata = dict(context.invocation_metadata())
        return request

    async def fail(self, request: bytes, context: Any) -> bytes:
        await context.abort(StatusCode.OUT_OF_RANGE, request.decode())
        return b""

    async def hang(self, _: bytes, __: Any) -> bytes:
        self.hanging += 1
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return b""

    async def chat(self, requests: AsyncIterator[bytes], context: Any) -> None:
        async for request in requests:
            if request == b"enough":
                return
            if request == b"trouble":
                await context.abort(StatusCode.UNAVAILABLE, "as you wish")
            await context.write(request.upper())

    async def flood(self, _: AsyncIterator[bytes], context: Any) -> None:
        for number in range(2_000):
            await context.write(b"%04d" % number * 500)


@contextlib.asynccontextmanager
async def theirs(service: Service) -> AsyncIterator[tuple[int, Any]]:
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    server.add_generic_rpc_handlers((service.handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield port, server
    finally:
        await server.stop(0)


@contextlib.asynccontextmanager
async def ours(service: Service) -> AsyncIterator[tuple[int, Any]]:
    server = Server(Bounds(max_message_bytes=10_000_000))
    server.add_generic_rpc_handlers((service.handler(),))
    async with server.listening("127.0.0.1", 0, None) as port:
        yield port, server
        await server.stop(0)


class Serving:
    def __init__(self, service: Service, server: Any, channel: Channel) -> None:
        self.service, self.server, self.channel = service, server, channel

    async def ask(self, method: str, request: bytes, seconds: float = SECONDS) -> bytes:
        asked = self.channel.method(f"/test.Service/{method}", sent=(("hasleader", "true"), ("k-bin", b"\xff")))
        return await asked.call(request, timeout_seconds=seconds).answer()


def channel_to(port: int) -> Channel:
    return Channel("127.0.0.1", port, tls=None, limits=LIMITS, max_message_bytes=10_000_000)


@pytest.fixture(params=[theirs, ours], ids=["grpcio", "ours"])
async def serving(request: pytest.FixtureRequest) -> AsyncIterator[Serving]:
    service = Service()
    async with request.param(service) as (port, server):
        channel = channel_to(port)
        await channel.connect()
        yield Serving(service, server, channel)
        channel.close()


async def failure(awaitable: Any) -> Failed:
    with pytest.raises(Failed) as caught:
        await awaitable
    return caught.value


@pytest.mark.parametrize("size", [0, 1, 16_384, 65_536, len(LARGE)])
async def test_a_message_of_any_size_makes_the_round(serving: Serving, size: int) -> None:
    assert await serving.ask("Echo", LARGE[:size]) == LARGE[:size]


async def test_many_calls_share_the_connection(serving: Serving) -> None:
    answers = await asyncio.gather(*(serving.ask("Echo", b"%d" % number) for number in range(500)))
    assert answers == [b"%d" % number for number in range(500)]
    assert serving.service.metadata["hasleader"] == "true"
    assert serving.service.metadata["k-bin"] == b"\xff"


async def test_errors_come_with_code_and_text(serving: Serving) -> None:
    failed = await failure(serving.ask("Fail", "kömpäctéd %".encode()))
    assert (failed.code, failed.details) == (StatusCode.OUT_OF_RANGE, "kömpäctéd %")
    assert (await failure(serving.ask("Nothing", b""))).code is StatusCode.UNIMPLEMENTED


async def test_a_deadline(serving: Serving) -> None:
    async def a_handler_was_cancelled() -> bool:
        """On a busy machine a call may end before there is a handler."""
        assert (await failure(serving.ask("Hang", b"", seconds=0.2))).code is StatusCode.DEADLINE_EXCEEDED
        return serving.service.cancelled > 0

    await eventually(a_handler_was_cancelled)


async def test_a_call_goes_on_when_nobody_waits_for_its_answer(serving: Serving) -> None:
    call = serving.channel.method("/test.Service/Echo").call(b"x", timeout_seconds=SECONDS)
    waiting = asyncio.create_task(call.answer())
    await asyncio.sleep(0)
    waiting.cancel()
    await eventually(lambda: call.is_over)
    assert serving.service.metadata


async def test_a_conversation(serving: Serving) -> None:
    talk = serving.channel.method("/test.Service/Chat").converse()
    for word in (b"a", b"bc" * 100_000):
        await talk.write(word)
        assert await talk.read() == word.upper()
    await talk.write(b"enough")
    assert await talk.read() is None
    assert await talk.read() is None


async def test_a_conversation_that_ends_badly(serving: Serving) -> None:
    talk = serving.channel.method("/test.Service/Chat").converse()
    await talk.write(b"trouble")
    failed = await failure(talk.read())
    assert (failed.code, failed.details) == (StatusCode.UNAVAILABLE, "as you wish")
    assert (await failure(talk.write(b"more"))).code is StatusCode.UNAVAILABLE


async def test_a_conversation_that_we_end(serving: Serving) -> None:
    talk = serving.channel.method("/test.Service/Chat").converse()
    await talk.write(b"a")
    talk.cancel()
    assert (await failure(talk.write(b"b"))).code is StatusCode.CANCELLED
    assert await serving.ask("Echo", b"x") == b"x"  # late frames of it disturb nobody


async def test_more_than_is_read_at_once_waits_at_the_server(serving: Serving) -> None:
    flood = serving.channel.method("/test.Service/Flood").converse()
    await flood.write(b"go")
    await asyncio.sleep(0.2)
    for number in range(2_000):
        answer = await flood.read()
        assert answer is not None
        assert answer[:4] == b"%04d" % number


async def test_a_server_that_stops_breaks_calls_and_the_next_finds_it_gone(serving: Serving) -> None:
    hanging = asyncio.create_task(failure(serving.ask("Hang", b"")))
    await eventually(lambda: serving.service.hanging == 1)
    await serving.server.stop(0)
    assert (await hanging).code in (StatusCode.UNAVAILABLE, StatusCode.CANCELLED)
    await eventually(lambda: not serving.channel.is_connected)
    assert (await failure(serving.ask("Echo", b"x"))).code is StatusCode.UNAVAILABLE
    with pytest.raises(OSError, match="Connect"):
        await serving.channel.connect()


async def test_a_quiet_connection_stays(serving: Serving) -> None:
    talk = serving.channel.method("/test.Service/Chat").converse()
    await talk.write(b"a")
    assert await talk.read() == b"A"
    await asyncio.sleep(1.0)  # several times the keepalive: too many pings would have it closed
    await talk.write(b"b")
    assert await talk.read() == b"B"


async def test_a_lost_connection_is_made_anew(serving: Serving) -> None:
    connection = serving.channel._connection
    assert connection is not None
    connection.abort()
    assert not serving.channel.is_connected
    await serving.channel.connect()
    assert await serving.ask("Echo", b"x") == b"x"


async def test_who_accepts_and_says_nothing_is_not_connected() -> None:
    """As a frozen process does: its kernel still takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        channel = channel_to(silent.getsockname()[1])
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await channel.connect()
        assert not channel.is_connected


async def test_those_who_wait_for_an_attempt_share_its_fate() -> None:
    channel = channel_to(1)
    results = await asyncio.gather(*(channel.connect() for _ in range(10)), return_exceptions=True)
    assert all(isinstance(result, OSError) for result in results)
    assert channel._failures == 1
