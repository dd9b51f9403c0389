"""Objects as tables, YAML, JSON, JSONPath and prose; errors in kubectl's words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from steersman.api import errors
from steersman.api.core import Event, ObjectReference
from steersman.api.errors import Cause, Details
from steersman.api.kinds import by_kind
from steersman.api.meta import ObjectMeta
from steersman.api.part import Time
from steersman.cli import describing, documents, explain, happenings, refusals, tables
from steersman.cli.tables import Column, Look, Metadata, Named, Row, Table

TABLE = Table(
    column_definitions=[Column("Name"), Column("Ready"), Column("Node", priority=1)],
    rows=[
        Row(["web-1", "1/1", "n0"], Named(Metadata("web-1", "default", {"b": "2", "a": "1"}))),
        Row(["a", True, None], Named(Metadata("a", "kube-system"))),
    ],
)


@pytest.mark.parametrize(
    ("look", "text"),
    [
        pytest.param(Look(), "NAME    READY\nweb-1   1/1\na       true\n", id="plain"),
        pytest.param(Look(wide=True), "NAME    READY   NODE\nweb-1   1/1     n0\na       true    \n", id="wide"),
        pytest.param(Look(without_headers=True), "web-1   1/1\na       true\n", id="no-headers"),
        pytest.param(Look(prefix="pod"), "NAME        READY\npod/web-1   1/1\npod/a       true\n", id="several-kinds"),
        pytest.param(
            Look(with_namespace=True, with_labels=True),
            "NAMESPACE     NAME    READY   LABELS\n"
            "default       web-1   1/1     a=1,b=2\n"
            "kube-system   a       true    <none>\n",
            id="namespaces-and-labels",
        ),
    ],
)
def test_tables(look: Look, text: str) -> None:
    assert tables.aligned(tables.rows(TABLE, look)) == text


def test_a_row_of_a_watch_keeps_the_widths_of_the_list() -> None:
    news = Table(rows=[Row(["x", "0/1", ""], None)])
    widths = tables.widths_of(tables.rows(TABLE, Look()))
    assert tables.aligned(tables.rows(news, Look(), TABLE.column_definitions), widths) == "x       0/1\n"


def test_a_cell_of_several_lines_is_cut() -> None:
    assert tables.text_of("one\ntwo") == "one..."


DOCUMENT: dict[str, Any] = {
    "metadata": {"name": "web", "managedFields": [1]},
    "items": [{"metadata": {"name": "a"}, "n": 1}, {"metadata": {"name": "b"}}],
    "on": True,
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        pytest.param("{.metadata.name}", "web", id="path"),
        pytest.param(".metadata.name", "web", id="bare-path"),
        pytest.param("metadata.name", "web", id="without-the-dot"),
        pytest.param("name: {.metadata.name}!", "name: web!", id="text-around"),
        pytest.param("{.items[*].metadata.name}", "a b", id="several-values"),
        pytest.param('{range .items[*]}{.metadata.name}{"\\n"}{end}', "a\nb\n", id="range"),
        pytest.param("{range .nothing[*]}{.x}{end}", "", id="empty-range"),
        pytest.param("{.on}{.items[0].n}", "true1", id="other-than-text"),
        pytest.param("{.items[0].metadata}", '{"name":"a"}', id="an-object"),
        pytest.param("{.nowhere}", "", id="absent"),
    ],
)
def test_jsonpath_templates(template: str, text: str) -> None:
    assert documents.by_template(template, DOCUMENT) == text


@pytest.mark.parametrize("template", ["{.a", "{end}", "{range .items[*]}{.a}", "{.a[}"])
def test_templates_that_cannot_be_read(template: str) -> None:
    with pytest.raises(documents.BadTemplate):
        documents.by_template(template, DOCUMENT)


def test_yaml_is_sorted_and_keeps_lines_and_quotes_what_is_no_text() -> None:
    document = {"b": "1", "a": "x\ny\n", "c": ["2026-01-01T00:00:00Z", "plain"], "d": {}}
    assert documents.as_yaml(document) == ('a: |\n  x\n  y\nb: "1"\nc:\n- "2026-01-01T00:00:00Z"\n- plain\nd: {}\n')


def test_managed_fields_are_not_shown() -> None:
    assert documents.shown(DOCUMENT)["metadata"] == {"name": "web"}
    assert "managedFields" in DOCUMENT["metadata"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param(
            errors.NotFound('pods "x" not found'), 'Error from server (NotFound): pods "x" not found', id="usual"
        ),
        pytest.param(
            errors.Invalid(
                "long", details=Details(name="w", kind="Pod", causes=(Cause("R", "Required value", "spec.x"),))
            ),
            'The Pod "w" is invalid: spec.x: Required value',
            id="one-cause",
        ),
        pytest.param(
            errors.Invalid(
                "long", details=Details(name="w", kind="Pod", causes=(Cause("", "m", "a"), Cause("", "n", "b")))
            ),
            'The Pod "w" is invalid: \n* a: m\n* b: n',
            id="several-causes",
        ),
        pytest.param(
            errors.Unavailable("the API server at h:1 refuses connections"),
            "The connection to the server h:1 was refused - did you specify the right host or port?",
            id="nobody-there",
        ),
    ],
)
def test_errors(error: errors.ApiError, text: str) -> None:
    assert refusals.text_of(error, "h:1") == text


def test_description_tells_labels_first_and_hides_what_apply_notes_for_itself() -> None:
    document = {
        "apiVersion": "v1",
        "kind": "Thing",
        "metadata": {
            "name": "web",
            "namespace": "default",
            "labels": {"b": "2", "a": "1"},
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
        },
        "spec": {"podIPs": [{"ip": "1"}, {"ip": "2"}], "on": False, "text": "x\ny"},
    }
    assert describing.text(document) == (
        "Name:         web\nNamespace:    default\nLabels:       a=1\n              b=2\nAnnotations:  <none>\n"
        "API Version:  v1\nKind:         Thing\nMetadata:\n"
        "Spec:\n  Pod IPs:\n    - Ip:  1\n    - Ip:  2\n  On:  false\n  Text:\n    x\n    y\n"
    )


def _event(name: str, seen: str, version: int, count: int = 1) -> Event:
    return Event(
        metadata=ObjectMeta(name=name, resource_version=str(version)),
        involved_object=ObjectReference(kind="Pod", name="web"),
        type="Warning",
        reason="BackOff",
        message="again",
        first_timestamp=Time("2026-01-01T00:00:00Z"),
        last_timestamp=Time(seen),
        count=count,
    )


def test_events_are_told_oldest_first_and_repetitions_counted() -> None:
    later, earlier = _event("b", "2026-01-01T00:01:00Z", 3, count=4), _event("a", "2026-01-01T00:00:30Z", 9)
    now = datetime(2026, 1, 1, 0, 2, tzinfo=UTC)
    assert [event.metadata.name for event in happenings.ordered([later, earlier])] == ["a", "b"]
    assert happenings.row(later, now) == ["60s (x4 over 2m)", "Warning", "BackOff", "Pod/web", "again"]


def test_explanation_of_a_field_and_its_fields() -> None:
    kind = by_kind("apps", "v1", "Deployment")
    assert kind is not None
    text = explain.explanation(kind, ["spec", "template", "spec", "containers"], recursive=False)
    assert text.startswith(
        "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELD: containers <[]Container>\n"
    )
    assert "\n  image\t<string>\n" in text
    assert "\n  name\t<string> -required-\n" in text


def test_explanation_of_what_is_not_there() -> None:
    kind = by_kind("", "v1", "Pod")
    assert kind is not None
    with pytest.raises(KeyError, match="nope"):
        explain.explanation(kind, ["spec", "nope"], recursive=False)


def test_recursive_explanation_ends_although_types_hold_themselves() -> None:
    kind = by_kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
    assert kind is not None
    assert "openAPIV3Schema" in explain.explanation(kind, [], recursive=True)
