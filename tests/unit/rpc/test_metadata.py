from __future__ import annotations

import hpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.http2.faults import Malformed
from steersman.rpc import metadata


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"1H", 3600.0),
        (b"2M", 120.0),
        (b"3S", 3.0),
        (b"1500m", 1.5),
        (b"250u", 250e-6),
        (b"99999999n", 0.099999999),
    ],
)
def test_timeouts(value: bytes, seconds: float) -> None:
    assert metadata.timeout_seconds(value) == pytest.approx(seconds)


@pytest.mark.parametrize("value", [b"", b"5", b"S", b"5s", b"-5S", b"1.5S", b"123456789S", b"5S "])
def test_what_is_no_timeout(value: bytes) -> None:
    with pytest.raises(Malformed):
        metadata.timeout_seconds(value)


@given(st.floats(0, 1e7))
def test_a_timeout_survives_the_wire_and_never_shrinks(seconds: float) -> None:
    back = metadata.timeout_seconds(metadata.timeout(seconds))
    assert seconds <= back <= seconds + 1.001


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_messages_survive_the_wire(text: str) -> None:
    encoded = metadata.percent_encoded(text)
    assert metadata.percent_decoded(encoded) == text
    assert all(0x20 <= byte < 0x7F for byte in encoded)


def test_a_message_as_the_standard_writes_it() -> None:
    assert metadata.percent_encoded("100 % né\n") == b"100 %25 n%C3%A9%0A"
    assert metadata.percent_decoded(b"50%zz%4") == "50%zz%4"


def test_metadata_is_what_is_not_gRPCs_own() -> None:
    fields = [
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
        (b"grpc-timeout", b"1S"),
        (b"user-agent", b"me/1"),
        (b"k-bin", b"AAE"),
        (b"k-bin", b"Ag==,Aw"),
    ]
    assert metadata.received(fields) == (
        ("user-agent", "me/1"),
        ("k-bin", b"\0\1"),
        ("k-bin", b"\2"),
        ("k-bin", b"\3"),
    )


def test_binary_metadata_must_be_base_64() -> None:
    with pytest.raises(Malformed):
        metadata.received([(b"k-bin", b"*")])


@pytest.mark.parametrize(
    "pair",
    [("Upper", "x"), ("grpc-status", "0"), ("", "x"), ("a b", "x"), ("k", "é"), ("k", "a\nb")],
    ids=["upper case", "reserved", "no key", "space", "not ASCII", "line break"],
)
def test_what_cannot_travel(pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="key|value"):
        metadata.sent([pair])


def test_trailers() -> None:
    block = metadata.trailers(5, "not here", (("reason", "NotFound"), ("status-bin", b"\xff")))
    assert list(hpack.Decoder().decode(block, raw=True)) == [
        (b"grpc-status", b"5"),
        (b"grpc-message", b"not here"),
        (b"reason", b"NotFound"),
        (b"status-bin", b"/w"),
    ]
    assert list(hpack.Decoder().decode(metadata.trailers(0), raw=True)) == [(b"grpc-status", b"0")]
