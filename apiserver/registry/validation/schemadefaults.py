"""Rules for the defaults in a schema of a custom resource: each satisfies the schema it stands in. Pure.

The rules in the schema, written in CEL, hold for a default too.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from apiserver.registry.validation import celjudgement, schemavalues, structural
from steersman.api import fields
from steersman.api.apiextensions import JSONSchemaProps as Schema
from steersman.api.errors import Cause
from steersman.api.fields import Path

_RESOURCE_FIELDS: Final = frozenset({"apiVersion", "kind", "metadata"})


def validate_defaults(schema: Schema, path: Path) -> list[Cause]:
    """Complaints about the defaults in a structural schema. (Below `additionalProperties` they are forbidden.)"""
    causes: list[Cause] = []
    if structural.is_given(schema.default):
        value, where = msgspec.json.decode(schema.default), path.child("default")
        if pruned(value, schema) != value:
            causes.append(fields.invalid(where, value, "must not have unknown fields"))
        misfits = schemavalues.validate_value(value, schema, where)
        causes += misfits or celjudgement.judge(value, schema, where, value)
    if isinstance(schema.items, Schema):
        causes += validate_defaults(schema.items, path.child("items"))
    for name, child in schema.properties.items():
        causes += validate_defaults(child, path.child("properties").key(name))
    return causes


def pruned(value: Any, schema: Schema | None) -> Any:
    """The value without fields that the schema does not know."""
    if isinstance(value, list):
        items = schema.items if schema is not None and isinstance(schema.items, Schema) else None
        keep = schema is not None and schema.x_kubernetes_preserve_unknown_fields and items is None
        return value if keep else [pruned(item, items) for item in value]
    if not isinstance(value, dict):
        return value
    if schema is None:
        return {}
    kept: dict[str, Any] = {}
    others = schema.additional_properties
    for key, item in value.items():
        if key in schema.properties:
            kept[key] = pruned(item, schema.properties[key])
        elif isinstance(others, Schema):
            kept[key] = pruned(item, others)
        elif others is True or schema.x_kubernetes_preserve_unknown_fields or _is_fixed(key, schema):
            kept[key] = item
    return kept


def _is_fixed(key: str, schema: Schema) -> bool:
    """Whether every object has this field."""
    return schema.x_kubernetes_embedded_resource and key in _RESOURCE_FIELDS
