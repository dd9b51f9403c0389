"""What makes a schema structural: every value has a type, said once, outside of `allOf`, `anyOf`, `oneOf` and `not`.

Only then can unknown fields be dropped and defaults be filled in without guessing.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

from msgspec.structs import replace

from steersman.api import fields, patterns
from steersman.api.apiextensions import JSONSchemaProps as Schema
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.part import NO_JSON, Json

_INT_OR_STRING: Final = (Schema(type="integer"), Schema(type="string"))
_RESTRICTABLE: Final = frozenset({"name", "generateName"})


class Level(Enum):
    """Where a schema stands; the value says what its type must not be empty for."""

    ROOT = "at the root"
    ITEM = "for specified array items"
    FIELD = "for specified object fields"


def is_given(value: Json) -> bool:
    """Whether there is a default or an example; `null` is as good as none."""
    return bytes(value) not in (b"", b"null")


def unsupported(schema: Schema) -> str:
    """The first thing in the schema that keeps it from being looked at as a structural one; empty if nothing does."""
    return next(_unsupported(schema), "")


def validate_structure(schema: Schema, path: Path) -> list[Cause]:
    """Complaints in alphabetical order, as Kubernetes has them. The schema has nothing unsupported."""
    causes = [*_invariants(schema, Level.ROOT, path), *_completeness(schema, schema, path, path)]
    return sorted(causes, key=lambda cause: f"{cause.field}: {cause.message}")


def _unsupported(schema: Schema) -> Iterator[str]:
    given = (
        ("id", schema.id),
        ("schema", schema.schema),
        ("$ref", schema.ref),
        ("patternProperties", schema.pattern_properties),
        ("dependencies", schema.dependencies),
        ("additionalItems", schema.additional_items is not None),
        ("definitions", schema.definitions),
    )
    yield from (f"OpenAPIV3Schema '{field}' is not supported" for field, value in given if value)
    if schema.x_kubernetes_preserve_unknown_fields is False:
        yield "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    if isinstance(schema.items, tuple):
        yield "OpenAPIV3Schema 'items' must be a schema, but is an array"
    for child in children(schema):
        yield from _unsupported(child)


def children(schema: Schema) -> Iterator[Schema]:
    """The schemas directly below one."""
    if schema.not_ is not None:
        yield schema.not_
    yield from (*schema.all_of, *schema.any_of, *schema.one_of)
    if isinstance(schema.items, Schema):
        yield schema.items
    yield from schema.properties.values()
    if isinstance(schema.additional_properties, Schema):
        yield schema.additional_properties


# --- Invariants


def _invariants(schema: Schema, level: Level, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if schema.type == "array" and schema.items is None:
        causes.append(fields.required(path.child("items"), "must be specified"))
    if isinstance(schema.items, Schema):
        causes += _invariants(schema.items, Level.ITEM, path.child("items"))
    for name, child in schema.properties.items():
        causes += _invariants(child, Level.FIELD, path.child("properties").key(name))
    if schema.additional_properties is not None:
        where = path.child("additionalProperties")
        if level is Level.ROOT:
            causes.append(fields.forbidden(where, "must not be used at the root"))
        if isinstance(schema.additional_properties, Schema):
            causes += _invariants(schema.additional_properties, Level.FIELD, where)
    causes += _extensions(schema, path)
    causes += _junctors(schema, path, skip_any_of=schema.any_of == _INT_OR_STRING)
    causes += _type(schema, level, path)
    return causes + _metadata(schema, level, path)


def _extensions(schema: Schema, path: Path) -> list[Cause]:
    if not schema.x_kubernetes_int_or_string:
        return []
    flags = (
        ("x-kubernetes-preserve-unknown-fields", schema.x_kubernetes_preserve_unknown_fields),
        ("x-kubernetes-embedded-resource", schema.x_kubernetes_embedded_resource),
    )
    detail = "must be false if x-kubernetes-int-or-string is true"
    return [fields.invalid(path.child(field), flag, detail) for field, flag in flags if flag]


def _type(schema: Schema, level: Level, path: Path) -> list[Cause]:
    where, embedded = path.child("type"), schema.x_kubernetes_embedded_resource
    may_be_open = schema.x_kubernetes_int_or_string or schema.x_kubernetes_preserve_unknown_fields
    causes: list[Cause] = []
    if embedded and schema.type != "object":
        detail = "must be object if x-kubernetes-embedded-resource is true"
        causes.append(fields.invalid(where, schema.type, detail) if schema.type else fields.required(where, detail))
    elif not schema.type and not may_be_open:
        causes.append(fields.required(where, f"must not be empty {level.value}"))
    if embedded and schema.additional_properties is not None:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        causes.append(fields.forbidden(path.child("additionalProperties"), detail))
    if level is Level.ROOT and schema.type not in ("", "object"):
        causes.append(fields.invalid(where, schema.type, "must be object at the root"))
    return causes


def _metadata(schema: Schema, level: Level, path: Path) -> list[Cause]:
    """What a resource, the root or an embedded one, may say about its kind and metadata: hardly anything."""
    causes: list[Cause] = []
    embedded = schema.x_kubernetes_embedded_resource
    is_resource = level is Level.ROOT or embedded
    properties, where = schema.properties, path.child("properties")
    for name in ("kind", "apiVersion"):
        if is_resource and name in properties and properties[name].type != "string":
            causes.append(fields.invalid(where.key(name).child("type"), properties[name].type, "must be string"))
    if "metadata" in properties:
        metadata, here = properties["metadata"], where.key("metadata")
        if is_resource and metadata.type != "object":
            causes.append(fields.invalid(here.child("type"), metadata.type, "must be object"))
        if level is Level.ROOT and _says_too_much(metadata):
            detail = "must not specify anything other than name and generateName, but metadata is implicitly specified"
            causes.append(fields.forbidden(here, detail))
    if embedded and not schema.x_kubernetes_preserve_unknown_fields and not properties:
        detail = (
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        )
        causes.append(fields.required(where, detail))
    return causes


def _says_too_much(metadata: Schema) -> bool:
    properties = {} if metadata.properties.keys() <= _RESTRICTABLE else metadata.properties
    return replace(metadata, type="", default=NO_JSON, properties=properties) != Schema()


# --- Junctors: what stands below allOf, anyOf, oneOf and not


def _junctors(schema: Schema, path: Path, *, skip_any_of: bool = False) -> list[Cause]:
    causes: list[Cause] = []
    if not skip_any_of:
        for index, child in enumerate(schema.any_of):
            causes += _nested(child, path.child("anyOf").index(index))
    for index, child in enumerate(schema.all_of):
        # The pattern by which clients write "integer or string" may stand first.
        excused = index == 0 and child.any_of == _INT_OR_STRING
        causes += _nested(child, path.child("allOf").index(index), skip_any_of=excused)
    for index, child in enumerate(schema.one_of):
        causes += _nested(child, path.child("oneOf").index(index))
    if schema.not_ is not None:
        causes += _nested(schema.not_, path.child("not"))
    if complaint := patterns.complain(schema.pattern):
        detail = f"must be a valid regular expression, but isn't: {complaint}"
        causes.append(fields.invalid(path.child("pattern"), schema.pattern, detail))
    return causes


def _nested(schema: Schema, path: Path, *, skip_any_of: bool = False) -> list[Cause]:
    causes = _junctors(schema, path, skip_any_of=skip_any_of)
    if isinstance(schema.items, Schema):
        causes += _nested(schema.items, path.child("items"))
    for name, child in schema.properties.items():
        causes += _nested(child, path.child("properties").key(name))
    said = (
        ("type", "empty", schema.type),
        ("additionalProperties", "undefined", schema.additional_properties),
        ("default", "undefined", is_given(schema.default)),
        ("title", "empty", schema.title),
        ("description", "empty", schema.description),
        ("nullable", "false", schema.nullable),
        ("x-kubernetes-preserve-unknown-fields", "false", schema.x_kubernetes_preserve_unknown_fields),
        ("x-kubernetes-embedded-resource", "false", schema.x_kubernetes_embedded_resource),
        ("x-kubernetes-int-or-string", "false", schema.x_kubernetes_int_or_string),
        ("x-kubernetes-list-map-keys", "empty", schema.x_kubernetes_list_map_keys),
        ("x-kubernetes-list-type", "undefined", schema.x_kubernetes_list_type is not None),
        ("x-kubernetes-map-type", "undefined", schema.x_kubernetes_map_type is not None),
        ("x-kubernetes-validations", "empty", schema.x_kubernetes_validations),
    )
    causes += [
        fields.forbidden(path.child(field), f"must be {rule} to be structural") for field, rule, on in said if on
    ]
    if "metadata" in schema.properties:
        where = path.child("properties").key("metadata")
        causes.append(fields.forbidden(where, "must not be specified in a nested context"))
    return causes


# --- Completeness: what junctors speak of must exist outside of them


def _completeness(junctors: Schema, schema: Schema, path: Path, source: Path) -> list[Cause]:
    """`path`: where `schema` is; `source`: where `junctors`, which speak of the same value, are."""
    causes: list[Cause] = []
    if junctors.not_ is not None:
        causes += _nested_completeness(junctors.not_, schema, path, source.child("not"))
    lists = (("allOf", junctors.all_of), ("anyOf", junctors.any_of), ("oneOf", junctors.one_of))
    for field, alternatives in lists:
        for index, child in enumerate(alternatives):
            causes += _nested_completeness(child, schema, path, source.child(field).index(index))
    return causes


def _nested_completeness(nested: Schema, schema: Schema, path: Path, source: Path) -> list[Cause]:
    causes = _completeness(nested, schema, path, source)
    if isinstance(nested.items, Schema):
        here, there = path.child("items"), source.child("items")
        if isinstance(schema.items, Schema):
            causes += _nested_completeness(nested.items, schema.items, here, there)
        else:
            causes.append(fields.required(here, f"because it is defined in {there}"))
    for name, child in nested.properties.items():
        here, there = path.child("properties").key(name), source.child("properties").key(name)
        if name in schema.properties:
            causes += _nested_completeness(child, schema.properties[name], here, there)
        else:
            causes.append(fields.required(here, f"because it is defined in {there}"))
    return causes
