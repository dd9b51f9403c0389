from __future__ import annotations

from typing import Any

import pytest

from controller_manager.controllers.nodelifecycle import health
from controller_manager.controllers.nodelifecycle.health import Permission
from steersman.api.core import Node
from tests.unit.controller_manager.controllers.nodelifecycle.machines import make_node, told
from tests.unit.controller_manager.workloads import NOW, ago

GRANTED, LATER, CANCELLED = Permission.GRANTED, Permission.LATER, Permission.CANCELLED


@pytest.mark.parametrize(
    ("node", "permission", "expected"),
    [
        pytest.param(make_node(), GRANTED, set(), id="well"),
        pytest.param(make_node(ready=None), GRANTED, set(), id="has said nothing yet"),
        pytest.param(
            make_node(ready="False"),
            GRANTED,
            {"not-ready:NoSchedule", "not-ready:NoExecute"},
            id="not ready, may leave",
        ),
        pytest.param(make_node(ready="False"), LATER, {"not-ready:NoSchedule"}, id="not ready, may not leave yet"),
        pytest.param(make_node(ready="False"), CANCELLED, {"not-ready:NoSchedule"}, id="not ready, called off"),
        pytest.param(
            make_node(ready="Unknown"), GRANTED, {"unreachable:NoSchedule", "unreachable:NoExecute"}, id="unreachable"
        ),
        pytest.param(
            make_node("n", "not-ready:NoExecute", "not-ready:NoSchedule", ready="Unknown"),
            LATER,
            {"unreachable:NoSchedule", "unreachable:NoExecute"},
            id="one is exchanged for the other at once",
        ),
        pytest.param(
            make_node("n", "unreachable:NoExecute", "unreachable:NoSchedule", ready="Unknown"),
            CANCELLED,
            {"unreachable:NoSchedule"},
            id="called off takes it away",
        ),
        pytest.param(make_node("n", "unreachable:NoExecute", "unreachable:NoSchedule"), LATER, set(), id="well again"),
        pytest.param(make_node(unschedulable=True), LATER, {"unschedulable:NoSchedule"}, id="cordoned"),
        pytest.param(make_node("n", "unschedulable:NoSchedule"), LATER, set(), id="uncordoned"),
        pytest.param(
            make_node("n", "team=blue:NoExecute", "team=blue:NoSchedule", ready="False"),
            LATER,
            {"team=blue:NoExecute", "team=blue:NoSchedule", "not-ready:NoSchedule"},
            id="what others have put there stays",
        ),
        pytest.param(
            make_node("n", "memory-pressure:NoExecute"), LATER, {"memory-pressure:NoExecute"}, id="so does a like one"
        ),
        *(
            pytest.param(
                make_node(conditions={condition: "True"}), LATER, {f"{taint}:NoSchedule"}, id=f"condition {condition}"
            )
            for condition, taint in (
                ("MemoryPressure", "memory-pressure"),
                ("DiskPressure", "disk-pressure"),
                ("PIDPressure", "pid-pressure"),
                ("NetworkUnavailable", "network-unavailable"),
            )
        ),
        pytest.param(
            make_node("n", "disk-pressure:NoSchedule", conditions={"DiskPressure": "False"}),
            LATER,
            set(),
            id="a pressure that is gone",
        ),
        pytest.param(make_node(conditions={"DiskPressure": "Unknown"}), LATER, set(), id="a pressure nobody knows of"),
    ],
)
def test_taints(node: Node, permission: Permission, expected: set[str]) -> None:
    changed = health.tainted(node, permission, NOW)
    assert told(changed) == expected
    assert health.tainted(changed, permission, NOW) is changed, "and then nothing is left to do"


def test_a_taint_keeps_the_time_since_when_it_is_there() -> None:
    node = make_node("n", "unreachable:NoSchedule", ready="Unknown")
    times = {taint.effect: taint.time_added for taint in health.tainted(node, GRANTED, NOW).spec.taints}
    assert times == {"NoSchedule": ago(60), "NoExecute": ago(0)}


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        pytest.param(make_node(), False, id="well"),
        pytest.param(make_node(ready=None), False, id="has said nothing yet"),
        pytest.param(make_node(ready="False"), True, id="not ready"),
        pytest.param(make_node(ready="Unknown"), True, id="unreachable"),
        pytest.param(make_node("n", "unreachable:NoExecute", ready="Unknown"), False, id="has it"),
        pytest.param(make_node("n", "unreachable:NoExecute", ready="False"), False, id="has the other"),
        pytest.param(make_node("n", "unreachable:NoSchedule", ready="Unknown"), True, id="has a milder one"),
    ],
)
def test_who_needs_permission(node: Node, expected: bool) -> None:
    assert health.needs_permission(node) is expected


def conditions(node: Node) -> dict[str, tuple[Any, ...]]:
    return {
        each.type: (each.status, each.reason, each.last_heartbeat_time, each.last_transition_time)
        for each in node.status.conditions
    }


def test_a_node_that_fell_silent() -> None:
    node = make_node(conditions={"MemoryPressure": "False", "NetworkUnavailable": "False", "PIDPressure": "Unknown"})
    changed = health.silent(node, NOW)
    assert conditions(changed) == {
        "Ready": ("Unknown", "NodeStatusUnknown", ago(5), ago(0)),
        "MemoryPressure": ("Unknown", "NodeStatusUnknown", ago(5), ago(0)),
        "NetworkUnavailable": ("False", "", ago(5), ago(50)),
        "PIDPressure": ("Unknown", "", ago(5), ago(50)),
        "DiskPressure": ("Unknown", "NodeStatusNeverUpdated", ago(1000), ago(0)),
    }
    messages = {each.reason: each.message for each in changed.status.conditions}
    assert messages["NodeStatusUnknown"] == "Kubelet stopped posting node status."
    assert messages["NodeStatusNeverUpdated"] == "Kubelet never posted node status."
    assert health.silent(changed, NOW) == changed
