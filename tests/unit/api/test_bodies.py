"""Bodies by content type, and YAML as Kubernetes reads it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.api import bodies, yamltext
from steersman.api.codec import FieldValidation
from steersman.api.core import ConfigMap
from steersman.api.errors import BadRequest, UnsupportedMediaType
from tests.unit.api import protoencoder

SETTINGS = ConfigMap(api_version="v1", kind="ConfigMap", data={"a": "b"})
AS_JSON = b'{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b"}}'
AS_YAML = b"apiVersion: v1\nkind: ConfigMap\ndata:\n  a: b\n"
AS_PROTOBUF = protoencoder.body(SETTINGS)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        pytest.param("", AS_JSON, id="unsaid"),
        pytest.param("application/json", AS_JSON, id="json"),
        pytest.param("Application/JSON; charset=utf-8", AS_JSON, id="json-with-a-parameter"),
        pytest.param("application/yaml", AS_YAML, id="yaml"),
        pytest.param("application/yaml", AS_JSON, id="json-is-yaml"),
        pytest.param("application/vnd.kubernetes.protobuf", AS_PROTOBUF, id="protobuf"),
        pytest.param("application/vnd.kubernetes.protobuf;stream=watch", AS_PROTOBUF, id="protobuf-with-a-parameter"),
    ],
)
def test_reads(content_type: str, body: bytes) -> None:
    assert bodies.to_struct(ConfigMap, body, content_type, FieldValidation.STRICT) == (SETTINGS, [])
    assert bodies.type_of(body, content_type) == ("v1", "ConfigMap")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/cbor", "json", "application/x-www-form-urlencoded"]
)
def test_refuses_other_media_types(content_type: str) -> None:
    with pytest.raises(UnsupportedMediaType) as refused:
        bodies.to_struct(ConfigMap, AS_JSON, content_type)
    assert refused.value.message == (
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf"
    )


REPEATED = b"kind: ConfigMap\ndata:\n  a: b\n  a: c\nunknown: 1\n"
COMPLAINTS = ['yaml: unmarshal errors:\n  line 4: key "a" already set in map', 'unknown field "unknown"']


def test_yaml_that_says_things_twice_is_refused_when_strict() -> None:
    with pytest.raises(BadRequest) as refused:
        bodies.to_struct(ConfigMap, REPEATED, "application/yaml", FieldValidation.STRICT)
    assert refused.value.message == (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ' + ", ".join(COMPLAINTS)
    )


def test_yaml_that_says_things_twice_is_taken_with_warnings() -> None:
    decoded, warnings = bodies.to_struct(ConfigMap, REPEATED, "application/yaml", FieldValidation.WARN)
    assert (decoded.data, warnings) == ({"a": "c"}, COMPLAINTS)
    assert bodies.to_struct(ConfigMap, REPEATED, "application/yaml")[1] == []


WORDS = [
    *[(word, True) for word in ("y", "Yes", "ON", "true")],
    *[(word, False) for word in ("n", "No", "off", "False")],
    *[(word, None) for word in ("~", "null", "")],
    *[("0x1F", 31), ("0b11", 3), ("0o17", 15), ("017", 15), ("-17", -17), ("1_000", 1000), ("0", 0), ("+5", 5)],
    *[("1.5", 1.5), ("1e3", 1000), (".5", 0.5), ("-2.", -2), ("18446744073709551615", 2**64 - 1)],
    *[("08", 8), ("1:30", "1:30"), ("2026-11-18", "2026-11-18"), ("1.2.3", "1.2.3"), ("0x", "0x"), ("=", "=")],
    *[('"yes"', "yes"), ("'17'", "17"), ("!!str 17", "17"), ("!!binary aGk=", "hi"), ("yES", "yES")],
]


@pytest.mark.parametrize(("word", "meaning"), WORDS, ids=[word or "empty" for word, _ in WORDS])
def test_words(word: str, meaning: Any) -> None:
    found, _ = yamltext.to_json(f"a: {word}\n".encode())
    assert msgspec.json.decode(found) == {"a": meaning}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        pytest.param("", None, id="nothing"),
        pytest.param("a: 1\n---\na: 2\n", {"a": 1}, id="first-document"),
        pytest.param("1: a\ntrue: b\n1.5: c\n", {"1": "a", "true": "b", "1.5": "c"}, id="keys-are-texts"),
        pytest.param("a: &x {b: 1}\nc: *x\n", {"a": {"b": 1}, "c": {"b": 1}}, id="alias"),
        pytest.param(
            "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  b: 3\n", {"a": {"b": 1, "c": 2}, "d": {"b": 3, "c": 2}}, id="merge"
        ),
        pytest.param("d:\n  <<: [{a: 1}, {a: 2, b: 2}]\n", {"d": {"a": 1, "b": 2}}, id="merge-several"),
        pytest.param("- [1, [2]]\n- {a: []}\n", [[1, [2]], {"a": []}], id="nested"),
        pytest.param("a: |\n  x\n  y\nb: >-\n  x\n  y\n", {"a": "x\ny\n", "b": "x y"}, id="blocks"),
    ],
)
def test_documents(text: str, meaning: Any) -> None:
    assert msgspec.json.decode(yamltext.to_json(text.encode())[0]) == meaning


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("a: [1", "yaml: line 2: did not find expected ',' or ']'", id="syntax"),
        pytest.param("a: b: c", "yaml: line 1: mapping values are not allowed in this context", id="syntax-in-a-line"),
        pytest.param("a: *x", "yaml: unknown anchor 'x' referenced", id="no-anchor"),
        pytest.param("a: &x [*x]", "yaml: unknown anchor 'x' referenced", id="alias-of-itself"),
        pytest.param(LAUGHS, "yaml: document contains excessive aliasing", id="billion-laughs"),
        pytest.param("[" * 5_000, "yaml: exceeded max depth", id="deep"),
        pytest.param("{{a: 1}: 2}", "unsupported map key", id="map-as-key"),
        pytest.param("a: .inf", "json: unsupported value: .inf", id="infinity"),
        pytest.param("<<: 1", "map merge requires map", id="merge-of-a-number"),
        pytest.param("a: !!binary '*'", "invalid base64", id="bad-binary"),
        pytest.param("a: \x01", "yaml: ", id="control-character"),
    ],
)
def test_refuses_yaml(text: str, why: str) -> None:
    with pytest.raises(BadRequest) as refused:
        bodies.to_struct(ConfigMap, text.encode(), "application/yaml")
    assert refused.value.message.startswith("the object provided is unrecognized (must be of type ConfigMap): ")
    assert f"error converting YAML to JSON: {why}" in refused.value.message or why in refused.value.message


@given(st.one_of(st.binary(max_size=80), st.text("ab:-[]{},&*!<|>'\"# \n0.~", max_size=60).map(str.encode)))
def test_any_yaml_is_read_or_refused(body: bytes) -> None:
    try:
        found, _ = yamltext.to_json(body)
    except yamltext.Unreadable:
        return
    msgspec.json.decode(found)
