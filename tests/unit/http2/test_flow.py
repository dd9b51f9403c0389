from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.http2.flow import Allowance, Loan, Overrun, ReceiveWindow, SendWindow
from steersman.http2.settings import MAX_WINDOW


def test_a_send_window_has_a_largest_size() -> None:
    window = SendWindow(10)
    window.widen(MAX_WINDOW - 10)
    with pytest.raises(Overrun):
        window.widen(1)


def test_a_send_window_may_be_taken_back_below_zero() -> None:
    window = SendWindow(10)
    window.widen(-30)
    assert window.available == -20


def test_more_than_the_window_is_an_overrun() -> None:
    window = ReceiveWindow(100)
    window.receive(100)
    with pytest.raises(Overrun):
        window.receive(1)


def test_the_peer_is_told_rarely_and_by_much() -> None:
    window = ReceiveWindow(100)
    window.receive(80)
    assert window.take(30) == 0
    assert window.take(20) == 50
    assert window.take(30) == 0


def test_a_loan_lets_in_what_is_larger_than_the_window() -> None:
    window = ReceiveWindow(100)
    window.receive(40)
    lacking = window.lacking(1_000)
    assert lacking == 940
    window.lend(lacking)
    window.receive(1_000)
    assert window.take(1_040) == 100  # as wide as before, no wider


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 300)), max_size=30))
def test_at_rest_a_window_is_never_wider_than_its_size(steps: list[tuple[int, int, int]]) -> None:
    """Whatever came, was taken or lent: the peer knows the same number, and all taken means all open (or nearly)."""
    window, peer_may, held = ReceiveWindow(100), 100, 0
    for come, taken, expected in steps:
        arrived = min(come, peer_may)
        window.receive(arrived)
        peer_may, held = peer_may - arrived, held + arrived
        peer_may += window.lend(window.lacking(expected)) if expected > 250 else 0
        used = min(taken, held)
        held -= used
        peer_may += window.take(used)
    with pytest.raises(Overrun):
        window.receive(peer_may + 1)
    window.receive(peer_may)
    assert window.take(peer_may + held) >= 50


def test_loans_wait_in_line() -> None:
    granted: list[str] = []

    def loan(name: str, count: int) -> Loan:
        return Loan(count, lambda _: granted.append(name))

    allowance = Allowance(100)
    first, second, third = loan("first", 70), loan("second", 50), loan("third", 10)
    for each in (first, second, third):
        allowance.ask(each)
    assert granted == ["first"]  # the third would fit, but the second could then wait for ever
    allowance.give_back(first)
    assert granted == ["first", "second", "third"]


def test_who_leaves_the_line_holds_nobody_up() -> None:
    granted: list[int] = []
    allowance = Allowance(100)
    first, second, third = Loan(90, granted.append), Loan(50, granted.append), Loan(10, granted.append)
    for each in (first, second, third):
        allowance.ask(each)
    allowance.give_back(second)
    assert granted == [90, 10]
    allowance.give_back(third)
    allowance.give_back(first)
    allowance.ask(Loan(100, granted.append))
    assert granted == [90, 10, 100]
