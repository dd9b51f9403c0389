"""A server's connection as a whole: what each fault costs, how content flows, and that nothing makes it stumble."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.http2 import frames, headers, patience, settings
from steersman.http2.faults import Code
from steersman.http2.frames import END_HEADERS, END_STREAM, frame
from steersman.http2.stream import StreamGone
from tests.unit.http2.wire import GET, HELLO, Peer, headers_frame


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    made = Peer()
    made.say(HELLO)
    yield made
    made.hang_up()


def number(value: int) -> bytes:
    return value.to_bytes(4, "big")


OPEN = headers_frame(1, flags=END_HEADERS)
ENDED = headers_frame(1)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        pytest.param(frame(frames.DATA, 0, 0, b"x"), Code.PROTOCOL_ERROR, id="DATA on stream 0"),
        pytest.param(frame(frames.DATA, 0, 1, b"x"), Code.PROTOCOL_ERROR, id="DATA before HEADERS"),
        pytest.param(OPEN + frame(frames.DATA, 8, 1, b"\x05x"), Code.PROTOCOL_ERROR, id="too much padding"),
        pytest.param(headers_frame(0), Code.PROTOCOL_ERROR, id="HEADERS on stream 0"),
        pytest.param(headers_frame(2), Code.PROTOCOL_ERROR, id="a number of the server's"),
        pytest.param(headers_frame(5) + headers_frame(3), Code.PROTOCOL_ERROR, id="a number below the last"),
        pytest.param(headers_frame(1, b"\x80"), Code.COMPRESSION_ERROR, id="a broken block"),
        pytest.param(frame(frames.CONTINUATION, 4, 1, b""), Code.PROTOCOL_ERROR, id="CONTINUATION of nothing"),
        pytest.param(
            headers_frame(1, flags=0) + frame(frames.PING, 0, 0, bytes(8)), Code.PROTOCOL_ERROR, id="interrupted"
        ),
        pytest.param(
            headers_frame(1, flags=0) + frame(frames.CONTINUATION, 4, 3, b""), Code.PROTOCOL_ERROR, id="crossed"
        ),
        pytest.param(
            headers_frame(1, flags=0) + frame(frames.CONTINUATION, 0, 1, b"") * 100,
            Code.ENHANCE_YOUR_CALM,
            id="CONTINUATION without end",
        ),
        pytest.param(frame(frames.PRIORITY, 0, 0, bytes(5)), Code.PROTOCOL_ERROR, id="PRIORITY on stream 0"),
        pytest.param(frame(frames.RST_STREAM, 0, 1, number(8)), Code.PROTOCOL_ERROR, id="RST_STREAM of nothing"),
        pytest.param(OPEN + frame(frames.RST_STREAM, 0, 1, b""), Code.FRAME_SIZE_ERROR, id="RST_STREAM too short"),
        pytest.param(frame(frames.SETTINGS, 0, 1), Code.PROTOCOL_ERROR, id="SETTINGS on a stream"),
        pytest.param(frame(frames.SETTINGS, 1, 0, bytes(6)), Code.FRAME_SIZE_ERROR, id="SETTINGS with an ACK"),
        pytest.param(frame(frames.PUSH_PROMISE, 4, 1, bytes(4)), Code.PROTOCOL_ERROR, id="PUSH_PROMISE"),
        pytest.param(frame(frames.PING, 0, 0, b"x"), Code.FRAME_SIZE_ERROR, id="a short PING"),
        pytest.param(frame(frames.PING, 0, 1, bytes(8)), Code.PROTOCOL_ERROR, id="PING on a stream"),
        pytest.param(frame(frames.GOAWAY, 0, 1, bytes(8)), Code.PROTOCOL_ERROR, id="GOAWAY on a stream"),
        pytest.param(frame(frames.GOAWAY, 0, 0, bytes(7)), Code.FRAME_SIZE_ERROR, id="GOAWAY too short"),
        pytest.param(frames.window_update(0, 0), Code.PROTOCOL_ERROR, id="a window opened by nothing"),
        pytest.param(frames.window_update(0, 2**31 - 1), Code.FLOW_CONTROL_ERROR, id="a window too wide"),
        pytest.param(frames.window_update(1, 1), Code.PROTOCOL_ERROR, id="WINDOW_UPDATE of nothing"),
        pytest.param(
            OPEN + settings.frame({settings.INITIAL_WINDOW_SIZE: 65_536}) + frames.window_update(1, 2**31 - 65_537)
            + settings.frame({settings.INITIAL_WINDOW_SIZE: 65_537}),
            Code.FLOW_CONTROL_ERROR,
            id="settings that make a window too wide",
        ),
        pytest.param(frames.head(frames.DATA, 0, 1, 20_000), Code.FRAME_SIZE_ERROR, id="too large a frame"),
        pytest.param(ENDED + headers_frame(1), Code.STREAM_CLOSED, id="HEADERS again, behind the end"),
    ],
)  # fmt: skip
async def test_faults_that_end_the_connection(peer: Peer, sent: bytes, code: Code) -> None:
    if code is Code.STREAM_CLOSED:
        peer.say(ENDED)
        peer.heard[1].stream.end(GET)
        sent = headers_frame(1)
    peer.say(sent)
    assert peer.last_words() == code


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        pytest.param(OPEN + frames.window_update(1, 0), Code.PROTOCOL_ERROR, id="a window opened by nothing"),
        pytest.param(OPEN + frames.window_update(1, 2**31 - 1), Code.FLOW_CONTROL_ERROR, id="a window too wide"),
        pytest.param(OPEN + frame(frames.PRIORITY, 0, 1, number(1) + b"x"), Code.PROTOCOL_ERROR, id="own dependant"),
        pytest.param(OPEN + frame(frames.PRIORITY, 0, 1, b"x"), Code.FRAME_SIZE_ERROR, id="a short PRIORITY"),
        pytest.param(
            headers_frame(1, number(1) + b"x" + GET, END_HEADERS | frames.WITH_PRIORITY),
            Code.PROTOCOL_ERROR,
            id="own dependant from the start",
        ),
        pytest.param(headers_frame(1, b""), Code.PROTOCOL_ERROR, id="an empty list"),
        pytest.param(ENDED + frame(frames.DATA, 0, 1, b"x"), Code.STREAM_CLOSED, id="DATA behind the end"),
        pytest.param(OPEN + headers_frame(1, b"", END_HEADERS), Code.PROTOCOL_ERROR, id="trailers without an end"),
        pytest.param(OPEN + headers_frame(1, GET), Code.PROTOCOL_ERROR, id="pseudo-headers in trailers"),
        pytest.param(
            headers_frame(1, GET + headers.encode([(b"content-length", b"3")]), END_HEADERS)
            + frame(frames.DATA, END_STREAM, 1, b"four"),
            Code.PROTOCOL_ERROR,
            id="not the content-length",
        ),
        pytest.param(OPEN + frame(frames.DATA, 0, 1, bytes(16_384)) * 5, Code.FLOW_CONTROL_ERROR, id="past the window"),
    ],
)
async def test_faults_that_end_one_stream(peer: Peer, sent: bytes, code: Code) -> None:
    peer.say(sent)
    resets = [payload for kind, _, stream_id, payload in peer.answers() if (kind, stream_id) == (frames.RST_STREAM, 1)]
    assert resets == [number(code)]
    assert not peer.transport.is_closed
    if 1 in peer.heard:
        assert peer.heard[1].is_broken
    peer.say(headers_frame(3))
    assert peer.heard[3].has_ended  # its neighbours notice nothing


async def test_streams_past_the_limit_are_refused() -> None:
    peer = Peer(max_streams=2)
    peer.say(HELLO, *(headers_frame(number, flags=END_HEADERS) for number in (1, 3, 5)))
    assert sorted(peer.heard) == [1, 3]
    assert peer.answers()[-1] == (frames.RST_STREAM, 0, 5, number(Code.REFUSED_STREAM))
    peer.hang_up()


MANY = 2 * patience.BURST


@pytest.mark.parametrize(
    "nuisance",
    [
        pytest.param(frame(frames.PING, 0, 0, bytes(8)) * MANY, id="pings"),
        pytest.param(settings.frame({}) * MANY, id="settings"),
        pytest.param(frame(frames.DATA, 0, 1) * MANY, id="empty DATA"),
        pytest.param(frame(frames.PRIORITY, 0, 1, bytes(4) + b"x") * MANY, id="priorities"),
        pytest.param(b"".join(headers_frame(2 * each + 3, b"") for each in range(MANY)), id="faults"),
    ],
)
async def test_what_leads_nowhere_is_borne_only_so_long(peer: Peer, nuisance: bytes) -> None:
    peer.say(OPEN, nuisance)
    assert peer.last_words() == Code.ENHANCE_YOUR_CALM


async def test_pings_that_measure_our_answers_are_borne(peer: Peer) -> None:
    """grpc-go sends one for each burst of content that it gets."""
    peer.say(OPEN)
    for _ in range(MANY):
        peer.heard[1].stream.send_head(b"x")
        peer.say(frame(frames.PING, 0, 0, bytes(8)))
    assert not peer.transport.is_closed


async def test_rapid_resets_are_borne_only_so_long(peer: Peer) -> None:
    peer.say(
        *(
            headers_frame(2 * number + 1) + frames.rst_stream(2 * number + 1, Code.CANCEL)
            for number in range(patience.BURST * 2)
        )
    )
    assert peer.last_words() == Code.ENHANCE_YOUR_CALM
    assert not peer.connection.streams


async def test_late_content_of_a_stream_that_we_reset_is_ignored(peer: Peer) -> None:
    peer.say(OPEN)
    peer.heard[1].stream.reset(Code.CANCEL)
    before = peer.answers()
    peer.say(frame(frames.DATA, END_STREAM, 1, b"late"))
    assert peer.answers() == before


async def test_content_waits_for_the_windows_and_takes_turns(peer: Peer) -> None:
    peer.say(settings.frame({settings.INITIAL_WINDOW_SIZE: 10}), headers_frame(1), headers_frame(3))
    for stream_id in (1, 3):
        peer.heard[stream_id].stream.send(bytes([stream_id]) * 25)
    assert contents(peer) == [(1, 10), (3, 10)]
    peer.say(frames.window_update(3, 100), frames.window_update(1, 5))
    assert contents(peer)[2:] == [(3, 15), (1, 5)]
    assert peer.heard[1].stream.has_more
    assert not peer.heard[3].stream.has_more


async def test_the_end_comes_behind_what_waits(peer: Peer) -> None:
    peer.say(settings.frame({settings.INITIAL_WINDOW_SIZE: 4}), headers_frame(1))
    stream = peer.heard[1].stream
    stream.send(b"123456")
    stream.end(b"trailers")
    assert contents(peer) == [(1, 4)]
    peer.say(frames.window_update(1, 4))
    assert peer.answers()[-2:] == [
        (frames.DATA, 0, 1, b"56"),
        (frames.HEADERS, END_STREAM | END_HEADERS, 1, headers.NO_TABLE + b"trailers"),
    ]
    assert stream.is_gone


async def test_a_paused_transport_gets_no_content(peer: Peer) -> None:
    peer.say(headers_frame(1))
    peer.connection.pause_writing()
    peer.heard[1].stream.send(b"x")
    assert contents(peer) == []
    peer.connection.resume_writing()
    assert contents(peer) == [(1, 1)]


async def test_writing_to_a_stream_that_is_gone_says_so(peer: Peer) -> None:
    peer.say(OPEN, frames.rst_stream(1, Code.CANCEL))
    heard = peer.heard[1]
    assert heard.is_broken
    with pytest.raises(StreamGone):
        heard.stream.send(b"x")
    heard.stream.end(b"")  # harmless


async def test_a_window_opens_as_content_is_taken(peer: Peer) -> None:
    peer.say(OPEN, *(frame(frames.DATA, 0, 1, bytes(16_000)) for _ in range(4)))
    assert not opened(peer, 1)
    peer.heard[1].stream.take(64_000)
    assert opened(peer, 1) == [64_000]


async def test_a_message_larger_than_the_window_is_let_in(peer: Peer) -> None:
    peer.say(OPEN, frame(frames.DATA, 0, 1, bytes(16_000)))
    peer.heard[1].stream.expect(1_000_000)
    assert opened(peer, 1) == [1_000_000 - (65_535 - 16_000)]


async def test_a_drain_serves_what_was_under_way_and_then_closes(peer: Peer) -> None:
    peer.say(headers_frame(1))
    peer.connection.drain()
    peer.say(headers_frame(3))  # sent before the client could know
    ping = next(payload for kind, _, _, payload in peer.answers() if kind == frames.PING)
    peer.say(frame(frames.PING, frames.ACK, 0, ping))
    peer.say(headers_frame(5))
    assert sorted(peer.heard) == [1, 3]
    assert not peer.transport.is_closed
    for stream_id in (1, 3):
        peer.heard[stream_id].stream.end(b"t")
    assert peer.transport.is_closed
    goaways = [frames.number(payload) for kind, _, _, payload in peer.answers() if kind == frames.GOAWAY]
    assert goaways == [frames.MAX_STREAM_ID, 3]


async def test_a_lost_connection_breaks_its_streams(peer: Peer) -> None:
    peer.say(OPEN)
    peer.hang_up()
    assert peer.heard[1].is_broken


SOUND = (HELLO, OPEN, ENDED, headers_frame(3), frame(frames.DATA, END_STREAM, 1, b"abc"), frames.window_update(0, 9))
ODD = st.one_of(
    st.sampled_from(SOUND),
    st.binary(max_size=30),
    st.builds(
        frame,
        st.integers(0, 11),
        st.sampled_from([0, 1, 4, 5, 8, 0x20, 0x2D]),
        st.integers(0, 6),
        st.binary(max_size=12),
    ),
)


@given(st.lists(ODD, max_size=12), st.lists(st.integers(1, 30), max_size=30), st.booleans())
async def test_garbage_never_makes_it_stumble(pieces: list[bytes], sizes: list[int], greeted: bool) -> None:
    """Whatever comes, in whatever pieces: the same answers, and a closed connection has said why."""
    data, whole, cut = HELLO * greeted + b"".join(pieces), Peer(), Peer()
    whole.say(data)
    rest = data
    for size in sizes:
        cut.say(rest[:size])
        rest = rest[size:]
    cut.say(rest)
    assert cut.answers() == whole.answers()
    if whole.transport.is_closed:
        assert whole.last_words() in {*Code} - {Code.NO_ERROR, Code.INTERNAL_ERROR}
    whole.hang_up()
    cut.hang_up()


def contents(peer: Peer) -> list[tuple[int, int]]:
    """The streams and sizes of the DATA frames that came back."""
    return [(stream_id, len(payload)) for kind, _, stream_id, payload in peer.answers() if kind == frames.DATA]


def opened(peer: Peer, stream_id: int) -> list[int]:
    """By how much the stream's window was opened."""
    return [
        frames.increment(payload)
        for kind, _, number, payload in peer.answers()
        if (kind, number) == (frames.WINDOW_UPDATE, stream_id)
    ]
