"""Complaints about fields, in Kubernetes' words: where, what kind, and about which value."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from steersman.api.errors import Cause


class Path(str):
    """A field's path as users know it: `spec.containers[0].name`, `metadata.labels[app]`."""

    __slots__ = ()

    def child(self, *names: str) -> Path:
        return Path(".".join((self, *names)) if self else ".".join(names))

    def index(self, number: int) -> Path:
        return Path(f"{self}[{number}]")

    def key(self, name: str) -> Path:
        return Path(f"{self}[{name}]")


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, msgspec.Struct | Mapping | list | tuple):
        return msgspec.json.encode(value, order="sorted").decode()
    return str(value)


def _detailed(head: str, detail: str) -> str:
    return f"{head}: {detail}" if detail else head


def required(path: str, detail: str = "") -> Cause:
    return Cause("FieldValueRequired", _detailed("Required value", detail), str(path))


def invalid(path: str, value: Any, detail: str) -> Cause:
    return Cause("FieldValueInvalid", _detailed(f"Invalid value: {_shown(value)}", detail), str(path))


def not_supported(path: str, value: Any, supported: Iterable[str]) -> Cause:
    choices = ", ".join(json.dumps(choice) for choice in supported)
    return Cause("FieldValueNotSupported", f"Unsupported value: {_shown(value)}: supported values: {choices}", str(path))


def forbidden(path: str, detail: str) -> Cause:
    return Cause("FieldValueForbidden", _detailed("Forbidden", detail), str(path))


def duplicate(path: str, value: Any) -> Cause:
    return Cause("FieldValueDuplicate", f"Duplicate value: {_shown(value)}", str(path))


def not_found(path: str, value: Any) -> Cause:
    return Cause("FieldValueNotFound", f"Not found: {_shown(value)}", str(path))


def too_long(path: str, most: int) -> Cause:
    return Cause("FieldValueTooLong", f"Too long: may not be more than {most} bytes", str(path))


def too_many(path: str, actual: int, most: int) -> Cause:
    return Cause("FieldValueTooMany", f"Too many: {actual}: must have at most {most} items", str(path))


def type_invalid(path: str, value: Any, detail: str) -> Cause:
    return Cause("FieldValueTypeInvalid", _detailed(f"Invalid value: {_shown(value)}", detail), str(path))


def internal(path: str, why: str) -> Cause:
    return Cause("InternalError", f"Internal error: {why}", str(path))
