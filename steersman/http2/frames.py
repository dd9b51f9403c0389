"""Frames: a stream of bytes cut into them, and each kind put together (RFC 9113, sections 4 and 6). Pure.

A frame is a plain tuple (kind, flags, stream id, payload): thousands a second are made, and most live for microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from steersman.http2.faults import Code, ConnectionFault

Frame = tuple[int, int, int, bytes]

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEAD_BYTES = 9
MAX_PAYLOAD = 16_384
"""What every peer takes, and all that we take."""
MAX_STREAM_ID = 2**31 - 1

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS = 0x0, 0x1, 0x2, 0x3, 0x4
PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0x5, 0x6, 0x7, 0x8, 0x9

END_STREAM, ACK, END_HEADERS, PADDED, WITH_PRIORITY = 0x1, 0x1, 0x4, 0x8, 0x20

_HEAD = Struct(">HBBBL")
_NUMBER = Struct(">L")
_PRIORITY_BYTES = 5


class Reader:
    """Takes bytes as they come, gives whole frames. The same bytes give the same frames, however they were cut."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Frame]:
        """To be read to its end before the next call. Raises FRAME_SIZE_ERROR behind the last good frame."""
        if self._rest:
            data = self._rest + data
        position, end = 0, len(data)
        unpack = _HEAD.unpack_from
        while end - position >= HEAD_BYTES:
            high, low, kind, flags, stream_id = unpack(data, position)
            size = high << 8 | low
            if size > MAX_PAYLOAD:
                raise ConnectionFault(Code.FRAME_SIZE_ERROR, f"a frame of {size} bytes")
            begin = position + HEAD_BYTES
            if begin + size > end:
                break
            position = begin + size
            yield kind, flags, stream_id & MAX_STREAM_ID, data[begin:position]
        self._rest = data[position:]


def frame(kind: int, flags: int, stream_id: int, payload: bytes = b"") -> bytes:
    return head(kind, flags, stream_id, len(payload)) + payload


def head(kind: int, flags: int, stream_id: int, size: int) -> bytes:
    """What stands before a payload of this size."""
    return _HEAD.pack(size >> 8, size & 0xFF, kind, flags, stream_id)


def header_frames(stream_id: int, block: bytes, *, flags: int = 0, max_payload: int = MAX_PAYLOAD) -> bytes:
    """A header block as HEADERS, and as many CONTINUATION frames as it needs."""
    if len(block) <= max_payload:
        return frame(HEADERS, flags | END_HEADERS, stream_id, block)
    parts = [block[at : at + max_payload] for at in range(0, len(block), max_payload)]
    first, *middle, last = parts
    return b"".join(
        (
            frame(HEADERS, flags, stream_id, first),
            *(frame(CONTINUATION, 0, stream_id, part) for part in middle),
            frame(CONTINUATION, END_HEADERS, stream_id, last),
        )
    )


def rst_stream(stream_id: int, code: int) -> bytes:
    return frame(RST_STREAM, 0, stream_id, _NUMBER.pack(code))


def window_update(stream_id: int, increment: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream_id, _NUMBER.pack(increment))


def goaway(last_stream_id: int, code: int, reason: str = "") -> bytes:
    return frame(GOAWAY, 0, 0, _NUMBER.pack(last_stream_id) + _NUMBER.pack(code) + reason.encode()[:256])


def number(payload: bytes) -> int:
    """The payload of RST_STREAM and the start of GOAWAY."""
    value: int = _NUMBER.unpack_from(payload)[0]
    return value


def increment(payload: bytes) -> int:
    """The payload of WINDOW_UPDATE: the first bit says nothing."""
    return number(payload) & MAX_STREAM_ID


def unpadded(flags: int, payload: bytes) -> bytes:
    """The content of a DATA or HEADERS payload, without its padding."""
    if not flags & PADDED:
        return payload
    if not payload or payload[0] >= len(payload):
        raise ConnectionFault(Code.PROTOCOL_ERROR, "padding as long as its frame")
    return payload[1 : len(payload) - payload[0]]


def dependency(payload: bytes) -> int:
    """The stream that a priority names. Nothing else of priorities means anything any more."""
    return increment(payload)


def without_priority(flags: int, payload: bytes) -> tuple[bytes, int | None]:
    """The block in a HEADERS payload, and the stream on which it says it depends."""
    if not flags & WITH_PRIORITY:
        return payload, None
    if len(payload) < _PRIORITY_BYTES:
        raise ConnectionFault(Code.FRAME_SIZE_ERROR, "no room for the priority")
    return payload[_PRIORITY_BYTES:], dependency(payload)


def check_size(payload: bytes, size: int, name: str) -> None:
    if len(payload) != size:
        raise ConnectionFault(Code.FRAME_SIZE_ERROR, f"{name} of {len(payload)} bytes")
