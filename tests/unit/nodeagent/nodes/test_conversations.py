"""Input and output of a session, over a session in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

import pytest

from nodeagent.nodes import conversations, logs
from nodeagent.runtime.interface import LogOptions, Output, Stderr, Stdout, TerminalSize
from steersman.api.errors import BadRequest, Conflict
from steersman.pb import nodes_pb2 as pb

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Echo:
    """A session that says back what it hears, and ends with its input."""

    def __init__(self, *, hears: int = 100) -> None:
        self.sizes: list[TerminalSize] = []
        self._hears = hears
        self._said: asyncio.Queue[Output | None] = asyncio.Queue()

    async def read(self) -> Output | None:
        return await self._said.get()

    async def write(self, data: bytes) -> None:
        if not self._hears:
            raise Conflict("gone")
        self._hears -= 1
        self._said.put_nowait(Stdout(data))

    async def close_stdin(self) -> None:
        self._said.put_nowait(Stderr(b"bye"))
        self._said.put_nowait(None)

    async def resize(self, size: TerminalSize) -> None:
        self.sizes.append(size)

    async def kill(self) -> bool:
        return False

    async def exit_code(self) -> int | None:
        return 3


class Peer:
    """The other end of a call."""

    def __init__(self, *says: pb.SessionInput) -> None:
        self._says = list(says)
        self._is_over = asyncio.Event()
        self.heard: list[pb.SessionOutput] = []

    async def read(self) -> pb.SessionInput | None:
        """Hangs up after the last word."""
        if self._says:
            return self._says.pop(0)
        await self._is_over.wait()
        return None

    async def send(self, message: pb.SessionOutput) -> None:
        self.heard.append(message)
        if message.ended:
            self._is_over.set()


CLOSE = pb.SessionInput(close_stdin=True)


async def test_a_conversation_ends_with_the_exit_code() -> None:
    size = pb.SessionInput(resize=pb.TerminalSize(width=80, height=-1))
    session, peer = Echo(), Peer(pb.SessionInput(stdin=b"hello"), size, CLOSE)
    await conversations.converse(session, peer.read, peer.send, tells_exit_code=True)
    out, err, code = pb.SessionOutput(stdout=b"hello"), pb.SessionOutput(stderr=b"bye"), pb.SessionOutput(exit_code=3)
    assert peer.heard == [out, err, code, pb.SessionOutput(ended=True)]
    assert session.sizes == [TerminalSize(80, 0)]


async def test_input_that_nobody_reads_any_more_is_dropped() -> None:
    session, peer = Echo(hears=1), Peer(*(pb.SessionInput(stdin=b"x") for _ in range(5)), CLOSE)
    await conversations.converse(session, peer.read, peer.send, tells_exit_code=True)
    assert [message.stdout for message in peer.heard if message.WhichOneof("part") == "stdout"] == [b"x"]


async def test_stdin_can_be_kept_open_for_the_next_client() -> None:
    peer = Peer(CLOSE, pb.SessionInput(stdin=b"x"), CLOSE)
    assert await conversations.without_closing(peer.read)() == pb.SessionInput(stdin=b"x")


async def test_lines_of_a_log_go_out_together_and_in_order() -> None:
    async def lines() -> AsyncGenerator[Output, None]:
        for number in range(1000):
            yield Stdout(b"%d\n" % number)

    sent: list[bytes] = []

    async def send(data: bytes) -> None:
        sent.append(data)

    await logs.stream(lines(), send)
    assert b"".join(sent) == b"".join(b"%d\n" % number for number in range(1000))
    assert len(sent) < 100


@pytest.mark.parametrize(
    ("request_", "options"),
    [
        pytest.param(pb.LogsRequest(), LogOptions(), id="everything"),
        pytest.param(pb.LogsRequest(tail_lines=0, limit_bytes=5), LogOptions(tail_lines=0, limit_bytes=5), id="bounds"),
        pytest.param(pb.LogsRequest(since_seconds=5), LogOptions(since=NOW - timedelta(seconds=5)), id="seconds ago"),
        pytest.param(pb.LogsRequest(since_time="2026-01-02T03:04:05Z"), LogOptions(since=NOW), id="a moment"),
    ],
)
def test_what_is_asked_of_a_log(request_: pb.LogsRequest, options: LogOptions) -> None:
    assert logs.options_of(request_, NOW) == options


def test_a_moment_that_is_none() -> None:
    with pytest.raises(BadRequest):
        logs.options_of(pb.LogsRequest(since_time="yesterday"), NOW)
