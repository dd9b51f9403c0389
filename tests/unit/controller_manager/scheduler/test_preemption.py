"""Who has to go for a pod of higher priority."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from controller_manager.scheduler import preemption, requirements, snapshot
from controller_manager.scheduler.equivalence import Candidates, Unplaceable
from controller_manager.scheduler.filters import Hooks
from controller_manager.scheduler.preemption import Budget, Hopeless
from steersman.api import selectors
from steersman.api.core import Node, Pod
from tests.unit.controller_manager.scheduler.world import HOST, away_from, node, pod

URGENT = pod("urgent", cpu="3", priority=100)
TAINTED = node("t", taints=[{"key": "k", "effect": "NoSchedule"}])


def low(name: str, on: str, cpu: str = "2", priority: int = 0, started: str = "", app: str = "x") -> Pod:
    times = {"started": started} if started else {}
    return pod(name, cpu=cpu, on=on, priority=priority, labels={"app": app}, **times)


def planned(nodes: Sequence[Node], there: Sequence[Pod], wanted: Pod, budgets: Sequence[Budget] = ()) -> object:
    """The node and its victims, or the message."""
    wish = requirements.of(wanted)
    candidates = Candidates(wish, snapshot.of(nodes, there), Hooks(), Random(1).random)
    assert isinstance(candidates.choose(), Unplaceable)
    plan = preemption.plan(wish, candidates, budgets, hooks=Hooks())
    if isinstance(plan, Hopeless):
        return plan.message
    return plan.node, [victim.name for victim in plan.victims]


A, B = node("a"), node("b")
CASES: dict[str, tuple[Sequence[Node], list[Pod], Pod, object]] = {
    "as few as possible": ([A], [low("p", "a"), low("q", "a", "1"), low("r", "a", "1")], URGENT, ("a", ["p", "r"])),
    "the least important": ([A], [low("p", "a", priority=5), low("q", "a")], pod(cpu="2", priority=100), ("a", ["q"])),
    "the youngest": (
        [A],
        [low("p", "a", started="2026-01-02T00:00:00Z"), low("q", "a", started="2026-01-01T00:00:00Z")],
        pod(cpu="2", priority=100),
        ("a", ["p"]),
    ),
    "the node of the least important": ([A, B], [low("p", "a", "4", 5), low("q", "b", "4", 4)], URGENT, ("b", ["q"])),
    "the node with fewest": ([A, B], [low("p", "a"), low("q", "a"), low("r", "b", "4")], URGENT, ("b", ["r"])),
    "the node of the youngest": (
        [A, B],
        [low("p", "a", "4", started="2026-01-01T00:00:00Z"), low("q", "b", "4", started="2026-01-02T00:00:00Z")],
        URGENT,
        ("b", ["q"]),
    ),
    "nobody of lower priority": (
        [A],
        [low("p", "a", "4", 100)],
        URGENT,
        "0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ),
    "larger than the nodes": (
        [A, B],
        [low("p", "a")],
        pod(cpu="9", priority=100),
        "0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    ),
    "not enough even so": (
        [A, TAINTED],
        [low("p", "a", "2", 100), low("q", "a", "1")],
        URGENT,
        "0/2 nodes are available: 1 Insufficient cpu, 1 Preemption is not helpful for scheduling.",
    ),
    "not wanted": (
        [A],
        [low("p", "a", "4")],
        pod(cpu="3", priority=100, preemptionPolicy="Never"),
        "not eligible due to preemptionPolicy=Never.",
    ),
    "neighbours that are in the way": (
        [A],
        [low("p", "a", "1", app="db")],
        pod(priority=100, affinity=away_from("db", HOST)),
        ("a", ["p"]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_plan(name: str) -> None:
    nodes, there, wanted, expected = CASES[name]
    assert planned(nodes, there, wanted) == expected


def test_budgets_are_kept_where_possible() -> None:
    full = Budget("default", selectors.of_labels({"app": "db"}), frozenset(), allowed=0)
    there = [low("p", "a", app="db"), low("q", "a", priority=5)]
    assert planned([A], there, pod(cpu="2", priority=100), [full]) == ("a", ["q"])
    assert planned([A, B], [low("p", "a", "4", app="db"), low("q", "b", "4", 5)], URGENT, [full]) == ("b", ["q"])


def test_a_budget_gives_way_when_nothing_else_helps() -> None:
    full = Budget("default", selectors.of_labels({"app": "db"}), frozenset(), allowed=0)
    assert planned([A], [low("p", "a", "4", app="db")], URGENT, [full]) == ("a", ["p"])
