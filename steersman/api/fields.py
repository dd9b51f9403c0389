"""Complaints about fields, in Kubernetes' words: where, what kind, and about which value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from steersman.api.errors import Cause, quoted

UNSHOWN = object()
"""In place of a value that is too large to show."""

_ENCODER = msgspec.json.Encoder(enc_hook=str.__str__, order="deterministic")


class Path(str):
    """A field's path as users know it: `spec.containers[0].name`, `metadata.labels[app]`."""

    __slots__ = ()

    def child(self, *names: str) -> Path:
        return Path(".".join((self, *names) if self else names))

    def index(self, number: int) -> Path:  # type: ignore[override]  # a path's index, not a text's
        return Path(f"{self}[{number}]")

    def key(self, name: str) -> Path:
        return Path(f"{self}[{name}]")


def required(path: str, detail: str = "") -> Cause:
    return _cause("FieldValueRequired", path, "Required value", detail)


def invalid(path: str, value: Any, detail: str) -> Cause:
    return _cause("FieldValueInvalid", path, "Invalid value", _shown(value), detail)


def not_supported(path: str, value: Any, supported: Iterable[str]) -> Cause:
    choices = ", ".join(quoted(choice) for choice in supported)
    detail = f"supported values: {choices}" if choices else ""
    return _cause("FieldValueNotSupported", path, "Unsupported value", _shown(value), detail)


def forbidden(path: str, detail: str) -> Cause:
    return _cause("FieldValueForbidden", path, "Forbidden", detail)


def duplicate(path: str, value: Any) -> Cause:
    return _cause("FieldValueDuplicate", path, "Duplicate value", _shown(value))


def not_found(path: str, value: Any) -> Cause:
    return _cause("FieldValueNotFound", path, "Not found", _shown(value))


def too_long(path: str, most: int) -> Cause:
    """The value itself is left out, as it is too long to show."""
    return _cause("FieldValueTooLong", path, "Too long", f"may not be more than {_counted(most, 'byte')}")


def too_many(path: str, actual: int, most: int) -> Cause:
    return _cause("FieldValueTooMany", path, "Too many", str(actual), f"must have at most {_counted(most, 'item')}")


def type_invalid(path: str, value: Any, detail: str) -> Cause:
    return _cause("FieldValueTypeInvalid", path, "Invalid value", _shown(value), detail)


def internal(path: str, why: str) -> Cause:
    return _cause("InternalError", path, "Internal error", why)


def _cause(reason: str, path: str, *parts: str) -> Cause:
    return Cause(reason, ": ".join(part for part in parts if part), str(path))


def _shown(value: Any) -> str:
    """The value as Go shows it: text in quotes, anything else as JSON."""
    if value is UNSHOWN:
        return ""
    if isinstance(value, str):
        return quoted(value)
    shown = _ENCODER.encode(value).decode()
    # Go's JSON is fit for HTML.
    return shown.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
