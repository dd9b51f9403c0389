"""A document of OpenAPI 2.0 as protobuf, which is how some clients ask for it.

The messages and their numbers are those of gnostic's public OpenAPIv2.proto, as far as our documents need them. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from apiserver.openapi.documents import Document

Write = Callable[[Any], bytes]
"""A member's value as one or several whole fields."""
Body = Callable[[Any], bytes]
"""A value as the inside of a message."""

_QUERY, _PATH = 3, 4
"""Which kind of a parameter outside the body it is."""


def encode(document: Document) -> bytes:
    return _DOCUMENT(document)


def _varint(number: int) -> bytes:
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    written.append(number)
    return bytes(written)


def _chunk(number: int, inside: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(inside)) + inside


def _text(number: int) -> Write:
    return lambda value: _chunk(number, value.encode())


def _texts(number: int) -> Write:
    return lambda values: b"".join(_chunk(number, value.encode()) for value in values)


def _flag(number: int) -> Write:
    return lambda value: _varint(number << 3) + (b"\x01" if value else b"\x00")


def _one(number: int, body: Body) -> Write:
    return lambda value: _chunk(number, body(value))


def _many(number: int, body: Body) -> Write:
    return lambda values: b"".join(_chunk(number, body(value)) for value in values)


def _any(value: Any) -> bytes:
    """Whatever it is, as YAML; JSON is that too."""
    return _chunk(2, msgspec.json.encode(value))


def _named(number: int, body: Body) -> Body:
    """A map: a repeated message of a name and a value."""

    def write(members: Mapping[str, Any]) -> bytes:
        return b"".join(_chunk(number, _pair(name, body(value))) for name, value in members.items())

    return write


def _pair(name: str, value: bytes) -> bytes:
    return _chunk(1, name.encode()) + _chunk(2, value)


def _message(members: Mapping[str, Write], extensions: int = 0) -> Body:
    """A message whose members are written by name; those that begin with `x-` are extensions under that number."""

    def write(value: Document) -> bytes:
        parts = []
        for name, member in value.items():
            if name in members:
                parts.append(members[name](member))
            elif extensions and name.startswith("x-"):
                parts.append(_chunk(extensions, _pair(name, _any(member))))
        return b"".join(parts)

    return write


def _schema(value: Document) -> bytes:
    return _SCHEMA(value)


def _type(value: str) -> bytes:
    return _chunk(1, value.encode())


def _additional(value: Any) -> bytes:
    return _flag(2)(value) if isinstance(value, bool) else _chunk(1, _schema(value))


_SCHEMA = _message(
    {
        "$ref": _text(1),
        "format": _text(2),
        "title": _text(3),
        "description": _text(4),
        "default": _one(5, _any),
        "pattern": _text(13),
        "required": _texts(19),
        "enum": _many(20, _any),
        "additionalProperties": _one(21, _additional),
        "type": _one(22, _type),
        "items": _one(23, lambda item: _chunk(1, _schema(item))),
        "allOf": _many(24, _schema),
        "properties": _one(25, _named(1, _schema)),
    },
    extensions=31,
)

_BODY = _message(
    {
        "description": _text(1),
        "name": _text(2),
        "in": _text(3),
        "required": _flag(4),
        "schema": _one(5, _schema),
    },
    extensions=6,
)
_QUERY_PARAMETER = _message(
    {
        "required": _flag(1),
        "in": _text(2),
        "description": _text(3),
        "name": _text(4),
        "type": _text(6),
        "format": _text(7),
        "uniqueItems": _flag(20),
    },
    extensions=23,
)
_PATH_PARAMETER = _message(
    {
        "required": _flag(1),
        "in": _text(2),
        "description": _text(3),
        "name": _text(4),
        "type": _text(5),
        "format": _text(6),
        "uniqueItems": _flag(19),
    },
    extensions=22,
)


def _parameter(value: Document) -> bytes:
    """Wrapped as often as the message's alternatives demand."""
    if value["in"] == "body":
        return _chunk(1, _chunk(1, _BODY(value)))
    is_path = value["in"] == "path"
    inside = _PATH_PARAMETER(value) if is_path else _QUERY_PARAMETER(value)
    return _chunk(1, _chunk(2, _chunk(_PATH if is_path else _QUERY, inside)))


def _once(body: Body) -> Body:
    """The same few parameters stand everywhere, so what was written of an object is remembered with it."""
    written: dict[int, tuple[Any, bytes]] = {}

    def write(value: Any) -> bytes:
        known = written.get(id(value))
        if known is None or known[0] is not value:
            known = written[id(value)] = (value, body(value))
        return known[1]

    return write


_RESPONSE = _message({"description": _text(1), "schema": _one(2, lambda schema: _chunk(1, _schema(schema)))})


def _response(value: Document) -> bytes:
    return _chunk(1, _RESPONSE(value))


def _operation(parameter: Body) -> Body:
    return _message(
        {
            "tags": _texts(1),
            "description": _text(3),
            "operationId": _text(5),
            "produces": _texts(6),
            "consumes": _texts(7),
            "parameters": _many(8, parameter),
            "responses": _one(9, _named(1, _response)),
            "schemes": _texts(10),
        },
        extensions=13,
    )


def _paths(paths: Mapping[str, Document]) -> bytes:
    parameter = _once(_parameter)
    operation = _operation(parameter)
    numbers = {"get": 2, "put": 3, "post": 4, "delete": 5, "options": 6, "head": 7, "patch": 8}
    item = _message(
        {
            **{method: _one(number, operation) for method, number in numbers.items()},
            "parameters": _many(9, parameter),
        }
    )
    return _named(2, item)(paths)


_INFO = _message({"title": _text(1), "version": _text(2)})
_KEY = _message({"type": _text(1), "name": _text(2), "in": _text(3), "description": _text(4)})


def _requirements(requirements: Iterable[Mapping[str, list[str]]]) -> bytes:
    return b"".join(_chunk(12, _named(1, _texts(1))(each)) for each in requirements)


_DOCUMENT = _message(
    {
        "swagger": _text(1),
        "info": _one(2, _INFO),
        "paths": _one(8, _paths),
        "definitions": _one(9, _named(1, _schema)),
        "security": _requirements,
        "securityDefinitions": _one(13, _named(1, lambda key: _chunk(2, _KEY(key)))),
    }
)
