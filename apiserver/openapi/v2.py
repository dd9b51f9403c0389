"""The whole API in OpenAPI 2.0, also known as Swagger. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from apiserver.openapi import documents, operations
from apiserver.openapi.definitions import Definitions
from apiserver.openapi.dialects import Schema
from apiserver.openapi.documents import ANSWERED_AS, WATCHED_AS, Document
from apiserver.openapi.operations import Operation
from apiserver.openapi.parameters import Parameter
from apiserver.openapi.served import Resource

_TEXT: Schema = {"type": "string"}


def document(definitions: Definitions, resources: Iterable[Resource], info: Document) -> Document:
    writer = _Writer(definitions)
    paths: Document = {}
    served: set[tuple[str, str]] = set()
    for resource in resources:
        served.add(resource.group_version)
        for item in operations.path_items(resource):
            paths[item.path] = {
                "parameters": writer.parameters(item.parameters),
                **{each.method: writer.operation(each) for each in item.operations},
            }
    for group, version in served:
        paths[f"{operations.root_of(group, version)}/"] = {"get": writer.discovery(group, version)}
    found = definitions.reaching(writer.roots)
    documents.tell_delete_options(found, [("", "v1"), *sorted(served)])
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
            "consumes": list(operation.sent_as or ("*/*",)),
            "produces": _produced(operation),
            "schemes": ["https"],
            "tags": [operation.tag],
            "operationId": operation.id,
            **({"parameters": parameters} if parameters else {}),
            "responses": self._responses(operation),
            **documents.kubernetes_notes(operation),
        }

    def discovery(self, group: str, version: str) -> Document:
        return {
            "description": "the resources that are served",
            "consumes": list(ANSWERED_AS),
            "produces": list(ANSWERED_AS),
            "schemes": ["https"],
            "tags": [operations.tag_of(group, version)],
            "operationId": f"get{operations.words_of(group, version)}APIResources",
            "responses": {
                "200": {"description": "OK", "schema": self._schema(documents.DISCOVERY)},
                **documents.REFUSED,
            },
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


def _produced(operation: Operation) -> list[str]:
    if operation.action == "connect":
        return ["*/*"]
    return [*ANSWERED_AS, *(WATCHED_AS if operation.is_list else ())]


def _parameter(parameter: Parameter) -> Document:
    written: dict[str, Any] = {
        "uniqueItems": True,
        "type": parameter.type,
        "description": parameter.description,
        "name": parameter.name,
        "in": parameter.place,
    }
    return {**written, "required": True} if parameter.is_required else written
