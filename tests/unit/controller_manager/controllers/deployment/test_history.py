from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller_manager.controllers.deployment import history
from steersman.api.apps import ReplicaSet
from tests.unit.controller_manager.workloads import make_deployment, make_replicaset


def noted(**annotations: str) -> ReplicaSet:
    found = make_replicaset()
    names = {"revision": history.REVISION, "earlier": history.EARLIER_REVISIONS}
    return replace(
        found, metadata=replace(found.metadata, annotations={names[key]: value for key, value in annotations.items()})
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", 0, id="none"),
        pytest.param("7", 7, id="a number"),
        pytest.param("seven", 0, id="a word"),
        pytest.param("-1", 0, id="negative"),
        pytest.param("²", 0, id="a digit that is no number"),
        pytest.param("9" * 30, 0, id="beyond all bounds"),
    ],
)
def test_revisions(text: str, expected: int) -> None:
    assert history.revision_of(noted(revision=text)) == expected


@pytest.mark.parametrize(
    ("before", "revision", "expected", "earlier"),
    [
        pytest.param(noted(), 1, "1", None, id="the first"),
        pytest.param(noted(revision="1"), 1, "1", None, id="as it was"),
        pytest.param(noted(revision="5"), 2, "5", None, id="never lowered"),
        pytest.param(noted(revision="1"), 3, "3", "1", id="taken up again"),
        pytest.param(noted(revision="3", earlier="1"), 6, "6", "1,3", id="and again"),
        pytest.param(noted(revision="nonsense"), 2, "2", None, id="nonsense is replaced"),
    ],
)
def test_raising_a_revision(before: ReplicaSet, revision: int, expected: str, earlier: str | None) -> None:
    annotations = history.annotated(before, make_deployment(), revision).metadata.annotations
    assert (annotations[history.REVISION], annotations.get(history.EARLIER_REVISIONS)) == (expected, earlier)


def test_the_list_of_earlier_revisions_stays_short() -> None:
    long = ",".join(str(number) for number in range(1000, 1400))
    after = history.annotated(noted(revision="2000", earlier=long), make_deployment(), 3000)
    earlier = after.metadata.annotations[history.EARLIER_REVISIONS]
    assert len(earlier) <= history.MAX_EARLIER_LENGTH
    assert earlier.endswith(",1399,2000")


def test_annotations_are_copied_but_for_those_of_one_object() -> None:
    own = dict.fromkeys(history.NOT_COPIED, "x")
    deployment = make_deployment(annotations={**own, "team": "blue"})
    after = history.annotated(noted(revision="1"), deployment, 1)
    assert after.metadata.annotations == {history.REVISION: "1", "team": "blue"}


def test_nothing_new_is_the_same_object() -> None:
    settled = noted(revision="1")
    assert history.annotated(settled, make_deployment(), 1) is settled


def test_the_next_revision_follows_the_highest() -> None:
    assert history.next_revision([]) == 1
    assert history.next_revision([noted(revision="2"), noted(revision="9"), noted(revision="x")]) == 10


def test_sizes_leave_their_measure() -> None:
    after = history.sized(make_replicaset(replicas=1), 4, desired=8, most=10)
    assert after.spec.replicas == 4
    assert history.remembered(after, history.DESIRED_REPLICAS) == 8
    assert history.remembered(after, history.MAX_REPLICAS) == 10
    assert history.remembered(make_replicaset(), history.MAX_REPLICAS) is None
