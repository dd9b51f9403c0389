"""A connection without its frames: the transport under it, the streams on it, and how they all come to an end."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, cast

from steersman.http2 import frames
from steersman.http2.faults import Code, ConnectionFault
from steersman.http2.flow import Allowance
from steersman.http2.limits import Limits
from steersman.http2.outbox import Outbox
from steersman.http2.sending import Sender
from steersman.http2.silence import Silence
from steersman.http2.stream import Stream

REMEMBERED_STREAMS = 1_000
"""Streams that are over and of which late frames are told apart from wrong ones."""
DEAF_SECONDS = 30.0
"""How long the socket may take nothing at all."""
LAST_WORDS_SECONDS = 5.0
"""How long a peer has to read what is on its way when we close."""
_KEEPALIVE = frames.frame(frames.PING, 0, 0, b"steerkpa")


class Link(asyncio.Protocol):
    def __init__(self, limits: Limits) -> None:
        self.loop = asyncio.get_running_loop()
        self.limits = limits
        self.streams: dict[int, Stream] = {}
        self.allowance = Allowance(limits.max_lent_bytes)
        self.is_over = False
        self._last_opened = 0
        self._past: deque[int] = deque(maxlen=REMEMBERED_STREAMS)
        self._reset_here: deque[int] = deque(maxlen=REMEMBERED_STREAMS)
        self._deaf: asyncio.TimerHandle | None = None
        self.silence = Silence(
            self.loop,
            limits.keepalive_seconds,
            limits.keepalive_timeout_seconds,
            ping=self.ping,
            give_up=self.abort,
        )

    # -- the transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._outbox = Outbox(self.loop, self._transport)
        self.sender = Sender(self._outbox)

    def get_extra_info(self, name: str) -> Any:
        return self._transport.get_extra_info(name)

    def pause_writing(self) -> None:
        self._outbox.is_paused = True
        self._deaf = self.loop.call_later(DEAF_SECONDS, self.abort)

    def resume_writing(self) -> None:
        self._outbox.is_paused = False
        if self._deaf is not None:
            self._deaf.cancel()
        self.sender.pump()

    def connection_lost(self, _: Exception | None) -> None:
        self.is_over = True
        self.silence.stop()
        if self._deaf is not None:
            self._deaf.cancel()
        self._break_all()

    def fail(self, fault: ConnectionFault) -> None:
        """End the connection, saying why."""
        self.sender.put(frames.goaway(self._last_opened, fault.code, fault.reason))
        self.close()
        self._break_all()

    def close(self) -> None:
        """What is on its way still goes out."""
        self.is_over = True
        self._outbox.flush()
        self._transport.close()
        self.loop.call_later(LAST_WORDS_SECONDS, self._transport.abort)

    def abort(self) -> None:
        self.is_over = True
        self._transport.abort()

    def ping(self) -> bool:
        """Whether the peer was asked if it is still there."""
        self.sender.put(_KEEPALIVE)
        return True

    # -- how streams end

    def ended_here(self, stream: Stream) -> None:
        """We have sent all that we will."""
        stream.ended_here = True
        if stream.ended_there:
            self.forget(stream)

    def reset(self, stream_id: int, code: Code) -> None:
        self._reset_here.appendleft(stream_id)  # where those that matter are found first
        self.sender.put(frames.rst_stream(stream_id, code))
        stream = self.streams.get(stream_id)
        if stream is not None:
            self.forget(stream)

    def forget(self, stream: Stream) -> None:
        """The stream is over."""
        if self.streams.pop(stream.id, None) is not None:
            self.sender.leave(stream)
            self._past.append(stream.id)
            stream.close()

    def _break(self, stream: Stream) -> None:
        receiver = stream.receiver
        self.forget(stream)
        if receiver is not None:
            receiver.broken()

    def _break_all(self) -> None:
        for stream in tuple(self.streams.values()):
            self._break(stream)
