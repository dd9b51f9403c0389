"""The protobuf form, read back by wire numbers as gnostic's OpenAPIv2.proto has them."""

from __future__ import annotations

import json
from typing import Any

from apiserver.openapi import gnostic
from steersman.api import protowire

DOCUMENT: dict[str, Any] = {
    "swagger": "2.0",
    "info": {"title": "t", "version": "v"},
    "paths": {
        "/pods": {
            "parameters": [
                {"name": "namespace", "in": "path", "type": "string", "uniqueItems": True, "required": True},
            ],
            "patch": {
                "operationId": "patchPod",
                "consumes": ["application/merge-patch+json"],
                "parameters": [
                    {"name": "body", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Pod"}},
                    {"name": "fieldValidation", "in": "query", "type": "string", "uniqueItems": True},
                ],
                "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/Pod"}}},
                "x-kubernetes-group-version-kind": {"group": "", "version": "v1", "kind": "Pod"},
            },
        }
    },
    "definitions": {
        "Pod": {
            "description": "A pod.",
            "type": "object",
            "required": ["spec"],
            "properties": {
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "names": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "default": []},
            },
            "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}],
        }
    },
}

Message = dict[int, list[bytes | int]]


def read(data: bytes) -> Message:
    found: Message = {}
    for tag, first, stop in protowire.scan(data, 0, len(data)):
        value: bytes | int = data[first:stop] if tag & 7 == protowire.LENGTH else first
        found.setdefault(tag >> 3, []).append(value)
    return found


def one(message: Message, *numbers: int) -> Message:
    """The only message at a path of numbers."""
    for number in numbers:
        (inside,) = message[number]
        assert isinstance(inside, bytes)
        message = read(inside)
    return message


def named(message: Message, number: int) -> dict[str, Message]:
    pairs = [read(each) for each in message[number] if isinstance(each, bytes)]
    return {text(pair, 1): one(pair, 2) for pair in pairs}


def text(message: Message, number: int) -> str:
    (value,) = message[number]
    assert isinstance(value, bytes)
    return value.decode()


def extension(message: Message, number: int) -> Any:
    return {name: json.loads(text(value, 2)) for name, value in named(message, number).items()}


WRITTEN = read(gnostic.encode(DOCUMENT))


def test_the_document_says_what_it_is() -> None:
    assert text(WRITTEN, 1) == "2.0"
    assert text(one(WRITTEN, 2), 1) == "t"


def test_a_definition() -> None:
    pod = named(one(WRITTEN, 9), 1)["Pod"]
    assert text(pod, 4) == "A pod."
    assert text(one(pod, 22), 1) == "object"
    assert pod[19] == [b"spec"]
    assert extension(pod, 31) == {"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}]}


def test_fields_of_a_definition() -> None:
    fields = named(one(WRITTEN, 9, 1, 2, 25), 1)
    assert text(one(fields["labels"], 21, 1, 22), 1) == "string"
    assert text(one(fields["names"], 5), 2) == "[]"
    item = one(fields["names"], 23, 1)
    assert [text(read(each), 2) for each in item[20] if isinstance(each, bytes)] == ['"a"', '"b"']


def test_an_operation() -> None:
    patch = one(named(one(WRITTEN, 8), 2)["/pods"], 8)
    assert text(patch, 5) == "patchPod"
    assert patch[7] == [b"application/merge-patch+json"]
    assert extension(patch, 13)["x-kubernetes-group-version-kind"]["kind"] == "Pod"
    answer = one(named(one(patch, 9), 1)["200"], 1)
    assert text(answer, 1) == "OK"
    assert text(one(answer, 2, 1), 1) == "#/definitions/Pod"


def test_parameters() -> None:
    item = named(one(WRITTEN, 8), 2)["/pods"]
    namespace = one(item, 9, 1, 2, 4)
    assert (text(namespace, 4), text(namespace, 5), namespace[1]) == ("namespace", "string", [1])
    body, query = (read(each) for each in one(item, 8)[8] if isinstance(each, bytes))
    assert text(one(body, 1, 1, 5), 1) == "#/definitions/Pod"
    validation = one(query, 1, 2, 3)
    assert (text(validation, 4), text(validation, 6)) == ("fieldValidation", "string")
