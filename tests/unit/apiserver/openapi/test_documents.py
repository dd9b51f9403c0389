from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from apiserver.openapi import operations, pages, v2, v3
from apiserver.openapi.definitions import Definitions
from apiserver.openapi.dialects import V2, V3
from apiserver.openapi.operations import PathItem
from apiserver.openapi.served import Resource
from tests.unit.apiserver.openapi import served

DEPLOYMENTS = "/apis/apps/v1/namespaces/{namespace}/deployments"
DEPLOYMENT = f"{DEPLOYMENTS}/{{name}}"
APPS = ("apps", "v1")
GVK = {"group": "apps", "version": "v1", "kind": "Deployment"}


def items_of(resources: Iterable[Resource]) -> list[PathItem]:
    return [item for resource in resources for item in operations.path_items(resource)]


@pytest.fixture(scope="module")
def newer() -> dict[str, Any]:
    apps = [each for each in served.RESOURCES if each.group_version == APPS]
    return v3.document(Definitions(V3), items_of(apps), [APPS], served.INFO)


@pytest.fixture(scope="module")
def older() -> dict[str, Any]:
    groups = {each.group_version: None for each in served.RESOURCES}
    items = [pages.of_group_version(*APPS), *items_of(served.RESOURCES)]
    return v2.document(Definitions(V2), items, groups, served.INFO)


def test_v3_of_one_group(newer: dict[str, Any]) -> None:
    assert newer["openapi"] == "3.0.0"
    assert newer["info"] == served.INFO
    assert all(path.startswith("/apis/apps/v1/") for path in newer["paths"])
    assert "io.k8s.api.core.v1.PodSpec" in newer["components"]["schemas"]
    assert "io.k8s.api.core.v1.Service" not in newer["components"]["schemas"]


def test_v3_patches_say_what_they_take(newer: dict[str, Any]) -> None:
    patch = newer["paths"][DEPLOYMENT]["patch"]
    assert patch["x-kubernetes-action"] == "patch"
    assert patch["x-kubernetes-group-version-kind"] == GVK
    assert tuple(patch["requestBody"]["content"]) == served.PATCHES
    assert {each["name"] for each in patch["parameters"]} == {"dryRun", "fieldManager", "fieldValidation", "force"}


def test_v3_bodies_and_answers(newer: dict[str, Any]) -> None:
    reference = {"$ref": "#/components/schemas/io.k8s.api.apps.v1.Deployment"}
    post = newer["paths"][DEPLOYMENTS]["post"]
    assert post["requestBody"] == {"content": {"*/*": {"schema": reference}}, "required": True}
    assert post["responses"]["201"]["content"]["application/json"]["schema"] == reference
    listing = newer["paths"][DEPLOYMENTS]["get"]["responses"]["200"]["content"]
    assert listing["application/json"]["schema"] == {"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentList"}
    assert "application/json;stream=watch" in listing


def test_v3_parameters_of_the_path(newer: dict[str, Any]) -> None:
    name = newer["paths"][DEPLOYMENT]["parameters"][0]
    assert (name["name"], name["in"], name["required"]) == ("name", "path", True)
    assert name["schema"] == {"type": "string", "uniqueItems": True}


def test_delete_options_are_of_every_group_version_in_a_document(newer: dict[str, Any], older: dict[str, Any]) -> None:
    name = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
    told = newer["components"]["schemas"][name]["x-kubernetes-group-version-kind"]
    assert [each["group"] for each in told] == ["", "apps"]
    assert len(older["definitions"][name]["x-kubernetes-group-version-kind"]) == 21


def test_v2_of_everything(older: dict[str, Any]) -> None:
    assert older["swagger"] == "2.0"
    post = older["paths"][DEPLOYMENTS]["post"]
    body = {"name": "body", "in": "body", "required": True}
    assert post["parameters"][0] == {**body, "schema": {"$ref": "#/definitions/io.k8s.api.apps.v1.Deployment"}}
    assert post["consumes"] == ["*/*"]
    assert older["paths"][DEPLOYMENT]["patch"]["consumes"] == list(served.PATCHES)
    assert "io.k8s.api.core.v1.Service" in older["definitions"]


def test_v2_discovery_pages(older: dict[str, Any]) -> None:
    answer = older["paths"]["/apis/apps/v1/"]["get"]["responses"]["200"]["schema"]
    assert answer == {"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList"}
