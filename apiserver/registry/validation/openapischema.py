"""The rules for each part of a custom resource's schema: the subset of OpenAPI v3, list and map types, CEL rules.

Whether CEL rules compile is for those to say who evaluate them; defaults are looked at in `schemadefaults`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from apiserver.registry.validation import checks, fieldpaths, structural
from steersman.api import fields
from steersman.api.apiextensions import JSONSchemaProps as Schema
from steersman.api.apiextensions import ValidationRule
from steersman.api.errors import Cause
from steersman.api.fields import Path

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
LIST_TYPES: Final = ("atomic", "set", "map")
MAP_TYPES: Final = ("atomic", "granular")
RULE_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")

_METADATA: Final = frozenset({"metadata", "kind", "apiVersion"})
_RULES: Final = "x-kubernetes-validations"


@dataclass(frozen=True, slots=True)
class Place:
    """What surrounds a schema: whether it is the root, describes metadata, and why it may have no defaults, if so."""

    is_root: bool = False
    in_metadata: bool = False
    no_defaults: str = ""


ROOT: Final = Place(is_root=True)


def validate_schema(schema: Schema, path: Path, place: Place = ROOT) -> list[Cause]:
    causes = _validate_standard(schema, path, place)
    if schema.unique_items:
        detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        causes.append(fields.forbidden(path.child("uniqueItems"), detail))
    if schema.properties and (
        schema.additional_properties is False or isinstance(schema.additional_properties, Schema)
    ):
        detail = "additionalProperties and properties are mutual exclusive"
        causes.append(fields.forbidden(path.child("additionalProperties"), detail))
    for child, where, around in _below(schema, path, place):
        causes += validate_schema(child, where, around)
    if schema.x_kubernetes_preserve_unknown_fields is False:
        where = path.child("x-kubernetes-preserve-unknown-fields")
        causes.append(fields.invalid(where, schema.x_kubernetes_preserve_unknown_fields, "must be true or undefined"))
    causes += _validate_map_type(schema, path)
    causes += _validate_list_type(schema, path)
    for index, rule in enumerate(schema.x_kubernetes_validations):
        causes += _validate_rule(rule, schema, path.child(_RULES).index(index))
    return causes


def _below(schema: Schema, path: Path, place: Place) -> Iterator[tuple[Schema, Path, Place]]:
    """The schemas directly below one, in the order in which they are looked at."""
    inner = replace(place, is_root=False)
    if isinstance(schema.additional_properties, Schema):
        why = "inside additionalProperties applying to object metadata" if place.in_metadata else place.no_defaults
        yield schema.additional_properties, path.child("additionalProperties"), replace(inner, no_defaults=why)
    for name, child in schema.properties.items():
        around = inner
        if (place.is_root or schema.x_kubernetes_embedded_resource) and name in _METADATA:
            why = f"in top-level {name}" if place.is_root else place.no_defaults
            around = replace(inner, in_metadata=True, no_defaults=why)
        yield child, path.child("properties").key(name), around
    if schema.not_ is not None:
        yield schema.not_, path.child("not"), inner
    for field, children in (("allOf", schema.all_of), ("oneOf", schema.one_of), ("anyOf", schema.any_of)):
        for index, child in enumerate(children):
            yield child, path.child(field).index(index), inner
    for name, child in schema.definitions.items():
        yield child, path.child("definitions").key(name), inner
    if isinstance(schema.items, Schema):
        yield schema.items, path.child("items"), inner
    for index, child in enumerate(schema.items if isinstance(schema.items, tuple) else ()):
        yield child, path.child("items").index(index), inner
    for name, dependency in schema.dependencies.items():
        if isinstance(dependency, Schema):
            yield dependency, path.child("dependencies").key(name), inner


def _validate_standard(schema: Schema, path: Path, place: Place) -> list[Cause]:
    """What of OpenAPI v3 may be used at all."""
    causes: list[Cause] = []
    if schema.type:
        causes += checks.choice(schema.type, path.child("type"), TYPES)
    if place.no_defaults and structural.is_given(schema.default):
        causes.append(fields.forbidden(path.child("default"), f"must not be set {place.no_defaults}"))
    given = (
        ("id", schema.id),
        ("additionalItems", schema.additional_items is not None),
        ("patternProperties", schema.pattern_properties),
        ("definitions", schema.definitions),
        ("dependencies", schema.dependencies),
        ("$ref", schema.ref is not None),
    )
    causes += [fields.forbidden(path.child(field), f"{field} is not supported") for field, value in given if value]
    if schema.type == "null":
        detail = "type cannot be set to null, use nullable as an alternative"
        causes.append(fields.forbidden(path.child("type"), detail))
    if isinstance(schema.items, tuple) and schema.items:
        causes.append(fields.forbidden(path.child("items"), "items must be a schema object and not an array"))
    if place.in_metadata and schema.x_kubernetes_embedded_resource:
        where = path.child("x-kubernetes-embedded-resource")
        causes.append(fields.forbidden(where, "must not be used inside of resource meta"))
    return causes


def _must_be(kind: str, schema: Schema, path: Path, reason: str) -> list[Cause]:
    if schema.type == kind:
        return []
    where, detail = path.child("type"), f"must be {kind} if {reason} is specified"
    return [fields.invalid(where, schema.type, detail) if schema.type else fields.required(where, detail)]


def _validate_map_type(schema: Schema, path: Path) -> list[Cause]:
    map_type = schema.x_kubernetes_map_type
    if map_type is None:
        return []
    field = "x-kubernetes-map-type"
    return _must_be("object", schema, path, field) + checks.choice(map_type, path.child(field), MAP_TYPES)


def _validate_list_type(schema: Schema, path: Path) -> list[Cause]:
    list_type, keys = schema.x_kubernetes_list_type, schema.x_kubernetes_list_map_keys
    where = path.child("x-kubernetes-list-type")
    if list_type is None:
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        return [fields.required(where, detail)] if keys else []
    causes = _must_be("array", schema, path, "x-kubernetes-list-type")
    if not causes and list_type == "set" and isinstance(schema.items, Schema):
        causes += _validate_set_items(schema.items, path.child("items"))
    causes += checks.choice(list_type, where, LIST_TYPES)
    if keys and list_type != "map":
        causes.append(fields.invalid(where, list_type, "must be map if x-kubernetes-list-map-keys is non-empty"))
    if list_type == "map":
        causes += _validate_map_items(schema, path)
    if list_type in ("set", "map") and isinstance(schema.items, Schema):
        causes += _validate_presence(schema, schema.items, list_type, path.child("items"))
    return causes


def _validate_set_items(items: Schema, path: Path) -> list[Cause]:
    """Items of a set are compared as a whole."""
    detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
    if items.type == "array" and items.x_kubernetes_list_type not in (None, "atomic"):
        return [fields.invalid(path.child("x-kubernetes-list-type"), items.x_kubernetes_list_type, detail)]
    if items.type == "object" and items.x_kubernetes_map_type != "atomic":
        # Kubernetes shows the list type here.
        return [fields.invalid(path.child("x-kubernetes-map-type"), items.x_kubernetes_list_type, detail)]
    return []


def _validate_map_items(schema: Schema, path: Path) -> list[Cause]:
    """Items of a map have keys: properties of their own, with plain values."""
    keys, where = schema.x_kubernetes_list_map_keys, path.child("x-kubernetes-list-map-keys")
    causes: list[Cause] = []
    if not keys:
        causes.append(fields.required(where, "must not be empty if x-kubernetes-list-type is map"))
    items, place = schema.items, path.child("items")
    if items is None:
        return [*causes, fields.required(place, "must have a schema if x-kubernetes-list-type is map")]
    if isinstance(items, tuple):
        return [
            *causes,
            fields.invalid(place, items, "must only have a single schema if x-kubernetes-list-type is map"),
        ]
    if items.type != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        return [*causes, fields.invalid(place.child("type"), items.type, detail)]
    for index, key in enumerate(keys):
        known = items.properties.get(key)
        if known is None:
            causes.append(fields.invalid(where, keys, "entries must all be names of item properties"))
        elif known.type in ("array", "object"):
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            causes.append(fields.invalid(place.child("properties").key(key).child("type"), items.type, detail))
        if key in keys[:index]:
            causes.append(fields.invalid(where, keys, "must not contain duplicate entries"))
    return causes


def _validate_presence(schema: Schema, items: Schema, list_type: str, path: Path) -> list[Cause]:
    """An item of a set or map is never null, and neither are an item's keys."""
    causes: list[Cause] = []
    if items.nullable:
        detail = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
        causes.append(fields.forbidden(path.child("nullable"), detail))
    for key in schema.x_kubernetes_list_map_keys if list_type == "map" else ():
        known, where = items.properties.get(key), path.child("properties").key(key)
        if known is None:
            continue
        reason = "this property is in x-kubernetes-list-map-keys, so it"
        if key not in items.required and not structural.is_given(known.default):
            detail = f"{reason} must have a default or be a required property"
            causes.append(fields.required(where.child("default"), detail))
        if known.nullable:
            causes.append(fields.forbidden(where.child("nullable"), f"{reason} cannot be nullable"))
    return causes


