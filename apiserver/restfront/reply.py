"""A whole HTTP answer, written in one go.

aiohttp's own Response takes as long as everything else that a small read needs; this one knows the few headers that our
answers have. To aiohttp it is a response like any other: it is prepared, which sends it, and ended, which does nothing.
"""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus

from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter

PIECE_BYTES = 256 * 1024
"""Of a larger body so much is given to the transport at a time: the client reads one piece while the next is being
encrypted, and other requests have their turn in between."""


class Reply(web.StreamResponse):
    def __init__(self, code: int, body: bytes, content_type: str, cache_control: str = "no-cache, private") -> None:
        super().__init__(status=code)
        self.body = body
        self.content_type_text = content_type
        self.cache_control = cache_control
        self._further: list[tuple[str, str]] = []
        self._is_sent = False
        self._keeps_alive: bool | None = None

    def __repr__(self) -> str:
        return f"<Reply {self.status}, {len(self.body)} bytes>"

    def add(self, name: str, value: str) -> None:
        """A further header; one name may be added several times."""
        self._further.append((name, value))

    def sent(self, name: str) -> list[str]:
        """The further headers of this name."""
        return [value for added, value in self._further if added == name]

    @property
    def prepared(self) -> bool:
        return self._is_sent

    @property
    def keep_alive(self) -> bool | None:
        return self._keeps_alive

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Send it. ConnectionResetError when the client has gone."""
        if self._is_sent:
            return None
        transport, writer = request.transport, request.writer
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the client has gone")
        self._is_sent, self._keeps_alive = True, request.keep_alive
        head, body = self._head(request), b"" if request.method == "HEAD" else self.body
        writer.output_size += len(head) + len(body)
        if len(body) <= PIECE_BYTES:
            transport.write(head + body)
        else:
            transport.write(head + body[:PIECE_BYTES])
            await _write_rest(transport, writer, memoryview(body)[PIECE_BYTES:])
        await writer.drain()
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """All has been written."""

    def _head(self, request: web.BaseRequest) -> bytes:
        lines = [_opening(self.status, self.content_type_text, self.cache_control), _date(int(time.time()))]
        if self.status != HTTPStatus.NOT_MODIFIED:
            lines.append(b"Content-Length: %d" % len(self.body))
        lines += [f"{name}: {value}".encode() for name, value in self._further]
        if not self._keeps_alive:
            lines.append(b"Connection: close")
        elif request.version != HttpVersion11:
            lines.append(b"Connection: keep-alive")
        lines.append(b"\r\n")
        return b"\r\n".join(lines)


async def _write_rest(transport: asyncio.Transport, writer: AbstractStreamWriter, rest: memoryview) -> None:
    for start in range(0, len(rest), PIECE_BYTES):
        await writer.drain()
        await asyncio.sleep(0)
        if transport.is_closing():
            raise ConnectionResetError("the client has gone")
        transport.write(rest[start : start + PIECE_BYTES])


@lru_cache(maxsize=256)
def _opening(code: int, content_type: str, cache_control: str) -> bytes:
    said = f"Content-Type: {content_type}\r\n" if content_type else ""
    return f"HTTP/1.1 {code} {HTTPStatus(code).phrase}\r\n{said}Cache-Control: {cache_control}".encode()


@lru_cache(maxsize=2)
def _date(second: int) -> bytes:
    return f"Date: {formatdate(second, usegmt=True)}".encode()
