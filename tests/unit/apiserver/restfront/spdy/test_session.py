"""One end of a connection: openings, data, ends, and what is answered to nonsense."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apiserver.restfront.spdy.faults import Malformed, StreamGone, Why
from apiserver.restfront.spdy.frames import Data, Frame, FrameReader, FrameWriter, Ping, RstStream, SynStream
from apiserver.restfront.spdy.session import (
    MAX_STREAMS,
    WINDOW_STEP_BYTES,
    Accepted,
    Broken,
    Ended,
    Opened,
    Received,
    Role,
    Session,
)

KUBECTL_1_27 = base64.b64decode(
    "gAMAAQAAACkAAAABAAAAAAAAePnjxqfCYmBgYASns5Ki1MRcaFHCmgoKaAAAAAD//4ADAAEAAAAXAAAAAwAAAAAAAMIuVVySkpkH"
    "AAAA//+AAwABAAAAGQAAAAUAAAAAAADCKsVWXJKSX1oCAAAA//+AAwABAAAAFQAAAAcAAAAAAADCKZdaVAQAAAD//wAAAAMAAAAG"
    "aGVsbG8KAAAAAwEAAAA="
)
"""What kubectl 1.27 sends for `echo hello | kubectl exec -i box -- cat`, once the connection is switched."""


def told(session: Session) -> list[Frame]:
    return list(FrameReader().feed(session.take_output()))


def server_after(*frames: Frame) -> tuple[Session, list[object]]:
    server, writer = Session(Role.SERVER), FrameWriter()
    events = [event for frame in frames for event in server.receive(writer.encode(frame))]
    return server, list(events)


def test_what_kubectl_sends_is_understood() -> None:
    kinds = {1: "error", 3: "stdin", 5: "stdout", 7: "stderr"}
    assert list(Session(Role.SERVER).receive(KUBECTL_1_27)) == [
        *(Opened(number, (("streamtype", kind),)) for number, kind in kinds.items()),
        Received(3, b"hello\n"),
        Ended(3),
    ]


def test_a_conversation_from_both_ends() -> None:
    client, server = Session(Role.CLIENT), Session(Role.SERVER)
    stream = client.open((("streamtype", "data"),))
    assert list(server.receive(client.take_output())) == [Opened(stream, (("streamtype", "data"),))]
    server.accept(stream)
    server.send(stream, b"hello")
    server.finish(stream)
    assert list(client.receive(server.take_output())) == [Accepted(stream), Received(stream, b"hello"), Ended(stream)]
    client.send(stream, b"bye")
    client.finish(stream)
    assert list(server.receive(client.take_output())) == [Received(stream, b"bye"), Ended(stream)]
    with pytest.raises(StreamGone):
        server.send(stream, b"too late")


@given(st.lists(st.binary(min_size=1, max_size=100_000), max_size=4))
def test_data_arrives_whole_and_in_order(chunks: list[bytes]) -> None:
    client, server = Session(Role.CLIENT), Session(Role.SERVER)
    stream = client.open(())
    for chunk in chunks:
        client.send(stream, chunk)
    events = list(server.receive(client.take_output()))
    assert b"".join(event.data for event in events if isinstance(event, Received)) == b"".join(chunks)


def test_a_ping_is_answered_and_an_answer_is_not() -> None:
    server, _ = server_after(Ping(3), Ping(4))
    assert told(server) == [Ping(3)]


@pytest.mark.parametrize(
    ("frames", "answer"),
    [
        pytest.param([Data(9, b"x")], RstStream(9, Why.INVALID_STREAM), id="data for no stream"),
        pytest.param(
            [SynStream(1, (), fin=True), Data(1, b"x")],
            RstStream(1, Why.STREAM_ALREADY_CLOSED),
            id="data behind the end",
        ),
    ],
)
def test_what_makes_no_sense_on_a_stream_ends_the_stream(frames: list[Frame], answer: Frame) -> None:
    server, _ = server_after(*frames)
    assert told(server) == [answer]


@pytest.mark.parametrize(
    "numbers", [pytest.param([2], id="even"), pytest.param([3, 1], id="falling"), pytest.param([1, 1], id="twice")]
)
def test_numbers_of_streams_that_make_no_sense_end_the_connection(numbers: list[int]) -> None:
    with pytest.raises(Malformed):
        server_after(*(SynStream(number, ()) for number in numbers))


def test_more_streams_than_we_hold_are_refused() -> None:
    server, events = server_after(*(SynStream(1 + 2 * number, ()) for number in range(MAX_STREAMS + 1)))
    assert len(events) == MAX_STREAMS
    assert told(server) == [RstStream(1 + 2 * MAX_STREAMS, Why.REFUSED_STREAM)]


def test_a_stream_that_the_client_gives_up_is_broken() -> None:
    server, events = server_after(SynStream(1, ()), RstStream(1, Why.CANCEL))
    assert events == [Opened(1, ()), Broken(1)]
    server.accept(1)
    server.finish(1)
    server.reset(1)
    assert told(server) == []


def test_the_window_grows_as_data_is_consumed() -> None:
    server, _ = server_after(SynStream(1, ()))
    server.acknowledge(1, WINDOW_STEP_BYTES - 1)
    assert told(server) == []
    server.acknowledge(1, 1)
    assert [type(frame).__name__ for frame in told(server)] == ["WindowUpdate"]
