from __future__ import annotations

import asyncio
import struct

import pytest

from nodeagent.runtime.docker import frames
from nodeagent.runtime.interface import Output, Stderr, Stdout


def frame(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxL", stream, len(data)) + data


async def read(content: bytes, *, multiplexed: bool) -> list[Output]:
    reader = asyncio.StreamReader()
    reader.feed_data(content)
    reader.feed_eof()
    return [output async for output in frames.outputs(reader, multiplexed=multiplexed)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (frame(1, b"out") + frame(2, b"err"), [Stdout(b"out"), Stderr(b"err")]),
        (frame(1, b"") + frame(2, b"x"), [Stderr(b"x")]),
        (frame(1, b"out")[:5], []),
        (frame(1, b"whole") + frame(1, b"torn")[:-2], [Stdout(b"whole"), Stdout(b"to")]),
    ],
    ids=["nothing", "both", "an empty frame", "ends in a header", "ends in a frame"],
)
async def test_frames(content: bytes, expected: list[Output]) -> None:
    assert await read(content, multiplexed=True) == expected


async def test_a_large_frame_comes_in_pieces() -> None:
    outputs = await read(frame(2, b"x" * 200_000), multiplexed=True)
    assert b"".join(output.data for output in outputs) == b"x" * 200_000
    assert max(len(output.data) for output in outputs) <= frames.PIECE_BYTES


async def test_a_terminal_has_no_frames() -> None:
    assert await read(b"\x02\0\0\0any", multiplexed=False) == [Stdout(b"\x02\0\0\0any")]
