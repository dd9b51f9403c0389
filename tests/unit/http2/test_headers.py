"""Header lists: the examples of RFC 7541, and the rules of RFC 9113 for requests."""

from __future__ import annotations

import contextlib

import hpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.http2 import headers
from steersman.http2.faults import Code, ConnectionFault, Malformed
from steersman.http2.headers import Decoder, Field

# RFC 7541, C.4: three requests on one connection, Huffman coded.
FIRST = "828684418cf1e3c2e5f23a6ba0ab90f4ff"
SECOND = "828684be5886a8eb10649cbf"
THIRD = "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf"
WWW = (b":authority", b"www.example.com")
GET = [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/")]


def decoder(max_list_bytes: int = 65_536) -> Decoder[list[Field]]:
    return Decoder(list, max_list_bytes)


def test_the_examples_of_the_standard() -> None:
    one = decoder()
    assert one.decode(bytes.fromhex(FIRST)) == [*GET, WWW]
    assert one.decode(bytes.fromhex(SECOND)) == [*GET, WWW, (b"cache-control", b"no-cache")]
    third = one.decode(bytes.fromhex(THIRD))
    assert third[1:] == [
        (b":scheme", b"https"),
        (b":path", b"/index.html"),
        WWW,
        (b"custom-key", b"custom-value"),
    ]


def test_a_block_of_indices_is_understood_once_until_the_table_changes() -> None:
    understood: list[list[Field]] = []

    def understand(fields: list[Field]) -> list[Field]:
        understood.append(fields)
        return fields

    one = Decoder(understand, 65_536)
    one.decode(bytes.fromhex(FIRST))
    repeated = bytes.fromhex("828684be")
    first = one.decode(repeated)
    assert one.decode(repeated) is first
    assert first[-1] == WWW
    one.decode(bytes.fromhex(SECOND))  # a new entry: index 62 is another field now
    assert one.decode(repeated)[-1] == (b"cache-control", b"no-cache")
    assert len(understood) == 4


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from([b"a", b"b", b"c-bin"]), st.binary(max_size=3)), min_size=1, max_size=4),
        max_size=12,
    )
)
def test_what_is_remembered_never_differs_from_what_was_sent(lists: list[list[Field]]) -> None:
    encoder, one = hpack.Encoder(), decoder()
    for fields in lists:
        assert one.decode(encoder.encode(fields)) == fields


@pytest.mark.parametrize(
    ("block", "code"),
    [
        pytest.param(b"\x80", Code.COMPRESSION_ERROR, id="index 0"),
        pytest.param(b"\xff\x80\x01", Code.COMPRESSION_ERROR, id="beyond the table"),
        pytest.param(b"\x40\x05ab", Code.COMPRESSION_ERROR, id="cut off"),
        pytest.param(b"\x82\x20", Code.COMPRESSION_ERROR, id="the table resized too late"),
        pytest.param(b"\x3f\xff\xff\x03", Code.COMPRESSION_ERROR, id="a table larger than allowed"),
        pytest.param(headers.encode([(b"a", b"x" * 200)]), Code.ENHANCE_YOUR_CALM, id="too large"),
    ],
)
def test_blocks_that_end_the_connection(block: bytes, code: Code) -> None:
    with pytest.raises(ConnectionFault) as caught:
        decoder(max_list_bytes=100).decode(block)
    assert caught.value.code is code


@given(st.binary(max_size=64))
def test_garbage_is_a_fault_or_a_list(block: bytes) -> None:
    with contextlib.suppress(ConnectionFault):
        assert isinstance(decoder().decode(block), list)


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=300), st.binary(max_size=300)), max_size=5))
def test_what_we_encode_others_decode(fields: list[Field]) -> None:
    theirs = hpack.Decoder(max_header_list_size=10**6)
    assert list(theirs.decode(headers.NO_TABLE + headers.encode(fields), raw=True)) == fields


def test_a_request() -> None:
    asked = headers.request([*GET, (b":authority", b"h"), (b"te", b"trailers"), (b"content-length", b"7")])
    assert (asked.method, asked.path, asked.content_length) == (b"GET", b"/", 7)
    assert asked.fields[0] == (b"te", b"trailers")


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(GET[1:], id="no method"),
        pytest.param([GET[0], GET[2]], id="no scheme"),
        pytest.param(GET[:2], id="no path"),
        pytest.param([*GET[:2], (b":path", b"")], id="an empty path"),
        pytest.param([*GET, GET[0]], id="two methods"),
        pytest.param([*GET, (b":status", b"200")], id="a pseudo-header of responses"),
        pytest.param([*GET, (b":weird", b"")], id="an unknown pseudo-header"),
        pytest.param([(b"a", b"b"), *GET], id="a pseudo-header behind others"),
        pytest.param([*GET, (b"Accept", b"x")], id="upper case"),
        pytest.param([*GET, (b"", b"x")], id="no name"),
        pytest.param([*GET, (b"a b", b"x")], id="a space in a name"),
        pytest.param([*GET, (b"a", b"x\r\ny: z")], id="a line break in a value"),
        pytest.param([*GET, (b"a", b"x\0")], id="a NUL in a value"),
        pytest.param([*GET, (b"a", b" x")], id="a space before a value"),
        pytest.param([*GET, (b"connection", b"close")], id="connection"),
        pytest.param([*GET, (b"transfer-encoding", b"chunked")], id="transfer-encoding"),
        pytest.param([*GET, (b"te", b"gzip")], id="te"),
        pytest.param([*GET, (b"content-length", b"-1")], id="a negative length"),
        pytest.param([*GET, (b"content-length", b"1"), (b"content-length", b"2")], id="two lengths"),
    ],
)
def test_malformed_requests(fields: list[Field]) -> None:
    with pytest.raises(Malformed):
        headers.request(fields)


def test_trailers_have_no_pseudo_headers() -> None:
    headers.check_trailers([(b"a", b"b")])
    with pytest.raises(Malformed):
        headers.check_trailers([(b":path", b"/")])
