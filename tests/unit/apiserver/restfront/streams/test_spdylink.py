"""A SPDY connection in use, over a pipe in memory, with our own client at the other end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from apiserver.restfront.spdy.faults import StreamGone, Why
from apiserver.restfront.spdy.session import Accepted, Ended, Received, Role, Session
from apiserver.restfront.streams import commandwires
from apiserver.restfront.streams.commandwires import ClientGone, SpdyWire
from apiserver.restfront.streams.outcomes import Exited
from apiserver.restfront.streams.spdylink import PENDING_BYTES, SpdyLink
from steersman.api.errors import BadRequest


class MemoryPipe:
    """What the link sends is understood by `client` at once."""

    def __init__(self) -> None:
        self.client = Session(Role.CLIENT)
        self.events: list[object] = []
        self._incoming: asyncio.Queue[bytes] = asyncio.Queue()

    async def read(self) -> bytes:
        return await self._incoming.get()

    async def send(self, data: bytes) -> None:
        self.events += self.client.receive(data)

    def push(self) -> None:
        """What the client has said."""
        self._incoming.put_nowait(self.client.take_output())

    def end(self) -> None:
        self._incoming.put_nowait(b"")


@asynccontextmanager
async def linked() -> AsyncIterator[tuple[SpdyLink, MemoryPipe]]:
    pipe = MemoryPipe()
    link = SpdyLink(pipe)
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(link.run())
        yield link, pipe
        running.cancel()


async def test_streams_are_accepted_and_carry_data_both_ways() -> None:
    async with linked() as (link, pipe):
        number = pipe.client.open((("streamType", "data"),))
        pipe.client.send(number, b"ping")
        pipe.client.finish(number)
        pipe.push()
        stream = await link.accept()
        assert stream is not None
        assert stream.header("streamtype") == "data"
        assert await stream.read() == b"ping"
        assert await stream.read() == b""
        await stream.write(b"pong")
        await stream.close()
        assert pipe.events == [Accepted(number), Received(number, b"pong"), Ended(number)]


async def test_a_stream_that_is_not_read_holds_up_the_connection_and_no_more_is_kept() -> None:
    async with linked() as (link, pipe):
        number = pipe.client.open(())
        pipe.client.send(number, b"x" * PENDING_BYTES)
        pipe.push()
        stream = await link.accept()
        later = pipe.client.open(())
        pipe.push()
        for _ in range(10):
            await asyncio.sleep(0)
        assert Accepted(later) not in pipe.events
        assert stream is not None
        assert len(await stream.read()) == PENDING_BYTES
        assert await link.accept() is not None
        assert Accepted(later) in pipe.events


async def test_the_end_of_the_connection_breaks_its_streams() -> None:
    async with linked() as (link, pipe):
        pipe.client.open(())
        pipe.push()
        stream = await link.accept()
        pipe.end()
        assert await link.accept() is None
        assert stream is not None
        assert await stream.read() == b""
        assert stream.is_broken


async def test_a_stream_that_was_given_up_takes_nothing() -> None:
    async with linked() as (link, pipe):
        number = pipe.client.open(())
        pipe.push()
        stream = await link.accept()
        assert stream is not None
        pipe.client.reset(number, Why.CANCEL)
        pipe.push()
        assert await stream.read() == b""
        with pytest.raises(StreamGone):
            await stream.write(b"x")


async def test_a_command_hears_its_client_and_tells_how_it_ended() -> None:
    async with linked() as (link, pipe), asyncio.TaskGroup() as tasks:
        numbers = {kind: pipe.client.open((("streamtype", kind),)) for kind in ("error", "stdin", "resize")}
        pipe.client.send(numbers["stdin"], b"words")
        pipe.client.finish(numbers["stdin"])
        pipe.client.send(numbers["resize"], b'{"Width":80,"Hei')
        pipe.client.send(numbers["resize"], b'ght":24}\nnonsense\n')
        pipe.push()
        streams = await commandwires.announced(link, frozenset(numbers))
        wire = SpdyWire(link, streams, has_status=True)
        listening = tasks.create_task(wire.listen())
        heard = [await wire.receive() for _ in range(3)]
        assert sorted(message.WhichOneof("part") for message in heard) == ["close_stdin", "resize", "stdin"]
        size = next(message.resize for message in heard if message.WhichOneof("part") == "resize")
        assert (size.width, size.height) == (80, 24)
        await wire.finish(Exited(0))
        assert Received(numbers["error"], b'{"metadata":{},"status":"Success"}') in pipe.events
        assert Ended(numbers["error"]) in pipe.events
        listening.cancel()


async def test_streams_that_were_not_announced_are_refused() -> None:
    async with linked() as (link, pipe):
        pipe.client.open((("streamtype", "stdin"),))
        pipe.push()
        with pytest.raises(BadRequest):
            await commandwires.announced(link, frozenset({"error"}))
        pipe.end()
        with pytest.raises(ClientGone):
            await commandwires.announced(link, frozenset({"error"}))
