"""Values against schemas of custom resources, and the defaults in those schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from apiserver.registry.validation import schemadefaults, schemaformats, schemavalues
from steersman.api import codec
from steersman.api.apiextensions import JSONSchemaProps
from steersman.api.errors import Cause
from steersman.api.fields import Path


def said(causes: Iterable[Cause]) -> list[str]:
    return [f"{cause.field}: {cause.message}" for cause in causes]


WHOLE = '<nil>: Invalid value: ""'
STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def made(schema: dict[str, Any]) -> JSONSchemaProps:
    return codec.from_dict(JSONSchemaProps, schema)[0]


def of(name: str, schema: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: schema}, **rest}


CASES: list[tuple[str, dict[str, Any], Any, list[str]]] = [
    ("a text", STRING, "a", []),
    (
        "a number for a text",
        of("a", STRING),
        {"a": 1},
        ['a: Invalid value: "integer": a in body must be of type string: "integer"'],
    ),
    (
        "a text for a number",
        of("a", INTEGER),
        {"a": "1"},
        ['a: Invalid value: "string": a in body must be of type integer: "string"'],
    ),
    (
        "half a number",
        of("a", INTEGER),
        {"a": 1.5},
        ['a: Invalid value: "number": a in body must be of type integer: "number"'],
    ),
    ("a whole number with a point", of("a", INTEGER), {"a": 1.0}, []),
    ("a whole number where parts are allowed", of("a", {"type": "number"}), {"a": 1}, []),
    (
        "true is no number",
        of("a", INTEGER),
        {"a": True},
        ['a: Invalid value: "boolean": a in body must be of type integer: "boolean"'],
    ),
    ("null", of("a", STRING), {"a": None}, ['a: Invalid value: "null": a in body must be of type string: "null"']),
    ("null where it may be", of("a", {"type": "string", "nullable": True}), {"a": None}, []),
    ("either", of("a", {"x-kubernetes-int-or-string": True}), {"a": "1"}, []),
    (
        "neither",
        of("a", {"x-kubernetes-int-or-string": True}),
        {"a": True},
        ['a: Invalid value: "boolean": a in body must be of type integer,string: "boolean"'],
    ),
    ("missing", of("spec", of("a", STRING, required=["a"])), {"spec": {}}, ["spec.a: Required value"]),
    ("missing at the root", of("a", STRING, required=["a"]), {}, ["a: Required value"]),
    (
        "too long",
        of("a", {"type": "string", "maxLength": 2}),
        {"a": "abc"},
        ["a: Too long: may not be more than 2 bytes"],
    ),
    (
        "too short",
        of("a", {"type": "string", "minLength": 2}),
        {"a": "a"},
        ['a: Invalid value: "a": a in body should be at least 2 chars long'],
    ),
    (
        "another pattern",
        of("a", {"type": "string", "pattern": "^x+$"}),
        {"a": "y"},
        ["a: Invalid value: \"y\": a in body should match '^x+$'"],
    ),
    ("a pattern that would take for ever", of("a", {"type": "string", "pattern": "^(a+)+$"}), {"a": "a" * 40}, []),
    (
        "a pattern that is none",
        of("a", {"type": "string", "pattern": "(x"}),
        {"a": "x"},
        [
            'a: Invalid value: "x": a in body should match \'(x, but pattern is invalid: '
            "error parsing regexp: missing closing ): `(x`'"
        ],
    ),
    (
        "not among them",
        of("a", {"type": "string", "enum": ["x", "y"]}),
        {"a": "z"},
        ['a: Unsupported value: "z": supported values: "x", "y"'],
    ),
    (
        "a number not among them",
        of("a", {"type": "integer", "enum": [1, 2]}),
        {"a": 3},
        ['a: Unsupported value: 3: supported values: "1", "2"'],
    ),
    (
        "below",
        of("a", {"type": "integer", "minimum": 1}),
        {"a": 0},
        ["a: Invalid value: 0: a in body should be greater than or equal to 1"],
    ),
    (
        "not above",
        of("a", {"type": "integer", "minimum": 1, "exclusiveMinimum": True}),
        {"a": 1},
        ["a: Invalid value: 1: a in body should be greater than 1"],
    ),
    (
        "above",
        of("a", {"type": "number", "maximum": 1.5}),
        {"a": 2},
        ["a: Invalid value: 2: a in body should be less than or equal to 1.5"],
    ),
    (
        "no multiple",
        of("a", {"type": "integer", "multipleOf": 5}),
        {"a": 7},
        ["a: Invalid value: 7: a in body should be a multiple of 5"],
    ),
    (
        "too large for its format",
        of("a", {"type": "integer", "format": "int32"}),
        {"a": 2**31},
        [f"{WHOLE}: Checked value must be of type integer with format int32 in a"],
    ),
    (
        "too many items",
        of("a", {"type": "array", "maxItems": 1, "items": INTEGER}),
        {"a": [1, 2]},
        ["a: Too many: 2: must have at most 1 item"],
    ),
    (
        "too few items",
        of("a", {"type": "array", "minItems": 2, "items": INTEGER}),
        {"a": [1]},
        ["a: Invalid value: 1: a in body should have at least 2 items"],
    ),
    (
        "a wrong item",
        of("a", {"type": "array", "items": of("b", INTEGER)}),
        {"a": [{"b": "x"}]},
        ['a[0].b: Invalid value: "string": a[0].b in body must be of type integer: "string"'],
    ),
    (
        "too many members",
        of("a", {"type": "object", "maxProperties": 1, "additionalProperties": STRING}),
        {"a": {"b": "1", "c": "2"}},
        ["a: Too many: 2: must have at most 1 item"],
    ),
    (
        "a wrong member",
        of("a", {"type": "object", "additionalProperties": STRING}),
        {"a": {"b": 1}},
        ['a.b: Invalid value: "integer": a.b in body must be of type string: "integer"'],
    ),
    (
        "another format",
        of("a", {"type": "string", "format": "ipv4"}),
        {"a": "x"},
        ['a: Invalid value: "x": a in body must be of type ipv4: "x"'],
    ),
    ("a format that nobody knows", of("a", {"type": "string", "format": "odd"}), {"a": "x"}, []),
    (
        "none of any",
        of("a", {"type": "integer", "anyOf": [{"minimum": 5}, {"maximum": 1}]}),
        {"a": 3},
        [
            f'{WHOLE}: "a" must validate at least one schema (anyOf)',
            "a: Invalid value: 3: a in body should be greater than or equal to 5",
        ],
    ),
    (
        "two of one",
        of("a", {"type": "integer", "oneOf": [{"minimum": 1}, {"minimum": 2}]}),
        {"a": 3},
        [f'{WHOLE}: "a" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ),
    (
        "not all",
        of("a", {"type": "integer", "allOf": [{"minimum": 1}, {"minimum": 5}]}),
        {"a": 3},
        [
            "a: Invalid value: 3: a in body should be greater than or equal to 5",
            f'{WHOLE}: "a" must validate all the schemas (allOf)',
        ],
    ),
    (
        "what must not be",
        of("a", {"type": "integer", "not": {"minimum": 1}}),
        {"a": 3},
        [f'{WHOLE}: "a" must not validate the schema (not)'],
    ),
]


@pytest.mark.parametrize(("schema", "value", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_values(schema: dict[str, Any], value: Any, expected: list[str]) -> None:
    assert said(schemavalues.validate_value(value, made(schema), Path(""))) == expected


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date-time", "2026-11-18T07:00:00Z", "yesterday"),
        ("date", "2026-11-18", "2026-13-01"),
        ("ipv6", "::1", "10.0.0.1"),
        ("cidr", "10.0.0.0/8", "10.0.0.0"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
        ("email", "a@b.example", "a"),
        ("hostname", "a.example", "-a"),
        ("uri", "https://a.example/b", "a b"),
        ("byte", "YQ==", "?"),
        ("mac", "01:23:45:67:89:ab", "01:23"),
        ("duration", "1h30m", "soon"),
        ("isbn", "978-3-16-148410-0", "978-3-16-148410-1"),
        ("hexcolor", "#aabbcc", "#xyz"),
        ("k8s-short-name", "a-b", "A"),
        ("creditcard", "4111 1111 1111 1111", "4111 1111 1111 1112"),
    ],
)
def test_formats(name: str, good: str, bad: str) -> None:
    check = schemaformats.known(name)
    assert check is not None
    assert check(good)
    assert not check(bad)


DEFAULT = "p.properties[a].default"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (of("a", {"type": "integer", "default": 1}), []),
        (
            of("a", {"type": "integer", "default": "x"}),
            [f'{DEFAULT}: Invalid value: "string":  in body must be of type integer: "string"'],
        ),
        (
            of("a", of("b", INTEGER, default={"b": "x"})),
            [f'{DEFAULT}.b: Invalid value: "string": b in body must be of type integer: "string"'],
        ),
        (
            of("a", of("b", INTEGER, default={"b": 1, "c": 2})),
            [f'{DEFAULT}: Invalid value: {{"b":1,"c":2}}: must not have unknown fields'],
        ),
        (of("a", of("b", INTEGER, default={}, required=["b"])), [f"{DEFAULT}.b: Required value"]),
        (
            of("a", {"type": "array", "items": {"type": "integer", "default": "x"}}),
            ['p.properties[a].items.default: Invalid value: "string":  in body must be of type integer: "string"'],
        ),
        (of("a", {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "default": {"b": 1}}), []),
    ],
    ids=["good", "another type", "inside", "unknown", "missing", "of items", "anything"],
)
def test_defaults(schema: dict[str, Any], expected: list[str]) -> None:
    assert said(schemadefaults.validate_defaults(made(schema), Path("p"))) == expected
