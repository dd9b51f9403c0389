from __future__ import annotations

from typing import Any

import pytest

from apiserver.openapi import names
from apiserver.openapi.definitions import Definitions
from apiserver.openapi.dialects import V2, V3, Dialect
from steersman.api import apiextensions, apps, autoscaling, core, kinds, meta, policy, scheduling
from steersman.api.part import Part


@pytest.mark.parametrize(
    ("struct", "name"),
    [
        (apps.Deployment, "io.k8s.api.apps.v1.Deployment"),
        (core.Container, "io.k8s.api.core.v1.Container"),
        (meta.ObjectMeta, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
        (autoscaling.HorizontalPodAutoscaler, "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler"),
        (autoscaling.HorizontalPodAutoscalerV1, "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler"),
        (autoscaling.CrossVersionObjectReferenceV1, "io.k8s.api.autoscaling.v1.CrossVersionObjectReference"),
        (autoscaling.Scale, "io.k8s.api.autoscaling.v1.Scale"),
        (scheduling.PriorityClass, "io.k8s.api.scheduling.v1.PriorityClass"),
        (scheduling.TopologyConstraint, "io.k8s.api.scheduling.v1alpha3.TopologyConstraint"),
        (
            apiextensions.CustomResourceDefinition,
            "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_definitions_have_the_names_of_kubernetes(struct: type[Part], name: str) -> None:
    assert names.of_struct(struct) == name


def defined(struct: type[Part], dialect: Dialect = V3) -> dict[str, Any]:
    return Definitions(dialect).reaching([struct])[names.of_struct(struct)]


def without_words(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != "description"}


@pytest.mark.parametrize(
    ("struct", "field", "v2", "v3"),
    [
        pytest.param(core.Container, "image", {"type": "string"}, {"type": "string"}, id="text"),
        pytest.param(
            core.Container,
            "name",
            {"type": "string"},
            {"type": "string", "default": ""},
            id="text that is never absent",
        ),
        pytest.param(
            core.ContainerPort,
            "protocol",
            {"type": "string", "default": "TCP", "enum": ["SCTP", "TCP", "UDP"]},
            {"type": "string", "default": "TCP", "enum": ["SCTP", "TCP", "UDP"]},
            id="default and choices",
        ),
        pytest.param(
            apps.DeploymentSpec,
            "replicas",
            {"type": "integer", "format": "int32"},
            {"type": "integer", "format": "int32"},
            id="number",
        ),
        pytest.param(
            apps.DeploymentSpec,
            "strategy",
            {
                "$ref": "#/definitions/io.k8s.api.apps.v1.DeploymentStrategy",
                "x-kubernetes-patch-strategy": "retainKeys",
            },
            {
                "allOf": [{"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy"}],
                "default": {},
                "x-kubernetes-patch-strategy": "retainKeys",
            },
            id="struct",
        ),
        pytest.param(
            core.Secret,
            "data",
            {"type": "object", "additionalProperties": {"type": "string", "format": "byte"}},
            {"type": "object", "additionalProperties": {"type": "string", "format": "byte"}},
            id="map of bytes",
        ),
        pytest.param(
            core.PersistentVolumeClaimSpec,
            "accessModes",
            {
                "type": "array",
                "items": {
                    "type": "string",
                    "enum": ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"],
                },
                "x-kubernetes-list-type": "atomic",
            },
            {
                "type": "array",
                "items": {
                    "type": "string",
                    "enum": ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"],
                },
                "x-kubernetes-list-type": "atomic",
            },
            id="choices of a list",
        ),
        pytest.param(
            core.PodSpec,
            "volumes",
            {
                "type": "array",
                "items": {"$ref": "#/definitions/io.k8s.api.core.v1.Volume"},
                "x-kubernetes-list-map-keys": ["name"],
                "x-kubernetes-list-type": "map",
                "x-kubernetes-patch-merge-key": "name",
                "x-kubernetes-patch-strategy": "merge,retainKeys",
            },
            {
                "type": "array",
                "items": {"$ref": "#/components/schemas/io.k8s.api.core.v1.Volume"},
                "x-kubernetes-list-map-keys": ["name"],
                "x-kubernetes-list-type": "map",
                "x-kubernetes-patch-merge-key": "name",
                "x-kubernetes-patch-strategy": "merge,retainKeys",
            },
            id="list that merges by a key",
        ),
    ],
)
def test_fields(struct: type[Part], field: str, v2: dict[str, Any], v3: dict[str, Any]) -> None:
    assert without_words(defined(struct, V2)["properties"][field]) == v2
    assert without_words(defined(struct, V3)["properties"][field]) == v3


def test_a_kind_says_what_it_is_and_needs() -> None:
    schema = defined(apps.Deployment)
    assert schema["x-kubernetes-group-version-kind"] == [{"group": "apps", "version": "v1", "kind": "Deployment"}]
    assert schema["required"] == ["spec"]
    assert schema["description"]


def test_a_struct_that_is_one_value_says_so() -> None:
    assert defined(meta.LabelSelector)["x-kubernetes-map-type"] == "atomic"


@pytest.mark.parametrize(("field", "name"), [("items", "Array"), ("additionalItems", "Bool")])
def test_values_of_several_kinds_have_a_name(field: str, name: str) -> None:
    schema = defined(apiextensions.JSONSchemaProps, V2)["properties"][field]
    assert schema["$ref"].endswith(f"v1.JSONSchemaPropsOr{name}")


@pytest.mark.parametrize("dialect", [V2, V3], ids=["v2", "v3"])
def test_all_that_is_used_is_defined(dialect: Dialect) -> None:
    found = Definitions(dialect).reaching([policy.Eviction, apiextensions.CustomResourceDefinition, core.Pod])
    used = {
        reference.removeprefix(dialect.references) for schema in found.values() for reference in _references(schema)
    }
    assert used <= set(found)


def _references(part: Any) -> list[str]:
    if isinstance(part, list):
        return [each for inner in part for each in _references(inner)]
    if not isinstance(part, dict):
        return []
    here = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
    return here + [each for inner in part.values() for each in _references(inner)]


def test_definitions_from_elsewhere_stand_among_the_others() -> None:
    cat = {"type": "object", "properties": {"metadata": V3.reference(names.of_struct(meta.ObjectMeta))}}
    definitions = Definitions(V3, {"com.example.v1.Cat": cat})
    definitions.add(meta.ObjectMeta)
    found = definitions.reaching(["com.example.v1.Cat"])
    assert found["com.example.v1.Cat"] == cat
    assert names.of_struct(meta.ObjectMeta) in found


def test_every_kind_has_a_list() -> None:
    definitions = Definitions(V3)
    for kind in kinds.ALL:
        name = definitions.add_list(kind.struct)
        schema = definitions.reaching([name])[name]
        assert schema["required"] == ["items"]
        assert schema["x-kubernetes-group-version-kind"][0]["kind"] == f"{kind.kind}List"
