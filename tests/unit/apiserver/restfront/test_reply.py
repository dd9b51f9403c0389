"""Whole answers, byte by byte."""

from __future__ import annotations

import re
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import HttpVersion10, HttpVersion11, web
from aiohttp.http_writer import HttpVersion
from aiohttp.test_utils import make_mocked_request

from apiserver.restfront.reply import PIECE_BYTES, Reply


class Wire:
    """What a client would receive."""

    def __init__(self) -> None:
        self.received = b""
        self.writer = Mock(output_size=0, drain=AsyncMock())
        self.transport = Mock()
        self.transport.is_closing.return_value = False
        self.transport.write.side_effect = self._take

    def _take(self, data: bytes) -> None:
        self.received += data

    def request(self, method: str = "GET", version: HttpVersion = HttpVersion11) -> web.BaseRequest:
        return make_mocked_request(method, "/", version=version, writer=self.writer, transport=self.transport)


async def sent(reply: Reply, wire: Wire, request: web.BaseRequest) -> str:
    await reply.prepare(request)
    await reply.write_eof()
    return re.sub(r"Date: [^\r]*GMT", "Date: now", wire.received.decode())


async def test_headers_and_body() -> None:
    wire, reply = Wire(), Reply(200, b"{}", "application/json")
    reply.add("Warning", '299 - "a"')
    reply.add("Warning", '299 - "b"')
    assert await sent(reply, wire, wire.request()) == (
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-cache, private\r\nDate: now\r\n"
        'Content-Length: 2\r\nWarning: 299 - "a"\r\nWarning: 299 - "b"\r\n\r\n{}'
    )
    assert (reply.prepared, reply.keep_alive, reply.status) == (True, True, 200)


async def test_it_is_sent_once() -> None:
    wire, reply = Wire(), Reply(200, b"{}", "application/json")
    once = await sent(reply, wire, wire.request())
    assert await sent(reply, wire, wire.request()) == once


async def test_nothing_has_changed() -> None:
    wire = Wire()
    told = await sent(Reply(304, b"", "", "public"), wire, wire.request())
    assert told == "HTTP/1.1 304 Not Modified\r\nCache-Control: public\r\nDate: now\r\n\r\n"


async def test_only_the_head_is_wanted() -> None:
    wire = Wire()
    told = await sent(Reply(200, b"{}", "application/json"), wire, wire.request("HEAD"))
    assert told.endswith("Content-Length: 2\r\n\r\n")


@pytest.mark.parametrize("size", [PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES + 1])
async def test_a_large_body(size: int) -> None:
    wire, body = Wire(), b"".join(b"%7d\n" % number for number in range(size // 8 + 1))[:size]
    assert (await sent(Reply(200, body, "text/plain"), wire, wire.request())).endswith("\r\n\r\n" + body.decode())


async def test_a_client_that_goes_while_it_is_told() -> None:
    wire = Wire()
    wire.transport.is_closing.side_effect = lambda: len(wire.received) > 2 * PIECE_BYTES
    with pytest.raises(ConnectionResetError):
        await Reply(200, b"#" * 3 * PIECE_BYTES, "text/plain").prepare(wire.request())
    assert wire.received.count(b"#") == 2 * PIECE_BYTES


@pytest.mark.parametrize(("version", "connection"), [(HttpVersion11, []), (HttpVersion10, ["close"])])
async def test_connections(version: HttpVersion, connection: list[str]) -> None:
    wire = Wire()
    told = await sent(Reply(200, b"", "text/plain"), wire, wire.request("GET", version))
    assert re.findall(r"Connection: (\S+)\r\n", told) == connection


async def test_a_client_that_has_gone() -> None:
    wire = Wire()
    wire.transport.is_closing.return_value = True
    with pytest.raises(ConnectionResetError):
        await Reply(200, b"", "text/plain").prepare(wire.request())
