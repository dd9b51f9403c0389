from __future__ import annotations

import json

import pytest

from apiserver.openapi import gnostic
from apiserver.openapi.library import JSON, V2_PROTOBUF, Library
from apiserver.openapi.served import Additions, Body, Resource
from tests.unit.apiserver.openapi import served


@pytest.fixture(scope="module")
def library() -> Library:
    few = [each for each in served.RESOURCES if each.gvk[2] in ("ConfigMap", "Lease", "HorizontalPodAutoscaler")]
    return Library(few, served.INFO)


def test_the_index_leads_to_every_group_version(library: Library) -> None:
    paths = json.loads(library.index().plain())["paths"]
    assert "api/v1" in paths
    assert "apis/autoscaling/v1" in paths
    for name, told in paths.items():
        page = library.v3(name)
        assert page is not None
        assert told["serverRelativeURL"] == f"/openapi/v3/{name}?hash={page.hash}"


def test_nothing_is_found_where_nothing_is(library: Library) -> None:
    assert library.v3("apis/example.com/v1") is None


def test_the_older_version_in_both_forms(library: Library) -> None:
    document = json.loads(library.v2(JSON).plain())
    assert document["swagger"] == "2.0"
    assert library.v2(V2_PROTOBUF).plain() == gnostic.encode(document)


def test_the_same_is_always_written_the_same() -> None:
    few = served.RESOURCES[:3]
    assert Library(few, served.INFO).index() == Library(few[::-1], served.INFO).index()


def test_what_comes_later_is_described_too() -> None:
    library = Library([served.of("Lease")], served.INFO)
    before = library.index().hash
    cat = {"type": "object", "description": "A cat."}
    body = Body(definition="com.example.v1.Cat")
    cats = Resource(("example.com", "v1", "Cat"), "cats", True, ("create", "get", "list"), body, body)
    library.replace([served.of("Lease"), cats], Additions(v3={"com.example.v1.Cat": cat}))
    assert library.index().hash != before
    page = library.v3("apis/example.com/v1")
    assert page is not None
    document = json.loads(page.plain())
    assert document["components"]["schemas"]["com.example.v1.Cat"] == cat
    assert "/apis/example.com/v1/namespaces/{namespace}/cats/{name}" in document["paths"]
