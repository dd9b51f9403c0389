"""Tables as they are on the wire."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from apiserver.printing import customresources, tables
from apiserver.printing.tables import Include, Table
from apiserver.registry.requests import Found, FoundList
from steersman.api import kinds
from steersman.api.kinds import Kind
from steersman.api.names import Revision
from tests.unit.apiserver.printing.rows import CREATED, NOW


def kind_of(resource: str, group: str = "", version: str = "") -> Kind:
    found = kinds.by_resource(group, resource, version)
    assert found is not None
    return found


PODS = kind_of("pods")
FLOW_SCHEMAS = kind_of("flowschemas", "flowcontrol.apiserver.k8s.io")


def document(kind: Kind, name: str = "x", **fields: Any) -> dict[str, Any]:
    metadata = {"resourceVersion": "7", "name": name, "creationTimestamp": CREATED}
    return {"metadata": metadata, "apiVersion": kind.api_version, "kind": kind.kind, **fields}


def encoded(kind: Kind, name: str = "x", **fields: Any) -> bytes:
    return json.dumps(document(kind, name, **fields)).encode()


def table(kind: Kind = PODS, include: Include = Include.METADATA, version: str = "v1") -> Table:
    return tables.of_kind(kind, lambda: NOW, version, include)


def listed(shown: Table, *items: bytes, **more: Any) -> Any:
    found = FoundList(tuple(Found(item, Revision(7)) for item in items), Revision(9), **more)
    return json.loads(b"".join(shown.pieces(found)))


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_a_table_of_one_object(version: str) -> None:
    made = json.loads(table(version=version).one(encoded(PODS)))
    assert (made["kind"], made["apiVersion"]) == ("Table", f"meta.k8s.io/{version}")
    assert made["metadata"] == {"resourceVersion": "7"}
    assert made["columnDefinitions"][0] == {
        "name": "Name",
        "type": "string",
        "format": "name",
        "description": made["columnDefinitions"][0]["description"],
        "priority": 0,
    }
    (row,) = made["rows"]
    assert row["cells"] == ["x", "0/0", "", "0", "5m", "<none>", "<none>", "<none>", "<none>"]
    assert row["object"] == {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": document(PODS)["metadata"],
    }


@pytest.mark.parametrize(
    ("include", "beside"), [(Include.OBJECT, document(PODS)), (Include.NONE, None)], ids=["object", "nothing"]
)
def test_what_stands_beside_a_row(include: Include, beside: Any) -> None:
    (row,) = listed(table(include=include), encoded(PODS))["rows"]
    assert row["object"] == beside


def test_a_list() -> None:
    made = listed(table(), encoded(PODS, "a"), encoded(PODS, "b"))
    assert made["metadata"] == {"resourceVersion": "9"}
    assert len(made["columnDefinitions"]) == 9
    assert [row["cells"][0] for row in made["rows"]] == ["a", "b"]


def test_an_empty_list() -> None:
    made = listed(table())
    assert (made["rows"], len(made["columnDefinitions"])) == ([], 9)


def test_a_page_of_a_list() -> None:
    made = listed(table(), encoded(PODS), continue_token="t", remaining=3)
    assert made["metadata"] == {"resourceVersion": "9", "continue": "t", "remainingItemCount": 3}


def test_a_list_of_many_chunks() -> None:
    count = 2 * tables.CHUNK + 1
    assert len(listed(table(kind_of("serviceaccounts")), *[encoded(PODS)] * count)["rows"]) == count


@pytest.mark.parametrize(
    ("phase", "conditions"),
    [
        ("Running", None),
        ("Succeeded", [("Completed", "True", "Succeeded", "The pod has completed successfully.")]),
        ("Failed", [("Completed", "True", "Failed", "The pod failed.")]),
    ],
)
def test_a_row_about_what_has_ended_says_so(phase: str, conditions: list[tuple[str, ...]] | None) -> None:
    (row,) = listed(table(), encoded(PODS, status={"phase": phase}))["rows"]
    told = row.get("conditions")
    assert (told and [tuple(each.values()) for each in told]) == conditions


def test_only_the_first_event_names_the_columns() -> None:
    shown = table()
    first, second = json.loads(shown.event(encoded(PODS))), json.loads(shown.event(encoded(PODS)))
    assert len(first["columnDefinitions"]) == 9
    assert second["columnDefinitions"] is None
    assert first["rows"] == second["rows"]
    assert first["metadata"] == {"resourceVersion": "7"}


def test_the_first_event_is_kept_for_nobody_else() -> None:
    shown = table()
    before = shown.name
    shown.event(encoded(PODS))
    assert (before, shown.name) == ("", "table v1 Metadata")
    assert table(include=Include.NONE).name == ""


def test_a_bookmark_may_be_the_first_event() -> None:
    shown = table()
    bookmark = json.dumps({"metadata": {"resourceVersion": "8", "creationTimestamp": None}}).encode()
    made = json.loads(shown.bookmark(bookmark))
    assert (made["metadata"], len(made["columnDefinitions"]), len(made["rows"])) == ({"resourceVersion": "8"}, 9, 1)
    assert json.loads(shown.event(encoded(PODS)))["columnDefinitions"] is None


@pytest.mark.parametrize(
    "kind", [kind for kind in kinds.ALL if kind.is_stored], ids=lambda kind: kind.api_version + kind.kind
)
def test_a_bookmark_of_every_kind(kind: Kind) -> None:
    bookmark = json.dumps({"metadata": {"resourceVersion": "8", "creationTimestamp": None}, "kind": kind.kind}).encode()
    assert len(json.loads(table(kind).bookmark(bookmark))["rows"]) == 1


def test_the_end_of_the_initial_events_is_told_in_any_case() -> None:
    metadata = {"resourceVersion": "8", "annotations": {"k8s.io/initial-events-end": "true"}}
    made = json.loads(table(include=Include.NONE).bookmark(json.dumps({"metadata": metadata}).encode()))
    assert made["rows"][0]["object"]["metadata"] == metadata


def test_flow_schemas_stand_in_the_order_of_their_precedence() -> None:
    items = [
        encoded(FLOW_SCHEMAS, name, spec={"matchingPrecedence": precedence})
        for name, precedence in (("a", 900), ("c", 1), ("b", 900), ("d", 100))
    ]
    assert [row["cells"][0] for row in listed(table(FLOW_SCHEMAS), *items)["rows"]] == ["c", "d", "a", "b"]


def test_an_object_asked_for_in_another_version_looks_the_same() -> None:
    old = kind_of("horizontalpodautoscalers", "autoscaling", "v1")
    spec = {"scaleTargetRef": {"kind": "D", "name": "n"}, "maxReplicas": 3, "targetCPUUtilizationPercentage": 50}
    (row,) = json.loads(table(old).one(encoded(old, spec=spec)))["rows"]
    assert row["cells"][1:4] == ["D/n", "cpu: <unknown>/50%", "<unset>"]
    event = kind_of("events", "events.k8s.io", "v1")
    (row,) = json.loads(table(event).one(encoded(event, regarding={"kind": "Pod", "name": "p"}, note="said")))["rows"]
    assert (row["cells"][3], row["cells"][6]) == ("pod/p", "said")


def test_custom_resources() -> None:
    shown = Table(customresources.printer_of([]), msgspec.json.decode, lambda: NOW)
    made = json.loads(shown.one(b'{"metadata":{"name":"x","resourceVersion":"3"},"spec":{}}'))
    assert (made["metadata"], made["rows"][0]["cells"]) == ({"resourceVersion": "3"}, ["x", None])
