"""What is decided counts before it is seen, once, and until it is known to be otherwise."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from controller_manager.scheduler.ledger import Ledger
from steersman.api.core import Pod, PodStatus
from tests.unit.controller_manager.scheduler.world import node, pod


def ledger() -> Ledger:
    made = Ledger()
    for name in ("a", "b"):
        made.take_node(None, node(name))
    return made


def cpu_on(made: Ledger, name: str, *, seen_by: Pod | None = None) -> int:
    view = made.view_for(seen_by or pod("somebody")).node(name)
    assert view is not None
    return view.requested.get("cpu", 0)


def nominated(name: str, on: str, **fields: Any) -> Pod:
    return replace(pod(name, cpu="1", **fields), status=PodStatus(nominated_node_name=on))


def test_an_assumed_pod_takes_room_until_it_is_withdrawn() -> None:
    made = ledger()
    made.assume(pod(cpu="1"), "a")
    assert cpu_on(made, "a") == 1000
    made.withdraw("uid-p")
    assert cpu_on(made, "a") == 0


def test_seen_where_it_was_assumed_it_counts_once() -> None:
    made = ledger()
    made.assume(pod(cpu="1"), "a")
    made.take_pod(pod(cpu="1"), pod(cpu="1", on="a"))
    assert cpu_on(made, "a") == 1000
    assert not made.is_assumed("uid-p")
    made.withdraw("uid-p")
    assert cpu_on(made, "a") == 1000


def test_seen_elsewhere_its_assumed_room_is_free() -> None:
    made = ledger()
    made.assume(pod(cpu="1"), "a")
    made.take_pod(pod(cpu="1"), pod(cpu="1", on="b"))
    assert (cpu_on(made, "a"), cpu_on(made, "b")) == (0, 1000)


def test_an_older_state_does_not_undo_an_assumption() -> None:
    made = ledger()
    made.assume(pod(cpu="1"), "a")
    made.take_pod(pod(cpu="1"), replace(pod(cpu="1"), status=PodStatus(message="waiting")))
    assert cpu_on(made, "a") == 1000


def test_deleted_while_assumed_it_takes_no_room() -> None:
    made = ledger()
    made.assume(pod(cpu="1"), "a")
    made.take_pod(pod(cpu="1"), None)
    assert cpu_on(made, "a") == 0


def test_a_pod_that_ends_takes_no_room() -> None:
    made = ledger()
    made.take_pod(None, pod(cpu="1", on="a"))
    made.take_pod(pod(cpu="1", on="a"), replace(pod(cpu="1", on="a"), status=PodStatus(phase="Failed")))
    assert cpu_on(made, "a") == 0


def test_room_is_kept_for_the_nominated_against_all_that_are_not_more_important() -> None:
    made = ledger()
    made.take_pod(None, nominated("urgent", "a", priority=10))
    assert made.nominated("uid-urgent") == "a"
    assert cpu_on(made, "a", seen_by=pod("lower", priority=1)) == 1000
    assert cpu_on(made, "a", seen_by=pod("equal", priority=10)) == 1000
    assert cpu_on(made, "a", seen_by=pod("higher", priority=11)) == 0
    assert cpu_on(made, "a", seen_by=nominated("urgent", "a", priority=10)) == 0


def test_a_nomination_of_our_own_outlasts_states_from_before_it() -> None:
    made = ledger()
    made.nominate(pod("urgent", cpu="1", priority=10), "a")
    made.take_pod(pod("urgent", cpu="1"), pod("urgent", cpu="1"))
    assert made.nominated("uid-urgent") == "a"
    made.take_pod(nominated("urgent", "a"), pod("urgent", cpu="1"))
    assert made.nominated("uid-urgent") == ""
    assert cpu_on(made, "a") == 0


def test_bound_the_nominated_counts_once() -> None:
    made = ledger()
    made.nominate(pod("urgent", cpu="1"), "a")
    made.assume(pod("urgent", cpu="1"), "b")
    assert (cpu_on(made, "a"), cpu_on(made, "b")) == (0, 1000)


def test_the_outranked_on_a_node_are_known() -> None:
    made = ledger()
    made.nominate(pod("low", priority=1), "a")
    made.nominate(pod("other", priority=1), "b")
    assert [each.metadata.name for each in made.outranked("a", 5)] == ["low"]
    assert made.outranked("a", 1) == []


def test_pods_of_a_node_that_comes_later_are_counted() -> None:
    made = Ledger()
    made.take_pod(None, pod(cpu="1", on="late"))
    made.take_node(None, node("late"))
    assert cpu_on(made, "late") == 1000
