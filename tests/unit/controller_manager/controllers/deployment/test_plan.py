from __future__ import annotations

from typing import Any

import pytest

from controller_manager import ownership
from controller_manager.controllers.deployment import hashing, history
from controller_manager.controllers.deployment.plan import (
    CreateReplicaSet,
    DeleteReplicaSet,
    UpdateReplicaSet,
    plan,
)
from controller_manager.controllers.deployment.status import Course
from steersman.api.apps import Deployment, DeploymentStatus, ReplicaSet
from steersman.api.core import Pod
from tests.unit.controller_manager.workloads import make_deployment, make_pod, make_replicaset

DONE = DeploymentStatus(replicas=10, updated_replicas=10, available_replicas=10, observed_generation=1)
V2 = "nginx:2"


def told(deployment: Deployment, sets: list[ReplicaSet], pods: list[Pod] | None = None) -> list[str]:
    """The plan as short texts: "create 3", "new 3>5", "delete old"."""
    lines: list[str] = []
    for action in plan(deployment, sets, pods or []).actions:
        match action:
            case CreateReplicaSet(replicaset):
                lines.append(f"create {replicaset.spec.replicas}")
            case UpdateReplicaSet(before, after) if before.spec.replicas != after.spec.replicas:
                lines.append(f"{after.metadata.name} {before.spec.replicas}>{after.spec.replicas}")
            case UpdateReplicaSet(_, after):
                lines.append(f"annotate {after.metadata.name}")
            case DeleteReplicaSet(replicaset):
                lines.append(f"delete {replicaset.metadata.name}")
    return lines


def new(replicas: int = 10, *, revision: int = 2, desired: int = 10, **fields: Any) -> ReplicaSet:
    return make_replicaset("new", replicas, image=V2, age=1, revision=revision, desired=desired, most=13, **fields)


def old(replicas: int = 10, name: str = "old", *, revision: int = 1, desired: int = 10, **fields: Any) -> ReplicaSet:
    return make_replicaset(name, replicas, revision=revision, desired=desired, most=13, **fields)


ROLLING = make_deployment(image=V2)
RECREATE = make_deployment(image=V2, strategy="Recreate")
PAUSED = make_deployment(image=V2, paused=True)


@pytest.mark.parametrize(
    ("deployment", "sets", "expected"),
    [
        pytest.param(ROLLING, [], ["create 10"], id="the first ReplicaSet, whole"),
        pytest.param(ROLLING, [old()], ["create 3", "old 10>8"], id="a new template begins"),
        pytest.param(ROLLING, [old(8), new(3, available=0)], ["new 3>5"], id="room is used"),
        pytest.param(ROLLING, [old(8), new(5, available=0)], [], id="waiting for the new ones"),
        pytest.param(ROLLING, [old(8), new(5, available=3)], ["old 8>5"], id="three became available"),
        pytest.param(ROLLING, [old(5, seen=8), new(5)], ["old 5>3"], id="shrink on, grow only once it has shrunk"),
        pytest.param(ROLLING, [old(3, seen=8), new(5)], [], id="wait until it has shrunk"),
        pytest.param(ROLLING, [old(1), new(10)], ["old 1>0"], id="the last old one"),
        pytest.param(ROLLING, [old(0), new(10)], [], id="nothing to do"),
        pytest.param(ROLLING, [new(12)], ["new 12>10"], id="more than asked for"),
        pytest.param(ROLLING, [old(), new(0, revision=1)], ["new 0>3"], id="a revision that is due goes along"),
        pytest.param(ROLLING, [old(0, revision=3), new(10)], ["annotate new"], id="the revision is raised"),
        pytest.param(ROLLING, [new(10, revision=0)], ["annotate new"], id="a first revision"),
        pytest.param(ROLLING, [new(10, min_ready_seconds=5)], ["annotate new"], id="minReadySeconds follows"),
        pytest.param(make_deployment(20, image=V2), [new(10)], ["new 10>20"], id="scaling up"),
        pytest.param(make_deployment(4, image=V2), [new(10)], ["new 10>4"], id="scaling down"),
        pytest.param(make_deployment(0, image=V2), [new(10)], ["new 10>0"], id="scaling to nothing"),
        pytest.param(make_deployment(10, image=V2), [new(10, desired=8)], ["annotate new"], id="already that large"),
        pytest.param(
            make_deployment(20, image=V2), [old(8), new(5)], ["old 8>15", "new 5>10"], id="scaling in a rollout"
        ),
        pytest.param(make_deployment(20), [old(8), new(5)], ["new 5>10", "old 8>15"], id="scaling on the way back"),
        pytest.param(make_deployment(image=V2, deleted=True), [old(8), new(3)], [], id="being deleted: nothing"),
        pytest.param(PAUSED, [], [], id="paused before it began"),
        pytest.param(PAUSED, [old()], [], id="paused: no new template"),
        pytest.param(PAUSED, [old(8), new(5)], [], id="paused in the middle"),
        pytest.param(make_deployment(6, paused=True, image=V2), [old()], ["old 10>6"], id="paused, yet scaled"),
        pytest.param(RECREATE, [], ["create 10"], id="recreate: the first"),
        pytest.param(RECREATE, [old()], ["old 10>0"], id="recreate: first all away"),
        pytest.param(RECREATE, [old(0, seen=4)], [], id="recreate: wait for the pods"),
        pytest.param(RECREATE, [old(0)], ["create 10"], id="recreate: then all anew"),
        pytest.param(RECREATE, [old(0), new(0)], ["new 0>10"], id="recreate: one that was there before"),
        pytest.param(RECREATE, [old(0), new(10)], [], id="recreate: done"),
        pytest.param(RECREATE, [old(10), new(10)], ["old 10>0"], id="recreate: an old one has come back"),
        pytest.param(
            make_deployment(image=V2, limit=1, status=DONE),
            [old(0, "a"), old(0, "b", revision=2), new(10, revision=3)],
            ["delete a"],
            id="history beyond its limit",
        ),
        pytest.param(
            make_deployment(image=V2, limit=0, status=DONE),
            [old(0, "a"), old(0, "b", revision=2), new(10, revision=3)],
            ["delete a", "delete b"],
            id="no history at all",
        ),
        pytest.param(
            make_deployment(image=V2, limit=0), [old(0), new(10)], [], id="history stays until the rollout is through"
        ),
        pytest.param(
            make_deployment(image=V2, limit=0, paused=True), [old(0), new(10)], ["delete old"], id="paused: tidied up"
        ),
        pytest.param(
            make_deployment(image=V2, limit=0, status=DONE),
            [old(0, seen=1), new(10)],
            [],
            id="history with a pod left stays",
        ),
        pytest.param(
            make_deployment(image=V2, limit=0, status=DONE),
            [old(0, generation=2, observed=1), new(10)],
            [],
            id="history that may have a pod stays",
        ),
        pytest.param(
            make_deployment(image=V2, limit=None, status=DONE), [old(0), new(10)], [], id="history without a limit"
        ),
    ],
)
def test_plan(deployment: Deployment, sets: list[ReplicaSet], expected: list[str]) -> None:
    assert told(deployment, sets) == expected


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        pytest.param(make_pod(owner=old(0)), [], id="running"),
        pytest.param(make_pod(owner=old(0), deleted=True), [], id="going"),
        pytest.param(make_pod(owner=old(0), phase="Failed"), ["create 10"], id="failed"),
        pytest.param(make_pod(owner=old(0), phase="Succeeded"), ["create 10"], id="succeeded"),
        pytest.param(make_pod(owner=make_replicaset("other")), ["create 10"], id="another's"),
    ],
)
def test_recreate_waits_for_the_last_pod(pod: Pod, expected: list[str]) -> None:
    assert told(RECREATE, [old(0)], [pod]) == expected


