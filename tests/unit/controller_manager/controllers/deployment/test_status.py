from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller_manager.controllers.deployment import status
from controller_manager.controllers.deployment.status import Course, Outlook
from steersman.api.apps import (
    Deployment,
    DeploymentCondition,
    DeploymentStatus,
    ReplicaSet,
    ReplicaSetCondition,
)
from tests.unit.controller_manager.workloads import NOW, ago, make_deployment, make_replicaset

FULL = DeploymentStatus(replicas=10, updated_replicas=10, ready_replicas=10, available_replicas=10)
STALE = DeploymentStatus(replicas=13, updated_replicas=5, ready_replicas=8, available_replicas=8)


def progressing(reason: str, age: float = 60, state: str = "True") -> DeploymentCondition:
    return DeploymentCondition(
        type="Progressing", status=state, reason=reason, last_update_time=ago(age), last_transition_time=ago(1000)
    )


def having(held: DeploymentStatus, *conditions: DeploymentCondition, **fields: Any) -> Deployment:
    return make_deployment(status=replace(held, conditions=conditions), **fields)


def new(replicas: int = 10, available: int | None = None) -> ReplicaSet:
    return make_replicaset("new", replicas, available=available)


def old(replicas: int = 0, available: int | None = None) -> ReplicaSet:
    return make_replicaset("old", replicas, image="nginx:0", available=available)


def outlook(
    current: ReplicaSet | None, *others: ReplicaSet, course: Course = Course.ROLLING, created: bool = False
) -> Outlook:
    return Outlook(course, current, others, created)


THROUGH = outlook(new())
HALF = outlook(new(5, 0), old(8))
HELD = outlook(new(5, 0), old(8), course=Course.HOLDING)


@pytest.mark.parametrize(
    ("deployment", "seen", "expected"),
    [
        pytest.param(make_deployment(), THROUGH, ("True", "NewReplicaSetAvailable"), id="through at once"),
        pytest.param(
            make_deployment(), outlook(new(10, 0), created=True), ("True", "ReplicaSetUpdated"), id="pods came"
        ),
        pytest.param(
            make_deployment(),
            outlook(make_replicaset("new", 10, seen=0), created=True),
            ("True", "NewReplicaSetCreated"),
            id="just created",
        ),
        pytest.param(
            make_deployment(),
            outlook(make_replicaset("new", 10, seen=0)),
            ("True", "FoundNewReplicaSet"),
            id="found, nothing said before",
        ),
        pytest.param(
            having(FULL, progressing("NewReplicaSetAvailable")),
            THROUGH,
            ("True", "NewReplicaSetAvailable"),
            id="long through",
        ),
        pytest.param(
            having(STALE, progressing("ReplicaSetUpdated")), HALF, ("True", "ReplicaSetUpdated"), id="in time"
        ),
        pytest.param(
            having(STALE, progressing("ReplicaSetUpdated", 601)),
            HALF,
            ("False", "ProgressDeadlineExceeded"),
            id="too late",
        ),
        pytest.param(
            having(STALE, progressing("ReplicaSetUpdated", 600)),
            HALF,
            ("True", "ReplicaSetUpdated"),
            id="at the deadline",
        ),
        pytest.param(
            having(STALE, progressing("NewReplicaSetCreated", 601)),
            HALF,
            ("False", "ProgressDeadlineExceeded"),
            id="created and never seen again",
        ),
        pytest.param(
            having(STALE, progressing("ProgressDeadlineExceeded", 9, "False")),
            HALF,
            ("False", "ProgressDeadlineExceeded"),
            id="late stays late",
        ),
        pytest.param(
            having(STALE, progressing("ProgressDeadlineExceeded", 9, "False")),
            outlook(new(5, 1), old(8)),
            ("True", "ReplicaSetUpdated"),
            id="late, and yet a step",
        ),
        pytest.param(
            having(STALE, progressing("ProgressDeadlineExceeded", 9, "False")),
            outlook(make_replicaset("new", 3, seen=0), old(10), created=True),
            ("True", "ReplicaSetUpdated"),
            id="late, and another template",
        ),
        pytest.param(
            having(STALE, progressing("ReplicaSetUpdated")), THROUGH, ("True", "NewReplicaSetAvailable"), id="ends"
        ),
        pytest.param(having(STALE, progressing("X"), deadline=None), HALF, None, id="no deadline, no clock"),
        pytest.param(having(STALE, progressing("X"), deadline=2**31 - 1), HALF, None, id="endless deadline, no clock"),
        pytest.param(having(STALE, paused=True), HELD, ("Unknown", "DeploymentPaused"), id="paused"),
        pytest.param(
            having(STALE, progressing("ReplicaSetUpdated", 9999), paused=True),
            HELD,
            ("Unknown", "DeploymentPaused"),
            id="paused when it was late",
        ),
        pytest.param(
            having(STALE, progressing("ProgressDeadlineExceeded", 9, "False"), paused=True),
            HELD,
            ("False", "ProgressDeadlineExceeded"),
            id="late stays late though paused",
        ),
        pytest.param(
            having(STALE, progressing("DeploymentPaused", 9999, "Unknown")),
            HALF,
            ("Unknown", "DeploymentResumed"),
            id="resumed: the clock begins anew",
        ),
        pytest.param(
            having(STALE, progressing("ReplicaSetUpdated", 9999)),
            HELD,
            ("True", "ReplicaSetUpdated"),
            id="scaling: not judged",
        ),
        pytest.param(
            having(STALE, progressing("ReplicaSetUpdated", 9999), deleted=True),
            HELD,
            ("True", "ReplicaSetUpdated"),
            id="going: not judged",
        ),
    ],
)
def test_progress(deployment: Deployment, seen: Outlook, expected: tuple[str, str] | None) -> None:
    found = status.condition(status.status_of(deployment, seen, NOW), "Progressing")
    assert (None if found is None else (found.status, found.reason)) == expected


