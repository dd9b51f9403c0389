"""A server's connection without a network: what a peer sends goes in, frames come out."""

from __future__ import annotations

import asyncio
from typing import Any

from steersman.http2 import frames, headers, settings
from steersman.http2.frames import Frame, Reader
from steersman.http2.headers import Request
from steersman.http2.limits import Limits
from steersman.http2.server import ServerConnection
from steersman.http2.stream import Stream

HELLO = frames.PREFACE + settings.frame({})
GET = headers.encode([(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/")])


class RecordingTransport(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.is_closed = False

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_closed = True


class Heard:
    """Receives one stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.content = b""
        self.has_ended = False
        self.is_broken = False

    def received(self, data: bytes, *, ended: bool) -> None:
        self.content += data
        self.has_ended = ended

    def broken(self) -> None:
        self.is_broken = True


class Peer:
    """Both the client's hand and the application that is served."""

    def __init__(self, **limits: Any) -> None:
        self.heard: dict[int, Heard] = {}
        self.connection = ServerConnection(self, Limits(**limits))
        self.transport = RecordingTransport()
        self.connection.connection_made(self.transport)

    def understand(self, request: Request) -> bytes:
        return request.path

    def open(self, _: ServerConnection[bytes], stream: Stream, __: bytes) -> Heard:
        heard = self.heard[stream.id] = Heard(stream)
        return heard

    def connected(self, connection: ServerConnection[bytes]) -> None: ...

    def disconnected(self, connection: ServerConnection[bytes]) -> None: ...

    def say(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.connection.data_received(piece)

    def answers(self) -> list[Frame]:
        """The frames that came back, but for those of the greeting."""
        self.connection._outbox.flush()
        return list(Reader().feed(self.transport.written))[2:]

    def last_words(self) -> int | None:
        """The code of GOAWAY, if the connection ended with it."""
        *_, (kind, _, _, payload) = [(0, 0, 0, b""), *self.answers()]
        return frames.number(payload[4:]) if kind == frames.GOAWAY and self.transport.is_closed else None

    def hang_up(self) -> None:
        self.connection.connection_lost(None)


def headers_frame(stream_id: int, block: bytes = GET, flags: int = frames.END_STREAM | frames.END_HEADERS) -> bytes:
    return frames.frame(frames.HEADERS, flags, stream_id, block)
