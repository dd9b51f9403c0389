from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from controller_manager import ownership
from steersman.api import selectors
from steersman.api.core import Pod
from steersman.api.meta import LabelSelector
from tests.unit.controller_manager.workloads import APP, REPLICASET, make_deployment, make_pod, make_replicaset

OWNER = make_replicaset("mine")
OTHER = make_replicaset("other")
LEAVING = make_replicaset("mine", deleted=True)
MATCHER = selectors.of_struct(LabelSelector(match_labels=APP))
STRANGE = {"app": "other"}


@pytest.mark.parametrize(
    ("child", "owner", "verdict"),
    [
        pytest.param(make_pod(owner=OWNER), OWNER, "keeps", id="mine and wanted"),
        pytest.param(make_pod(owner=OWNER, labels=STRANGE), OWNER, "release", id="mine, no longer wanted"),
        pytest.param(make_pod(), OWNER, "adopt", id="an orphan that matches"),
        pytest.param(make_pod(labels=STRANGE), OWNER, "", id="an orphan of other labels"),
        pytest.param(make_pod(owner=OTHER), OWNER, "", id="another's, though it matches"),
        pytest.param(make_pod(owner=OTHER, labels=STRANGE), OWNER, "", id="another's"),
        pytest.param(make_pod(deleted=True), OWNER, "", id="an orphan that is going"),
        pytest.param(make_pod(owner=OWNER, deleted=True), OWNER, "keeps", id="mine and going"),
        pytest.param(make_pod(), LEAVING, "", id="a leaving owner adopts nothing"),
        pytest.param(make_pod(owner=OWNER, labels=STRANGE), LEAVING, "", id="a leaving owner releases nothing"),
        pytest.param(make_pod(owner=OWNER), LEAVING, "keeps", id="a leaving owner still counts its own"),
        pytest.param(make_pod(labels={}), OWNER, "", id="an orphan without labels"),
    ],
)
def test_claim(child: Pod, owner: object, verdict: str) -> None:
    assert MATCHER is not None
    assert isinstance(owner, type(OWNER))
    claims = ownership.claim(owner, MATCHER, [child])
    found = {"keeps": claims.keeps, "adopt": claims.adopt, "release": claims.release}
    assert [name for name, pods in found.items() if pods] == ([verdict] if verdict else [])


def test_an_orphan_of_another_namespace_is_not_adopted() -> None:
    assert MATCHER is not None
    orphan = make_pod()
    elsewhere = replace(orphan, metadata=replace(orphan.metadata, namespace="elsewhere"))
    assert ownership.claim(OWNER, MATCHER, [elsewhere]) == ownership.Claims()


def test_a_reference_that_is_not_the_controller_leaves_an_orphan() -> None:
    reference = replace(ownership.reference_to(OTHER, REPLICASET), controller=None)
    orphan = replace(make_pod(), metadata=replace(make_pod().metadata, owner_references=(reference,)))
    assert ownership.controller_of(orphan) is None
    assert ownership.controller_index(orphan) == ("orphans/default",)


def test_children_are_indexed_by_their_controller() -> None:
    assert ownership.controller_index(make_pod(owner=OWNER)) == ("mine-uid",)
    assert ownership.is_controlled_by(make_pod(owner=OWNER), OWNER)
    assert not ownership.is_controlled_by(make_pod(owner=OWNER), make_deployment())


def test_patches_name_the_object_that_was_seen() -> None:
    orphan = make_pod("lost")
    adoption = json.loads(ownership.adoption_patch(orphan, ownership.reference_to(OWNER, REPLICASET)))
    assert adoption == {
        "metadata": {
            "uid": "lost-uid",
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": "mine",
                    "uid": "mine-uid",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        }
    }
    release = json.loads(ownership.release_patch(orphan, OWNER))
    assert release == {"metadata": {"uid": "lost-uid", "ownerReferences": [{"$patch": "delete", "uid": "mine-uid"}]}}
