"""Requests that are no calls of ours."""

from __future__ import annotations

from dataclasses import dataclass

from grpc import StatusCode

from steersman.http2 import headers
from steersman.http2.stream import Stream
from steersman.rpc import metadata

_NOT_GRPC = headers.encode([(b":status", b"415"), (b"content-type", b"text/plain")])
_WORDS = b"gRPC is spoken here\n"


@dataclass(frozen=True, slots=True)
class Refused:
    """Calls that cannot be served are answered at once, for a client may wait for that before it says more."""

    head: bytes


def refused(code: StatusCode, message: str, further: bytes = b"") -> Refused:
    return Refused(metadata.RESPONSE + further + metadata.trailers(code.value[0], message))


class Stranger:
    """Answers a request that is not gRPC, once it has been read; never, if it does not end."""

    __slots__ = ("_stream",)

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def received(self, data: bytes, *, ended: bool) -> None:
        del data  # taken by nobody: there cannot be much of it before the window is full
        if ended:
            self._stream.send_head(_NOT_GRPC)
            self._stream.send(_WORDS)
            self._stream.end()

    def broken(self) -> None:
        """Nobody waits for the answer."""
