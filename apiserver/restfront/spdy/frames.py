"""Frames of SPDY/3: bytes to values and back. Headers are compressed, so each direction of a connection has one reader
or writer, which sees every frame in order.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from apiserver.restfront.spdy.blocks import Compressor, Decompressor, Headers
from apiserver.restfront.spdy.faults import Malformed

VERSION = 3
MAX_FRAME_BYTES = 1024 * 1024
"""Of what follows a frame's head. Clients of Kubernetes send at most 32 KiB at once."""
MAX_DATA_BYTES = 32 * 1024
"""What we put into one frame: large enough to be cheap, small enough to share a connection."""

_CONTROL = 0x8000_0000
_STREAM = 0x7FFF_FFFF
_FIN, _UNIDIRECTIONAL = 0x01, 0x02
_HEAD = struct.Struct(">II")
_NUMBER = struct.Struct(">I")
_TWO_NUMBERS = struct.Struct(">II")


class Type(IntEnum):
    SYN_STREAM = 1
    SYN_REPLY = 2
    RST_STREAM = 3
    SETTINGS = 4
    PING = 6
    GOAWAY = 7
    HEADERS = 8
    WINDOW_UPDATE = 9


@dataclass(frozen=True, slots=True)
class SynStream:
    """A stream is opened. `fin`: its opener will send nothing more; `unidirectional`: nor will the other end."""

    stream: int
    headers: Headers
    fin: bool = False
    unidirectional: bool = False


@dataclass(frozen=True, slots=True)
class SynReply:
    stream: int
    headers: Headers = ()
    fin: bool = False


@dataclass(frozen=True, slots=True)
class FurtherHeaders:
    stream: int
    headers: Headers
    fin: bool = False


@dataclass(frozen=True, slots=True)
class Data:
    stream: int
    data: bytes
    fin: bool = False


@dataclass(frozen=True, slots=True)
class RstStream:
    stream: int
    why: int


@dataclass(frozen=True, slots=True)
class Ping:
    number: int


@dataclass(frozen=True, slots=True)
class GoAway:
    last_stream: int
    why: int = 0


@dataclass(frozen=True, slots=True)
class WindowUpdate:
    stream: int
    grown_by: int


Frame = SynStream | SynReply | FurtherHeaders | Data | RstStream | Ping | GoAway | WindowUpdate


class FrameWriter:
    def __init__(self) -> None:
        self._compressor = Compressor()

    def encode(self, frame: Frame) -> bytes:
        match frame:
            case Data(stream, data, fin):
                return _HEAD.pack(stream, _flags_and_length(len(data), fin=fin)) + data
            case SynStream(stream, headers, fin, unidirectional):
                block = self._compressor.encode(headers)
                flags = _FIN * fin | _UNIDIRECTIONAL * unidirectional
                return _control(Type.SYN_STREAM, struct.pack(">IIBB", stream, 0, 0, 0) + block, flags)
            case SynReply(stream, headers, fin):
                return _control(Type.SYN_REPLY, _NUMBER.pack(stream) + self._compressor.encode(headers), _FIN * fin)
            case FurtherHeaders(stream, headers, fin):
                return _control(Type.HEADERS, _NUMBER.pack(stream) + self._compressor.encode(headers), _FIN * fin)
            case RstStream(stream, why):
                return _control(Type.RST_STREAM, _TWO_NUMBERS.pack(stream, why))
            case Ping(number):
                return _control(Type.PING, _NUMBER.pack(number))
            case GoAway(last_stream, why):
                return _control(Type.GOAWAY, _TWO_NUMBERS.pack(last_stream, why))
            case WindowUpdate(stream, grown_by):
                return _control(Type.WINDOW_UPDATE, _TWO_NUMBERS.pack(stream, grown_by))


class FrameReader:
    """Takes bytes in any portions. Frames that nobody needs (settings, unknown types) are passed over."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._decompressor = Decompressor()
        self._readers: dict[int, Callable[[bytes, int], Frame]] = {
            Type.SYN_STREAM: self._syn_stream,
            Type.SYN_REPLY: self._syn_reply,
            Type.HEADERS: self._further_headers,
            Type.RST_STREAM: lambda body, _: RstStream(*_two_numbers(body, _STREAM)),
            Type.PING: lambda body, _: Ping(_number(body)),
            Type.GOAWAY: lambda body, _: GoAway(*_two_numbers(body, _STREAM)),
            Type.WINDOW_UPDATE: lambda body, _: WindowUpdate(*_two_numbers(body, _STREAM)),
        }

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Raises Malformed. To be exhausted before the next call."""
        pending = self._pending
        pending += data
        while len(pending) >= _HEAD.size:
            first, second = _HEAD.unpack_from(pending)
            length = second & 0xFF_FFFF
            if length > MAX_FRAME_BYTES:
                raise Malformed(f"a frame of {length} bytes")
            end = _HEAD.size + length
            if len(pending) < end:
                return
            body, flags = bytes(pending[_HEAD.size : end]), second >> 24
            del pending[:end]
            if not first & _CONTROL:
                yield Data(first, body, bool(flags & _FIN))
            elif (frame := self._control_frame(first, flags, body)) is not None:
                yield frame

    def _control_frame(self, first: int, flags: int, body: bytes) -> Frame | None:
        version, kind = (first & ~_CONTROL) >> 16, first & 0xFFFF
        if version != VERSION:
            raise Malformed(f"version {version} of SPDY")
        read = self._readers.get(kind)
        return None if read is None else read(body, flags)

    def _syn_stream(self, body: bytes, flags: int) -> Frame:
        if len(body) < 10:
            raise Malformed("a stream's opening that is cut off")
        headers = self._decompressor.decode(body[10:])
        return SynStream(_number(body[:4]) & _STREAM, headers, bool(flags & _FIN), bool(flags & _UNIDIRECTIONAL))

    def _syn_reply(self, body: bytes, flags: int) -> Frame:
        return SynReply(_number(body[:4]) & _STREAM, self._decompressor.decode(body[4:]), bool(flags & _FIN))

    def _further_headers(self, body: bytes, flags: int) -> Frame:
        return FurtherHeaders(_number(body[:4]) & _STREAM, self._decompressor.decode(body[4:]), bool(flags & _FIN))


def _control(kind: Type, body: bytes, flags: int = 0) -> bytes:
    return _HEAD.pack(_CONTROL | VERSION << 16 | kind, flags << 24 | len(body)) + body


def _flags_and_length(length: int, *, fin: bool) -> int:
    return (_FIN if fin else 0) << 24 | length


def _number(body: bytes) -> int:
    if len(body) != _NUMBER.size:
        raise Malformed("a control frame of another length than its type has")
    number: int = _NUMBER.unpack(body)[0]
    return number


def _two_numbers(body: bytes, mask: int) -> tuple[int, int]:
    if len(body) != _TWO_NUMBERS.size:
        raise Malformed("a control frame of another length than its type has")
    first, second = _TWO_NUMBERS.unpack(body)
    return first & mask, second
