"""Our definitions and paths against the published ones of Kubernetes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apiserver.openapi import names, writing
from apiserver.openapi import served as served_
from apiserver.openapi.dialects import V2
from apiserver.openapi.library import Library
from apiserver.restfront import doors, openapi
from apiserver.restfront.verbs import Verbs
from steersman.api import kinds
from tests.unit.api import facts
from tests.unit.apiserver.openapi import served

pytestmark = facts.needed

STREAMS = {"attach", "exec", "log", "portforward", "proxy"}
"""Doors that others bring along."""
_NOT_STRUCTS = {"meta.v1.APIResource", "meta.v1.APIResourceList"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    known = {**doors.parts(Verbs(None)), **doors.SmallDoors(None).doors()}  # type: ignore[arg-type]  # nobody is asked
    found: dict[str, Any] = json.loads(
        writing.v2_json(openapi.resources(kinds.ALL, known), served_.NO_ADDITIONS, served.INFO)
    )
    return found


def published_name(definition: str) -> str:
    """`io.k8s.api.core.v1.Pod` -> `core.v1.Pod`"""
    if definition in (names.QUANTITY, names.INT_OR_STRING):
        return ".".join(definition.split(".")[-3:])
    return ".".join(definition.split(".")[-2:] if definition == names.RAW_EXTENSION else definition.split(".")[-3:])


def described(schema: dict[str, Any]) -> str:
    """The type of a field as the facts write it."""
    if "$ref" in schema:
        return published_name(schema["$ref"].removeprefix(V2.references))
    if schema["type"] == "array":
        return f"[{described(schema['items'])}]"
    if "additionalProperties" in schema:
        return f"{{{described(schema['additionalProperties'])}}}"
    return f"{schema['type']}/{schema['format']}" if "format" in schema else str(schema["type"])


def told(schema: dict[str, Any]) -> dict[str, Any]:
    notes = {
        "type": described(schema),
        "patch": schema.get("x-kubernetes-patch-strategy"),
        "mergeKey": schema.get("x-kubernetes-patch-merge-key"),
        "listType": schema.get("x-kubernetes-list-type"),
        "listKeys": schema.get("x-kubernetes-list-map-keys"),
        "mapType": schema.get("x-kubernetes-map-type"),
        "default": schema.get("default"),
    }
    return {name: value for name, value in notes.items() if value is not None}


def test_definitions_are_the_published_ones(document: dict[str, Any]) -> None:
    known = facts.read("fields.json")
    compared = 0
    for definition, schema in document["definitions"].items():
        name = published_name(definition)
        if name not in known or "fields" not in known[name] or name in _NOT_STRUCTS:
            continue
        compared += 1
        fields = {
            each: {"type": said} if isinstance(said, str) else said for each, said in known[name]["fields"].items()
        }
        assert {each: told(said) for each, said in schema.get("properties", {}).items()} == fields, name
        assert set(schema.get("required", ())) == set(known[name].get("required", ())) - {"metadata"}, name
        if name != "meta.v1.DeleteOptions":
            kinds_told = [
                "/".join(filter(None, (each["group"], each["version"], each["kind"])))
                for each in schema.get("x-kubernetes-group-version-kind", ())
            ]
            assert kinds_told == known[name].get("gvk", []), name
    assert compared > 400


def test_every_published_type_of_our_groups_is_defined(document: dict[str, Any]) -> None:
    found = {published_name(definition) for definition in document["definitions"]}
    ours = {name.rpartition(".")[0] for name in found}
    missing = {name for name in facts.read("fields.json") if name.rpartition(".")[0] in ours} - found
    kinds_elsewhere = {"meta.v1.WatchEvent"}
    assert {
        name for name in missing - kinds_elsewhere if not name.startswith(("certificates.", "scheduling."))
    } == set()


def actions(item: dict[str, Any]) -> list[str]:
    return sorted(each["x-kubernetes-action"] for method, each in item.items() if method != "parameters")


def test_paths_are_the_published_ones(document: dict[str, Any]) -> None:
    known = facts.read("paths.json")
    for path, item in document["paths"].items():
        if path.endswith("/") or path.startswith("/apis/flowcontrol."):
            continue  # pages and flow control are not among the facts
        operations = [each for method, each in item.items() if method != "parameters"]
        kinds_told = {tuple(each["x-kubernetes-group-version-kind"].values()) for each in operations}
        assert {"/".join(filter(None, kind)) for kind in kinds_told} == {known[path]["kind"]}, path
        assert actions(item) == sorted(known[path]["actions"]), path


def test_published_paths_of_our_kinds_are_described(document: dict[str, Any]) -> None:
    for path in facts.read("paths.json"):
        group, version, resource = _parts(path)
        kind = kinds.by_resource(group, resource, version)
        door = path.partition("{name}/")[2].partition("/")[0]
        is_served = kind is not None and (not door or door in set(kind.subresources) - STREAMS)
        assert not is_served or path in document["paths"], path


def _parts(path: str) -> tuple[str, str, str]:
    parts = path.split("/")[1:]
    group, rest = ("", parts[1:]) if parts[0] == "api" else (parts[1], parts[2:])
    version, below = rest[0], rest[1:]
    in_namespace = len(below) > 2 and below[:2] == ["namespaces", "{namespace}"]
    return group, version, below[2] if in_namespace else below[0]


def test_the_index_lists_what_is_recorded() -> None:
    recorded = set(facts.read("golden/raw/openapi-v3-index.json")["body"]["paths"])
    library = Library(served.RESOURCES, served.INFO)
    found = set(json.loads(library.index().plain())["paths"])
    assert found == {name for name in recorded if not name.startswith("apis/resource.k8s.io")}
