"""What the documents of both versions share. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from apiserver.openapi import definitions as definitions_
from apiserver.openapi import names
from apiserver.openapi.definitions import Definitions
from apiserver.openapi.operations import Operation
from apiserver.openapi.served import Body

Document = dict[str, Any]
GroupVersion = tuple[str, str]
CORE: GroupVersion = ("", "v1")

PHRASES = {200: "OK", 201: "Created", 202: "Accepted"}
REFUSED: Document = {"401": {"description": "Unauthorized"}}
SECURITY: Document = {
    "BearerToken": {
        "type": "apiKey",
        "name": "authorization",
        "in": "header",
        "description": "A bearer token.",
    }
}

_DELETE_OPTIONS = f"{names.META}.DeleteOptions"


def named(definitions: Definitions, body: Body) -> str:
    """The definition of a body; empty where anything goes."""
    return definitions.add(body.struct) if body.struct is not None else body.definition


def answered(definitions: Definitions, operation: Operation) -> str:
    body = operation.answered
    if operation.is_list and body.struct is not None:
        return definitions.add_list(body.struct)
    return named(definitions, body)


def kubernetes_notes(operation: Operation) -> Document:
    if not operation.action:
        return {}
    return {
        "x-kubernetes-action": operation.action,
        definitions_.GVK: definitions_.gvk_members(operation.gvk),
    }


def tell_delete_options(found: Document, served: Iterable[GroupVersion]) -> None:
    """These options are of every group-version that a document is about: the one definition that is its own."""
    if _DELETE_OPTIONS in found:
        kinds = [
            definitions_.gvk_members((group, version, "DeleteOptions")) for group, version in dict.fromkeys(served)
        ]
        found[_DELETE_OPTIONS] = {**found[_DELETE_OPTIONS], definitions_.GVK: kinds}
