"""What goes out on a connection. Everything put in during one turn of the event loop leaves in one write."""

from __future__ import annotations

import asyncio

FLUSH_BYTES = 128 * 1024
"""Past this a write does not wait for the end of the turn, so that the transport can say when it has enough."""


class Outbox:
    """`is_paused` follows the transport: while it holds, put in nothing that can wait."""

    __slots__ = ("_loop", "_pieces", "_scheduled", "_size", "_transport", "is_paused")

    def __init__(self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport) -> None:
        self._loop = loop
        self._transport = transport
        self._pieces: list[bytes | memoryview] = []
        self._size = 0
        self._scheduled = False
        self.is_paused = False

    def put(self, piece: bytes | memoryview) -> None:
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > FLUSH_BYTES:
            self.flush()
        elif not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._flush_in_turn)

    def flush(self) -> None:
        pieces = self._pieces
        if not pieces:
            return
        self._pieces, self._size = [], 0
        if not self._transport.is_closing():
            self._transport.write(pieces[0] if len(pieces) == 1 else b"".join(pieces))

    def _flush_in_turn(self) -> None:
        self._scheduled = False
        self.flush()
