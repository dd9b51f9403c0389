"""The two ways in which a client is connected to a command: channels of a WebSocket, streams of a SPDY connection.

To the rest of the server they look alike: what the client says comes as messages that an agent understands.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

import msgspec

from apiserver.restfront.spdy.faults import StreamGone
from apiserver.restfront.streams import outcomes
from apiserver.restfront.streams.commandoptions import CommandOptions
from apiserver.restfront.streams.outcomes import Outcome
from apiserver.restfront.streams.sockets import Channels
from apiserver.restfront.streams.spdylink import SpdyLink, SpdyStream
from steersman.api.errors import BadRequest
from steersman.pb import nodes_pb2 as pb

STDIN, STDOUT, STDERR, ERROR, RESIZE = range(5)
CLOSE = 255
"""In v5, says that the client closes the channel that the next byte names."""
STREAMS_SECONDS = 30.0
"""How long a client may take to open the streams that it has announced."""
MAX_RESIZE_BYTES = 4096

CLOSE_STDIN = pb.SessionInput(close_stdin=True)


class ClientGone(Exception):
    """There is nobody to talk to any more."""


class CommandWire(Protocol):
    async def receive(self) -> pb.SessionInput:
        """The next that the client says. Raises ClientGone."""

    async def stdout(self, data: bytes) -> None: ...

    async def stderr(self, data: bytes) -> None: ...

    async def finish(self, outcome: Outcome) -> None:
        """The last word."""


class _Size(msgspec.Struct, rename="pascal"):
    width: int = 0
    height: int = 0


def resized(raw: bytes) -> pb.SessionInput | None:
    """None for what is no size."""
    try:
        size = msgspec.json.decode(raw, type=_Size)
        return pb.SessionInput(resize=pb.TerminalSize(width=size.width, height=size.height))
    except (msgspec.DecodeError, ValueError):
        return None


class ChannelWire:
    """`has_status`: the error channel ends with a Status (from v4 on). `can_close`: stdin can be closed (from v5)."""

    def __init__(self, channels: Channels, options: CommandOptions, *, has_status: bool, can_close: bool) -> None:
        self._channels = channels
        self._options = options
        self._has_status = has_status
        self._can_close = can_close

    async def receive(self) -> pb.SessionInput:
        while True:
            received = await self._channels.receive()
            match received:
                case None:
                    raise ClientGone
                case (number, data) if number == STDIN and self._options.stdin:
                    return pb.SessionInput(stdin=data)
                case (number, data) if number == RESIZE and (message := resized(data)) is not None:
                    return message
                case (number, data) if number == CLOSE and self._can_close and data == bytes((STDIN,)):
                    return CLOSE_STDIN

    async def stdout(self, data: bytes) -> None:
        await self._channels.send(STDOUT, data)

    async def stderr(self, data: bytes) -> None:
        await self._channels.send(STDERR, data)

    async def finish(self, outcome: Outcome) -> None:
        told = outcomes.as_status(outcome) if self._has_status else outcomes.as_text(outcome)
        if told:
            await self._channels.send(ERROR, told)
        await self._channels.close()


class SpdyWire:
    """Streams by their type. What comes on stdin and resize is read by a task for each."""

    def __init__(self, link: SpdyLink, streams: dict[str, SpdyStream], *, has_status: bool) -> None:
        self._link = link
        self._streams = streams
        self._has_status = has_status
        self._incoming: asyncio.Queue[pb.SessionInput] = asyncio.Queue(1)

    async def listen(self) -> None:
        """Take in what the client says, until it has gone. To be run in a task of its own."""
        async with asyncio.TaskGroup() as tasks:
            if "stdin" in self._streams:
                tasks.create_task(self._hear(self._streams["stdin"]))
            if "resize" in self._streams:
                tasks.create_task(self._follow_size(self._streams["resize"]))

    async def _hear(self, stream: SpdyStream) -> None:
        while data := await stream.read():
            await self._incoming.put(pb.SessionInput(stdin=data))
        if not stream.is_broken:
            await self._incoming.put(CLOSE_STDIN)

    async def _follow_size(self, stream: SpdyStream) -> None:
        pending = b""
        while data := await stream.read():
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                if (message := resized(line)) is not None:
                    await self._incoming.put(message)
            if len(pending) > MAX_RESIZE_BYTES:
                return

    async def receive(self) -> pb.SessionInput:
        return await self._incoming.get()

    async def stdout(self, data: bytes) -> None:
        await self._write("stdout", data)

    async def stderr(self, data: bytes) -> None:
        await self._write("stderr", data)

    async def _write(self, name: str, data: bytes) -> None:
        if name not in self._streams:
            return
        try:
            await self._streams[name].write(data)
        except StreamGone:
            return  # the client does not want to hear this one any more

    async def finish(self, outcome: Outcome) -> None:
        told = outcomes.as_status(outcome) if self._has_status else outcomes.as_text(outcome)
        await self._write("error", told)
        for stream in self._streams.values():
            await stream.close()
        await self._link.close()


async def announced(link: SpdyLink, names: frozenset[str]) -> dict[str, SpdyStream]:
    """The streams of these types, as soon as the client has opened all of them. BadRequest, ClientGone."""
    found: dict[str, SpdyStream] = {}
    try:
        async with asyncio.timeout(STREAMS_SECONDS):
            while found.keys() != names:
                stream = await link.accept()
                if stream is None:
                    raise ClientGone
                kind = stream.header("streamtype")
                if kind not in names or kind in found:
                    raise BadRequest(f"a stream of the type {kind!r} was not announced")
                found[kind] = stream
    except TimeoutError as error:
        raise ClientGone from error
    return found
