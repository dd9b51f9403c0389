"""Many watches over few gRPC streams: each watch has a mailbox, one reader per stream fills them.

Mailboxes are bounded. A watch whose owner does not keep up is cut off and resumed by its owner later, so it neither
fills the memory nor holds up the watches beside it.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator

from steersman import wire
from steersman.api.errors import ApiError, Unavailable
from steersman.api.names import Revision
from steersman.client.retrying import Failed, Fate
from steersman.client.transport import StartTask, Stream, Transport
from steersman.pb import resources_pb2
from steersman.pb.resources_pb2 import WatchEvent, WatchRequest, WatchStart

MAX_PENDING_EVENTS = 10_000
MAX_PENDING_BYTES = 16 * 1024 * 1024
WATCHES_PER_STREAM = 200
"""Below what a server allows."""


class Interrupted(Exception):
    """The watch is over for no fault of its own: resume it, perhaps elsewhere."""


class Mailbox:
    """What has come for one watch and was not taken yet."""

    def __init__(self, watch_id: int) -> None:
        self.id = watch_id
        self._events: list[WatchEvent] = []
        self._bytes = 0
        self._ended: ApiError | Interrupted | None = None
        self._waiter: asyncio.Future[None] | None = None

    def put(self, event: WatchEvent) -> None:
        self._events.append(event)
        self._bytes += len(event.object.json)
        self._wake()

    @property
    def is_full(self) -> bool:
        return len(self._events) > MAX_PENDING_EVENTS or self._bytes > MAX_PENDING_BYTES

    def end(self, why: ApiError | Interrupted) -> None:
        """What came before can still be taken."""
        if self._ended is None:
            self._ended = why
            self._wake()

    async def take(self) -> list[WatchEvent]:
        """All that is there, at least one event. Then raises what ended the watch."""
        while not self._events:
            if self._ended is not None:
                raise self._ended
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        events, self._events = self._events, []
        self._bytes = 0
        return events

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class WatchStream:
    """One open stream and the watches on it."""

    def __init__(self, stream: Stream, transport: Transport, ids: Iterator[int]) -> None:
        self._stream = stream
        self._transport = transport
        self._ids = ids
        self._mailboxes: dict[int, Mailbox] = {}
        self._retired = False

    @property
    def has_room(self) -> bool:
        return not self._retired and len(self._mailboxes) < WATCHES_PER_STREAM

    async def start(self, start: WatchStart) -> Mailbox:
        """Begin a watch; `start` without its id."""
        mailbox = Mailbox(next(self._ids))
        self._mailboxes[mailbox.id] = mailbox
        numbered = WatchStart()
        numbered.CopyFrom(start)
        numbered.id = mailbox.id
        try:
            await self._stream.send(WatchRequest(start=numbered))
        except BaseException:
            self._mailboxes.pop(mailbox.id, None)
            raise
        return mailbox

    async def stop(self, mailbox: Mailbox) -> None:
        """End a watch that its owner no longer wants. The last one takes the stream with it."""
        if self._mailboxes.pop(mailbox.id, None) is None:
            return
        if not self._mailboxes:
            self._retire()
        else:
            await self._send_stop(mailbox.id)

    async def ask_progress(self, mailbox: Mailbox, revision: Revision) -> None:
        """Raises Failed."""
        await self._stream.send(WatchRequest(progress=resources_pb2.WatchProgress(id=mailbox.id, revision=revision)))

    async def run(self) -> None:
        """Hand out what comes, until the stream ends; then every watch on it is told."""
        try:
            while True:
                reply = await self._stream.receive()
                mailbox = self._mailboxes.get(reply.id)
                if mailbox is not None:
                    await self._deliver(mailbox, reply.events)
                elif not self._is_over(reply.events):
                    # A stop that overtook its start at the server: say it again.
                    await self._send_stop(reply.id)
        except Failed as failed:
            if isinstance(failed.error, Unavailable):
                self._transport.leave(self._stream.endpoint)
            self._end_all(failed.error if failed.fate is Fate.REFUSED else Interrupted(failed.error.message))
        finally:
            self._end_all(Interrupted("the client is closing"))

    async def _deliver(self, mailbox: Mailbox, events: list[WatchEvent]) -> None:
        for event in events:
            match event.type:
                case WatchEvent.ERROR:
                    error = wire.from_message(event.error)
                    self._end(mailbox, error)
                    if isinstance(error, Unavailable):
                        self._leave_server()
                case WatchEvent.CLOSED:
                    self._end(mailbox, Interrupted("the server is draining"))
                    self._leave_server()
                case _:
                    mailbox.put(event)
        if mailbox.is_full and mailbox.id in self._mailboxes:
            self._end(mailbox, Interrupted("the reader is behind"))
            await self._send_stop(mailbox.id)

    async def _send_stop(self, watch_id: int) -> None:
        await self._stream.send(WatchRequest(stop=resources_pb2.WatchStop(id=watch_id)))

    @staticmethod
    def _is_over(events: list[WatchEvent]) -> bool:
        return any(event.type in (WatchEvent.ERROR, WatchEvent.CLOSED) for event in events)

    def _end(self, mailbox: Mailbox, why: ApiError | Interrupted) -> None:
        self._mailboxes.pop(mailbox.id, None)
        mailbox.end(why)

    def _leave_server(self) -> None:
        """Begin no more watches here. A draining server does not even listen to what is asked on this stream."""
        self._transport.leave(self._stream.endpoint)
        self._retire()

    def _retire(self) -> None:
        self._retired = True
        if not self._mailboxes:
            self._stream.cancel()

    def _end_all(self, why: ApiError | Interrupted) -> None:
        for mailbox in tuple(self._mailboxes.values()):
            self._end(mailbox, why)
        self._retire()


class WatchStreams:
    """Opens streams as they are needed; their readers run in the client's task group."""

    def __init__(self, transport: Transport, start_task: StartTask) -> None:
        self._transport = transport
        self._start_task = start_task
        self._streams: list[WatchStream] = []
        self._opening = asyncio.Lock()
        self._ids = itertools.count(1)

    async def subscribe(self, start: WatchStart) -> tuple[WatchStream, Mailbox]:
        """Raises Failed."""
        async with self._opening:
            self._streams = [stream for stream in self._streams if stream.has_room]
            if not self._streams:
                opened = await self._transport.open("Watch", self._start_task)
                self._streams.append(WatchStream(opened, self._transport, self._ids))
                self._start_task(self._streams[-1].run())
            stream = self._streams[-1]
            mailbox = await stream.start(start)
        return stream, mailbox
