"""Frames survive the way to the wire and back, in whatever portions they arrive."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apiserver.restfront.spdy.blocks import MAX_BLOCK_BYTES, Compressor, Decompressor
from apiserver.restfront.spdy.dictionary import DICTIONARY
from apiserver.restfront.spdy.faults import Malformed
from apiserver.restfront.spdy.frames import (
    Data,
    Frame,
    FrameReader,
    FrameWriter,
    FurtherHeaders,
    GoAway,
    Ping,
    RstStream,
    SynReply,
    SynStream,
    WindowUpdate,
)

NUMBERS = st.integers(0, 2**31 - 1)
NAMES = st.text(st.characters(codec="ascii", exclude_categories=["Lu", "Cc"]), max_size=12)
HEADERS = st.lists(st.tuples(NAMES, st.text(max_size=20)), max_size=5).map(tuple)
FRAMES: st.SearchStrategy[Frame] = st.one_of(
    st.builds(SynStream, NUMBERS, HEADERS, st.booleans(), st.booleans()),
    st.builds(SynReply, NUMBERS, HEADERS, st.booleans()),
    st.builds(FurtherHeaders, NUMBERS, HEADERS, st.booleans()),
    st.builds(Data, NUMBERS, st.binary(max_size=200), st.booleans()),
    st.builds(RstStream, NUMBERS, NUMBERS),
    st.builds(Ping, NUMBERS),
    st.builds(GoAway, NUMBERS, NUMBERS),
    st.builds(WindowUpdate, NUMBERS, NUMBERS),
)


@given(st.lists(FRAMES, max_size=8), st.integers(1, 40))
def test_frames_are_read_as_they_were_written(frames: list[Frame], portion: int) -> None:
    writer, reader = FrameWriter(), FrameReader()
    raw = b"".join(writer.encode(frame) for frame in frames)
    portions = [raw[begin : begin + portion] for begin in range(0, len(raw), portion)]
    assert [frame for each in portions for frame in reader.feed(each)] == frames


@given(st.binary(max_size=200))
def test_nonsense_is_refused_or_read_but_never_breaks_the_reader(raw: bytes) -> None:
    try:
        for frame in FrameReader().feed(raw):
            assert frame is not None
    except Malformed:
        pass


def test_the_dictionary_is_the_one_that_the_protocol_fixes() -> None:
    assert len(DICTIONARY) == 1423
    assert zlib.adler32(DICTIONARY) == 0xE3C6A7C2


def test_a_later_block_leans_on_an_earlier_one() -> None:
    compressor, decompressor = Compressor(), Decompressor()
    blocks = [compressor.encode((("streamtype", "stdout"), ("port", "8080"))) for _ in range(2)]
    assert len(blocks[1]) < len(blocks[0])
    assert [decompressor.decode(block) for block in blocks] == [(("streamtype", "stdout"), ("port", "8080"))] * 2


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"\x80\x02\x00\x01\x00\x00\x00\x00", id="another version"),
        pytest.param(b"\x00\x00\x00\x01\x00\xff\xff\xff", id="a frame beyond the bound"),
        pytest.param(b"\x80\x03\x00\x01\x00\x00\x00\x04\x00\x00\x00\x01", id="an opening that is cut off"),
        pytest.param(b"\x80\x03\x00\x06\x00\x00\x00\x02\x00\x00", id="a ping of another length"),
        pytest.param(b"\x80\x03\x00\x02\x00\x00\x00\x06\x00\x00\x00\x01no", id="headers that are not compressed"),
    ],
)
def test_what_is_malformed_is_refused(raw: bytes) -> None:
    with pytest.raises(Malformed):
        list(FrameReader().feed(raw))


def test_headers_that_grow_beyond_the_bound_are_refused() -> None:
    block = Compressor().encode((("bomb", "x" * MAX_BLOCK_BYTES),))
    with pytest.raises(Malformed, match="more than"):
        Decompressor().decode(block)


def test_settings_and_unknown_frames_are_passed_over() -> None:
    settings = b"\x80\x03\x00\x04\x00\x00\x00\x04\x00\x00\x00\x00"
    unknown = b"\x80\x03\x00\x63\x00\x00\x00\x01x"
    assert list(FrameReader().feed(settings + unknown + FrameWriter().encode(Ping(1)))) == [Ping(1)]
