"""One stream as the layer above sees it: send, end, reset; and what comes in is handed to its receiver.

Sending never waits by itself. What does not fit into the windows, or into the transport, stays in the stream's queue;
`sent` waits until it is gone, and that is how a peer that does not read holds up whoever writes to it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Protocol

from steersman.http2 import frames
from steersman.http2.faults import Code, StreamFault
from steersman.http2.flow import Loan, Overrun, ReceiveWindow, SendWindow

if TYPE_CHECKING:
    from steersman.http2.link import Link

LINGER_SECONDS = 30.0
"""How long the rest of a stream that has ended on our side waits for the peer to read it."""


class StreamGone(Exception):
    """The stream was reset, or its connection is lost: nothing written to it will arrive."""


class Receiver(Protocol):
    """What the layer above does with a stream's other end."""

    def received(self, data: bytes, *, ended: bool) -> None:
        """Content came; `ended`: and nothing more will. To be given back by `Stream.take` once it is used."""

    def broken(self) -> None:
        """The stream is gone before its end."""


class Stream:
    __slots__ = (
        "_body_left",
        "_connection",
        "_ending",
        "_incoming",
        "_lingering",
        "_loan",
        "_queue",
        "_waiting",
        "ended_here",
        "ended_there",
        "id",
        "is_gone",
        "receiver",
        "window",
    )

    def __init__(
        self, connection: Link, number: int, *, send: int, receive: int, content_length: int | None = None
    ) -> None:
        self.id = number
        self.receiver: Receiver | None = None
        self.window = SendWindow(send)
        self.ended_here = False
        self.ended_there = False
        self.is_gone = False
        self._connection = connection
        self._incoming = ReceiveWindow(receive)
        self._queue: deque[memoryview] = deque()
        self._ending: bytes | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._loan: Loan | None = None
        self._lingering: asyncio.TimerHandle | None = None
        self._body_left = content_length

    # -- out

    @property
    def has_more(self) -> bool:
        """Whether anything waits for room."""
        return bool(self._queue)

    def send_head(self, block: bytes) -> None:
        if not self.is_gone:
            self._connection.sender.put_headers(self.id, block, 0)

    def send(self, data: bytes) -> None:
        """Raises StreamGone."""
        if self.is_gone or self._ending is not None:
            raise StreamGone
        sender = self._connection.sender
        if not self._queue and sender.put_whole(self, data):
            return
        self._queue.append(memoryview(data))
        sender.wait_in_line(self)
        sender.pump()

    def send_last(self, data: bytes) -> None:
        """And end, in one frame where it fits."""
        if self.is_gone or self._queue or not self._connection.sender.put_whole(self, data, frames.END_STREAM):
            self.send(data)
            self.end()
            return
        self._ending = b""
        self._connection.ended_here(self)

    def send_whole(self, head: bytes, data: bytes, trailers: bytes) -> None:
        """All that there will be, in one piece where there is room for it. Raises StreamGone."""
        if not self.is_gone and self._connection.sender.put_answer(self, head, data, trailers):
            self._ending = trailers
            self._connection.ended_here(self)
            return
        self.send_head(head)
        self.send(data)
        self.end(trailers)

    def end(self, trailers: bytes = b"") -> None:
        """Behind everything sent so far. Our half of the stream is over once that is out."""
        if self.is_gone or self._ending is not None:
            return
        self._ending = trailers
        if self._queue:
            self._lingering = self._connection.loop.call_later(LINGER_SECONDS, self.reset, Code.CANCEL)
        else:
            self._finish()

    def reset(self, code: Code = Code.CANCEL) -> None:
        if not self.is_gone:
            self._connection.reset(self.id, code)

    async def sent(self) -> None:
        """Wait until all that was sent has left. Raises StreamGone."""
        while self._queue:
            waiter = self._connection.loop.create_future()
            self._waiting.append(waiter)
            try:
                await waiter
            finally:
                if waiter in self._waiting:
                    self._waiting.remove(waiter)
        if self.is_gone:
            raise StreamGone

    def next_part(self, most: int) -> memoryview:
        """For the sender: up to so many bytes off the queue."""
        first = self._queue[0]
        if len(first) <= most:
            self._queue.popleft()
            return first
        self._queue[0] = first[most:]
        return first[:most]

    def part_sent(self) -> None:
        """For the sender: what `next_part` gave is out."""
        if not self._queue:
            self._wake()
            if self._ending is not None:
                self._finish()

    def widen(self, increment: int) -> None:
        """For the connection: the peer takes so many bytes more."""
        if not increment:
            raise StreamFault(self.id, Code.PROTOCOL_ERROR, "a window opened by nothing")
        try:
            self.window.widen(increment)
        except Overrun:
            raise StreamFault(self.id, Code.FLOW_CONTROL_ERROR, "a window above the largest") from None
        if self._queue:
            sender = self._connection.sender
            sender.wait_in_line(self)
            sender.pump()

    def _finish(self) -> None:
        sender = self._connection.sender
        if self._ending:
            sender.put_headers(self.id, self._ending, frames.END_STREAM)
        else:
            sender.put(frames.frame(frames.DATA, frames.END_STREAM, self.id))
        self._connection.ended_here(self)

    # -- in

    def receive(self, payload: bytes, flags: int) -> None:
        """For the connection: a DATA frame."""
        size = len(payload)
        try:
            self._incoming.receive(size)
        except Overrun:
            raise StreamFault(self.id, Code.FLOW_CONTROL_ERROR, "more than the window allows") from None
        if flags & frames.PADDED:
            payload = frames.unpadded(flags, payload)
            self.take(size - len(payload))
        if self._body_left is not None:
            self._body_left -= len(payload)
        self.hand_over(payload, ended=bool(flags & frames.END_STREAM))

    def hand_over(self, data: bytes, *, ended: bool) -> None:
        if ended:
            self.ended_there = True
            if self._body_left:
                raise StreamFault(self.id, Code.PROTOCOL_ERROR, "more or less than the content-length says")
        if self.receiver is not None:
            self.receiver.received(data, ended=ended)
        if ended and self.ended_here:
            self._connection.forget(self)

    def take(self, count: int) -> None:
        """So many received bytes are used: let the peer send as many more."""
        increment = self._incoming.take(count)
        if increment and not self.ended_there and not self.is_gone:
            self._connection.sender.put(frames.window_update(self.id, increment))

    def expect(self, count: int) -> None:
        """So many more bytes must come before any can be used: see that they may."""
        lacking = self._incoming.lacking(count)
        if lacking and self._loan is None:
            self._loan = Loan(lacking, self._lend)
            self._connection.allowance.ask(self._loan)

    def has_arrived(self) -> None:
        """What was expected is here."""
        if self._loan is not None:
            self._connection.allowance.give_back(self._loan)
            self._loan = None

    def _lend(self, count: int) -> None:
        if not self.is_gone and not self.ended_there:
            self._connection.sender.put(frames.window_update(self.id, self._incoming.lend(count)))

    # -- the end

    def close(self) -> None:
        """For the connection: it has forgotten this stream."""
        self.is_gone = True
        self.receiver = None
        self._queue.clear()
        self.has_arrived()
        if self._lingering is not None:
            self._lingering.cancel()
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)
