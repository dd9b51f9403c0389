"""Paths into custom resources: where they lead, and why not."""

from __future__ import annotations

import msgspec
import pytest

from apiserver.registry.validation import fieldpaths
from apiserver.registry.validation.fieldpaths import PathError
from steersman.api.apiextensions import JSONSchemaProps

SCHEMA = msgspec.convert(
    {
        "properties": {
            "spec": {
                "properties": {"color": {"type": "string"}, "a.b": {"type": "integer"}, "it's": {"type": "boolean"}}
            },
            "labels": {"additionalProperties": {"type": "string"}},
            "anything": {"additionalProperties": True},
        }
    },
    JSONSchemaProps,
)


@pytest.mark.parametrize(
    ("path", "names", "kind"),
    [
        (".spec.color", ("spec", "color"), "string"),
        (".spec['a.b']", ("spec", "a.b"), "integer"),
        (r".spec['it\'s']", ("spec", "it's"), "boolean"),
        (".labels.app", ("labels", "app"), "string"),
        (".labels['x/y']", ("labels", "x/y"), "string"),
        ("", (), ""),
    ],
)
def test_found(path: str, names: tuple[str, ...], kind: str) -> None:
    found = fieldpaths.follow(path, SCHEMA)
    assert (found.names, found.schema.type) == (names, kind)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (".size", "does not refer to a valid field"),
        (".spec.color.deep", "does not refer to a valid field"),
        (".anything.x", "does not refer to a valid field"),
        ("spec", "expected [ or . but got: spec"),
        (".", "unexpected end of JSON path"),
        (".spec[", "unexpected end of JSON path"),
        (".spec['a.b'", "unexpected end of JSON path"),
        (".spec['a.b'.", "expected ] but got ."),
        (".spec[color]", "expected single quoted string but got color"),
    ],
)
def test_nowhere(path: str, why: str) -> None:
    with pytest.raises(PathError) as error:
        fieldpaths.follow(path, SCHEMA)
    assert str(error.value) == why


def test_brackets_may_be_unwelcome() -> None:
    with pytest.raises(PathError, match="array notation is not allowed"):
        fieldpaths.follow(".spec['color']", SCHEMA, brackets=False)
