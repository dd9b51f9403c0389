"""Docker's multiplexed streams: frames of a header (which stream, how long) and bytes.

A connection that ends inside a frame ends the stream: what the engine could still send has been given.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncGenerator
from typing import Protocol

from nodeagent.runtime.interface import Output, Stderr, Stdout

PIECE_BYTES = 64 << 10
_HEADER = struct.Struct(">BxxxL")
_STDERR = 2


class Bytes(Protocol):
    """What asyncio's and aiohttp's readers have in common."""

    async def read(self, n: int = -1, /) -> bytes: ...

    async def readexactly(self, n: int, /) -> bytes: ...


async def outputs(source: Bytes, *, multiplexed: bool) -> AsyncGenerator[Output, None]:
    """What comes, in pieces of bounded size. Without multiplexing (a TTY) everything is stdout."""
    if not multiplexed:
        while data := await source.read(PIECE_BYTES):
            yield Stdout(data)
        return
    while True:
        try:
            stream, left = _HEADER.unpack(await source.readexactly(_HEADER.size))
        except asyncio.IncompleteReadError:
            return
        while left:
            data = await source.read(min(left, PIECE_BYTES))
            if not data:
                return
            left -= len(data)
            yield Stderr(data) if stream == _STDERR else Stdout(data)
