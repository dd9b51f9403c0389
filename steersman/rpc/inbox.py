"""What has come on a stream, as whole messages. Whoever takes one lets the peer send more."""

from __future__ import annotations

import asyncio
from collections import deque

from steersman.http2.stream import Stream
from steersman.rpc import messages
from steersman.rpc.messages import Assembler


class Inbox:
    """`has_ended`: nothing more will come."""

    __slots__ = ("_assembler", "_messages", "_reading", "_stream", "has_ended")

    def __init__(self, stream: Stream, max_message_bytes: int) -> None:
        self._stream = stream
        self._assembler = Assembler(max_message_bytes)
        self._messages: deque[bytes] = deque()
        self._reading: asyncio.Future[None] | None = None
        self.has_ended = False

    def add(self, data: bytes) -> None:
        """Raises TooLarge, Unreadable."""
        arrived = self._assembler.feed(data)
        if arrived:
            self._messages.extend(arrived)
            self._stream.has_arrived()
            self._wake()
        missing = self._assembler.missing
        if missing:
            self._stream.expect(missing)

    def end(self) -> None:
        self.has_ended = True
        self._wake()

    @property
    def is_torn(self) -> bool:
        """Whether part of a message is here that the rest of it never followed."""
        return self.has_ended and not self._assembler.is_empty

    def only(self) -> bytes | None:
        """The message of a stream that has ended and held just one; else None."""
        return self._messages[0] if len(self._messages) == 1 and not self.is_torn else None

    async def next(self) -> bytes | None:
        """The next message; None when there are no more. For one reader at a time."""
        while not self._messages:
            if self.has_ended:
                return None
            self._reading = asyncio.get_running_loop().create_future()
            try:
                await self._reading
            finally:
                self._reading = None
        message = self._messages.popleft()
        self._stream.take(len(message) + messages.PREFIX_BYTES)
        return message

    def _wake(self) -> None:
        if self._reading is not None and not self._reading.done():
            self._reading.set_result(None)
