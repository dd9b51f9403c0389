"""Every Struct against the published facts: no field missing or too many, and every note on it right."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from steersman.api import kinds, schema
from steersman.api.authentication import TokenRequestSpec
from steersman.api.part import Part, is_whole
from steersman.api.schema import Field, Form, Shape
from tests.unit.api import facts
from tests.unit.api.test_nulls import NEVER_EMPTY

pytestmark = facts.needed

MODULES = {
    "admissionregistration.v1": "admissionregistration",
    "apiextensions.v1": "apiextensions",
    "apiregistration.v1": "apiregistration",
    "apps.v1": "apps",
    "authentication.v1": "authentication",
    "authorization.v1": "authorization",
    "autoscaling.v1": "autoscaling",
    "autoscaling.v2": "autoscaling",
    "batch.v1": "batch",
    "certificates.v1": "certificates",
    "coordination.v1": "coordination",
    "core.v1": "core",
    "discovery.v1": "discovery",
    "events.v1": "events",
    "meta.v1": "meta",
    "networking.v1": "networking",
    "node.v1": "node",
    "policy.v1": "policy",
    "rbac.v1": "rbac",
    "scheduling.v1": "scheduling",
    "scheduling.v1alpha3": "scheduling",
    "storage.v1": "storage",
}
NOT_OURS = {"meta.v1.APIResource", "meta.v1.APIResourceList", "meta.v1.WatchEvent"}
SCALARS = {
    "string": Form.STRING,
    "string/byte": Form.BYTES,
    "boolean": Form.BOOL,
    "integer/int32": Form.INT32,
    "integer/int64": Form.INT64,
    "number/double": Form.DOUBLE,
    "meta.v1.Time": Form.TIME,
    "meta.v1.MicroTime": Form.MICRO_TIME,
    "api.resource.Quantity": Form.QUANTITY,
    "util.intstr.IntOrString": Form.INT_OR_STRING,
    "meta.v1.FieldsV1": Form.JSON,
    "runtime.RawExtension": Form.JSON,
    "apiextensions.v1.JSON": Form.JSON,
    "apiextensions.v1.JSONSchemaPropsOrArray": Form.CHOICE,
    "apiextensions.v1.JSONSchemaPropsOrBool": Form.CHOICE,
    "apiextensions.v1.JSONSchemaPropsOrStringArray": Form.CHOICE,
}
TIMES = (Form.TIME, Form.MICRO_TIME)


def struct_of(name: str) -> type[Part]:
    group, _, short = name.rpartition(".")
    module = importlib.import_module(f"steersman.api.{MODULES[group]}")
    found = getattr(module, f"{short}V1", None) if group == "autoscaling.v1" else None
    struct: type[Part] = found or getattr(module, short)
    assert issubclass(struct, Part)
    return struct


def is_ours(name: str, known: dict[str, Any]) -> bool:
    is_list = name.endswith("List") and "items" in known.get("fields", {})
    return "fields" in known and not is_list and name not in NOT_OURS


PUBLISHED = [name for name, known in facts.read("fields.json").items() if is_ours(name, known)]


def notes(name: str, field: str) -> dict[str, Any]:
    known = facts.read("fields.json")[name]["fields"][field]
    return known if isinstance(known, dict) else {"type": known}


def describe(shape: Shape, kind: str) -> str:
    """The published name of a shape, spelled like `kind` where several names have one shape."""
    if kind in SCALARS and SCALARS[kind] is shape.form:
        return kind
    if shape.form is Form.LIST and shape.item is not None:
        return f"[{describe(shape.item, kind[1:-1])}]"
    if shape.form is Form.MAP and shape.item is not None:
        return f"{{{describe(shape.item, kind[1:-1])}}}"
    if shape.struct is not None and "." in kind and struct_of(kind) is shape.struct:
        return kind
    return str(shape)


def json_numbers(name: str) -> dict[str, tuple[int, ...]]:
    """JSON name -> protobuf numbers, with inlined messages (and other spellings) resolved."""
    wire = facts.read("protobuf.json")
    names = facts.read("fields.json").get(name, {}).get("fields", {})
    spelled = {spelling(field): field for field in names}
    found: dict[str, tuple[int, ...]] = {}
    for field, (number, kind) in wire.get(name, {}).items():
        if spelling(field) in spelled:
            found[spelled[spelling(field)]] = (number,)
        elif names:
            inner = kind if "." in kind else f"{name.rpartition('.')[0]}.{kind}"
            found |= {each: (number, *path) for each, path in inlined(inner).items()}
    return found


def inlined(name: str) -> dict[str, tuple[int, ...]]:
    if name in facts.read("fields.json"):
        return json_numbers(name)
    wire = facts.read("protobuf.json")[name]
    return {field: (number,) for field, (number, _) in wire.items()}


def spelling(name: str) -> str:
    return name.replace("$", "").replace("-", "").lower()


def presence(name: str, field: str) -> tuple[bool, bool] | None:
    """(pointer, written), or None where nothing is published about the field."""
    known = facts.read("presence.json")
    group = name.rpartition(".")[0]
    owners = {
        "EphemeralContainer": "EphemeralContainerCommon",
        "Probe": "ProbeHandler",
        "Volume": "VolumeSource",
        "PersistentVolumeSpec": "PersistentVolumeSource",
        "IngressRule": "IngressRuleValue",
        "RuleWithOperations": "Rule",
        "NamedRuleWithOperations": "Rule",
    }
    owner = name
    if field not in facts.read("protobuf.json").get(name, {}) and name.rpartition(".")[2] in owners:
        owner = f"{group}.{owners[name.rpartition('.')[2]]}"
    if owner not in known:
        return None
    written = {each.partition("=")[0] for each in known[owner].get("written", ())}
    return field in known[owner].get("pointer", ()), field in written


@pytest.mark.parametrize("name", PUBLISHED)
def test_has_exactly_the_published_fields(name: str) -> None:
    assert set(schema.fields(struct_of(name))) == set(facts.read("fields.json")[name]["fields"])


def each_field(name: str) -> Iterator[tuple[Field, dict[str, Any]]]:
    for field in schema.fields(struct_of(name)).values():
        yield field, notes(name, field.name)


@pytest.mark.parametrize("name", PUBLISHED)
def test_fields_have_the_published_types(name: str) -> None:
    found = {field.name: describe(field.shape, known["type"]) for field, known in each_field(name)}
    assert found == {field.name: known["type"] for field, known in each_field(name)}


@pytest.mark.parametrize("name", PUBLISHED)
def test_lists_and_maps_merge_as_published(name: str) -> None:
    def ours(field: Field) -> tuple[Any, ...]:
        return field.patch, field.merge_key, field.list_type, field.list_keys, field.map_type, field.default

    def theirs(known: dict[str, Any]) -> tuple[Any, ...]:
        patch = frozenset(known.get("patch", "").split(",")) - {""}
        keys = tuple(known.get("listKeys", ()))
        rest = (known.get("mergeKey", ""), known.get("listType", ""), keys, known.get("mapType", ""))
        return patch, *rest, known.get("default")

    found = {field.name: ours(field) for field, _ in each_field(name)}
    assert found == {field.name: theirs(known) for field, known in each_field(name)}
    assert is_whole(struct_of(name)) is (facts.read("fields.json")[name].get("mapType") == "atomic")


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_fields_are_required(name: str) -> None:
    found = {field.name for field, _ in each_field(name) if field.required}
    wanted = set(facts.read("fields.json")[name].get("required", ()))
    assert found == wanted - {"metadata"}  # an Event's metadata is always there


@pytest.mark.parametrize("name", [each for each in PUBLISHED if each in facts.read("protobuf.json")])
def test_protobuf_numbers_are_the_published_ones(name: str) -> None:
    found = {field.name: field.number for field, _ in each_field(name) if field.number}
    assert found == json_numbers(name)


@pytest.mark.parametrize("name", PUBLISHED)
def test_presence_is_the_published_one(name: str) -> None:
    for field, known in each_field(name):
        if field.name in ("metadata", "apiVersion", "kind") or (said := presence(name, field.name)) is None:
            continue
        pointer, written = said
        if field.shape.form is Form.STRING and known["type"] == "string" and field.name == "uid":
            written = False  # published as written, but a UID is a text, and an empty one is left out
        assert field.written is written, field.name
        if field.shape.form is Form.LIST and written:
            filled_in = {*NEVER_EMPTY, (TokenRequestSpec, "audiences")}
            assert field.null_when_empty or (struct_of(name), field.name) in filled_in
        if field.shape.form not in (*TIMES, Form.JSON):
            assert field.pointer is pointer, field.name


def test_written_fields_are_written_when_empty() -> None:
    for kind in kinds.ALL:
        written = {name for name, field in schema.fields(kind.struct).items() if field.written}
        assert written == set(msgspec.json.decode(_encoded(kind.struct())))


def _encoded(value: Part) -> bytes:
    return msgspec.json.encode(value, enc_hook=str)


def discovered() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for document in ("api", "apis"):
        answer = facts.read(f"golden/raw/{document}-aggregated-discovery.json")
        for group in answer["body"]["items"] if answer else ():
            for version in group["versions"]:
                for resource in version["resources"]:
                    yield group["metadata"].get("name", ""), version["version"], resource


@pytest.mark.parametrize(
    ("group", "version", "resource"),
    [pytest.param(*each, id=f"{each[0]}/{each[1]}/{each[2]['resource']}") for each in discovered()],
)
def test_kinds_are_served_as_discovered(group: str, version: str, resource: dict[str, Any]) -> None:
    if group == "resource.k8s.io":
        pytest.skip("not among the kinds that we serve")
    kind = kinds.by_resource(group, resource["resource"], version)
    assert kind is not None
    assert kind.kind == resource["responseKind"]["kind"]
    assert kind.singular == resource["singularResource"]
    assert kind.namespaced is (resource["scope"] == "Namespaced")
    assert kind.short_names == tuple(resource.get("shortNames", ()))
    assert kind.categories == tuple(resource.get("categories", ()))
    assert kind.verbs == tuple(resource["verbs"])
    assert kind.subresources == tuple(each["subresource"] for each in resource.get("subresources", ()))


def test_no_kind_is_served_that_was_not_discovered() -> None:
    known = {(group, version, resource["resource"]) for group, version, resource in discovered()}
    assert {(kind.group, kind.version, kind.resource) for kind in kinds.ALL} <= known
