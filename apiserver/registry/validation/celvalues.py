"""JSON values as CEL sees them, by their schema: times are times, bytes are bytes, fields have escaped names. Pure."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from apiserver.registry.validation import celtypes
from steersman.api.apiextensions import JSONSchemaProps as Schema
from steersman.cel.library import timekeeping
from steersman.cel.values import EvaluationError


def bind(value: Any, schema: Schema | None) -> Any:
    """The value is plain JSON, and fits the schema."""
    if schema is None or value is None or schema.x_kubernetes_int_or_string:
        return value
    if isinstance(value, str):
        return _bound_text(value, schema.format)
    if isinstance(value, list):
        items = schema.items if isinstance(schema.items, Schema) else None
        return [bind(item, items) for item in value]
    if isinstance(value, dict):
        return _bound_object(value, schema)
    if schema.type == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return int(value) if schema.type == "integer" and isinstance(value, float) and value.is_integer() else value


def _bound_object(value: dict[str, Any], schema: Schema) -> dict[str, Any]:
    if isinstance(schema.additional_properties, Schema):
        return {key: bind(item, schema.additional_properties) for key, item in value.items()}
    bound: dict[str, Any] = {}
    for key, item in value.items():
        known, name = schema.properties.get(key), celtypes.escape(key)
        # A null of a field that may not be null is as good as no field.
        if name is not None and known is not None and not (item is None and not known.nullable):
            bound[name] = bind(item, known)
    return bound


def _bound_text(text: str, form: str) -> Any:
    try:
        match form:
            case "duration":
                return timekeeping.parse_duration(text)
            case "date":
                return timekeeping.parse_timestamp(f"{text}T00:00:00Z")
            case "date-time":
                return timekeeping.parse_timestamp(text)
            case "byte":
                return base64.b64decode(text, validate=True)
    except (EvaluationError, binascii.Error, ValueError):
        return text  # complained of as a wrong format
    return text