def _validate_rule(rule: ValidationRule, schema: Schema, path: Path) -> list[Cause]:
    causes = _validate_message(rule, path)
    if rule.message_expression and not rule.message_expression.strip():
        where = path.child("messageExpression")
        causes.append(fields.required(where, "messageExpression must be non-empty if specified"))
    if rule.reason is not None:
        causes += checks.choice(rule.reason, path.child("reason"), RULE_REASONS)
    where = path.child("fieldPath")
    if rule.field_path and not rule.field_path.strip():
        causes.append(fields.invalid(where, rule.field_path, "must be non-empty if specified"))
    if _has_line_breaks(rule.field_path):
        causes.append(fields.invalid(where, rule.field_path, "must not contain line breaks"))
    if rule.field_path and not _leads_somewhere(rule.field_path, schema):
        causes.append(fields.invalid(where, rule.field_path, "must be a valid path"))
    return causes


def _validate_message(rule: ValidationRule, path: Path) -> list[Cause]:
    expression, message = rule.rule.strip(), rule.message.strip()
    where = path.child("message")
    if not expression:
        return [fields.required(path.child("rule"), "rule is not specified")]
    if rule.message and not message:
        return [fields.invalid(where, rule.message, "must be non-empty if specified")]
    if _has_line_breaks(message):
        return [fields.invalid(where, rule.message, "must not contain line breaks")]
    if _has_line_breaks(expression) and not message:
        return [fields.required(where, "message must be specified if rule contains line breaks")]
    return []


def _has_line_breaks(text: str) -> bool:
    return re.search("[\n\r]", text) is not None


def _leads_somewhere(path: str, schema: Schema) -> bool:
    if structural.unsupported(schema):
        return True  # complained of elsewhere, and nothing to follow a path through
    try:
        fieldpaths.follow(path, schema)
    except fieldpaths.PathError:
        return False
    return True
