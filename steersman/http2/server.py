"""The end of a connection that streams are opened to."""

from __future__ import annotations

from typing import Protocol

from steersman.http2 import frames, headers, settings
from steersman.http2.connection import Connection
from steersman.http2.faults import Code, ConnectionFault, Malformed, StreamFault
from steersman.http2.headers import Decoder, Field, Head, Request
from steersman.http2.limits import Limits
from steersman.http2.stream import Receiver, Stream

_DRAIN = b"steerdrn"


class Application(Protocol[Head]):
    """What is served."""

    def understand(self, request: Request) -> Head:
        """What a request asks for. Remembered for requests with the same headers."""

    def open(self, connection: ServerConnection[Head], stream: Stream, head: Head) -> Receiver | None:
        """A stream has begun. None if what else it brings is of no interest."""

    def connected(self, connection: ServerConnection[Head]) -> None: ...

    def disconnected(self, connection: ServerConnection[Head]) -> None: ...


class ServerConnection(Connection[tuple[Request, Head]]):
    """Drained in two steps: the client is told to open no more streams; what it sent before that is still served."""

    def __init__(self, application: Application[Head], limits: Limits) -> None:
        def understand(fields: list[Field]) -> tuple[Request, Head]:
            request = headers.request(fields)
            return request, application.understand(request)

        super().__init__(limits, Decoder(understand, limits.max_header_bytes))
        self._application = application
        self._preface = frames.PREFACE
        self._draining = False
        self._refusing = False

    def connection_made(self, transport: object) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        tls = self.get_extra_info("ssl_object")
        if tls is not None and tls.selected_alpn_protocol() != "h2":
            self.abort()
            return
        self._application.connected(self)
        ours = {
            settings.MAX_CONCURRENT_STREAMS: self.limits.max_streams,
            settings.MAX_HEADER_LIST_SIZE: self.limits.max_header_bytes,
            settings.INITIAL_WINDOW_SIZE: self.limits.stream_window,
        }
        self.sender.put(settings.frame(ours))
        self.sender.put(frames.window_update(0, self.limits.connection_window - settings.DEFAULT_WINDOW))
        self.silence.expect_first_words(self.limits.preface_seconds)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._application.disconnected(self)

    def data_received(self, data: bytes) -> None:
        if self._preface and not self.is_over:
            data = self._without_preface(data)
        if data:
            super().data_received(data)

    def _without_preface(self, data: bytes) -> bytes:
        """What follows the words that every client begins with."""
        expected = self._preface[: len(data)]
        if not data.startswith(expected):
            self.fail(ConnectionFault(Code.PROTOCOL_ERROR, "this is not HTTP/2"))
            return b""
        self._preface = self._preface[len(expected) :]
        if not self._preface:
            self.silence.watch()
        return data[len(expected) :]

    # -- streams

    def block_received(self, stream_id: int, block: bytes, *, ended: bool) -> None:
        stream = self.streams.get(stream_id)
        if stream is not None:
            self._trailers(stream, block, ended=ended)
            return
        if not stream_id % 2:
            raise ConnectionFault(Code.PROTOCOL_ERROR, "a stream with a number of ours")
        if not self.is_idle(stream_id):
            self._decoder.fields(block)
            raise self._reopened(stream_id)
        self._last_opened = stream_id
        request, head = self._decoder.decode(block)
        if self._refusing or len(self.streams) >= self.limits.max_streams:
            raise StreamFault(stream_id, Code.REFUSED_STREAM, "more streams than are taken")
        stream = Stream(
            self,
            stream_id,
            send=self.sender.peer.initial_window,
            receive=self.limits.stream_window,
            content_length=request.content_length,
        )
        self.streams[stream_id] = stream
        stream.receiver = self._application.open(self, stream, head)
        if ended and not stream.is_gone:
            stream.hand_over(b"", ended=True)

    def _trailers(self, stream: Stream, block: bytes, *, ended: bool) -> None:
        fields = self._decoder.fields(block)
        if stream.ended_there:
            raise StreamFault(stream.id, Code.STREAM_CLOSED, "HEADERS behind the end")
        if not ended:
            raise Malformed("trailers that are not the end")
        headers.check_trailers(fields)
        stream.hand_over(b"", ended=True)

    def _reopened(self, stream_id: int) -> Exception:
        if stream_id in self._reset_here:
            return StreamFault(stream_id, Code.STREAM_CLOSED, "HEADERS on a stream that was reset")
        if stream_id in self._past:
            return ConnectionFault(Code.STREAM_CLOSED, "HEADERS on a stream that is over")
        return ConnectionFault(Code.PROTOCOL_ERROR, "a stream with a number below the last")

    def ended_here(self, stream: Stream) -> None:
        """A client that still sends is told that nobody listens any more."""
        super().ended_here(stream)
        stream.reset(Code.NO_ERROR)

    def forget(self, stream: Stream) -> None:
        super().forget(stream)
        if self._refusing and not self.streams and not self.is_over:
            self.close()

    # -- the end

    def drain(self) -> None:
        """Take no more streams; close when the last is over."""
        if not self._draining and not self.is_over:
            self._draining = True
            self.sender.put(frames.goaway(frames.MAX_STREAM_ID, Code.NO_ERROR, "draining"))
            # What the client sent before it could know is on its way; the answer comes behind it.
            self.sender.put(frames.frame(frames.PING, 0, 0, _DRAIN))

    def close_when_idle(self) -> None:
        """The client has had its time to answer: refuse what still comes."""
        self._refusing = True
        if not self.streams and not self.is_over:
            self.close()

    def pong_received(self, payload: bytes) -> None:
        if payload == _DRAIN and self._draining and not self._refusing:
            self._refusing = True
            self.sender.put(frames.goaway(self._last_opened, Code.NO_ERROR))
            if not self.streams:
                self.close()
