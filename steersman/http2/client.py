"""The end of a connection that opens streams."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

from steersman.http2 import frames, settings
from steersman.http2.connection import Connection
from steersman.http2.faults import Code, ConnectionFault
from steersman.http2.headers import Decoder, Field, Head
from steersman.http2.limits import Limits
from steersman.http2.stream import Receiver, Stream

Understood = TypeVar("Understood", contravariant=True)

MAX_IDLE_PINGS = 2
"""Pings since we last sent anything else. More count as abuse to some servers (etcd among them)."""


class HeadReceiver(Receiver, Protocol[Understood]):
    """What the layer above does with the answer to a stream it opened."""

    def head_received(self, head: Understood, *, ended: bool) -> None:
        """The response's headers; `ended`: or its trailers."""


class ClientConnection(Connection[Head]):
    """`is_usable` until either end has had enough: then streams under way finish, and new ones need another one."""

    def __init__(self, understand: Callable[[list[Field]], Head], limits: Limits) -> None:
        super().__init__(limits, Decoder(understand, limits.max_header_bytes))
        self._next_stream = 1
        self._idle_pings = 0
        self._is_leaving = False
        self._decided = asyncio.Event()
        self._receivers: dict[int, HeadReceiver[Head]] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        ours = {
            settings.ENABLE_PUSH: 0,
            settings.INITIAL_WINDOW_SIZE: self.limits.stream_window,
            settings.MAX_HEADER_LIST_SIZE: self.limits.max_header_bytes,
        }
        self.sender.put(frames.PREFACE + settings.frame(ours))
        self.sender.put(frames.window_update(0, self.limits.connection_window - settings.DEFAULT_WINDOW))
        self.silence.watch()

    async def ready(self) -> None:
        """Wait until the server has answered, and not only its operating system. Raises OSError."""
        await self._decided.wait()
        if self.is_over:
            raise ConnectionError("closed before the server said a word")

    def greeted(self) -> None:
        self._decided.set()

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._decided.set()

    @property
    def is_usable(self) -> bool:
        return not self.is_over and not self._is_leaving and self._next_stream <= frames.MAX_STREAM_ID

    def open(self, receiver: HeadReceiver[Head], head: bytes) -> Stream:
        """Begin a stream with this header block. Only while `is_usable`."""
        number, self._next_stream = self._next_stream, self._next_stream + 2
        self._last_opened = number
        self._idle_pings = 0
        stream = Stream(self, number, send=self.sender.peer.initial_window, receive=self.limits.stream_window)
        stream.receiver = receiver
        self.streams[number] = stream
        self._receivers[number] = receiver
        self.sender.put_headers(number, head, 0)
        return stream

    @property
    def has_room(self) -> bool:
        """Whether the server takes one more stream now."""
        return len(self.streams) < self.sender.peer.max_concurrent_streams

    def block_received(self, stream_id: int, block: bytes, *, ended: bool) -> None:
        head = self._decoder.decode(block)
        stream = self.streams.get(stream_id)
        if stream is None:
            self._check_begun(stream_id, "HEADERS")
            return  # of a stream that we gave up
        self._receivers[stream_id].head_received(head, ended=ended)
        if ended:
            stream.ended_there = True
            if stream.ended_here:
                self.forget(stream)
            else:
                stream.reset(Code.NO_ERROR)

    def forget(self, stream: Stream) -> None:
        super().forget(stream)
        self._receivers.pop(stream.id, None)
        if self._is_leaving and not self.streams and not self.is_over:
            self.close()

    def goaway_received(self, last_stream: int) -> None:
        self._is_leaving = True
        for stream in tuple(self.streams.values()):
            if stream.id > last_stream:
                self._break(stream)
        if not self.streams and not self.is_over:
            self.close()

    def _check_begun(self, stream_id: int, name: str) -> None:
        if not stream_id % 2:
            raise ConnectionFault(Code.PROTOCOL_ERROR, f"{name} on a stream of the server's")
        super()._check_begun(stream_id, name)

    def ping(self) -> bool:
        """Only while something is waited for, and not too often."""
        if not self.streams or self._idle_pings >= MAX_IDLE_PINGS:
            return False
        self._idle_pings += 1
        return super().ping()
