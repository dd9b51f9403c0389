"""Schemas of custom resources: what makes them structural, and every rule broken once.

One version, so complaints are at `spec.validation`; paths below are relative to its schema.
"""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.customresourcedefinition import CUSTOM_RESOURCE_DEFINITION
from steersman.api.apiextensions import CustomResourceDefinition
from tests.unit.apiserver.registry.tables import Row, Subject, ids, row

ROOT = "spec.validation.openAPIV3Schema"
SUBJECT = Subject(
    CustomResourceDefinition,
    CUSTOM_RESOURCE_DEFINITION,
    {
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "scope": "Cluster", "names": {"plural": "widgets", "kind": "Widget"}},
    },
)


def complaints(schema: dict[str, Any], **version: Any) -> list[str]:
    """Without what they all begin with."""
    whole = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
    return [text.removeprefix(ROOT).lstrip(".: ") for text in SUBJECT.complaints({"spec": {"versions": [whole]}})]


def field(**given: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": given}}


def root(**given: Any) -> dict[str, Any]:
    return {"type": "object", **given}


A = "properties[a]"
INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
METADATA = "must not specify anything other than name and generateName, but metadata is implicitly specified"
STRUCTURE = [
    row("an object", root()),
    row("anything at all", root(**{"x-kubernetes-preserve-unknown-fields": True})),
    row("an integer or a string", field(**{"x-kubernetes-int-or-string": True, "anyOf": INT_OR_STRING})),
    row(
        "an integer or a string, and more",
        field(**{"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": INT_OR_STRING}, {"maximum": 5}]}),
    ),
    row("rules on known fields", {**field(type="string"), "anyOf": [{"properties": {"a": {"minLength": 1}}}]}),
    row(
        "a name of a certain form",
        root(properties={"metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 5}}}}),
    ),
    row(
        "an object inside",
        field(type="object", **{"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}),
    ),
    row("no type at the root", {}, "type: Required value: must not be empty at the root"),
    row(
        "a list at the root",
        {"type": "array", "items": {"type": "string"}},
        'type: Invalid value: "array": must be object at the root',
    ),
    row("no type of a field", field(), f"{A}.type: Required value: must not be empty for specified object fields"),
    row(
        "no type of items",
        field(type="array", items={}),
        f"{A}.items.type: Required value: must not be empty for specified array items",
    ),
    row("no items", field(type="array"), f"{A}.items: Required value: must be specified"),
    row(
        "anything else at the root",
        root(additionalProperties={"type": "string"}),
        "additionalProperties: Forbidden: must not be used at the root",
    ),
    row(
        "a map",
        field(type="object", additionalProperties={}),
        f"{A}.additionalProperties.type: Required value: must not be empty for specified object fields",
    ),
    row(
        "an integer, a string, anything, an object",
        field(
            type="object",
            properties={"b": {"type": "string"}},
            **{
                "x-kubernetes-int-or-string": True,
                "x-kubernetes-preserve-unknown-fields": True,
                "x-kubernetes-embedded-resource": True,
            },
        ),
        f"{A}.x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
        f"{A}.x-kubernetes-preserve-unknown-fields: Invalid value: true: "
        "must be false if x-kubernetes-int-or-string is true",
    ),
    row(
        "an object inside that is none",
        field(type="string", **{"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}),
        f'{A}.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
    ),
    row(
        "an object inside of nothing",
        field(additionalProperties=True, **{"x-kubernetes-embedded-resource": True}),
        f"{A}.additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
        f"{A}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without "
        "x-kubernetes-preserve-unknown-fields",
        f"{A}.type: Required value: must be object if x-kubernetes-embedded-resource is true",
    ),
    row(
        "a number for a kind",
        root(
            properties={"kind": {"type": "integer"}, "apiVersion": {"type": "integer"}, "metadata": {"type": "string"}}
        ),
        'properties[apiVersion].type: Invalid value: "integer": must be string',
        'properties[kind].type: Invalid value: "integer": must be string',
        'properties[metadata].type: Invalid value: "string": must be object',
    ),
    row(
        "metadata of my own",
        root(properties={"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}),
        f"properties[metadata]: Forbidden: {METADATA}",
    ),
    row(
        "types under a junctor",
        {**field(type="string"), "allOf": [{"type": "object", "title": "t", "description": "d", "nullable": True}]},
        "allOf[0].description: Forbidden: must be empty to be structural",
        "allOf[0].nullable: Forbidden: must be false to be structural",
        "allOf[0].title: Forbidden: must be empty to be structural",
        "allOf[0].type: Forbidden: must be empty to be structural",
    ),
    row(
        "everything else under a junctor",
        field(
            type="array",
            items={"type": "string"},
            oneOf=[
                {
                    "default": [],
                    "additionalProperties": True,
                    "x-kubernetes-preserve-unknown-fields": True,
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-int-or-string": True,
                    "x-kubernetes-validations": [{"rule": "true"}],
                }
            ],
        ),
        f"{A}.oneOf[0].additionalProperties: Forbidden: must be undefined to be structural",
        f"{A}.oneOf[0].default: Forbidden: must be undefined to be structural",
        f"{A}.oneOf[0].x-kubernetes-embedded-resource: Forbidden: must be false to be structural",
        f"{A}.oneOf[0].x-kubernetes-int-or-string: Forbidden: must be false to be structural",
        f"{A}.oneOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural",
        f"{A}.oneOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural",
    ),
    row(
        "list types under a junctor",
        field(
            type="array",
            items={"type": "object", "properties": {"k": {"type": "string"}}},
            **{"not": {"type": "array", "x-kubernetes-list-type": "atomic"}},
        ),
        f"{A}.not.type: Forbidden: must be empty to be structural",
        f"{A}.not.x-kubernetes-list-type: Forbidden: must be undefined to be structural",
    ),
    row(
        "metadata under a junctor",
        {
            **root(properties={"metadata": {"type": "object"}}),
            "anyOf": [{"properties": {"metadata": {"minProperties": 1}}}],
        },
        "anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context",
    ),
    row(
        "rules on unknown fields",
        {**root(), "anyOf": [{"properties": {"b": {"not": {"items": {"minLength": 1}}}}}]},
        f"properties[b]: Required value: because it is defined in {ROOT}.anyOf[0].properties[b]",
    ),
    row(
        "rules on unknown items",
        {**field(type="string"), "allOf": [{"properties": {"a": {"items": {"minLength": 1}}}}]},
        f"{A}.items: Required value: because it is defined in {ROOT}.allOf[0].{A}.items",
    ),
    row(
        "a bad pattern",
        field(type="string", pattern="(a"),
        f'{A}.pattern: Invalid value: "(a": must be a valid regular expression, but isn\'t: '
        "error parsing regexp: missing closing ): `(a`",
    ),
]


@pytest.mark.parametrize("case", STRUCTURE, ids=ids(STRUCTURE))
def test_structure(case: Row) -> None:
    assert complaints(case.patch) == list(case.complaints)


KEYS = "this property is in x-kubernetes-list-map-keys, so it"
ITEMS = f"{A}.items"


def listed(items: dict[str, Any] | None, kind: str, **given: Any) -> dict[str, Any]:
    whole = {"type": "array", "x-kubernetes-list-type": kind, **given}
    return field(**whole) if items is None else field(items=items, **whole)


def mapped(properties: dict[str, Any], *keys: str, **given: Any) -> dict[str, Any]:
    items = {"type": "object", "properties": properties, **given}
    return listed(items, "map", **{"x-kubernetes-list-map-keys": list(keys)})


TEXT = {"type": "string"}
OPENAPI = [
    row("a set", listed(TEXT, "set")),
    row("a map by key", mapped({"k": TEXT}, "k", required=["k"])),
    row("a map by key with a default", mapped({"k": {**TEXT, "default": "x"}}, "k")),
    row("a whole object", field(type="object", **{"x-kubernetes-map-type": "atomic"})),
    row(
        "no such type",
        field(type="poem"),
        f'{A}.type: Unsupported value: "poem": '
        'supported values: "array", "boolean", "integer", "number", "object", "string"',
    ),
    row(
        "nothing for a type",
        field(type="null"),
        f'{A}.type: Unsupported value: "null": '
        'supported values: "array", "boolean", "integer", "number", "object", "string"',
        f"{A}.type: Forbidden: type cannot be set to null, use nullable as an alternative",
    ),
    row(
        "default metadata",
        root(properties={"metadata": {"type": "object", "default": {}}, "kind": {"type": "string", "default": "x"}}),
        "properties[metadata].default: Forbidden: must not be set in top-level metadata",
        "properties[kind].default: Forbidden: must not be set in top-level kind",
    ),
    row(
        "what we do not know",
        field(
            type="object",
            id="x",
            additionalItems=True,
            patternProperties={"x": TEXT},
            definitions={"x": {"type": "poem"}},
            dependencies={"x": {"type": "poem"}, "y": ["z"]},
            **{"$ref": "x"},
        ),
        *(
            f"{A}.{name}: Forbidden: {name} is not supported"
            for name in ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
        ),
        f'{A}.definitions[x].type: Unsupported value: "poem": '
        'supported values: "array", "boolean", "integer", "number", "object", "string"',
        f'{A}.dependencies[x].type: Unsupported value: "poem": '
        'supported values: "array", "boolean", "integer", "number", "object", "string"',
    ),
    row(
        "what we know but cannot look at",
        root(**{"$schema": "http://json-schema.org/schema#"}),
        "Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported",
    ),
    row(
        "items one by one",
        field(type="array", items=[{"type": "poem"}]),
        f"{A}.items: Forbidden: items must be a schema object and not an array",
        f'{A}.items[0].type: Unsupported value: "poem": '
        'supported values: "array", "boolean", "integer", "number", "object", "string"',
    ),
    row(
        "unique items",
        field(type="array", items=TEXT, uniqueItems=True),
        f"{A}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ),
    row(
        "a map and an object",
        field(type="object", properties={"b": TEXT}, additionalProperties=False),
        f"{A}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
    ),
    row(
        "not anything",
        field(type="object", **{"x-kubernetes-preserve-unknown-fields": False}),
        f"{A}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
    ),
    row("null at the root", root(nullable=True), "nullable: Forbidden: nullable cannot be true at the root"),
    row(
        "a whole text",
        field(type="string", **{"x-kubernetes-map-type": "solid"}),
        f'{A}.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified',
        f'{A}.x-kubernetes-map-type: Unsupported value: "solid": supported values: "atomic", "granular"',
    ),
    row(
        "a set that is no list",
        field(type="string", **{"x-kubernetes-list-type": "set"}),
        f'{A}.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    ),
    row(
        "a heap",
        listed(TEXT, "heap"),
        f'{A}.x-kubernetes-list-type: Unsupported value: "heap": supported values: "atomic", "set", "map"',
    ),
    row(
        "a set of objects",
        listed({"type": "object"}, "set"),
        f"{ITEMS}.x-kubernetes-map-type: Invalid value: null: "
        "must be atomic as item of a list with x-kubernetes-list-type=set",
    ),
    row(
        "a set of sets",
        listed({"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}, "set"),
        f'{ITEMS}.x-kubernetes-list-type: Invalid value: "set": '
        "must be atomic as item of a list with x-kubernetes-list-type=set",
    ),
    row(
        "a set with holes",
        listed({**TEXT, "nullable": True}, "set"),
        f"{ITEMS}.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set",
    ),
    row(
        "keys of no list",
        field(type="array", items=TEXT, **{"x-kubernetes-list-map-keys": ["k"]}),
        f"{A}.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty",
    ),
    row(
        "keys of a set",
        listed(TEXT, "set", **{"x-kubernetes-list-map-keys": ["k"]}),
        f'{A}.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ),
    row(
        "a map of texts without keys",
        listed(TEXT, "map"),
        f"{A}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
        f'{ITEMS}.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
    ),
    row(
        "a map of nothing",
        listed(None, "map", **{"x-kubernetes-list-map-keys": ["k"]}),
        f"{A}.items: Required value: must be specified",
        f"{A}.items: Required value: must have a schema if x-kubernetes-list-type is map",
    ),
    row(
        "bad keys",
        mapped(
            {"k": {**TEXT, "nullable": True}, "o": {"type": "object"}},
            "k",
            "k",
            "x",
            "o",
            required=["o"],
            nullable=True,
        ),
        f'{A}.x-kubernetes-list-map-keys: Invalid value: ["k","k","x","o"]: must not contain duplicate entries',
        f'{A}.x-kubernetes-list-map-keys: Invalid value: ["k","k","x","o"]: '
        "entries must all be names of item properties",
        f'{ITEMS}.properties[o].type: Invalid value: "object": '
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
        f"{ITEMS}.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map",
        *(
            f"{ITEMS}.properties[k].default: Required value: {KEYS} must have a default or be a required property",
            f"{ITEMS}.properties[k].nullable: Forbidden: {KEYS} cannot be nullable",
        )
        * 2,
    ),
]


@pytest.mark.parametrize("case", OPENAPI, ids=ids(OPENAPI))
def test_openapi(case: Row) -> None:
    assert complaints(case.patch) == list(case.complaints)


def ruled(**rule: Any) -> dict[str, Any]:
    return field(type="object", properties={"b": TEXT}, **{"x-kubernetes-validations": [rule]})


RULE = f"{A}.x-kubernetes-validations[0]"
RULES = [
    row("a rule", ruled(rule="self.b != ''", message="b is needed", fieldPath=".b", reason="FieldValueRequired")),
    row("no rule", ruled(rule=" "), f"{RULE}.rule: Required value: rule is not specified"),
    row(
        "no message",
        ruled(rule="x", message=" "),
        f'{RULE}.message: Invalid value: " ": must be non-empty if specified',
    ),
    row(
        "a message of two lines",
        ruled(rule="x", message="a\nb"),
        f'{RULE}.message: Invalid value: "a\\nb": must not contain line breaks',
    ),
    row(
        "a rule of two lines",
        ruled(rule="x\n&& y"),
        f"{RULE}.message: Required value: message must be specified if rule contains line breaks",
    ),
    row(
        "an empty way to say it",
        ruled(rule="x", messageExpression=" ", reason="Mood"),
        f"{RULE}.messageExpression: Required value: messageExpression must be non-empty if specified",
        f'{RULE}.reason: Unsupported value: "Mood": supported values: '
        '"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ),
    row("nowhere", ruled(rule="x", fieldPath=".c"), f'{RULE}.fieldPath: Invalid value: ".c": must be a valid path'),
    row(
        "less than nowhere",
        ruled(rule="x", fieldPath="\n"),
        f'{RULE}.fieldPath: Invalid value: "\\n": must be non-empty if specified',
        f'{RULE}.fieldPath: Invalid value: "\\n": must not contain line breaks',
        f'{RULE}.fieldPath: Invalid value: "\\n": must be a valid path',
    ),
]


@pytest.mark.parametrize("case", RULES, ids=ids(RULES))
def test_rules_in_cel(case: Row) -> None:
    assert complaints(case.patch) == list(case.complaints)


def test_metadata_inside_has_its_own_rules() -> None:
    embedded = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {
            "metadata": {
                "type": "object",
                "properties": {
                    "labels": {"type": "object", "additionalProperties": {"type": "string", "default": "x"}},
                    "owner": {
                        "type": "object",
                        "x-kubernetes-embedded-resource": True,
                        "x-kubernetes-preserve-unknown-fields": True,
                    },
                },
            }
        },
    }
    assert complaints(field(**embedded)) == [
        f"{A}.properties[metadata].properties[labels].additionalProperties.default: Forbidden: "
        "must not be set inside additionalProperties applying to object metadata",
        f"{A}.properties[metadata].properties[owner].x-kubernetes-embedded-resource: Forbidden: "
        "must not be used inside of resource meta",
    ]


def test_with_a_status_of_its_own_the_root_is_plain() -> None:
    status: dict[str, Any] = {"subresources": {"status": {}}}
    assert complaints(root(description="d", required=["spec"], properties={"spec": {"type": "object"}}), **status) == []
    assert complaints({"type": "string"}, **status)[0] == (
        'type: Invalid value: "string": '
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    )
    (refused,) = complaints(root(maxProperties=5), **status)
    assert refused.endswith("fields are allowed at the root of the schema if the status subresource is enabled")