@pytest.mark.parametrize(
    ("available", "expected"),
    [
        pytest.param(10, ("True", "MinimumReplicasAvailable"), id="all"),
        pytest.param(8, ("True", "MinimumReplicasAvailable"), id="as few as allowed"),
        pytest.param(7, ("False", "MinimumReplicasUnavailable"), id="one too few"),
        pytest.param(0, ("False", "MinimumReplicasUnavailable"), id="none"),
    ],
)
def test_availability(available: int, expected: tuple[str, str]) -> None:
    found = status.condition(status.status_of(make_deployment(), outlook(new(10, available)), NOW), "Available")
    assert found is not None
    assert (found.status, found.reason) == expected


@pytest.mark.parametrize(
    ("reason", "seen", "message"),
    [
        pytest.param("NewReplicaSetAvailable", THROUGH, 'ReplicaSet "new" has successfully progressed.', id="through"),
        pytest.param("ReplicaSetUpdated", HALF, 'ReplicaSet "new" is progressing.', id="a step"),
        pytest.param(
            "NewReplicaSetCreated",
            outlook(make_replicaset("new", 1, seen=0), created=True),
            'Created new replica set "new"',
            id="created",
        ),
        pytest.param(
            "FoundNewReplicaSet", outlook(make_replicaset("new", 1, seen=0)), 'Found new replica set "new"', id="found"
        ),
    ],
)
def test_words(reason: str, seen: Outlook, message: str) -> None:
    found = status.condition(status.status_of(make_deployment(), seen, NOW), "Progressing")
    assert found is not None
    assert (found.reason, found.message) == (reason, message)


def test_counts() -> None:
    told = status.status_of(make_deployment(generation=7), outlook(new(5, 3), old(8)), NOW)
    assert (told.replicas, told.updated_replicas, told.ready_replicas, told.available_replicas) == (13, 5, 11, 11)
    assert (told.unavailable_replicas, told.observed_generation) == (2, 7)


def test_a_step_renews_the_clock_but_not_the_transition() -> None:
    told = status.status_of(having(STALE, progressing("ReplicaSetUpdated")), outlook(new(6, 0), old(8)), NOW)
    found = status.condition(told, "Progressing")
    assert found is not None
    assert (found.last_update_time, found.last_transition_time) == (ago(0), ago(1000))


def test_a_replicaset_that_cannot_create_is_heard_the_new_one_first() -> None:
    def failing(replicaset: ReplicaSet, why: str) -> ReplicaSet:
        told = ReplicaSetCondition(type="ReplicaFailure", status="True", reason="FailedCreate", message=why)
        return replace(replicaset, status=replace(replicaset.status, conditions=(told,)))

    seen = outlook(failing(new(5), "quota"), failing(old(5), "older"))
    told = status.status_of(make_deployment(), seen, NOW)
    found = status.condition(told, "ReplicaFailure")
    assert found is not None
    assert (found.reason, found.message) == ("FailedCreate", "quota")
    healed = status.status_of(make_deployment(status=told), outlook(new(5), old(5)), NOW)
    assert status.condition(healed, "ReplicaFailure") is None


def test_telling_twice_tells_the_same() -> None:
    first = status.status_of(make_deployment(), HALF, NOW)
    assert status.status_of(make_deployment(status=first), HALF, NOW) == first


@pytest.mark.parametrize(
    ("deployment", "expected"),
    [
        pytest.param(having(STALE, progressing("ReplicaSetUpdated", 60)), 541.0, id="ten minutes less one, and a bit"),
        pytest.param(having(STALE, progressing("ReplicaSetUpdated", 9999)), 1.0, id="overdue"),
        pytest.param(having(STALE, progressing("ProgressDeadlineExceeded")), None, id="already late"),
        pytest.param(having(STALE, progressing("DeploymentPaused")), None, id="paused"),
        pytest.param(having(STALE), None, id="no clock"),
        pytest.param(having(STALE, progressing("X"), deadline=None), None, id="no deadline"),
        pytest.param(having(replace(FULL, observed_generation=1), progressing("X")), None, id="through"),
    ],
)
def test_when_to_look_again(deployment: Deployment, expected: float | None) -> None:
    assert status.seconds_until_check(deployment, deployment.status, NOW) == expected


def test_a_refused_replicaset_is_told() -> None:
    told = status.with_creation_failure(make_deployment(), 'Failed to create new replica set "x": no', NOW)
    found = status.condition(told, "Progressing")
    assert found is not None
    assert (found.status, found.reason) == ("False", "ReplicaSetCreateError")
    endless = make_deployment(deadline=None)
    assert status.with_creation_failure(endless, "no", NOW) == endless.status
