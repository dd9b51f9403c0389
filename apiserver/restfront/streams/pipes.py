"""Bytes both ways over what began as HTTP: the bare connection, or the binary messages of a WebSocket."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from aiohttp import WSMsgType, web
from aiohttp.abc import AbstractStreamWriter

from apiserver.restfront import replies

PENDING_BYTES = 256 * 1024
"""What may wait to be read before the client is made to wait."""
WRITE_SECONDS = 60.0
"""How long a client may leave what was sent to it unread while a stream is held up by it."""


class Pipe(Protocol):
    async def read(self) -> bytes:
        """Some bytes; empty once there will be no more."""

    async def send(self, data: bytes) -> None:
        """In the order of the calls. Waits while the client does not read; ConnectionResetError when it never will."""


class BareConnection(web.StreamResponse):
    """A connection on which, from its preparation on, both sides say what they like. A Pipe."""

    def __init__(self, request: web.BaseRequest) -> None:
        super().__init__(status=101)
        self._request = request
        self._is_bare = False
        self._inbox = _Inbox(request)

    @property
    def prepared(self) -> bool:
        return self._is_bare

    @property
    def keep_alive(self) -> bool | None:
        return False

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        if not self._is_bare:
            self._is_bare = True
            # aiohttp hands the rest of the connection to whatever has the two methods of its WebSocket parser.
            request.protocol.set_parser(self._inbox)  # type: ignore[arg-type]
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """All has been written."""

    async def read(self) -> bytes:
        return await self._inbox.next()

    async def send(self, data: bytes) -> None:
        transport = self._request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the client has gone")
        self._request.writer.output_size += len(data)
        transport.write(data)
        async with replies.patience(self._request, WRITE_SECONDS):
            await self._request.writer.drain()


class _Inbox:
    """What aiohttp passes on of a connection. Reading is paused while too much is pending."""

    def __init__(self, request: web.BaseRequest) -> None:
        self._request = request
        self._pending: deque[bytes] = deque()
        self._size = 0
        self._is_paused = False
        self._is_over = False
        self._news = asyncio.Event()

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self._pending.append(bytes(data))
        self._size += len(data)
        self._news.set()
        transport = self._request.transport
        if self._size >= PENDING_BYTES and not self._is_paused and transport is not None:
            self._is_paused = True
            transport.pause_reading()
        return False, b""

    def feed_eof(self) -> None:
        self._is_over = True
        self._news.set()

    async def next(self) -> bytes:
        while not self._pending:
            if self._is_over:
                return b""
            self._news.clear()
            await self._news.wait()
        data = b"".join(self._pending)
        self._pending.clear()
        self._size = 0
        transport = self._request.transport
        if self._is_paused and transport is not None and not transport.is_closing():
            self._is_paused = False
            transport.resume_reading()
        return data


class WebSocketPipe:
    def __init__(self, request: web.BaseRequest, socket: web.WebSocketResponse) -> None:
        self._request = request
        self._socket = socket

    async def read(self) -> bytes:
        while True:
            message = await self._socket.receive()
            if message.type is not WSMsgType.BINARY:
                return b""
            if message.data:
                return bytes(message.data)

    async def send(self, data: bytes) -> None:
        async with replies.patience(self._request, WRITE_SECONDS):
            await self._socket.send_bytes(data)
