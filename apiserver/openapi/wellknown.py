"""Definitions that no Struct stands behind: scalars with a name, lists of a kind, and what discovery answers. Pure."""

from __future__ import annotations

from typing import Final

from apiserver.openapi import names
from apiserver.openapi.dialects import Dialect, Schema
from apiserver.openapi.names import Gvk
from steersman.api.meta import ListMeta

LIST_META: Final = ListMeta

_MOMENT: Schema = {"type": "string", "format": "date-time"}
_OBJECT: Schema = {"type": "object"}
_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_FLAG: Schema = {"type": "boolean"}

API_VERSION = "The group and version in which the object is written down."
KIND = "The type of the object."


def definitions(dialect: Dialect) -> dict[str, Schema]:
    """By name."""
    return {
        names.TIME: {"description": "A point in time to the second, as RFC 3339 writes it.", **_MOMENT},
        names.MICRO_TIME: {"description": "A point in time to the microsecond, as RFC 3339 writes it.", **_MOMENT},
        names.QUANTITY: {"description": "An amount with a suffix, such as 500m, 2 or 1Gi.", **dialect.quantity},
        names.INT_OR_STRING: {"description": "A number, or a text such as 25% or a name.", **dialect.int_or_string},
        names.FIELDS: {"description": "A set of fields, as server-side apply writes it.", **_OBJECT},
        names.RAW_EXTENSION: {"description": "Any object; the server keeps it as it came.", **_OBJECT},
        names.PATCH: {"description": "A change; its form is said by the content type.", **_OBJECT},
        f"{names.EXTENSIONS}.JSON": {"description": "Any value that JSON can write down."},
        f"{names.EXTENSIONS}.JSONSchemaPropsOrArray": {"description": "A schema, or a list of schemas."},
        f"{names.EXTENSIONS}.JSONSchemaPropsOrBool": {"description": "A schema, or yes or no."},
        f"{names.EXTENSIONS}.JSONSchemaPropsOrStringArray": {"description": "A schema, or a list of names."},
        names.VERSION: _version(),
        names.API_VERSIONS: _api_versions(dialect),
        names.API_GROUP: _api_group(dialect),
        names.API_GROUP_LIST: _api_group_list(dialect),
        names.GROUP_VERSION: _group_version(),
        names.SERVER_ADDRESS: _server_address(),
        names.API_RESOURCE: _api_resource(),
        names.API_RESOURCE_LIST: _api_resource_list(dialect),
    }


def list_definition(dialect: Dialect, item: str, gvk: Gvk | None, list_meta: str) -> Schema:
    """The list of a kind, by the name of its definition."""
    metadata = {"description": "What the list says about itself.", **({"default": {}} if dialect.zero_defaults else {})}
    kind = item.rpartition(".")[2]
    members: Schema = {
        "description": f"A list of {kind} objects.",
        "type": "object",
        "properties": {
            "apiVersion": {"description": API_VERSION, **_TEXT},
            "items": {"description": "The objects.", "type": "array", "items": dialect.reference(item)},
            "kind": {"description": KIND, **_TEXT},
            "metadata": dialect.reference(list_meta, metadata),
        },
        "required": ["items"],
    }
    if gvk is not None:
        group, version, name = gvk
        members["x-kubernetes-group-version-kind"] = [{"group": group, "version": version, "kind": f"{name}List"}]
    return members


def _api_resource() -> Schema:
    return {
        "description": "One resource that is served.",
        "type": "object",
        "properties": {
            "categories": {"description": "Collective names, such as all.", **_TEXTS},
            "group": {"description": "Its group, where that is another than the list's.", **_TEXT},
            "kind": {"description": "The kind of its objects.", **_TEXT},
            "name": {"description": "Its name in paths: the plural.", **_TEXT},
            "namespaced": {"description": "Whether its objects live in namespaces.", **_FLAG},
            "shortNames": {"description": "Shorter names for people in a hurry.", **_TEXTS},
            "singularName": {"description": "The name of one object.", **_TEXT},
            "storageVersionHash": {"description": "Changes when objects are stored in another form.", **_TEXT},
            "verbs": {"description": "What can be done with it.", **_TEXTS},
            "version": {"description": "Its version, where that is another than the list's.", **_TEXT},
        },
        "required": ["kind", "name", "namespaced", "singularName", "verbs"],
    }


