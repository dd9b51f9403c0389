"""Our gRPC server as a real gRPC client meets it: grpcio at the other end, over a socket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio
import pytest

from steersman.http2.limits import Limits
from steersman.http2.stream import StreamGone
from steersman.rpc.context import Context
from steersman.rpc.server import Bounds, Server
from tests.eventually import eventually

MAX_MESSAGE = 3_000_000
LARGE = bytes(range(256)) * 10_000
"""Beyond every window on the way."""
BOUNDS = Bounds(MAX_MESSAGE, Limits(max_lent_bytes=4_000_000, keepalive_seconds=0.2, keepalive_timeout_seconds=30.0))


@dataclass
class Service:
    """Handlers of every kind, and what became of their calls."""

    seen: dict[str, Any] = field(default_factory=dict)
    cancelled: int = 0
    running: int = 0

    def handler(self) -> grpc.GenericRpcHandler:
        unary, stream = grpc.unary_unary_rpc_method_handler, grpc.stream_stream_rpc_method_handler
        methods = {
            "Echo": unary(self.echo),
            "Fail": unary(self.fail),
            "Abort": unary(self.abort),
            "Garble": unary(self.garble),
            "Break": unary(self.stumble),
            "Hang": unary(self.hang),
            "Count": grpc.unary_stream_rpc_method_handler(self.count),
            "Join": grpc.stream_unary_rpc_method_handler(self.join),
            "Chat": stream(self.chat),
            "Deaf": stream(self.deaf),
            "Flood": stream(self.flood),
        }
        return grpc.method_handlers_generic_handler("test.Service", methods)

    async def echo(self, request: bytes, context: Context) -> bytes:
        self.seen = {
            "metadata": dict(context.invocation_metadata()),
            "peer": context.peer(),
            "remaining": context.time_remaining(),
            "auth": context.auth_context(),
        }
        context.set_trailing_metadata((("k", "v"), ("k-bin", b"\0\xff")))
        return request

    async def fail(self, request: bytes, context: Context) -> bytes:
        context.set_code(grpc.StatusCode.ABORTED)
        context.set_details(request.decode())
        context.set_trailing_metadata((("reason", "Conflict"), ("status-bin", b"\1\2")))
        return b"not sent"

    async def abort(self, _: bytes, context: Context) -> bytes:
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such thing", (("reason", "NotFound"),))
        raise AssertionError("abort returned")

    async def garble(self, request: bytes, context: Context) -> bytes:
        context.set_trailing_metadata((("Not A Key", "é"),))
        return request

    async def stumble(self, _: bytes, __: Context) -> bytes:
        raise ZeroDivisionError("secret")

    async def hang(self, _: bytes, __: Context) -> bytes:
        async with self._noted():
            await asyncio.Event().wait()
        return b""

    async def count(self, request: bytes, _: Context) -> AsyncIterator[bytes]:
        for number in range(int(request)):
            yield str(number).encode()

    async def join(self, requests: AsyncIterator[bytes], _: Context) -> bytes:
        return b",".join([request async for request in requests])

    async def chat(self, requests: AsyncIterator[bytes], context: Context) -> None:
        await context.send_initial_metadata((("began", "yes"),))
        async for request in requests:
            await context.write(request.upper())

    async def deaf(self, _: AsyncIterator[bytes], __: Context) -> None:
        async with self._noted():
            await asyncio.Event().wait()

    async def flood(self, _: AsyncIterator[bytes], context: Context) -> None:
        async with self._noted():
            for number in range(10_000):
                self.seen["written"] = number
                await context.write(bytes(100_000))

    @contextlib.asynccontextmanager
    async def _noted(self) -> AsyncIterator[None]:
        self.running += 1
        try:
            yield
        except (asyncio.CancelledError, StreamGone):
            self.cancelled += 1
            raise
        finally:
            self.running -= 1


@dataclass(frozen=True)
class Serving:
    service: Service
    server: Server
    address: str
    channel: grpc.aio.Channel

    def unary(self, method: str) -> Any:
        return self.channel.unary_unary(f"/test.Service/{method}")

    def stream(self, method: str) -> Any:
        return self.channel.stream_stream(f"/test.Service/{method}")


@pytest.fixture
async def serving() -> AsyncIterator[Serving]:
    service, server = Service(), Server(BOUNDS)
    server.add_generic_rpc_handlers((service.handler(),))
    options = (("grpc.max_receive_message_length", -1), ("grpc.use_local_subchannel_pool", 1))
    async with server.listening("127.0.0.1", 0, None) as port:
        address = f"127.0.0.1:{port}"
        async with grpc.aio.insecure_channel(address, options=options) as channel:
            yield Serving(service, server, address, channel)
        await server.stop(5.0)


async def refusal(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


@pytest.mark.parametrize("size", [0, 1, 16_379, 16_384, 65_535, 70_000, len(LARGE)])
async def test_a_message_of_any_size_makes_the_round(serving: Serving, size: int) -> None:
    assert await serving.unary("Echo")(LARGE[:size], timeout=20) == LARGE[:size]


async def test_many_large_messages_at_once_all_arrive(serving: Serving) -> None:
    """More than may be lent at once: they take turns."""
    echo = serving.unary("Echo")
    answers = await asyncio.gather(*(echo(LARGE, timeout=40) for _ in range(8)))
    assert all(answer == LARGE for answer in answers)


async def test_metadata_goes_both_ways(serving: Serving) -> None:
    sent = (("a", "1"), ("b-bin", b"\0\1\xff"), ("traceparent", "00-x"))
    call = serving.unary("Echo")(b"x", metadata=sent, timeout=20)
    await call
    seen = serving.service.seen
    assert {key: seen["metadata"][key] for key, _ in sent} == dict(sent)
    assert "user-agent" in seen["metadata"]
    assert not any(key.startswith(("grpc-", ":")) for key in seen["metadata"])
    assert seen["peer"].startswith("ipv4:127.0.0.1:")
    assert 0 < seen["remaining"] <= 21  # rounded on its way
    assert seen["auth"] == {}
    assert dict(await call.trailing_metadata()) == {"k": "v", "k-bin": b"\0\xff"}


@pytest.mark.parametrize("text", ["plain", "100 % – né\n\t", "x" * 4_000], ids=["plain", "odd", "long"])
async def test_an_error_comes_with_its_message_and_metadata(serving: Serving, text: str) -> None:
    error = await refusal(serving.unary("Fail")(text.encode(), timeout=20))
    assert (error.code(), error.details()) == (grpc.StatusCode.ABORTED, text)
    assert dict(error.trailing_metadata()) == {"reason": "Conflict", "status-bin": b"\1\2"}


async def test_an_abort_is_an_error_too(serving: Serving) -> None:
    error = await refusal(serving.unary("Abort")(b"", timeout=20))
    assert (error.code(), error.details()) == (grpc.StatusCode.NOT_FOUND, "no such thing")
    assert dict(error.trailing_metadata()) == {"reason": "NotFound"}


async def test_a_handler_that_stumbles_tells_no_secrets(serving: Serving) -> None:
    error = await refusal(serving.unary("Break")(b"", timeout=20))
    assert error.code() is grpc.StatusCode.UNKNOWN
    assert "secret" not in str(error.details())


async def test_metadata_that_cannot_travel_is_the_handlers_fault(serving: Serving) -> None:
    error = await refusal(serving.unary("Garble")(b"", timeout=20))
    assert error.code() is grpc.StatusCode.INTERNAL
    assert await serving.unary("Echo")(b"still there", timeout=20) == b"still there"


async def test_unknown_methods(serving: Serving) -> None:
    for path in ("/test.Service/Nothing", "/other.Service/Echo"):
        error = await refusal(serving.channel.unary_unary(path)(b"x", timeout=20))
        assert error.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_an_unknown_stream_is_refused_before_it_ends(serving: Serving) -> None:
    """grpcurl asks for a newer reflection first, says nothing more, and waits."""
    call = serving.stream("Nothing")(timeout=20)
    assert await call.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_compressed_request_is_not_understood(serving: Serving) -> None:
    call = serving.unary("Echo")(b"x" * 1000, compression=grpc.Compression.Gzip, timeout=20)
    error = await refusal(call)
    assert error.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_message_that_is_too_large_is_refused(serving: Serving) -> None:
    error = await refusal(serving.unary("Echo")(bytes(MAX_MESSAGE + 1), timeout=20))
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert await serving.unary("Echo")(b"still there", timeout=20) == b"still there"


async def test_replies_in_a_stream(serving: Serving) -> None:
    call = serving.channel.unary_stream("/test.Service/Count")(b"1000", timeout=20)
    assert [int(reply) async for reply in call] == list(range(1000))


async def test_requests_in_a_stream(serving: Serving) -> None:
    async def requests() -> AsyncIterator[bytes]:
        for number in range(1000):
            yield b"%d" % number

    call = serving.channel.stream_unary("/test.Service/Join")(requests(), timeout=20)
    assert await call == b",".join(b"%d" % number for number in range(1000))


async def test_streams_both_ways_one_after_the_other(serving: Serving) -> None:
    call = serving.stream("Chat")(timeout=20)
    for word in (b"a", b"", b"long " * 50_000):
        await call.write(word)
        assert await call.read() == word.upper()
    assert dict(await call.initial_metadata())["began"] == "yes"
    await call.done_writing()
    assert await call.read() is grpc.aio.EOF
    assert await call.code() is grpc.StatusCode.OK


async def test_a_deadline_ends_the_call_and_its_handler(serving: Serving) -> None:
    async def a_handler_was_cancelled() -> bool:
        """On a busy machine a call may end before there is a handler."""
        error = await refusal(serving.unary("Hang")(b"", timeout=0.2))
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        return serving.service.cancelled > 0

    await eventually(a_handler_was_cancelled)
    await eventually(lambda: serving.service.running == 0)


async def test_a_client_that_gives_up_cancels_the_handler(serving: Serving) -> None:
    call = serving.unary("Hang")(b"", timeout=60)
    waiting = asyncio.create_task(refused_or_cancelled(call))
    await eventually(lambda: serving.service.running == 1)
    call.cancel()
    await waiting
    await eventually(lambda: serving.service.cancelled == 1)


async def refused_or_cancelled(call: Any) -> None:
    with contextlib.suppress(asyncio.CancelledError, grpc.aio.AioRpcError):
        await call


async def test_a_client_that_goes_cancels_its_handlers(serving: Serving) -> None:
    options = (("grpc.use_local_subchannel_pool", 1),)
    async with grpc.aio.insecure_channel(serving.address, options=options) as other:
        calls = [other.stream_stream("/test.Service/Deaf")() for _ in range(3)]
        for call in calls:
            await call.write(b"hello")
        await eventually(lambda: serving.service.running == 3)
    await eventually(lambda: serving.service.cancelled == 3)


async def test_a_client_that_does_not_read_holds_up_who_writes_to_it(serving: Serving) -> None:
    call = serving.stream("Flood")(timeout=60)
    await call.write(b"go")
    await eventually(lambda: serving.service.running == 1)
    before = -1
    while serving.service.seen.get("written", 0) != before:  # until it moves no more
        before = serving.service.seen.get("written", 0)
        await asyncio.sleep(0.3)
    assert before < 1_000
    for _ in range(before + 5):
        assert len(await call.read()) == 100_000  # and goes on once it is read
    call.cancel()
    await eventually(lambda: serving.service.cancelled == 1)


async def test_requests_that_nobody_takes_hold_the_client_up(serving: Serving) -> None:
    call = serving.stream("Deaf")(timeout=60)
    sent = 0
    with contextlib.suppress(TimeoutError):
        while sent < 1_000:
            async with asyncio.timeout(1.0):
                await call.write(bytes(10_000))
            sent += 1
    assert sent < 1_000
    call.cancel()


async def test_a_silent_client_is_pinged_and_kept(serving: Serving) -> None:
    await serving.unary("Echo")(b"x", timeout=20)
    await asyncio.sleep(0.7)  # several keepalives
    assert serving.channel.get_state() is grpc.ChannelConnectivity.READY
    assert await serving.unary("Echo")(b"x", timeout=20) == b"x"


async def test_a_stop_lets_calls_finish(serving: Serving) -> None:
    chat = serving.stream("Chat")(timeout=60)
    await chat.write(b"a")
    assert await chat.read() == b"A"
    stopping = asyncio.create_task(serving.server.stop(50.0))
    await asyncio.sleep(0)
    await chat.write(b"b")
    assert await chat.read() == b"B"
    await chat.done_writing()
    assert await chat.code() is grpc.StatusCode.OK
    await stopping
    error = await refusal(serving.unary("Echo")(b"x", timeout=20))
    assert error.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_stop_cuts_off_what_does_not_finish(serving: Serving) -> None:
    hanging = asyncio.create_task(refusal(serving.unary("Hang")(b"", timeout=60)))
    await eventually(lambda: serving.service.running == 1)
    await serving.server.stop(0.1)
    assert (await hanging).code() in (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE)
    await eventually(lambda: serving.service.cancelled == 1)
