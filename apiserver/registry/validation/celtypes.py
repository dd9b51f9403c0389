"""The types of CEL for values that a schema describes, with the largest sizes that a request can hold. Pure.

Fields whose names are no identifiers are known by escaped ones; those that cannot be escaped, or have no type, are not
known at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from apiserver.registry.validation import structural
from steersman.api.apiextensions import JSONSchemaProps as Schema
from steersman.cel import terms, types
from steersman.cel.environment import Fields
from steersman.cel.types import Type

MAX_REQUEST_BYTES: Final = 3 * 1024 * 1024
SELF_TYPE: Final = "selfType"

_ANY_TEXT: Final = MAX_REQUEST_BYTES - 2
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_KEYWORDS: Final = terms.RESERVED | {"true", "false", "null", "in"}
_NAME: Final = re.compile(r"[a-zA-Z_][\w./-]*", re.ASCII)
_TEXT_FORMATS: Final = {
    "duration": (types.DURATION, 4, 32),
    "date": (types.TIMESTAMP, 12, 12),
    "date-time": (types.TIMESTAMP, 22, 38),
}
_METADATA: Final = Schema(
    type="object", properties={"name": Schema(type="string"), "generateName": Schema(type="string")}
)
_OF_EVERY_OBJECT: Final = {"apiVersion": Schema(type="string"), "kind": Schema(type="string"), "metadata": _METADATA}


@dataclass(frozen=True, slots=True)
class Declared:
    """A type, how small its JSON may be, and how many elements or characters a value may have."""

    type: Type
    least_bytes: int
    most_elements: int = 0
    element: Declared | None = None
    fields: Mapping[str, Declared] = field(default_factory=dict)

    def objects(self) -> dict[str, Fields]:
        """All types of objects in it, with their fields."""
        found: dict[str, Fields] = {}
        if self.type.kind is types.Kind.STRUCT:
            found[self.type.name] = {name: each.type for name, each in self.fields.items()}
        for each in (self.element, *self.fields.values()):
            if each is not None:
                found |= each.objects()
        return found


def escape(name: str) -> str | None:
    """The name by which expressions know a field; None: they cannot."""
    if name in _KEYWORDS:
        return f"__{name}__"
    if _NAME.fullmatch(name) is None:
        return None
    return re.sub(r"__|[./-]", lambda match: _ESCAPES[match.group()], name)


def with_object_fields(schema: Schema) -> Schema:
    """A whole object has a kind and a name, whether its schema says so or not."""
    return msgspec.structs.replace(schema, properties={**schema.properties, **_OF_EVERY_OBJECT})


def declare(schema: Schema, *, is_object: bool, name: str = SELF_TYPE) -> Declared | None:
    """None: the schema says no type. `is_object`: it is of a whole object, at the root or embedded."""
    if schema.x_kubernetes_int_or_string:
        return Declared(types.DYN, 1, _ANY_TEXT if schema.max_length is None else max(schema.max_length, 0) * 4)
    if is_object:
        schema = with_object_fields(schema)
    match schema.type:
        case "array":
            return _list(schema, name)
        case "object":
            return _map(schema, name) if isinstance(schema.additional_properties, Schema) else _object(schema, name)
        case "string":
            return _text(schema)
        case "boolean":
            return Declared(types.BOOL, 4)
        case "number":
            return Declared(types.DOUBLE, 1)
        case "integer":
            return Declared(types.INT, 1)
    return None


def _child(schema: Schema, name: str) -> Declared | None:
    return declare(schema, is_object=schema.x_kubernetes_embedded_resource, name=name)


def _list(schema: Schema, name: str) -> Declared | None:
    element = _child(schema.items, f"{name}.@idx") if isinstance(schema.items, Schema) else None
    if element is None:
        return None
    most = (
        (MAX_REQUEST_BYTES - 2) // (element.least_bytes + 1) if schema.max_items is None else max(schema.max_items, 0)
    )
    return Declared(types.list_of(element.type), 2, most, element)


def _map(schema: Schema, name: str) -> Declared | None:
    others = schema.additional_properties
    element = _child(others, f"{name}.@elem") if isinstance(others, Schema) else None
    if element is None:
        return None
    given = schema.max_properties
    most = (MAX_REQUEST_BYTES - 2) // (element.least_bytes + 6) if given is None else max(given, 0)
    return Declared(types.map_of(types.STRING, element.type), 2, most, element)


def _object(schema: Schema, name: str) -> Declared:
    fields: dict[str, Declared] = {}
    least = 2
    for key, child in schema.properties.items():
        declared = _child(child, f"{name}.{key}")
        if declared is None:
            continue
        if (escaped := escape(key)) is not None:
            fields[escaped] = declared
        if key in schema.required and not structural.is_given(child.default):
            least += len(key.encode()) + declared.least_bytes + 4
    return Declared(types.struct(name), least, 0, None, fields)


def _text(schema: Schema) -> Declared:
    if schema.format in _TEXT_FORMATS:
        known, least, most = _TEXT_FORMATS[schema.format]
        return Declared(known, least, most)
    given = schema.max_length
    if schema.format == "byte":
        return Declared(types.BYTES, 2, _ANY_TEXT if given is None else max(given, 0))
    if given is not None:
        return Declared(types.STRING, 2, max(given, 0) * 4)
    choices = [msgspec.json.decode(choice) for choice in schema.enum]
    longest = max((len(choice.encode()) for choice in choices if isinstance(choice, str)), default=0)
    return Declared(types.STRING, 2, longest if choices else _ANY_TEXT)
