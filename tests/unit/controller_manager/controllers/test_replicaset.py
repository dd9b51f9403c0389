from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller_manager.controllers import replicaset, replicationcontroller
from controller_manager.controllers.replicaset import CreatePods, DeletePod, Failure
from steersman.api.apps import ReplicaSet, ReplicaSetCondition
from steersman.api.core import Pod, ReplicationController, ReplicationControllerSpec
from tests.unit.controller_manager.workloads import NOW, ago, make_pod, make_replicaset, template


def pods(count: int, **fields: Any) -> list[Pod]:
    return [make_pod(f"pod-{number}", **fields) for number in range(count)]


def told(desired: ReplicaSet, live: list[Pod]) -> list[str]:
    """The plan as short texts: "create 3", "delete pod-1"."""
    lines: list[str] = []
    for action in replicaset.plan(desired, live, live, NOW):
        match action:
            case CreatePods(count):
                lines.append(f"create {count}")
            case DeletePod(pod):
                lines.append(f"delete {pod.metadata.name}")
    return lines


SICK = make_pod("sick", ready=False)
UNPLACED = make_pod("unplaced", phase="Pending", ready=False, node="")
CHEAP = make_pod("cheap", cost="-1")
DEAR = make_pod("dear", cost="100")
YOUNG = make_pod("young", ready_for=1)
UNSETTLED = make_pod("unsettled", ready_for=9, cost="7")


@pytest.mark.parametrize(
    ("desired", "live", "expected"),
    [
        pytest.param(make_replicaset(replicas=0), [], [], id="none wanted, none there"),
        pytest.param(make_replicaset(replicas=3), [], ["create 3"], id="all are missing"),
        pytest.param(make_replicaset(replicas=3), pods(1), ["create 2"], id="some are missing"),
        pytest.param(make_replicaset(replicas=3), pods(3), [], id="as many as wanted"),
        pytest.param(make_replicaset(replicas=3), pods(3, ready=False), [], id="as many as wanted, though sick"),
        pytest.param(make_replicaset(replicas=2000), [], ["create 500"], id="not more than a burst"),
        pytest.param(make_replicaset(replicas=501), pods(1), ["create 500"], id="exactly a burst"),
        pytest.param(make_replicaset(replicas=0), pods(2), ["delete pod-0", "delete pod-1"], id="none wanted"),
        pytest.param(make_replicaset(replicas=1), [*pods(1), SICK], ["delete sick"], id="the sick first"),
        pytest.param(make_replicaset(replicas=1), [SICK, UNPLACED], ["delete unplaced"], id="the unplaced first"),
        pytest.param(make_replicaset(replicas=1), [*pods(1), CHEAP], ["delete cheap"], id="the cheap first"),
        pytest.param(make_replicaset(replicas=1), [DEAR, *pods(1)], ["delete pod-0"], id="the dear last"),
        pytest.param(make_replicaset(replicas=1), [DEAR, SICK], ["delete sick"], id="sick before cheap"),
        pytest.param(make_replicaset(replicas=1), [*pods(1), YOUNG], ["delete young"], id="the young first"),
        pytest.param(make_replicaset(replicas=1), [YOUNG, CHEAP], ["delete cheap"], id="cheap before young"),
        pytest.param(
            make_replicaset(replicas=1, min_ready_seconds=10),
            [UNSETTLED, *pods(1)],
            ["delete unsettled"],
            id="not yet available before cheap",
        ),
        pytest.param(
            make_replicaset(replicas=1), [*pods(1), SICK, UNPLACED], ["delete unplaced", "delete sick"], id="in order"
        ),
        pytest.param(make_replicaset(replicas=3, deleted=True), [], [], id="going: creates nothing"),
        pytest.param(make_replicaset(replicas=0, deleted=True), pods(2), [], id="going: deletes nothing"),
    ],
)
def test_plan(desired: ReplicaSet, live: list[Pod], expected: list[str]) -> None:
    assert told(desired, live) == expected


