"""A part of the API, mostly one group-version, in OpenAPI 3.0. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from apiserver.openapi import documents
from apiserver.openapi.definitions import Definitions
from apiserver.openapi.dialects import Schema
from apiserver.openapi.documents import CORE, Document, GroupVersion
from apiserver.openapi.operations import Operation, PathItem
from apiserver.openapi.parameters import Parameter

_TEXT: Schema = {"type": "string"}


def document(
    definitions: Definitions, items: Iterable[PathItem], served: Iterable[GroupVersion], info: Document
) -> Document:
    """`served`: the group-versions that it is about."""
    writer = _Writer(definitions)
    paths = {
        item.path: {
            **({"parameters": writer.parameters(item.parameters)} if item.parameters else {}),
            **{each.method: writer.operation(each) for each in item.operations},
        }
        for item in items
    }
    found = definitions.reaching(writer.roots)
    documents.tell_delete_options(found, [CORE, *served])
    return {
        "openapi": "3.0.0",
        "info": info,
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": found, "securitySchemes": documents.SECURITY},
    }


class _Writer:
    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._parameters: dict[tuple[Parameter, ...], list[Document]] = {}
        self.roots: set[str] = set()

    def operation(self, operation: Operation) -> Document:
        return {
            "tags": [operation.tag],
            "description": operation.description,
            "operationId": operation.id,
            **({"parameters": self.parameters(operation.parameters)} if operation.parameters else {}),
            **self._request(operation),
            "responses": self._responses(operation),
            **documents.kubernetes_notes(operation),
        }

    def parameters(self, wanted: tuple[Parameter, ...]) -> list[Document]:
        if wanted not in self._parameters:
            self._parameters[wanted] = [_parameter(each) for each in wanted]
        return self._parameters[wanted]

    def _request(self, operation: Operation) -> Document:
        if operation.sent is None:
            return {}
        content = _content(self._schema(documents.named(self._definitions, operation.sent)), operation.sent_as)
        return {"requestBody": {"content": content, **({"required": True} if operation.is_body_required else {})}}

    def _responses(self, operation: Operation) -> Document:
        schema = self._schema(documents.answered(self._definitions, operation))
        content = _content(schema, operation.answered_as)
        answers = {str(code): {"description": documents.PHRASES[code], "content": content} for code in operation.codes}
        return {**answers, **documents.REFUSED}

    def _schema(self, definition: str) -> Schema:
        if not definition:
            return _TEXT
        self.roots.add(definition)
        return self._definitions.dialect.reference(definition)


def _content(schema: Schema, types: Sequence[str]) -> Document:
    return {media_type: {"schema": schema} for media_type in types}


def _parameter(parameter: Parameter) -> Document:
    written: dict[str, Any] = {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.description,
        "schema": {"type": parameter.type, "uniqueItems": True},
    }
    return {**written, "required": True} if parameter.is_required else written
