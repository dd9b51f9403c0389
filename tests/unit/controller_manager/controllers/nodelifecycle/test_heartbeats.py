from __future__ import annotations

import pytest

from controller_manager.controllers.nodelifecycle.heartbeats import Heartbeats, Timing


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        pytest.param(1, 10, id="one"),
        pytest.param(900, 10, id="as many as beat at the full rate"),
        pytest.param(1800, 20, id="twice as many"),
        pytest.param(5000, pytest.approx(55.6, abs=0.1), id="very many"),
    ],
)
def test_the_grace_grows_with_the_number_of_nodes(nodes: int, expected: float) -> None:
    assert Timing().grace_among(nodes) == expected


def test_silence_is_the_time_since_the_last_sign_of_life() -> None:
    heartbeats = Heartbeats()
    for moment in range(11):
        heartbeats.lease_changed("a", float(moment))
        if moment <= 4:
            heartbeats.lease_changed("b", float(moment))
    assert heartbeats.silence_seconds("a") == 0
    assert heartbeats.silence_seconds("b") == 6
    heartbeats.heard("b")
    assert heartbeats.silence_seconds("b") == 0


def test_a_node_never_heard_of_counts_from_the_first_question() -> None:
    heartbeats = Heartbeats()
    heartbeats.lease_changed("", 2)
    assert heartbeats.silence_seconds("new") == 0
    heartbeats.lease_changed("", 3)
    assert heartbeats.silence_seconds("new") == 1
    heartbeats.forget("new")
    assert heartbeats.silence_seconds("new") == 0


def test_while_no_lease_changes_nobody_is_silent() -> None:
    heartbeats = Heartbeats()
    heartbeats.lease_changed("a", 0)
    heartbeats.lease_changed("", 1)
    assert heartbeats.silence_seconds("a") == 1, "the leader's own Lease shows that the watch is alive"
    heartbeats.lease_changed("", 301)
    assert heartbeats.silence_seconds("a") == 2.5, "five minutes without any word are mostly our own"


def test_a_clock_that_stands_still_does_no_harm() -> None:
    heartbeats = Heartbeats()
    heartbeats.lease_changed("a", 10)
    heartbeats.lease_changed("b", 10)
    heartbeats.lease_changed("", 9)
    assert heartbeats.silence_seconds("a") == 0
