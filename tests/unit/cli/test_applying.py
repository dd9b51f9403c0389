"""Manifests as people write them, and the patch that brings an object to them."""

from __future__ import annotations

from typing import Any

import pytest

from steersman.api.apps import Deployment
from steersman.cli import manifests, threeway, wait
from steersman.cli.manifests import BadManifest

LIST = b"""\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- {apiVersion: v1, kind: Namespace, metadata: {name: b}}
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param(b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", ["a"], id="one"),
        pytest.param(
            b"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n# nothing\n---\n"
            b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
            ["a", "b"],
            id="several-and-an-empty-one",
        ),
        pytest.param(b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}', ["a"], id="json"),
        pytest.param(LIST, ["a", "b"], id="a-list"),
        pytest.param(b"", [], id="nothing"),
    ],
)
def test_documents(text: bytes, names: list[str]) -> None:
    assert [each.name for each in manifests.documents_in(text, "f")] == names


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param(b"kind: Pod\n", "apiVersion not set", id="no-version"),
        pytest.param(b"- a\n", "an object is expected", id="a-list-of-nothing"),
        pytest.param(b"a: [\n", "error parsing f", id="no-yaml"),
        pytest.param(
            b"apiVersion: x/v1\nkind: Foo\nmetadata: {name: a}\n",
            'no matches for kind "Foo" in version "x/v1"',
            id="unknown-kind",
        ),
    ],
)
def test_bad_manifests(text: bytes, complaint: str) -> None:
    with pytest.raises(BadManifest, match=complaint):
        manifests.documents_in(text, "f")


def test_a_namespace_is_given_only_to_what_lives_in_one() -> None:
    config_map, namespace = manifests.documents_in(LIST, "f")
    assert config_map.placed("here").namespace == "here"
    assert namespace.placed("here").namespace == ""


def deployment(containers: list[dict[str, Any]], **labels: str) -> dict[str, Any]:
    return {"metadata": {"labels": labels}, "spec": {"template": {"spec": {"containers": containers}}}}


def containers_of(patch: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = patch["spec"]["template"]["spec"]["containers"]
    return found


def test_what_is_said_no_longer_is_taken_away_and_what_was_never_said_is_left() -> None:
    patch = threeway.patch(Deployment, deployment([], a="1", b="2"), deployment([], a="3"))
    assert patch["metadata"]["labels"] == {"a": "3", "b": None}


def test_items_of_keyed_lists_are_taken_away_by_their_key() -> None:
    before = deployment([{"name": "web", "image": "1", "tty": True}, {"name": "side"}])
    patch = threeway.patch(Deployment, before, deployment([{"name": "web", "image": "2"}]))
    assert containers_of(patch) == [{"name": "web", "image": "2", "tty": None}, {"$patch": "delete", "name": "side"}]


def test_lists_without_keys_are_replaced() -> None:
    before = deployment([{"name": "web", "command": ["a", "b"]}])
    patch = threeway.patch(Deployment, before, deployment([{"name": "web", "command": ["c"]}]))
    assert containers_of(patch) == [{"name": "web", "command": ["c"]}]


def test_an_object_that_nobody_applied_loses_nothing() -> None:
    assert threeway.last_applied({"metadata": {"annotations": {"x": "y"}}}) == {}
    assert threeway.last_applied({"metadata": {"annotations": {threeway.LAST_APPLIED: "no json"}}}) == {}


def test_what_was_applied_is_found_again() -> None:
    document = {"metadata": {"name": "a", "annotations": {"mine": "1"}}, "spec": {"replicas": 2}}
    annotated = threeway.annotated(threeway.annotated(document))
    assert threeway.last_applied(annotated) == document


READY = {
    "metadata": {"generation": 2},
    "status": {"observedGeneration": 2, "conditions": [{"type": "Ready", "status": "True"}]},
}
STALE = {"metadata": {"generation": 3}, "status": READY["status"]}


@pytest.mark.parametrize(
    ("condition", "state", "met"),
    [
        pytest.param("condition=Ready", READY, True, id="condition"),
        pytest.param("condition=ready=true", READY, True, id="case-does-not-matter"),
        pytest.param("condition=Ready=False", READY, False, id="condition-with-value"),
        pytest.param("condition=Ready", STALE, False, id="said-of-an-earlier-wish"),
        pytest.param("condition=Ready", {}, False, id="no-status"),
        pytest.param("jsonpath={.metadata.generation}=2", READY, True, id="value"),
        pytest.param("jsonpath={.metadata.generation}=3", READY, False, id="other-value"),
        pytest.param("jsonpath={.metadata.nothing}", READY, False, id="no-value"),
        pytest.param("jsonpath=.metadata.generation=2", READY, True, id="bare-path"),
        pytest.param("delete", None, True, id="gone"),
        pytest.param("delete", READY, False, id="not-gone"),
        pytest.param("create", READY, True, id="there"),
        pytest.param("create", None, False, id="not-there"),
    ],
)
def test_conditions(condition: str, state: dict[str, Any] | None, met: bool) -> None:
    assert wait.judge_of(condition)(state) is met


@pytest.mark.parametrize("condition", ["", "condition=", "jsonpath=", "ready", "jsonpath={.a"])
def test_conditions_that_cannot_be_read(condition: str) -> None:
    with pytest.raises(ValueError, match=".+"):
        wait.judge_of(condition)
