from __future__ import annotations

import json

import pytest

from nodeagent.runtime.docker import naming
from nodeagent.runtime.docker.naming import Identity
from nodeagent.runtime.interface import Owner
from nodeagent.runtime.specs import PodRef
from steersman.api.names import Uid

OWNER = Owner("cluster", "node-1")
IDENTITY = Identity(PodRef(Uid("uid-1"), "default", "web"), "app", 3, "sandbox-id", {"hash": "1=2,3"})


def test_names() -> None:
    assert naming.container_name(OWNER, Uid("uid-1"), "app", 3) == "steersman_cluster_uid-1_app_3"
    assert naming.container_name(OWNER, Uid("uid-1"), naming.SANDBOX, 0) == "steersman_cluster_uid-1_POD_0"


def test_labels_tell_everything_back() -> None:
    labels = naming.labels(OWNER, IDENTITY)
    assert naming.owner_of(labels) == OWNER
    assert naming.identity_of(labels) == IDENTITY


@pytest.mark.parametrize(
    "spoiled",
    [{naming.ATTEMPT: "many"}, {naming.ANNOTATIONS: "{"}, {naming.ANNOTATIONS: "[1]"}, {naming.UID: None}],
    ids=["attempt", "not JSON", "not a table", "missing"],
)
def test_labels_that_somebody_else_wrote_are_nobodys(spoiled: dict[str, str | None]) -> None:
    labels = {**naming.labels(OWNER, IDENTITY), **spoiled}
    assert naming.identity_of({key: value for key, value in labels.items() if value is not None}) is None


def test_the_filter_names_owner_and_pod() -> None:
    assert json.loads(naming.label_filter(OWNER, Uid("uid-1"), event=["die"])) == {
        "label": ["steersman.io/cluster=cluster", "steersman.io/node=node-1", "steersman.io/pod-uid=uid-1"],
        "event": ["die"],
    }
