"""What a pod's status says about scheduling, as patches. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from steersman.api import times
from steersman.api.core import Pod

SCHEDULED = "PodScheduled"
UNSCHEDULABLE = "Unschedulable"
DISRUPTION_TARGET = "DisruptionTarget"
SCHEDULER = "default-scheduler"


def unschedulable(pod: Pod, message: str, nominated: str, now: datetime) -> bytes | None:
    """A strategic merge patch: why the pod waits, and on which node room is being made; None: it says so already."""
    held = next((each for each in pod.status.conditions if each.type == SCHEDULED), None)
    same = held is not None and (held.status, held.reason, held.message) == ("False", UNSCHEDULABLE, message)
    if same and pod.status.nominated_node_name == nominated:
        return None
    since = held.last_transition_time if held is not None and held.status == "False" else None
    condition = {
        "type": SCHEDULED,
        "status": "False",
        "reason": UNSCHEDULABLE,
        "message": message,
        "lastProbeTime": None,
        "lastTransitionTime": str(since or times.from_datetime(now)),
    }
    return _patch(pod, {"conditions": [condition], "nominatedNodeName": nominated or None})


def not_nominated(pod: Pod) -> bytes:
    """Room is no longer kept for it."""
    return _patch(pod, {"nominatedNodeName": None})


def preempted(pod: Pod, now: datetime) -> bytes:
    """Why the pod is about to go, for whoever has to tell a preemption from a failure."""
    condition = {
        "type": DISRUPTION_TARGET,
        "status": "True",
        "reason": "PreemptionByScheduler",
        "message": f"{SCHEDULER}: preempting to accommodate a higher priority pod",
        "lastProbeTime": None,
        "lastTransitionTime": str(times.from_datetime(now)),
    }
    return _patch(pod, {"conditions": [condition]})


def _patch(pod: Pod, status: dict[str, Any]) -> bytes:
    """By uid: never a namesake created later."""
    return msgspec.json.encode({"metadata": {"uid": pod.metadata.uid}, "status": status})
