from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.rpc import messages
from steersman.rpc.messages import Assembler, TooLarge, Unreadable


@given(st.lists(st.binary(max_size=30), max_size=8), st.lists(st.integers(0, 20), max_size=30))
def test_any_cutting_gives_the_same_messages(sent: list[bytes], sizes: list[int]) -> None:
    data, assembler, found = b"".join(map(messages.framed, sent)), Assembler(30), []
    for size in (*sizes, len(data)):
        piece, data = data[:size], data[size:]
        if piece:
            found += assembler.feed(piece)
    assert found == sent
    assert assembler.is_empty
    assert assembler.missing == 0


def test_how_much_is_missing_is_known_with_the_prefix() -> None:
    assembler, wire = Assembler(1_000), messages.framed(b"x" * 100)
    assert assembler.feed(wire[:3]) == []
    assert assembler.missing == 0
    assert assembler.feed(wire[3:10]) == []
    assert assembler.missing == 95
    assert assembler.feed(wire[10:] + wire[:7]) == [b"x" * 100]
    assert assembler.missing == 98


def test_a_message_that_is_too_large_is_refused_before_it_comes() -> None:
    with pytest.raises(TooLarge):
        Assembler(10).feed(messages.framed(b"x" * 11)[:5])


@pytest.mark.parametrize("flag", [1, 2, 255])
def test_a_compressed_message_cannot_be_read(flag: int) -> None:
    with pytest.raises(Unreadable):
        Assembler(10).feed(bytes((flag, 0, 0, 0, 1)) + b"x")
