"""Frames, by the examples and rules of RFC 9113."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.http2 import frames
from steersman.http2.faults import Code, ConnectionFault
from steersman.http2.frames import Frame, Reader

FRAMES = st.tuples(
    st.integers(0, 255), st.integers(0, 255), st.integers(0, frames.MAX_STREAM_ID), st.binary(max_size=64)
)


def read(pieces: Iterable[bytes]) -> tuple[list[Frame], Code | None]:
    """The frames before the first fault, and its code."""
    reader, found = Reader(), []
    try:
        for piece in pieces:
            for frame in reader.feed(piece):
                found.append(frame)
    except ConnectionFault as fault:
        return found, fault.code
    return found, None


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    pieces, position = [], 0
    for size in sizes:
        pieces.append(data[position : position + size])
        position += size
    return [*pieces, data[position:]]


@pytest.mark.parametrize(
    ("made", "wire"),
    [
        pytest.param(frames.frame(frames.DATA, 1, 3, b"abc"), "000003 00 01 00000003 616263", id="data"),
        pytest.param(frames.rst_stream(5, Code.CANCEL), "000004 03 00 00000005 00000008", id="reset"),
        pytest.param(frames.window_update(0, 65_535), "000004 08 00 00000000 0000ffff", id="window"),
        pytest.param(frames.goaway(7, 1, "no"), "00000a 07 00 00000000 00000007 00000001 6e6f", id="goaway"),
        pytest.param(frames.head(frames.DATA, 0, 1, 0x012345), "012345 00 00 00000001", id="three bytes of length"),
    ],
)
def test_frames_as_bytes(made: bytes, wire: str) -> None:
    assert made == bytes.fromhex(wire.replace(" ", ""))


@given(st.lists(FRAMES, max_size=8), st.lists(st.integers(0, 40), max_size=20))
def test_any_cutting_gives_the_same_frames(sent: list[Frame], sizes: list[int]) -> None:
    data = b"".join(frames.frame(*frame) for frame in sent)
    assert read(cut(data, sizes)) == (sent, None)


@given(st.binary(max_size=200), st.lists(st.integers(0, 40), max_size=20))
def test_garbage_is_cut_into_the_same_frames_too(data: bytes, sizes: list[int]) -> None:
    assert read(cut(data, sizes)) == read([data])


def test_a_frame_that_is_too_large_is_refused_behind_the_good_ones() -> None:
    good = frames.frame(frames.PING, 0, 0, bytes(8))
    found, code = read([good + frames.head(frames.DATA, 0, 1, frames.MAX_PAYLOAD + 1)])
    assert (found, code) == ([(frames.PING, 0, 0, bytes(8))], Code.FRAME_SIZE_ERROR)


def test_the_reserved_bit_of_a_stream_id_is_ignored() -> None:
    assert read([bytes.fromhex("000000000080000003")]) == ([(frames.DATA, 0, 3, b"")], None)


@pytest.mark.parametrize(
    ("payload", "content"),
    [
        pytest.param(b"\x00abc", b"abc", id="padded by nothing"),
        pytest.param(b"\x02abc\0\0", b"abc", id="two bytes"),
        pytest.param(b"\x03\0\0\0", b"", id="nothing but padding"),
        pytest.param(b"\x04\0\0\0", None, id="longer than the frame"),
        pytest.param(b"", None, id="no room for its length"),
    ],
)
def test_padding(payload: bytes, content: bytes | None) -> None:
    if content is None:
        with pytest.raises(ConnectionFault) as caught:
            frames.unpadded(frames.PADDED, payload)
        assert caught.value.code is Code.PROTOCOL_ERROR
    else:
        assert frames.unpadded(frames.PADDED, payload) == content


@given(st.binary(max_size=100), st.integers(1, 30))
def test_a_long_header_block_is_continued(block: bytes, most: int) -> None:
    wire = frames.header_frames(1, block, flags=frames.END_STREAM, max_payload=most)
    found, _ = read([wire])
    kinds = [kind for kind, *_ in found]
    assert kinds == [frames.HEADERS] + [frames.CONTINUATION] * (len(found) - 1)
    assert b"".join(payload for *_, payload in found) == block
    assert [bool(flags & frames.END_HEADERS) for _, flags, *_ in found] == [False] * (len(found) - 1) + [True]
    assert found[0][1] & frames.END_STREAM