def test_a_new_replicaset_is_complete() -> None:
    annotations = {"team": "blue", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
    deployment = make_deployment(annotations=annotations, image=V2, min_ready_seconds=5)
    (created, *_) = plan(deployment, [old()]).actions
    assert isinstance(created, CreateReplicaSet)
    born = created.replicaset
    digest = hashing.template_hash(deployment.spec.template)
    assert born.metadata.name == f"web-{digest}"
    assert born.metadata.labels == born.spec.template.metadata.labels == {"app": "web", hashing.LABEL: digest}
    assert born.spec.selector is not None
    assert born.spec.selector.match_labels == {"app": "web", hashing.LABEL: digest}
    assert born.spec.min_ready_seconds == 5
    assert ownership.is_controlled_by(born, deployment)
    assert born.metadata.annotations == {
        "team": "blue",
        history.REVISION: "2",
        history.DESIRED_REPLICAS: "10",
        history.MAX_REPLICAS: "13",
    }


def test_a_collision_changes_the_name() -> None:
    collided = make_deployment(status=DeploymentStatus(collision_count=1))
    first, second = plan(make_deployment(), []).outlook.new, plan(collided, []).outlook.new
    assert first is not None
    assert second is not None
    assert first.metadata.name != second.metadata.name


def test_going_back_takes_the_old_replicaset_up_again() -> None:
    """Rollback is nothing but an old template applied again."""
    decided = plan(make_deployment(), [old(0, revision=1), new(10, revision=2)])
    assert decided.outlook.new is not None
    assert decided.outlook.new.metadata.name == "old"
    assert decided.outlook.new.metadata.annotations[history.REVISION] == "3"
    assert decided.outlook.new.metadata.annotations[history.EARLIER_REVISIONS] == "1"
    assert decided.outlook.new.spec.replicas == 3


def test_of_two_equals_the_older_is_the_current_one() -> None:
    twins = [make_replicaset("younger", 5, age=1), make_replicaset("older", 5, age=2)]
    decided = plan(make_deployment(), twins)
    assert decided.outlook.new is not None
    assert decided.outlook.new.metadata.name == "older"


@pytest.mark.parametrize(
    ("deployment", "course"),
    [
        pytest.param(ROLLING, Course.ROLLING, id="rolling"),
        pytest.param(RECREATE, Course.ROLLING, id="recreating"),
        pytest.param(PAUSED, Course.HOLDING, id="paused"),
        pytest.param(make_deployment(5, image=V2), Course.HOLDING, id="scaling"),
        pytest.param(make_deployment(deleted=True), Course.HOLDING, id="going"),
    ],
)
def test_progress_is_judged_only_in_a_rollout(deployment: Deployment, course: Course) -> None:
    assert plan(deployment, [old(8), new(3)]).outlook.course is course
