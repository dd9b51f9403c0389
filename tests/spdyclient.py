"""A client of native SPDY for tests: switches a plain HTTP connection, opens streams, gathers what comes on them.

async with spdyclient.switched(server, "POST", path, protocols=("v4.channel.k8s.io",)) as client:
    error = await client.open(streamtype="error")
    await client.until_ended(error)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from apiserver.restfront.spdy.session import Broken, Ended, Received, Role, Session

WITHIN = 30.0


class Refused(Exception):
    """The server did not switch; the whole answer."""


class SpdyClient:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._session = Session(Role.CLIENT)
        self._ended: set[int] = set()
        self.received: dict[int, bytes] = {}

    async def open(self, **headers: str) -> int:
        stream = self._session.open(tuple(headers.items()))
        self.received[stream] = b""
        await self._flush()
        return stream

    async def send(self, stream: int, data: bytes) -> None:
        self._session.send(stream, data)
        await self._flush()

    async def finish(self, stream: int) -> None:
        self._session.finish(stream)
        await self._flush()

    async def until_ended(self, *streams: int) -> None:
        """Take in what comes until the server has ended all of these."""
        async with asyncio.timeout(WITHIN):
            while not self._ended.issuperset(streams):
                data = await self._reader.read(65536)
                assert data, f"the server hung up; so far: {self.received}"
                for event in self._session.receive(data):
                    match event:
                        case Received(stream, content):
                            self.received[stream] += content
                        case Ended(stream) | Broken(stream):
                            self._ended.add(stream)

    async def _flush(self) -> None:
        self._writer.write(self._session.take_output())
        await self._writer.drain()


@asynccontextmanager
async def switched(server: str, method: str, path: str, *, protocols: Sequence[str] = ()) -> AsyncIterator[SpdyClient]:
    host, _, port = server.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        offers = [f"X-Stream-Protocol-Version: {each}" for each in protocols]
        head = [f"{method} {path} HTTP/1.1", f"Host: {server}", "Connection: Upgrade", "Upgrade: SPDY/3.1"]
        writer.write("\r\n".join([*head, "Content-Length: 0", *offers, "", ""]).encode())
        async with asyncio.timeout(WITHIN):
            answer = await reader.readuntil(b"\r\n\r\n")
            if not answer.startswith(b"HTTP/1.1 101"):
                raise Refused((answer + await reader.read(65536)).decode())
        yield SpdyClient(reader, writer)
    finally:
        writer.close()
