from __future__ import annotations

import pytest

from steersman.api import schema
from steersman.api.apiextensions import JSONSchemaProps
from steersman.api.apps import Deployment
from steersman.api.core import Container, ObjectReference, Pod, PodSpec, Probe
from steersman.api.meta import LabelSelector, ObjectMeta
from steersman.api.schema import Form


def test_fields_are_known_by_their_json_names_in_the_order_of_writing() -> None:
    assert list(schema.fields(Pod)) == ["metadata", "apiVersion", "kind", "spec", "status"]
    assert schema.fields(PodSpec)["hostIPC"].attribute == "host_ipc"


@pytest.mark.parametrize(
    ("path", "form", "merge_key", "list_type"),
    [
        (("spec", "replicas"), Form.INT32, "", ""),
        (("spec", "template", "spec", "containers"), Form.LIST, "name", "map"),
        (("spec", "template", "spec", "containers", "ports"), Form.LIST, "containerPort", "map"),
        (("spec", "template", "spec", "tolerations"), Form.LIST, "", "atomic"),
        (("spec", "template", "spec", "containers", "resources", "limits"), Form.MAP, "", ""),
        (("spec", "strategy", "rollingUpdate", "maxSurge"), Form.INT_OR_STRING, "", ""),
        (("metadata", "finalizers"), Form.LIST, "", "set"),
    ],
)
def test_a_field_is_found_by_its_path(path: tuple[str, ...], form: Form, merge_key: str, list_type: str) -> None:
    field = schema.find(Deployment, path)
    assert field is not None
    assert (field.shape.form, field.merge_key, field.list_type) == (form, merge_key, list_type)


@pytest.mark.parametrize("path", [("nothing",), ("spec", "replicas", "x"), ("metadata", "labels", "a", "b")])
def test_what_is_not_there_is_not_found(path: tuple[str, ...]) -> None:
    assert schema.find(Deployment, path) is None


def test_presence() -> None:
    container, spec = schema.fields(Container), schema.fields(PodSpec)
    assert container["resources"].written
    assert not container["image"].written
    assert spec["priority"].pointer
    assert not spec["hostNetwork"].pointer
    assert spec["containers"].required
    assert not spec["nodeName"].required


def test_merging() -> None:
    ports = schema.fields(Container)["ports"]
    assert ports.list_keys == ("containerPort", "protocol")
    assert ports.patch == {"merge"}
    assert schema.fields(PodSpec)["volumes"].patch == {"merge", "retainKeys"}
    assert schema.fields(PodSpec)["nodeSelector"].map_type == "atomic"
    assert schema.map_type(LabelSelector) == schema.map_type(ObjectReference) == "atomic"
    assert schema.map_type(ObjectMeta) == ""


def test_inlined_fields_lead_through_the_message_that_holds_them_in_protobuf() -> None:
    assert schema.fields(Probe)["httpGet"].number == (1, 2)
    assert schema.fields(Probe)["periodSeconds"].number == (4,)
    assert schema.fields(Pod)["kind"].number == ()


def test_a_struct_may_hold_itself() -> None:
    items = schema.fields(JSONSchemaProps)["items"].shape
    assert [choice.form for choice in items.choices] == [Form.STRUCT, Form.LIST]
    assert schema.fields(JSONSchemaProps)["properties"].shape.item == items.choices[0]
