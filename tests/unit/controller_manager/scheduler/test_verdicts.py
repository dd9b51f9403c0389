"""What a pod is told about scheduling, and that it is told once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from controller_manager.scheduler import verdicts
from steersman.api.core import Pod, PodCondition, PodStatus
from steersman.api.part import Time
from tests.unit.controller_manager.scheduler.world import pod

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
EARLIER = Time("2026-05-04T11:00:00Z")


def told(message: str, nominated: str = "", status: str = "False") -> Pod:
    condition = PodCondition(
        type="PodScheduled",
        status=status,
        reason="Unschedulable" if status == "False" else "",
        message=message,
        last_transition_time=EARLIER,
    )
    return replace(pod(), status=PodStatus(conditions=(condition,), nominated_node_name=nominated))


def status_in(patch: bytes | None) -> dict[str, Any]:
    assert patch is not None
    decoded = msgspec.json.decode(patch)
    assert decoded["metadata"] == {"uid": "uid-p"}
    found: dict[str, Any] = decoded["status"]
    return found


def test_the_first_time_everything_is_said() -> None:
    assert status_in(verdicts.unschedulable(pod(), "why", "", NOW)) == {
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": "why",
                "lastProbeTime": None,
                "lastTransitionTime": "2026-05-04T12:00:00Z",
            }
        ],
        "nominatedNodeName": None,
    }


def test_the_same_is_not_said_twice() -> None:
    assert verdicts.unschedulable(told("why", "n"), "why", "n", NOW) is None


def test_another_message_keeps_the_time_of_the_transition() -> None:
    status = status_in(verdicts.unschedulable(told("why"), "why now", "", NOW))
    assert status["conditions"][0]["lastTransitionTime"] == EARLIER


def test_a_nomination_is_said_and_taken_back() -> None:
    assert status_in(verdicts.unschedulable(told("why"), "why", "n", NOW))["nominatedNodeName"] == "n"
    assert status_in(verdicts.unschedulable(told("why", "n"), "why", "", NOW))["nominatedNodeName"] is None
    assert status_in(verdicts.not_nominated(told("why", "n"))) == {"nominatedNodeName": None}


def test_a_victim_is_told_why_it_goes() -> None:
    condition = status_in(verdicts.preempted(pod(), NOW))["conditions"][0]
    assert (condition["type"], condition["status"], condition["reason"]) == (
        "DisruptionTarget",
        "True",
        "PreemptionByScheduler",
    )
