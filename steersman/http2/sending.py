"""What goes out on a connection: frames in their order, and content as the windows and the transport have room for it.

Streams that wait for room take turns, one frame each, so that none keeps the others waiting.
"""

from __future__ import annotations

from typing import Protocol

from steersman.http2 import frames
from steersman.http2.flow import SendWindow
from steersman.http2.headers import NO_TABLE
from steersman.http2.outbox import Outbox
from steersman.http2.settings import PeerSettings


class Queue(Protocol):
    """A stream with something to send."""

    id: int
    window: SendWindow

    @property
    def has_more(self) -> bool: ...

    def next_part(self, most: int) -> memoryview: ...

    def part_sent(self) -> None: ...


class Sender:
    """`has_spoken`: headers or content went out since somebody last looked, and set it back."""

    def __init__(self, outbox: Outbox) -> None:
        self.peer = PeerSettings()
        self.window = SendWindow()
        self._outbox = outbox
        self.has_spoken = False
        self._waiting: dict[int, Queue] = {}
        self._table_opening = NO_TABLE

    def put(self, frame: bytes) -> None:
        self._outbox.put(frame)

    def put_headers(self, stream_id: int, block: bytes, flags: int) -> None:
        self.has_spoken = True
        if self._table_opening:
            block, self._table_opening = self._table_opening + block, b""
        self._outbox.put(frames.header_frames(stream_id, block, flags=flags, max_payload=self.peer.max_frame_size))

    def put_whole(self, stream: Queue, data: bytes, flags: int = 0) -> bool:
        """Send it at once, in one frame, if there is room for all of it."""
        size = len(data)
        if not self._take_room(stream, size):
            return False
        self._outbox.put(frames.head(frames.DATA, flags, stream.id, size) + data)
        return True

    def put_answer(self, stream: Queue, head: bytes, data: bytes, trailers: bytes) -> bool:
        """Send headers, content and trailers at once, if there is room for all of them."""
        size, number = len(data), stream.id
        longest = max(len(head), len(trailers))
        if self._table_opening or longest > self.peer.max_frame_size or not self._take_room(stream, size):
            return False
        self._outbox.put(
            b"".join(
                (
                    frames.head(frames.HEADERS, frames.END_HEADERS, number, len(head)),
                    head,
                    frames.head(frames.DATA, 0, number, size),
                    data,
                    frames.head(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, number, len(trailers)),
                    trailers,
                )
            )
        )
        return True

    def _take_room(self, stream: Queue, size: int) -> bool:
        """Whether a frame of this size may go out now; then its room is taken."""
        if (
            size > stream.window.available
            or size > self.window.available
            or size > self.peer.max_frame_size
            or self._outbox.is_paused
        ):
            return False
        self.has_spoken = True
        stream.window.available -= size
        self.window.available -= size
        return True

    def wait_in_line(self, stream: Queue) -> None:
        self._waiting[stream.id] = stream

    def leave(self, stream: Queue) -> None:
        self._waiting.pop(stream.id, None)

    def pump(self) -> None:
        """Send what there is room for."""
        while self._waiting and self.window.available > 0 and not self._outbox.is_paused:
            number = next(iter(self._waiting))
            stream = self._waiting.pop(number)
            room = min(self.window.available, stream.window.available, self.peer.max_frame_size)
            if room <= 0:
                continue  # until the peer opens this stream's own window
            part = stream.next_part(room)
            self.has_spoken = True
            stream.window.available -= len(part)
            self.window.available -= len(part)
            self._outbox.put(frames.head(frames.DATA, 0, number, len(part)))
            self._outbox.put(part)
            if stream.has_more:
                self._waiting[number] = stream
            stream.part_sent()
