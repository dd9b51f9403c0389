"""What people call kinds and objects."""

from __future__ import annotations

import pytest

from steersman.cli import naming
from steersman.cli.naming import Unclear, UnknownKind


@pytest.mark.parametrize(
    ("text", "resource"),
    [
        pytest.param("pods", "pods", id="plural"),
        pytest.param("pod", "pods", id="singular"),
        pytest.param("po", "pods", id="short"),
        pytest.param("Deployment", "deployments", id="kind"),
        pytest.param("deployments.apps", "deployments", id="with-group"),
        pytest.param("deploy.v1.apps", "deployments", id="with-version"),
        pytest.param("hpa", "horizontalpodautoscalers", id="served-twice"),
    ],
)
def test_kinds(text: str, resource: str) -> None:
    assert naming.kind_called(text).resource == resource


def test_the_core_kind_owns_a_word_that_two_groups_use() -> None:
    assert naming.kind_called("events").group == ""
    assert naming.kind_called("events.events.k8s.io").group == "events.k8s.io"


def test_an_unknown_kind_is_refused_in_kubectls_words() -> None:
    with pytest.raises(UnknownKind, match='the server doesn\'t have a resource type "foo"'):
        naming.kind_called("foo")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(["pods"], [("pods", ())], id="all-of-a-kind"),
        pytest.param(["po", "a", "b"], [("pods", ("a", "b"))], id="names-behind"),
        pytest.param(["po/a", "svc/b"], [("pods", ("a",)), ("services", ("b",))], id="each-with-its-kind"),
        pytest.param(["pods,svc"], [("pods", ()), ("services", ())], id="several-kinds"),
        pytest.param(["pods,po"], [("pods", ())], id="the-same-twice"),
    ],
)
def test_wanted(arguments: list[str], expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(one.kind.resource, one.names) for one in naming.wanted(arguments)] == expected


def test_all_means_the_kinds_that_run_something() -> None:
    resources = [one.kind.resource for one in naming.wanted(["all"])]
    assert {"pods", "services", "deployments", "replicasets"} <= set(resources)
    assert "configmaps" not in resources
    assert len(resources) == len(set(resources))


@pytest.mark.parametrize("arguments", [[], ["pods", "po/a"], ["po/"], ["po/a/b"]])
def test_what_does_not_say_which_objects(arguments: list[str]) -> None:
    with pytest.raises(Unclear):
        naming.wanted(arguments)


@pytest.mark.parametrize(("word", "text"), [("po", "pod/a"), ("deploy", "deployment.apps/a")])
def test_reference(word: str, text: str) -> None:
    assert naming.reference(naming.kind_called(word), "a") == text
