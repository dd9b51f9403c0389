"""The whole API in OpenAPI 2.0, also known as Swagger. Pure."""

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
        "swagger": "2.0",
        "info": info,
        "paths": dict(sorted(paths.items())),
        "definitions": found,
        "securityDefinitions": documents.SECURITY,
        "security": [{name: [] for name in documents.SECURITY}],
    }


class _Writer:
    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._parameters: dict[Parameter, Document] = {}
        self.roots: set[str] = set()

    def operation(self, operation: Operation) -> Document:
        parameters = [*self._body(operation), *self.parameters(operation.parameters)]
        return {
            "description": operation.description,
            "consumes": list(operation.sent_as),
            "produces": list(operation.answered_as),
            "schemes": ["https"],
            "tags": [operation.tag],
            "operationId": operation.id,
            **({"parameters": parameters} if parameters else {}),
            "responses": self._responses(operation),
            **documents.kubernetes_notes(operation),
        }

    def parameters(self, wanted: Sequence[Parameter]) -> list[Document]:
        for each in wanted:
            if each not in self._parameters:
                self._parameters[each] = _parameter(each)
        return [self._parameters[each] for each in wanted]

    def _body(self, operation: Operation) -> list[Document]:
        if operation.sent is None:
            return []
        schema = self._schema(documents.named(self._definitions, operation.sent))
        required = {"required": True} if operation.is_body_required else {}
        return [{"name": "body", "in": "body", **required, "schema": schema}]

    def _responses(self, operation: Operation) -> Document:
        schema = self._schema(documents.answered(self._definitions, operation))
        answers = {str(code): {"description": documents.PHRASES[code], "schema": schema} for code in operation.codes}
        return {**answers, **documents.REFUSED}

    def _schema(self, definition: str) -> Schema:
        if not definition:
            return _TEXT
        self.roots.add(definition)
        return self._definitions.dialect.reference(definition)


def _parameter(parameter: Parameter) -> Document:
    written: dict[str, Any] = {
        "uniqueItems": True,
        "type": parameter.type,
        "description": parameter.description,
        "name": parameter.name,
        "in": parameter.place,
    }
    return {**written, "required": True} if parameter.is_required else written
