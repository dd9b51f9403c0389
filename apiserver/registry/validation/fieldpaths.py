"""Paths into custom resources (`.spec.color`, `.spec.labels['a.b']`), followed through the schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from steersman.api.apiextensions import JSONSchemaProps

_TOKEN: Final = re.compile(r"'(?:\\.|[^'\\])*'|[.\[\]]|[^.\[\]]+", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_NOWHERE: Final = "does not refer to a valid field"
_CUT_OFF: Final = "unexpected end of JSON path"


@dataclass(frozen=True, slots=True)
class Found:
    """Where a path leads: the names on the way, and the schema at its end."""

    names: tuple[str, ...]
    schema: JSONSchemaProps


class PathError(ValueError):
    """Why a path leads nowhere."""


def follow(path: str, schema: JSONSchemaProps, *, brackets: bool = True) -> Found:
    """`brackets`: whether `['name']` is a way to write a name. PathError where the schema has no such field."""
    tokens: Iterator[str] = (match.group() for match in _TOKEN.finditer(path))
    names: list[str] = []
    for token in tokens:
        if token == ".":
            name = _next(tokens)
        elif token == "[":
            if not brackets:
                raise PathError("array notation is not allowed")
            name = _unquoted(_next(tokens))
        else:
            raise PathError(f"expected [ or . but got: {token}")
        schema = _step(schema, name)
        names.append(name)
        if token == "[" and (closing := _next(tokens)) != "]":
            raise PathError(f"expected ] but got {closing}")
    return Found(tuple(names), schema)


def _next(tokens: Iterator[str]) -> str:
    token = next(tokens, None)
    if token is None:
        raise PathError(_CUT_OFF)
    return token


def _unquoted(token: str) -> str:
    if len(token) < 2 or token[0] != "'" or token[-1] != "'":
        raise PathError(f"expected single quoted string but got {token}")
    return _ESCAPED.sub(r"\1", token[1:-1])


def _step(schema: JSONSchemaProps, name: str) -> JSONSchemaProps:
    if schema.properties:
        if name in schema.properties:
            return schema.properties[name]
    elif isinstance(schema.additional_properties, JSONSchemaProps):
        return schema.additional_properties
    raise PathError(_NOWHERE)