def _api_resource_list(dialect: Dialect) -> Schema:
    resources = {"type": "array", "items": dialect.reference(names.API_RESOURCE)}
    properties = {
        "groupVersion": {"description": "The group and version.", **_TEXT},
        "resources": {"description": "What is served in it.", **resources},
    }
    return _answer("APIResourceList", "The resources of one group and version.", properties)


def _api_versions(dialect: Dialect) -> Schema:
    addresses = {"type": "array", "items": dialect.reference(names.SERVER_ADDRESS)}
    properties = {
        "serverAddressByClientCIDRs": {"description": "Where the server is reached, and by whom.", **addresses},
        "versions": {"description": "The versions.", **_TEXTS},
    }
    return _answer("APIVersions", "The versions of the core group.", properties)


def _api_group(dialect: Dialect) -> Schema:
    version = names.GROUP_VERSION
    addresses = {"type": "array", "items": dialect.reference(names.SERVER_ADDRESS)}
    properties = {
        "name": {"description": "The group.", **_TEXT},
        "preferredVersion": dialect.reference(version, {"description": "The version to use when in doubt."}),
        "serverAddressByClientCIDRs": {"description": "Where the server is reached, and by whom.", **addresses},
        "versions": {"description": "The versions.", "type": "array", "items": dialect.reference(version)},
    }
    return _answer("APIGroup", "A group and its versions.", properties, "name", "versions")


def _api_group_list(dialect: Dialect) -> Schema:
    groups = {"type": "array", "items": dialect.reference(names.API_GROUP)}
    return _answer("APIGroupList", "All groups.", {"groups": {"description": "The groups.", **groups}}, "groups")


def _answer(kind: str, description: str, properties: dict[str, Schema], *required: str) -> Schema:
    return {
        "description": description,
        "type": "object",
        "properties": {
            "apiVersion": {"description": API_VERSION, **_TEXT},
            "kind": {"description": KIND, **_TEXT},
            **properties,
        },
        "required": list(required or properties),
        "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": kind}],
    }


def _group_version() -> Schema:
    return {
        "description": "A version of a group.",
        "type": "object",
        "properties": {
            "groupVersion": {"description": "Group and version in one.", **_TEXT},
            "version": {"description": "The version alone.", **_TEXT},
        },
        "required": ["groupVersion", "version"],
    }


def _server_address() -> Schema:
    return {
        "description": "Where clients from one network reach the server.",
        "type": "object",
        "properties": {
            "clientCIDR": {"description": "The network of the clients.", **_TEXT},
            "serverAddress": {"description": "The server's address for them.", **_TEXT},
        },
        "required": ["clientCIDR", "serverAddress"],
    }


def _version() -> Schema:
    told = {
        "buildDate": "When it was built.",
        "compiler": "What it was built with.",
        "emulationMajor": "The major version that it behaves like.",
        "emulationMinor": "The minor version that it behaves like.",
        "gitCommit": "The commit that it was built from.",
        "gitTreeState": "Whether anything was changed beside that.",
        "gitVersion": "The whole version.",
        "goVersion": "The version of the language.",
        "major": "The major version of the API.",
        "minCompatibilityMajor": "The oldest major version that it gets along with.",
        "minCompatibilityMinor": "The oldest minor version that it gets along with.",
        "minor": "The minor version of the API.",
        "platform": "What it runs on.",
    }
    optional = {"emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"}
    return {
        "description": "What runs here.",
        "type": "object",
        "properties": {name: {"description": text, **_TEXT} for name, text in told.items()},
        "required": [name for name in told if name not in optional],
    }