def test_a_huge_surplus_goes_in_bursts() -> None:
    assert len(told(make_replicaset(replicas=0), pods(600))) == replicaset.BURST


FAILED = Failure("FailedCreate", "quota exceeded")
HELD = ReplicaSetCondition(
    type="ReplicaFailure", status="True", reason="FailedCreate", message="before", last_transition_time=ago(60)
)


@pytest.mark.parametrize(
    ("live", "minimum", "expected"),
    [
        pytest.param([], 0, (0, 0, 0, 0), id="none"),
        pytest.param(pods(3), 0, (3, 3, 3, 3), id="all well"),
        pytest.param([*pods(2), SICK], 0, (3, 3, 2, 2), id="one is not ready"),
        pytest.param([*pods(2), UNPLACED], 0, (3, 3, 2, 2), id="one is not placed"),
        pytest.param([*pods(2), YOUNG], 10, (3, 3, 3, 2), id="one is not ready for long enough"),
        pytest.param(
            [make_pod(labels={"app": "web", "more": "1"})], 0, (1, 1, 1, 1), id="labels beyond the template's"
        ),
        pytest.param([make_pod(labels={"tier": "x"})], 0, (1, 0, 1, 1), id="a label of the template is missing"),
        pytest.param([make_pod(ready_for=None)], 10, (1, 1, 1, 0), id="ready since nobody knows when"),
    ],
)
def test_counts(live: list[Pod], minimum: int, expected: tuple[int, int, int, int]) -> None:
    desired = make_replicaset(replicas=3, min_ready_seconds=minimum, generation=4)
    status = replicaset.status_of(desired, live, 2, None, NOW)
    counts = (status.replicas, status.fully_labeled_replicas, status.ready_replicas, status.available_replicas)
    assert counts == expected
    assert (status.terminating_replicas, status.observed_generation) == (2, 4)


@pytest.mark.parametrize(
    ("held", "failure", "expected"),
    [
        pytest.param((), None, [], id="nothing to say"),
        pytest.param((), FAILED, ["quota exceeded"], id="a failure is told"),
        pytest.param((HELD,), FAILED, ["before"], id="the first one told stays"),
        pytest.param((HELD,), None, [], id="it is over"),
        pytest.param((ReplicaSetCondition(type="Other"),), None, [""], id="another's condition stays"),
        pytest.param((ReplicaSetCondition(type="Other"),), FAILED, ["", "quota exceeded"], id="beside another's"),
    ],
)
def test_failures(held: tuple[ReplicaSetCondition, ...], failure: Failure | None, expected: list[str]) -> None:
    desired = make_replicaset()
    desired = replace(desired, status=replace(desired.status, conditions=held))
    conditions = replicaset.status_of(desired, [], 0, failure, NOW).conditions
    assert [condition.message for condition in conditions] == expected


def test_a_steady_state_changes_nothing() -> None:
    desired = make_replicaset(replicas=3, generation=2)
    first = replicaset.status_of(desired, pods(3), 0, FAILED, NOW)
    assert replicaset.status_of(replace(desired, status=first), pods(3), 0, FAILED, NOW) == first


def test_a_replicationcontroller_is_seen_as_a_replicaset_and_back() -> None:
    spec = ReplicationControllerSpec(replicas=2, selector={"app": "web"}, template=template(), min_ready_seconds=3)
    owner = ReplicationController(spec=spec)
    seen = replicationcontroller.view(owner)
    assert (seen.spec.replicas, seen.spec.min_ready_seconds, seen.spec.template) == (2, 3, template())
    matcher = replicaset.selector_of(seen)
    assert matcher is not None
    assert matcher.matches({"app": "web", "more": "1"})
    status = replicaset.status_of(seen, pods(1), 5, FAILED, NOW)
    told_back = replicationcontroller.with_status(owner, status)
    assert told_back.status.replicas == 1
    assert replicationcontroller.view(told_back).status == replace(status, terminating_replicas=None)


def test_a_replicationcontroller_without_selector_selects_nothing() -> None:
    assert replicaset.selector_of(replicationcontroller.view(ReplicationController())) is None
