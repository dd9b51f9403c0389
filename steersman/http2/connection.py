"""One HTTP/2 connection as an asyncio Protocol: frames in, frames out, the same for both ends.

What comes in is checked strictly. A fault of one stream resets that stream; any other fault ends the connection with
GOAWAY and the code that the standard names. Nothing a peer sends makes us hold more than a bound: not headers, not
bodies, not answers to pings; and a peer that is silent for too long, or never reads, is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from steersman.http2 import frames, settings
from steersman.http2.blocks import Block
from steersman.http2.faults import Code, ConnectionFault, Malformed, StreamFault
from steersman.http2.flow import Overrun, ReceiveWindow, SendWindow
from steersman.http2.frames import END_HEADERS, END_STREAM, Reader
from steersman.http2.headers import Decoder, Head
from steersman.http2.limits import Limits
from steersman.http2.link import Link
from steersman.http2.patience import Patience

_PRIORITY_BYTES, _PING_BYTES, _NUMBER_BYTES = 5, 8, 4


class Connection(Link, Generic[Head]):
    """Subclasses say what a header block means, and when a stream may begin."""

    def __init__(self, limits: Limits, decoder: Decoder[Head]) -> None:
        super().__init__(limits)
        self._decoder = decoder
        self._reader = Reader()
        self._incoming = ReceiveWindow(limits.connection_window)
        self._patience = Patience(self.loop.time())
        self._block: Block | None = None
        self._has_settings = False
        self._handlers: tuple[Callable[[int, int, bytes], None], ...] = (
            *(self._data, self._headers, self._priority, self._rst_stream, self._settings),
            *(self._push_promise, self._ping, self._goaway, self._window_update, self._continuation),
        )

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._handlers = ()  # they refer to us, and so would keep us

    def data_received(self, data: bytes) -> None:
        if self.is_over:
            return
        self.silence.heard = True
        try:
            for kind, flags, stream_id, payload in self._reader.feed(data):
                try:
                    self._dispatch(kind, flags, stream_id, payload)
                except StreamFault as fault:
                    self._fail_stream(fault)
        except ConnectionFault as fault:
            self.fail(fault)

    def _dispatch(self, kind: int, flags: int, stream_id: int, payload: bytes) -> None:
        if self._block is not None and (kind != frames.CONTINUATION or stream_id != self._block.stream_id):
            raise ConnectionFault(Code.PROTOCOL_ERROR, "a header block was interrupted")
        if not self._has_settings and (kind != frames.SETTINGS or flags & frames.ACK):
            raise ConnectionFault(Code.PROTOCOL_ERROR, "the first frame is not SETTINGS")
        if kind < len(self._handlers):  # others may come to be, and are to be ignored
            self._handlers[kind](flags, stream_id, payload)

    def _fail_stream(self, fault: StreamFault) -> None:
        self._patience.spend(self.loop.time(), "faults")
        stream = self.streams.get(fault.stream_id)
        if stream is not None:
            self._break(stream)
        self.reset(fault.stream_id, fault.code)

    def is_idle(self, stream_id: int) -> bool:
        """Whether no stream of that number has begun."""
        return stream_id > self._last_opened

    def _check_begun(self, stream_id: int, name: str) -> None:
        if not stream_id or self.is_idle(stream_id):
            raise ConnectionFault(Code.PROTOCOL_ERROR, f"{name} on a stream that never began")

    # -- what comes in, by kind of frame

    def _data(self, flags: int, stream_id: int, payload: bytes) -> None:
        size = len(payload)
        try:
            self._incoming.receive(size)
        except Overrun:
            raise ConnectionFault(Code.FLOW_CONTROL_ERROR, "more than the connection's window allows") from None
        # The streams' own windows hold a slow reader back. Held back here too, it would hold back all of them.
        increment = self._incoming.take(size)
        if increment:
            self.sender.put(frames.window_update(0, increment))
        stream = self.streams.get(stream_id)
        if stream is None:
            self._late_data(stream_id)
            return
        if stream.ended_there:
            raise StreamFault(stream_id, Code.STREAM_CLOSED, "DATA behind the end")
        if not size and not flags & END_STREAM:
            self._patience.spend(self.loop.time(), "empty frames")
        stream.receive(payload, flags)

    def _late_data(self, stream_id: int) -> None:
        self._check_begun(stream_id, "DATA")
        if stream_id not in self._reset_here:
            raise StreamFault(stream_id, Code.STREAM_CLOSED, "DATA on a closed stream")

    def _headers(self, flags: int, stream_id: int, payload: bytes) -> None:
        block = Block(flags, stream_id, payload)
        if flags & END_HEADERS:
            self._complete(block)
        else:
            self._block = block

    def _continuation(self, flags: int, _: int, payload: bytes) -> None:
        block = self._block
        if block is None:
            raise ConnectionFault(Code.PROTOCOL_ERROR, "CONTINUATION of nothing")
        block.add(payload, self.limits.max_header_bytes)
        if flags & END_HEADERS:
            self._block = None
            self._complete(block)

    def _complete(self, block: Block) -> None:
        try:
            self.block_received(block.stream_id, block.content, ended=block.ended)
        except Malformed as error:
            raise StreamFault(block.stream_id, Code.PROTOCOL_ERROR, str(error)) from error
        if block.depends_on_itself:
            raise StreamFault(block.stream_id, Code.PROTOCOL_ERROR, "a stream that depends on itself")

    def block_received(self, stream_id: int, block: bytes, *, ended: bool) -> None:
        """A whole header block. It must be decoded whatever becomes of it: the table is the connection's."""
        raise NotImplementedError

    def _priority(self, _: int, stream_id: int, payload: bytes) -> None:
        self._patience.spend(self.loop.time(), "priorities")
        if not stream_id:
            raise ConnectionFault(Code.PROTOCOL_ERROR, "PRIORITY on stream 0")
        if len(payload) != _PRIORITY_BYTES:
            raise StreamFault(stream_id, Code.FRAME_SIZE_ERROR, f"PRIORITY of {len(payload)} bytes")
        if frames.dependency(payload) == stream_id:
            raise StreamFault(stream_id, Code.PROTOCOL_ERROR, "a stream that depends on itself")

    def _rst_stream(self, _: int, stream_id: int, payload: bytes) -> None:
        frames.check_size(payload, _NUMBER_BYTES, "RST_STREAM")
        self._check_begun(stream_id, "RST_STREAM")
        stream = self.streams.get(stream_id)
        if stream is not None:
            self._patience.spend(self.loop.time(), "resets")
            self._break(stream)

    def _settings(self, flags: int, stream_id: int, payload: bytes) -> None:
        if stream_id:
            raise ConnectionFault(Code.PROTOCOL_ERROR, "SETTINGS on a stream")
        if flags & frames.ACK:
            frames.check_size(payload, 0, "SETTINGS acknowledged")
            return
        self._patience.spend(self.loop.time(), "settings")
        sender = self.sender
        before, sender.peer = sender.peer, settings.applied(sender.peer, payload)
        if not self._has_settings:
            self._has_settings = True
            self.greeted()
        for stream in self.streams.values():
            self._widen(stream.window, sender.peer.initial_window - before.initial_window)
            if stream.has_more:
                sender.wait_in_line(stream)
        sender.put(settings.ACKNOWLEDGED)
        sender.pump()

    def greeted(self) -> None:
        """The peer's first settings are here."""

    @staticmethod
    def _widen(window: SendWindow, increment: int) -> None:
        try:
            window.widen(increment)
        except Overrun:
            raise ConnectionFault(Code.FLOW_CONTROL_ERROR, "a window above the largest") from None

    def _push_promise(self, _: int, __: int, ___: bytes) -> None:
        raise ConnectionFault(Code.PROTOCOL_ERROR, "PUSH_PROMISE")

    def _ping(self, flags: int, stream_id: int, payload: bytes) -> None:
        if stream_id:
            raise ConnectionFault(Code.PROTOCOL_ERROR, "PING on a stream")
        frames.check_size(payload, _PING_BYTES, "PING")
        if flags & frames.ACK:
            self.pong_received(payload)
            return
        if self.sender.has_spoken:
            self.sender.has_spoken = False  # the peer measures how fast we are: one for each answer is its right
        else:
            self._patience.spend(self.loop.time(), "pings")
        self.sender.put(frames.frame(frames.PING, frames.ACK, 0, payload))

    def pong_received(self, payload: bytes) -> None:
        """A ping of ours was answered."""

    def _goaway(self, _: int, stream_id: int, payload: bytes) -> None:
        if stream_id:
            raise ConnectionFault(Code.PROTOCOL_ERROR, "GOAWAY on a stream")
        if len(payload) < 2 * _NUMBER_BYTES:
            raise ConnectionFault(Code.FRAME_SIZE_ERROR, f"GOAWAY of {len(payload)} bytes")
        self.goaway_received(frames.increment(payload))

    def goaway_received(self, last_stream: int) -> None:
        """The peer takes no streams above this one."""

    def _window_update(self, _: int, stream_id: int, payload: bytes) -> None:
        frames.check_size(payload, _NUMBER_BYTES, "WINDOW_UPDATE")
        increment = frames.increment(payload)
        stream = self.streams.get(stream_id)
        if stream is not None:
            stream.widen(increment)
        elif stream_id:
            self._check_begun(stream_id, "WINDOW_UPDATE")
        elif increment:
            self._widen(self.sender.window, increment)
            self.sender.pump()
        else:
            raise ConnectionFault(Code.PROTOCOL_ERROR, "a window opened by nothing")
