"""A header block on its way: HEADERS, and as many CONTINUATION frames as fit the bounds. Pure."""

from __future__ import annotations

from steersman.http2 import frames
from steersman.http2.faults import Code, ConnectionFault

MAX_PARTS = 64


class Block:
    """`depends_on_itself`: its priority names its own stream, which is forbidden, but found only after decoding."""

    __slots__ = ("_parts", "_size", "depends_on_itself", "ended", "stream_id")

    def __init__(self, flags: int, stream_id: int, payload: bytes) -> None:
        if not stream_id:
            raise ConnectionFault(Code.PROTOCOL_ERROR, "HEADERS on stream 0")
        self.stream_id = stream_id
        self.ended = bool(flags & frames.END_STREAM)
        self.depends_on_itself = False
        if flags & (frames.PADDED | frames.WITH_PRIORITY):
            payload, dependency = frames.without_priority(flags, frames.unpadded(flags, payload))
            self.depends_on_itself = dependency == stream_id
        self._parts = [payload]
        self._size = len(payload)

    def add(self, payload: bytes, max_bytes: int) -> None:
        self._parts.append(payload)
        self._size += len(payload)
        if self._size > max_bytes or len(self._parts) > MAX_PARTS:
            raise ConnectionFault(Code.ENHANCE_YOUR_CALM, "a header block without end")

    @property
    def content(self) -> bytes:
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
