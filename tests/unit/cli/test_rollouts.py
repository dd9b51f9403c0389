"""How far a rollout is, and to which revision it goes back."""

from __future__ import annotations

import msgspec
import pytest

from steersman.api import codec
from steersman.api.apps import Deployment, ReplicaSet
from steersman.cli import rollouts


def deployment(observed: int = 1, **status: object) -> Deployment:
    manifest = {
        "metadata": {"name": "web", "generation": 1},
        "spec": {"replicas": 3},
        "status": {"observedGeneration": observed, **status},
    }
    return codec.load(Deployment, msgspec.json.encode(manifest))


@pytest.mark.parametrize(
    ("state", "text", "done"),
    [
        pytest.param(deployment(observed=0), "spec update to be observed", False, id="not-seen-yet"),
        pytest.param(deployment(updatedReplicas=1), "1 out of 3 new replicas have been updated", False, id="updating"),
        pytest.param(
            deployment(updatedReplicas=3, replicas=4),
            "1 old replicas are pending termination",
            False,
            id="old-ones-left",
        ),
        pytest.param(
            deployment(updatedReplicas=3, replicas=3, availableReplicas=2),
            "2 of 3 updated replicas are available",
            False,
            id="not-available",
        ),
        pytest.param(
            deployment(updatedReplicas=3, replicas=3, availableReplicas=3), "successfully rolled out", True, id="done"
        ),
    ],
)
def test_progress_of_a_deployment(state: Deployment, text: str, done: bool) -> None:
    progress = rollouts.of_deployment(state)
    assert text in progress.text
    assert progress.done is done


def test_a_deadline_that_has_passed_is_no_progress() -> None:
    late = deployment(conditions=[{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}])
    with pytest.raises(rollouts.Stuck, match='"web" exceeded its progress deadline'):
        rollouts.of_deployment(late)


def replicaset(revision: str, owner: str = "u") -> ReplicaSet:
    owners = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": owner, "controller": True}]
    annotations = {rollouts.REVISION: revision, rollouts.CAUSE: f"cause {revision}"}
    manifest = {"metadata": {"name": f"web-{revision}", "annotations": annotations, "ownerReferences": owners}}
    return codec.load(ReplicaSet, msgspec.json.encode(manifest))


FOUND = rollouts.revisions([replicaset("10"), replicaset("2"), replicaset("3", owner="other"), replicaset("x")], "u")


def test_revisions_are_the_owners_in_order_of_number() -> None:
    assert list(FOUND) == [2, 10]
    assert rollouts.history(FOUND) == "REVISION  CHANGE-CAUSE\n2         cause 2\n10        cause 10\n"


def test_back_to_the_one_before_or_to_the_one_named() -> None:
    assert rollouts.target(FOUND, 0).metadata.name == "web-2"
    assert rollouts.target(FOUND, 10).metadata.name == "web-10"


@pytest.mark.parametrize(("found", "wanted"), [(FOUND, 5), ({2: FOUND[2]}, 0), ({}, 0)])
def test_nowhere_to_go_back_to(found: dict[int, ReplicaSet], wanted: int) -> None:
    with pytest.raises(ValueError, match=r"history"):
        rollouts.target(found, wanted)
