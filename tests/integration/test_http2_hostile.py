"""Raw sockets that speak HTTP/2 badly, or not at all: each is told why and dropped, and others notice nothing."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass

import grpc
import grpc.aio
import pytest

from steersman.http2 import frames, headers, link, settings
from steersman.http2.faults import Code
from steersman.http2.frames import END_HEADERS, END_STREAM, Frame, Reader
from steersman.http2.limits import Limits
from steersman.rpc.context import Context
from steersman.rpc.server import Bounds, Server
from tests.eventually import eventually

HELLO = frames.PREFACE + settings.frame({})
ECHO = headers.encode(
    [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", b"/test.Service/Echo"),
        (b"content-type", b"application/grpc"),
        (b"te", b"trailers"),
    ]
)
ROOM_BYTES = 1024 * 1024
"""For all that the server answers while it is being shouted at: what does not fit when it hangs up is lost."""
SOON = Limits(preface_seconds=0.3, keepalive_seconds=0.3, keepalive_timeout_seconds=0.3)


async def echo(request: bytes, _: Context) -> bytes:
    return request


@dataclass(frozen=True)
class Serving:
    server: Server
    port: int

    @property
    def connections(self) -> int:
        return self.server.connections


@contextlib.asynccontextmanager
async def running(limits: Limits) -> AsyncIterator[Serving]:
    server = Server(Bounds(connection=limits))
    methods = {"Echo": grpc.unary_unary_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Service", methods),))
    async with server.listening("127.0.0.1", 0, None) as port:
        yield Serving(server, port)
        await server.stop(0.1)


@pytest.fixture
async def serving() -> AsyncIterator[Serving]:
    async with running(Limits()) as made:
        yield made


class Socket:
    """Without a transport: that throws away what the server has said when it hangs up in the midst of our words."""

    def __init__(self, raw: socket.socket) -> None:
        self._raw = raw
        self._loop = asyncio.get_running_loop()

    async def send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # the other end may have had enough
            await self._loop.sock_sendall(self._raw, data)

    async def last_words(self) -> list[Frame]:
        """All frames until the server closes."""
        received = b""
        with contextlib.suppress(OSError):
            while data := await self._loop.sock_recv(self._raw, 65_536):
                received += data
        return list(Reader().feed(received))

    async def frames_until(self, kind: int) -> list[Frame]:
        reader, found = Reader(), list[Frame]()
        while kind not in [frame[0] for frame in found]:
            data = await self._loop.sock_recv(self._raw, 1)
            assert data, f"the server hung up after {found}"
            found += reader.feed(data)
        return found


@contextlib.asynccontextmanager
async def socket_to(port: int) -> AsyncIterator[Socket]:
    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM_BYTES)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", port))
        yield Socket(raw)


def code_of(said: list[Frame]) -> int | None:
    codes = [frames.number(payload[4:]) for kind, _, _, payload in said if kind == frames.GOAWAY]
    return codes[-1] if codes else None


async def check_others_are_served(serving: Serving) -> None:
    options = (("grpc.use_local_subchannel_pool", 1),)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{serving.port}", options=options) as channel:
        assert await channel.unary_unary("/test.Service/Echo")(b"x", timeout=20) == b"x"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", Code.PROTOCOL_ERROR, id="HTTP/1.1"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", Code.PROTOCOL_ERROR, id="TLS"),
        pytest.param(frames.PREFACE + b"\xff" * 100, Code.FRAME_SIZE_ERROR, id="garbage"),
        pytest.param(HELLO + frames.frame(frames.PING, 0, 0, bytes(8)) * 5_000, Code.ENHANCE_YOUR_CALM, id="pings"),
        pytest.param(HELLO + settings.frame({}) * 5_000, Code.ENHANCE_YOUR_CALM, id="settings"),
        pytest.param(
            HELLO
            + b"".join(
                frames.frame(frames.HEADERS, END_HEADERS, 2 * number + 1, ECHO)
                + frames.rst_stream(2 * number + 1, Code.CANCEL)
                for number in range(5_000)
            ),
            Code.ENHANCE_YOUR_CALM,
            id="rapid resets",
        ),
        pytest.param(
            HELLO
            + frames.frame(frames.HEADERS, 0, 1, b"")
            + frames.frame(frames.CONTINUATION, 0, 1, b"\x00\x01a\x01b" * 3_000) * 100,
            Code.ENHANCE_YOUR_CALM,
            id="headers without end",
        ),
        pytest.param(
            HELLO
            + frames.frame(frames.HEADERS, END_HEADERS, 1, b"\x40\x01a\x7f\x81\x1e" + b"x" * 4_000 + b"\xbe" * 10_000),
            Code.ENHANCE_YOUR_CALM,
            id="a header bomb",
        ),
    ],
)
async def test_what_is_not_borne(serving: Serving, said: bytes, code: Code) -> None:
    async with socket_to(serving.port) as raw:
        await raw.send(said)
        assert code_of(await raw.last_words()) == code
    await check_others_are_served(serving)
    await eventually(lambda: serving.connections == 0)


@pytest.mark.parametrize("said", [b"", frames.PREFACE[:10], HELLO], ids=["nothing", "half a greeting", "a greeting"])
async def test_who_falls_silent_is_dropped(said: bytes) -> None:
    async with running(SOON) as serving, socket_to(serving.port) as raw:
        await raw.send(said)
        await raw.last_words()
        await eventually(lambda: serving.connections == 0)


async def test_who_sends_but_never_reads_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "DEAF_SECONDS", 0.5)
    body = bytes(15_000)
    message = b"\0" + len(body).to_bytes(4, "big") + body
    async with running(Limits()) as serving, socket_to(serving.port) as raw:
        await raw.send(HELLO + frames.window_update(0, 2**30))
        for number in range(1, 4_001, 2):
            if serving.connections == 0 and number > 100:
                break
            await raw.send(
                frames.frame(frames.HEADERS, END_HEADERS, number, ECHO)
                + frames.frame(frames.DATA, END_STREAM, number, message)
            )
        await eventually(lambda: serving.connections == 0)


async def test_a_browser_is_told_what_this_is(serving: Serving) -> None:
    get = headers.encode([(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/")])
    async with socket_to(serving.port) as raw:
        await raw.send(HELLO + frames.frame(frames.HEADERS, END_HEADERS | END_STREAM, 1, get))
        said = await raw.frames_until(frames.DATA)
        assert b"gRPC" in said[-1][3]
