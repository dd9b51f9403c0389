"""Rules in CEL in the schemas of custom resources: they compile, are affordable, and speak of defaults."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from apiserver.registry.validation import celjudgement, celtypes
from steersman.api.apiextensions import JSONSchemaProps
from steersman.api.fields import Path
from tests.unit.apiserver.registry.tables import Row, ids, row
from tests.unit.apiserver.registry.validation.test_crdschemas import A, complaints, field, root

RULES = "x-kubernetes-validations"
TEXT = {"type": "string", "maxLength": 10}


def ruled(rule: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**schema, RULES: [{"rule": rule, **more}]}


def shown(rule: str, message_expression: str = "", old: str = "null") -> str:
    head = (
        '{"Rule":' + msgspec.json.encode(rule).decode().replace("&", "\\u0026") + ',"Message":"","MessageExpression":'
    )
    tail = ',"Reason":null,"FieldPath":"","OptionalOldSelf":' + old + "}"
    return (
        (head + msgspec.json.encode(message_expression).decode() + tail).replace("<", "\\u003c").replace(">", "\\u003e")
    )


def refused(where: str, rule: str, column: int, message: str, kind: str = "compilation failed") -> str:
    value = f"{where}{RULES}[0].rule: Invalid value: {shown(rule)}: {kind}: ERROR: <input>:1:{column}: {message}"
    return f"{value}\n | {rule}\n | {'.' * (column - 1)}^"


SPEC = root(
    properties={
        "spec": {
            "type": "object",
            "properties": {
                "replicas": {"type": "integer"},
                "namespace": TEXT,
                "max-size": {"x-kubernetes-int-or-string": True},
                "at": {"type": "string", "format": "date-time"},
            },
        }
    }
)
ADVICE = (
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
    "declared)"
)
UNCORRELATED = (
    "oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema"
)
ROWS = [
    row("a rule", ruled("self.spec.replicas >= 0", SPEC)),
    row("names that are none", ruled("self.spec.__namespace__ == 'a' && self.spec.max__dash__size == 1", SPEC)),
    row("a time", ruled("self.spec.at > timestamp('2024-01-01T00:00:00Z')", SPEC)),
    row("what every object has", ruled("self.metadata.name.startsWith('a') && self.kind != ''", SPEC)),
    row("a transition", ruled("self.spec.replicas >= oldSelf.spec.replicas", SPEC)),
    row("a first transition", ruled("oldSelf.hasValue() || self.spec.replicas == 0", SPEC, optionalOldSelf=True)),
    row("a message", ruled("false", SPEC, messageExpression="'no ' + string(self.spec.replicas)")),
    row(
        "no such field",
        ruled("self.spec.x == 1", SPEC),
        refused("", "self.spec.x == 1", 10, "undefined field 'x'"),
    ),
    row(
        "no such name",
        ruled("object.x == 1", SPEC),
        refused("", "object.x == 1", 1, "undeclared reference to 'object' (in container '')"),
    ),
    row(
        "types that differ",
        field(**ruled("self == 1", TEXT)),
        refused(f"{A}.", "self == 1", 6, "found no matching overload for '_==_' applied to '(string, int)'"),
    ),
    row(
        "no expression",
        field(**ruled("self ==", TEXT)),
        refused(
            f"{A}.",
            "self ==",
            8,
            "Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', "
            "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        ),
    ),
    row(
        "no condition",
        field(**ruled("self", TEXT)),
        f"{A}.{RULES}[0].rule: Invalid value: {shown('self')}: cel expression must evaluate to a bool",
    ),
    row(
        "no message",
        field(**ruled("true", TEXT, messageExpression="self == self")),
        f"{A}.{RULES}[0].messageExpression: Invalid value: {shown('true', 'self == self')}: "
        "messageExpression must evaluate to a string",
    ),
    row(
        "a broken message",
        field(**ruled("true", TEXT, messageExpression="x")),
        f"{A}.{RULES}[0].messageExpression: Invalid value: {shown('true', 'x')}: messageExpression compilation failed: "
        "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^",
    ),
    row(
        "an optional past that nobody asks for",
        field(**ruled("self != ''", TEXT, optionalOldSelf=True)),
        f"{A}.{RULES}[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
    ),
    row(
        "the past of an item",
        field(type="array", maxItems=5, items=ruled("self == oldSelf", TEXT)),
        f'{A}.items.{RULES}[0].rule: Invalid value: "self == oldSelf": {UNCORRELATED}.{A}',
    ),
    row(
        "the past of a part of a whole",
        field(type="object", properties={"b": ruled("self == oldSelf", TEXT)}, **{"x-kubernetes-map-type": "atomic"}),
        f'{A}.properties[b].{RULES}[0].rule: Invalid value: "self == oldSelf": {UNCORRELATED}.{A}',
    ),
    row(
        "too much work",
        field(**ruled("self.all(x, self.all(y, x != y))", {"type": "array", "items": {"type": "string"}})),
        f"{A}.{RULES}[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x {ADVICE}",
        f"{A}.{RULES}[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire "
        "OpenAPIv3 schema",
        "Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by "
        f"factor of more than 100x {ADVICE}",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert complaints(case.patch) == list(case.complaints)


def test_rules_of_a_broken_schema_wait() -> None:
    said = complaints(field(**ruled("self.x", {"type": "string", "pattern": "["})))
    assert len(said) == 1
    assert "pattern" in said[0]


DEFAULTS = [
    row("good", field(**ruled("self != 'a'", TEXT), default="b")),
    row(
        "bad",
        field(**ruled("self != 'a'", TEXT), default="a"),
        f"{A}.default: Invalid value: \"a\": failed rule: self != 'a'",
    ),
    row(
        "bad, and told why",
        field(
            **ruled("self != 'a'", TEXT, messageExpression="'not ' + self", reason="FieldValueForbidden"), default="a"
        ),
        f"{A}.default: Forbidden: not a",
    ),
    row(
        "bad inside",
        field(
            type="object", properties={"b": ruled("self > 1", {"type": "integer"}, message="small")}, default={"b": 1}
        ),
        f"{A}.default.b: Invalid value: 1: small",
    ),
    row(
        "bad as a whole",
        field(**ruled("size(self) > 1", {"type": "array", "maxItems": 3, "items": TEXT}), default=["a"]),
        f"{A}.default: Invalid value: failed rule: size(self) > 1",
    ),
    row(
        "nobody can say",
        field(**ruled("self[1] == 'a'", {"type": "array", "maxItems": 3, "items": TEXT}), default=["a"]),
        f"{A}.default: Invalid value: \"array\": index out of bounds: 1 evaluating rule: self[1] == 'a'",
    ),
]


@pytest.mark.parametrize("case", DEFAULTS, ids=ids(DEFAULTS))
def test_rules_speak_of_defaults(case: Row) -> None:
    assert complaints(case.patch) == list(case.complaints)


def schema_of(given: dict[str, Any]) -> JSONSchemaProps:
    return msgspec.convert(given, JSONSchemaProps)


ITEMS = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": ruled(
        "self.size >= oldSelf.size", {"type": "object", "properties": {"name": TEXT, "size": {"type": "integer"}}}
    ),
}


def test_items_are_compared_with_their_own_past() -> None:
    old = [{"name": "a", "size": 1}, {"name": "b", "size": 5}]
    new = [{"name": "b", "size": 4}, {"name": "c", "size": 0}, {"name": "a", "size": 2}]
    [cause] = celjudgement.judge(new, schema_of(ITEMS), Path("items"), old)
    assert cause.field == "items[0]"
    assert cause.message == "Invalid value: failed rule: self.size >= oldSelf.size"


def test_a_first_value_has_no_past_but_may_ask_for_it() -> None:
    plain = schema_of(ruled("self >= oldSelf", {"type": "integer"}))
    asking = schema_of(ruled("self >= oldSelf.orValue(3)", {"type": "integer"}, optionalOldSelf=True))
    assert celjudgement.judge(2, plain, Path("n")) == []
    assert [cause.message for cause in celjudgement.judge(2, asking, Path("n"))] == [
        "Invalid value: 2: failed rule: self >= oldSelf.orValue(3)"
    ]
    assert celjudgement.judge(2, asking, Path("n"), 1) == []


ESCAPES = {
    "a": "a",
    "namespace": "__namespace__",
    "a.b-c/d": "a__dot__b__dash__c__slash__d",
    "a__b": "a__underscores__b",
    "1a": None,
    "ä": None,
}


@pytest.mark.parametrize("name", ESCAPES)
def test_names_are_escaped(name: str) -> None:
    assert celtypes.escape(name) == ESCAPES[name]


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(max_size=3),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.sampled_from(["name", "size", "x"]), inner),
    max_leaves=6,
)


@given(JSON, JSON)
def test_rules_never_crash_on_any_value(value: Any, old: Any) -> None:
    celjudgement.judge(value, schema_of(ITEMS), Path("items"), old)
    celjudgement.judge([value], schema_of(ITEMS), Path("items"), [old])
