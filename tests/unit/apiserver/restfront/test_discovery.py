"""What is announced, beside what Kubernetes announces."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest

from apiserver.registry import catalog
from apiserver.restfront import doors, verbs
from apiserver.restfront.discovery import Discovery
from apiserver.restfront.routing import Doors
from steersman.api import kinds
from tests.unit.api import facts


@cache
def tables() -> Doors:
    nothing: Any = None  # discovery asks nobody
    return {**doors.parts(verbs.Verbs(nothing)), **doors.SmallDoors(nothing).doors()}


@cache
def discovery() -> Discovery:
    served = [kind for kind in kinds.ALL if kind.qualified_resource in catalog.STRATEGIES]
    return Discovery(served, tables(), lambda: "10.0.0.1:6443")


def golden(name: str) -> Any:
    """A copy, so that a test may take it apart."""
    return copy.deepcopy(facts.read(f"golden/raw/{name}")["body"])


def document(path: str) -> Any:
    made = discovery().document(path)
    assert made is not None
    return json.loads(made)


@facts.needed
@pytest.mark.parametrize(("path", "file"), [("/api/v1", "api-v1.json"), ("/apis/apps/v1", "apis-apps-v1.json")])
def test_resources_are_described_as_in_kubernetes(path: str, file: str) -> None:
    ours, theirs = document(path), golden(file)
    by_name = {resource["name"]: resource for resource in theirs.pop("resources")}
    assert [resource["name"] for resource in ours["resources"]] == sorted(
        (resource["name"] for resource in ours["resources"]), key=list(by_name).index
    )
    for resource in ours.pop("resources"):
        assert resource == by_name[resource["name"]]
    assert ours == theirs


@facts.needed
@pytest.mark.parametrize(
    ("path", "file"), [("/api", "api-aggregated-discovery.json"), ("/apis", "apis-aggregated-discovery.json")]
)
def test_aggregated_discovery_is_that_of_kubernetes(path: str, file: str) -> None:
    whole = discovery().aggregated(path, "v2")
    assert whole is not None
    ours, theirs = json.loads(whole.body), golden(file)
    known = {
        (group["metadata"].get("name"), version["version"], resource["resource"]): resource
        for group in theirs["items"]
        for version in group["versions"]
        for resource in version["resources"]
    }
    for group in ours["items"]:
        for version in group["versions"]:
            for resource in version["resources"]:
                expected = known[group["metadata"].get("name"), version["version"], resource["resource"]]
                subresources = {each["subresource"]: each for each in expected.get("subresources", ())}
                for each in resource.get("subresources", ()):
                    assert each == subresources[each["subresource"]]
                both = [{**side, "subresources": None} for side in (resource, expected)]
                assert both[0] == both[1]
    names = [group["metadata"].get("name") for group in theirs["items"]]
    assert [group["metadata"].get("name") for group in ours["items"]] == [
        name for name in names if name in {group["metadata"].get("name") for group in ours["items"]}
    ]


@facts.needed
def test_groups_are_listed_as_in_kubernetes() -> None:
    ours, theirs = document("/apis"), golden("apis.json")
    listed = {group["name"]: group for group in theirs["groups"]}
    for group in ours["groups"]:
        assert group == listed[group["name"]]


def test_one_group() -> None:
    assert document("/apis/autoscaling") == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "autoscaling",
        "versions": [
            {"groupVersion": "autoscaling/v2", "version": "v2"},
            {"groupVersion": "autoscaling/v1", "version": "v1"},
        ],
        "preferredVersion": {"groupVersion": "autoscaling/v2", "version": "v2"},
    }


def test_the_core_group() -> None:
    assert document("/api") == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "10.0.0.1:6443"}],
    }


def test_what_nobody_answers_is_not_announced() -> None:
    names = {resource["name"] for resource in document("/api/v1")["resources"]}
    assert "pods/status" in names
    assert "pods/exec" not in names
    assert "bindings" not in names


def test_nothing_at_other_paths() -> None:
    assert discovery().document("/apis/example.com") is None
    assert discovery().aggregated("/apis/apps", "v2") is None


def test_the_etag_follows_the_document() -> None:
    first, second = discovery().aggregated("/apis", "v2"), discovery().aggregated("/apis", "v2")
    older = discovery().aggregated("/apis", "v2beta1")
    assert first is not None
    assert older is not None
    assert first == second
    assert first.etag != older.etag
    assert json.loads(older.body)["apiVersion"] == "apidiscovery.k8s.io/v2beta1"
