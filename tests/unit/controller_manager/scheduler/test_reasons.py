"""The sentence for the user, which changes help, and which pods are one class."""

from __future__ import annotations

from typing import Any

import pytest

from controller_manager.scheduler import filters, reasons, requirements, snapshot
from controller_manager.scheduler.reasons import NO_VICTIMS, Change
from controller_manager.scheduler.requirements import Requirements
from tests.unit.controller_manager.scheduler.world import asking, node, pod

NO_CPU = reasons.preemptable("Insufficient cpu", cured_by={Change.NODE_RESIZED})
NEITHER = reasons.preemptable("Insufficient cpu", "Insufficient memory", cured_by={Change.NODE_RESIZED})


def test_texts_are_counted_over_nodes_and_sorted() -> None:
    counted = {NO_CPU: 1, NEITHER: 2, filters.UNSCHEDULABLE: 1}
    sentence = "0/4 nodes are available: 1 node(s) were unschedulable, 2 Insufficient memory, 3 Insufficient cpu."
    assert reasons.describe(counted, 4) == sentence


def test_preemption_has_the_last_word() -> None:
    tail = reasons.describe({NO_VICTIMS: 1}, 1)
    assert reasons.describe({NO_CPU: 1}, 1, tail) == (
        "0/1 nodes are available: 1 Insufficient cpu. "
        "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
    )


def test_any_reason_can_be_the_one_that_is_cured() -> None:
    wanted = {Change.NODE_RESIZED, Change.POD_LEFT, Change.NODE_TAINTED, Change.NODE_ADDED}
    assert reasons.cures([NO_CPU, filters.UNSCHEDULABLE]) == wanted
    assert reasons.cures([]) == {Change.NODE_ADDED}


@pytest.mark.parametrize(
    ("fields", "same"),
    [
        ({"name": "another", "started": "2026-01-01T00:00:00Z"}, True),
        ({"cpu": "1"}, False),
        ({"labels": {"app": "web"}}, False),
        ({"priority": 1}, False),
        ({"nodeSelector": {"disk": "fast"}}, False),
    ],
    ids=["name and status", "resources", "labels", "priority", "selector"],
)
def test_pods_of_one_class(fields: dict[str, Any], same: bool) -> None:
    first: Requirements = asking()
    assert (requirements.of(pod(**fields)) is first) is same


def test_a_heartbeat_leaves_the_snapshot_as_it_is() -> None:
    cluster = snapshot.of([node("a")])
    assert cluster.with_node(node("a")) is cluster


def test_pods_wait_on_a_node_that_is_not_there_yet() -> None:
    cluster = snapshot.of([], [pod(cpu="1", on="late")])
    assert (cluster.size, [*cluster], cluster.node("late")) == (0, [], None)
    view = cluster.with_node(node("late")).node("late")
    assert view is not None
    assert view.requested == {"cpu": 1000}
