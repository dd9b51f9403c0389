"""A SPDY connection in use: streams that are accepted, read, written and closed by tasks of their own.

One reader serves all streams. When one of them is not read, the reader waits for it, and with it the connection: the
clients' library does the same, and knows no windows by which a single stream could be held back.
"""

from __future__ import annotations

import asyncio
from collections import deque

from apiserver.restfront.spdy.blocks import Headers
from apiserver.restfront.spdy.faults import Malformed
from apiserver.restfront.spdy.session import Broken, Ended, Event, Opened, Received, Role, Session
from apiserver.restfront.streams.pipes import Pipe

PENDING_BYTES = 512 * 1024
"""Of one stream, before the connection waits for it."""
MAX_UNCLAIMED = 64
"""Streams that were opened and nobody has asked for yet."""


class SpdyStream:
    def __init__(self, link: SpdyLink, number: int, headers: Headers) -> None:
        self.number = number
        self._link = link
        self._headers = {name.lower(): value for name, value in headers}
        self._pending: deque[bytes] = deque()
        self._size = 0
        self._is_over = False
        self._is_broken = False
        self._changed = asyncio.Event()

    def header(self, name: str) -> str:
        return self._headers.get(name, "")

    @property
    def is_broken(self) -> bool:
        """Given up by the client, as opposed to ended."""
        return self._is_broken

    async def read(self) -> bytes:
        """Some bytes; empty once there will be no more."""
        while not self._pending:
            if self._is_over:
                return b""
            self._changed.clear()
            await self._changed.wait()
        data = b"".join(self._pending)
        self._pending.clear()
        self._size = 0
        await self._link.consumed(self, len(data))
        return data

    async def write(self, data: bytes) -> None:
        """Raises StreamGone, ConnectionResetError."""
        await self._link.send(self, data)

    async def close(self) -> None:
        """Nothing more will be written. Already is success."""
        await self._link.finish(self)

    async def reset(self) -> None:
        await self._link.reset(self)

    # -- for the link

    def receive(self, data: bytes) -> None:
        self._pending.append(data)
        self._size += len(data)
        self._changed.set()

    def end(self, *, broken: bool = False) -> None:
        self._is_over = True
        self._is_broken = self._is_broken or broken
        self._changed.set()

    @property
    def is_full(self) -> bool:
        return self._size >= PENDING_BYTES


class SpdyLink:
    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._session = Session(Role.SERVER)
        self._streams: dict[int, SpdyStream] = {}
        self._unclaimed: asyncio.Queue[SpdyStream | None] = asyncio.Queue(MAX_UNCLAIMED + 1)
        self._room = asyncio.Event()
        self._room.set()

    async def run(self) -> None:
        """Read until the connection ends, or does not make sense. To be run in a task of its own."""
        try:
            while data := await self._pipe.read():
                for event in self._session.receive(data):
                    await self._take(event)
                await self._flush()
        except (Malformed, ConnectionError):
            pass  # whoever speaks nonsense, or not at all any more, is simply hung up on
        finally:
            for stream in self._streams.values():
                stream.end(broken=True)
            self._unclaimed.put_nowait(None)

    async def accept(self) -> SpdyStream | None:
        """The next stream that the client opens; None once it opens no more."""
        stream = await self._unclaimed.get()
        if stream is None:
            self._unclaimed.put_nowait(None)  # for whoever asks again
        return stream

    async def close(self) -> None:
        """Say goodbye."""
        self._session.go_away()
        try:
            await self._flush()
        except ConnectionError:
            return

    async def _take(self, event: Event) -> None:
        match event:
            case Opened(number, headers):
                await self._open(number, headers)
            case Received(number, data) if number in self._streams:
                stream = self._streams[number]
                stream.receive(data)
                while stream.is_full and number in self._streams:
                    self._room.clear()
                    await self._flush()
                    await self._room.wait()
            case Ended(number) if number in self._streams:
                self._streams.pop(number).end()  # nothing more will come for it
            case Broken(number) if number in self._streams:
                self._streams.pop(number).end(broken=True)
                self._room.set()

    async def _open(self, number: int, headers: Headers) -> None:
        if self._unclaimed.qsize() >= MAX_UNCLAIMED:
            self._session.reset(number)
            return
        stream = self._streams[number] = SpdyStream(self, number, headers)
        self._session.accept(number)
        self._unclaimed.put_nowait(stream)

    # -- for the streams

    async def send(self, stream: SpdyStream, data: bytes) -> None:
        self._session.send(stream.number, data)
        await self._flush()

    async def finish(self, stream: SpdyStream) -> None:
        self._session.finish(stream.number)
        await self._flush()

    async def reset(self, stream: SpdyStream) -> None:
        self._session.reset(stream.number)
        self._streams.pop(stream.number, None)
        stream.end(broken=True)
        self._room.set()
        await self._flush()

    async def consumed(self, stream: SpdyStream, count: int) -> None:
        self._session.acknowledge(stream.number, count)
        self._room.set()
        await self._flush()

    def forget(self, stream: SpdyStream) -> None:
        """Nobody will read it any more; what still comes is dropped."""
        self._streams.pop(stream.number, None)
        self._room.set()

    async def _flush(self) -> None:
        output = self._session.take_output()
        if output:
            await self._pipe.send(output)
