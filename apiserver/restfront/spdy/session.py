"""One end of a SPDY connection: which streams are open, in which directions, and what to send. No I/O.

In the dialect of Kubernetes' clients, whose library neither grows its windows nor heeds ours: what is sent is not held
back by windows but by the connection itself, and ours are grown for the sake of those who do heed them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from apiserver.restfront.spdy.blocks import Headers
from apiserver.restfront.spdy.faults import Malformed, StreamGone, Why
from apiserver.restfront.spdy.frames import (
    MAX_DATA_BYTES,
    Data,
    Frame,
    FrameReader,
    FrameWriter,
    FurtherHeaders,
    GoAway,
    Ping,
    RstStream,
    SynReply,
    SynStream,
    WindowUpdate,
)

MAX_STREAMS = 1_000
WINDOW_STEP_BYTES = 32 * 1024
"""How much is consumed before the other end is told."""


class Role(IntEnum):
    """Who opens streams with odd numbers: the client."""

    CLIENT = 1
    SERVER = 0


@dataclass(frozen=True, slots=True)
class Opened:
    """The other end wants a stream; it is to be accepted or refused."""

    stream: int
    headers: Headers


@dataclass(frozen=True, slots=True)
class Accepted:
    stream: int


@dataclass(frozen=True, slots=True)
class Received:
    stream: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Ended:
    """The other end sends nothing more on this stream."""

    stream: int


@dataclass(frozen=True, slots=True)
class Broken:
    """The other end gave the stream up, in both directions."""

    stream: int


Event = Opened | Accepted | Received | Ended | Broken


@dataclass(slots=True)
class _Open:
    hears: bool
    speaks: bool
    unacknowledged: int = 0


class Session:
    def __init__(self, role: Role) -> None:
        self._role = role
        self._reader = FrameReader()
        self._writer = FrameWriter()
        self._streams: dict[int, _Open] = {}
        self._last_theirs = 0
        self._next_ours = 1 if role is Role.CLIENT else 2
        self._output: list[bytes] = []

    def take_output(self) -> bytes:
        """What is to be sent now."""
        output, self._output = b"".join(self._output), []
        return output

    # -- what comes in

    def receive(self, data: bytes) -> Iterator[Event]:
        """Raises Malformed. To be exhausted before the next call; answers may be put out on the way."""
        for frame in self._reader.feed(data):
            yield from self._understood(frame)

    def _understood(self, frame: Frame) -> Iterator[Event]:
        match frame:
            case SynStream():
                yield from self._opened(frame)
            case Data(stream, data, fin):
                yield from self._received(stream, data, fin=fin)
            case SynReply(stream, _, fin):
                if stream in self._streams:
                    yield Accepted(stream)
                    yield from self._ended(stream, fin=fin)
            case FurtherHeaders(stream, _, fin):
                yield from self._ended(stream, fin=fin)
            case RstStream(stream, _):
                if self._streams.pop(stream, None) is not None:
                    yield Broken(stream)
            case Ping(number):
                if number % 2 != self._role:  # else it is the answer to one of ours
                    self._put(frame)
            case GoAway() | WindowUpdate():
                return

    def _opened(self, frame: SynStream) -> Iterator[Event]:
        stream = frame.stream
        if stream % 2 == self._role or stream <= self._last_theirs:
            raise Malformed(f"a stream is opened under the number {stream}")
        self._last_theirs = stream
        if len(self._streams) >= MAX_STREAMS:
            self._put(RstStream(stream, Why.REFUSED_STREAM))
            return
        self._streams[stream] = _Open(hears=True, speaks=not frame.unidirectional)
        yield Opened(stream, frame.headers)
        yield from self._ended(stream, fin=frame.fin)

    def _received(self, stream: int, data: bytes, *, fin: bool) -> Iterator[Event]:
        known = self._streams.get(stream)
        if known is None:
            self._put(RstStream(stream, Why.INVALID_STREAM))
            return
        if not known.hears:
            self._put(RstStream(stream, Why.STREAM_ALREADY_CLOSED))
            return
        if data:
            yield Received(stream, data)
        yield from self._ended(stream, fin=fin)

    def _ended(self, stream: int, *, fin: bool) -> Iterator[Event]:
        known = self._streams.get(stream)
        if fin and known is not None and known.hears:
            known.hears = False
            self._forget_if_over(stream, known)
            yield Ended(stream)

    # -- what goes out

    def open(self, headers: Headers, *, fin: bool = False) -> int:
        """A stream of our own; its number."""
        stream, self._next_ours = self._next_ours, self._next_ours + 2
        self._streams[stream] = _Open(hears=True, speaks=not fin)
        self._put(SynStream(stream, headers, fin))
        return stream

    def accept(self, stream: int) -> None:
        """Nothing happens to one that has been given up in the meantime."""
        if stream in self._streams:
            self._put(SynReply(stream))

    def send(self, stream: int, data: bytes) -> None:
        """In frames of a decent size. Raises StreamGone."""
        known = self._streams.get(stream)
        if known is None or not known.speaks:
            raise StreamGone
        for begin in range(0, len(data), MAX_DATA_BYTES):
            self._put(Data(stream, data[begin : begin + MAX_DATA_BYTES]))

    def finish(self, stream: int) -> None:
        """We send nothing more on it. Already is success."""
        known = self._streams.get(stream)
        if known is not None and known.speaks:
            known.speaks = False
            self._put(Data(stream, b"", fin=True))
            self._forget_if_over(stream, known)

    def reset(self, stream: int, why: Why = Why.CANCEL) -> None:
        """Give it up in both directions. Already is success."""
        if self._streams.pop(stream, None) is not None:
            self._put(RstStream(stream, why))

    def acknowledge(self, stream: int, count: int) -> None:
        """So many bytes of what was received have been consumed."""
        known = self._streams.get(stream)
        if known is None:
            return
        known.unacknowledged += count
        if known.unacknowledged >= WINDOW_STEP_BYTES and known.hears:
            self._put(WindowUpdate(stream, known.unacknowledged))
            known.unacknowledged = 0

    def go_away(self) -> None:
        self._put(GoAway(self._last_theirs))

    def _forget_if_over(self, stream: int, known: _Open) -> None:
        if not known.hears and not known.speaks:
            del self._streams[stream]

    def _put(self, frame: Frame) -> None:
        self._output.append(self._writer.encode(frame))
