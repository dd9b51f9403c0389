"""What goes in comes out: published manifests and answers, and objects that nobody has thought of."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.api import codec, kinds, schema
from steersman.api.codec import FieldValidation
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.api.part import Part
from steersman.api.schema import Form, Shape
from tests.unit.api import facts

GROUPS = [kind for kind in kinds.ALL if kind.is_stored]
NOT_VALID_AS_IT_IS = {"unknown-field.yaml", "wrong-type.yaml", "no-such-kind.yaml"}

TEXT = st.text(string.ascii_letters + string.digits + '-._:"\\ é\n', max_size=8)
SCALARS: dict[Form, st.SearchStrategy[Any]] = {
    Form.STRING: TEXT,
    Form.BOOL: st.booleans(),
    Form.INT32: st.integers(-(2**31), 2**31 - 1),
    Form.INT64: st.integers(-(2**63), 2**63 - 1),
    Form.DOUBLE: st.floats(allow_nan=False, allow_infinity=False),
    Form.BYTES: st.sampled_from(["", "YWJj", "/+8="]),
    Form.TIME: st.sampled_from(["2026-11-18T06:59:47Z", "1970-01-01T00:00:00Z"]),
    Form.MICRO_TIME: st.just("2026-11-18T06:59:47.000001Z"),
    Form.QUANTITY: st.sampled_from(["0", "500m", "1Gi", "-2k", "12e6"]),
    Form.INT_OR_STRING: st.one_of(TEXT, st.integers(-(2**31), 2**31 - 1)),
    Form.JSON: st.recursive(
        st.one_of(st.booleans(), st.integers(0, 9), TEXT), lambda inner: st.dictionaries(TEXT, inner, max_size=2)
    ),
}


@st.composite
def documents(draw: st.DrawFn, struct: type[Part], depth: int = 0) -> dict[str, Any]:
    """A document with a few of the fields of a Struct, each with some value of its shape."""
    known = list(schema.fields(struct).values())
    few = 6 if depth < 4 else 1
    picked = draw(st.lists(st.sampled_from(known), max_size=few, unique_by=lambda field: field.name)) if known else []
    return {field.name: draw(values(field.shape, depth + 1)) for field in picked}


def values(shape: Shape, depth: int) -> st.SearchStrategy[Any]:
    match shape.form:
        case Form.STRUCT if shape.struct is not None:
            return documents(shape.struct, depth)
        case Form.LIST if shape.item is not None:
            return st.lists(values(shape.item, depth), min_size=1, max_size=2)
        case Form.MAP if shape.item is not None:
            return st.dictionaries(TEXT, values(shape.item, depth), min_size=1, max_size=2)
        case Form.CHOICE:
            return st.one_of(*(values(choice, depth) for choice in shape.choices))
    return SCALARS[shape.form]


def is_zero(value: Any, shape: Shape) -> bool:
    """Whether a plain field with this value counts as absent."""
    return shape.form is not Form.JSON and value in ("", 0, False, [], {}) and not isinstance(value, float)


def lost(before: Any, after: Any, shape: Shape) -> list[str]:
    """Where `after` says less than `before`, or something else. Zero values of plain fields may go."""
    if shape.form is Form.STRUCT and shape.struct is not None:
        known = schema.fields(shape.struct)
        found: list[str] = []
        for name, value in before.items():
            if name not in after:
                found += [] if is_zero(value, known[name].shape) and not known[name].pointer else [name]
            else:
                found += [f"{name}.{inner}" for inner in lost(value, after[name], known[name].shape)]
        return found
    if shape.form in (Form.LIST, Form.MAP) and shape.item is not None:
        if len(before) != len(after):
            return ["length"]
        places = before if shape.form is Form.MAP else range(len(before))
        return [f"[{place}]{inner}" for place in places for inner in lost(before[place], after[place], shape.item)]
    if shape.form is Form.CHOICE:
        return []
    return [] if before == after else [f"{before!r} became {after!r}"]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(GROUPS).flatmap(lambda kind: st.tuples(st.just(kind), documents(kind.struct))))
def test_whatever_is_valid_is_kept(made: tuple[Kind, dict[str, Any]]) -> None:
    kind, document = made
    value, warnings = codec.decode(kind.struct, msgspec.json.encode(document), validation=FieldValidation.STRICT)
    assert warnings == []
    stored = codec.encode(value)
    assert stored.startswith(b'{"metadata":{')
    assert codec.load(kind.struct, stored) == value
    assert codec.encode(codec.load(kind.struct, stored)) == stored
    assert codec.decode(kind.struct, stored, validation=FieldValidation.STRICT) == (value, [])
    assert lost(document, codec.to_dict(value), Shape(Form.STRUCT, struct=kind.struct)) == []


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(GROUPS).flatmap(lambda kind: st.tuples(st.just(kind), documents(kind.struct))), st.randoms())
def test_the_slow_way_reads_what_the_fast_way_reads(made: tuple[Kind, dict[str, Any]], random: Any) -> None:
    kind, document = made
    fast, _ = codec.decode(kind.struct, msgspec.json.encode(document))
    spoiled = {**document, "noSuchField": random.random()}
    slow, warnings = codec.decode(kind.struct, msgspec.json.encode(spoiled), validation=FieldValidation.WARN)
    assert slow == fast
    assert warnings == ['unknown field "noSuchField"']


@settings(max_examples=100, deadline=None)
@given(st.recursive(TEXT, lambda inner: st.lists(st.tuples(st.sampled_from("ab:"), inner), max_size=3)), st.booleans())
def test_repetition_is_never_missed(tree: Any, blanks: bool) -> None:
    """Duplicates anywhere in a map of maps are found, however the text is laid out."""

    def write(node: Any) -> str:
        if isinstance(node, str):
            return msgspec.json.encode(node).decode()
        gap = " " if blanks else ""
        return "{" + ",".join(f'"{key}"{gap}:{gap}{write(value)}' for key, value in node) + "}"

    def repeats(node: Any) -> bool:
        if isinstance(node, str):
            return False
        return len({key for key, _ in node}) < len(node) or any(repeats(value) for _, value in node)

    if repeats(tree):
        assert codec._may_repeat(write(tree).encode())


def struct_for(document: Any) -> type[Object] | None:
    if not isinstance(document, dict) or "kind" not in document:
        return None
    group, _, version = document["apiVersion"].rpartition("/")
    kind = kinds.by_kind(group, version, document["kind"])
    return kind.struct if kind is not None else None


@facts.needed
@pytest.mark.parametrize(
    "path",
    [path for path in facts.folder("golden/manifests") if path.name not in NOT_VALID_AS_IT_IS],
    ids=lambda p: p.name,
)
def test_manifests_are_kept(path: Path) -> None:
    for document in yaml.safe_load_all(path.read_text()):
        if (struct := struct_for(document)) is not None:
            value, _ = codec.from_dict(struct, document, validation=FieldValidation.STRICT)
            assert lost(document, codec.to_dict(value), Shape(Form.STRUCT, struct=struct)) == []


def answers() -> list[Any]:
    """Every whole object in what a real server has answered; the uid tells them from requests."""
    found: list[Any] = []

    def collect(node: Any, group: str, kind: str) -> None:
        if isinstance(node, list):
            for each in node:
                collect(each, group, kind)
        elif isinstance(node, dict):
            group, own = node.get("apiVersion", group), node.get("kind", "")
            if "items" in node and own.endswith("List"):
                collect(node["items"], group, own.removesuffix("List"))
                return
            named = {"apiVersion": group, "kind": kind, **node}
            if struct_for(named) is not None and "uid" in node.get("metadata", ()):
                found.append(named)
                return
            for each in node.values():
                collect(each, group if isinstance(group, str) else "", "")

    for path in [*facts.folder("golden/raw"), *facts.folder("golden/http")]:
        if path.suffix == ".json":
            collect(msgspec.json.decode(path.read_bytes()), "", "")
    return found


@facts.needed
def test_what_a_real_server_answers_is_kept_to_the_letter() -> None:
    seen = answers()
    assert len(seen) > 100
    for document in seen:
        if document["apiVersion"] in ("autoscaling/v1", "meta.k8s.io/v1") or "rows" in document:
            continue
        struct = struct_for(document)
        assert struct is not None
        value, warnings = codec.decode(struct, msgspec.json.encode(document), validation=FieldValidation.WARN)
        assert warnings == []
        assert codec.to_dict(value) == document
