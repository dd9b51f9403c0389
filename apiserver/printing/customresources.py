"""Custom resources: the name, and the columns that their definition asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from apiserver.printing import ages
from apiserver.printing.columns import AGE, NAME, Cell, Cells, Column, Printer
from steersman.api import jsonpath, times
from steersman.api.apiextensions import CustomResourceColumnDefinition

_DEFAULT = (
    CustomResourceColumnDefinition(
        name=AGE.name, type="date", description=AGE.description, json_path=".metadata.creationTimestamp"
    ),
)
"""For definitions that ask for none."""

Find = Callable[[Any], list[Any]]


def printer_of(definitions: Sequence[CustomResourceColumnDefinition]) -> Printer:
    """For objects as plain dicts. What comes behind a column whose path cannot be read is left out."""
    columns, finders = [NAME], list[tuple[str, Find]]()
    for definition in definitions or _DEFAULT:
        try:
            path = jsonpath.parse(definition.json_path)
        except jsonpath.PathError:
            break
        finders.append((definition.type, path.find))
        columns.append(_column(definition))

    def cells(document: dict[str, Any], now: datetime) -> Cells:
        name = document.get("metadata", {}).get("name", "")
        return [name, *(_cell(kind, find(document), now) for kind, find in finders)]

    return Printer(tuple(columns), cells)


def _column(definition: CustomResourceColumnDefinition) -> Column:
    description = definition.description or f"What stands at {definition.json_path}."
    return Column(definition.name, description, definition.type, definition.format, definition.priority)


def _cell(kind: str, found: list[Any], now: datetime) -> Cell:
    """The first that was found, if it is of the column's type; as text anything can be shown."""
    if not found:
        return None
    value = found[0]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match kind:
        case "string":
            return _text(value)
        case "integer" if is_number:
            return int(value)
        case "number" if is_number:
            return float(value)
        case "boolean" if isinstance(value, bool):
            return value
        case "date" if isinstance(value, str):
            return _age(value, now)
    return None


def _text(value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return "<no value>"
        case bool():
            return "true" if value else "false"
        case float():
            return _float_text(value)
        case dict() | list():
            return msgspec.json.encode(value, order="sorted").decode()
    return str(value)


def _float_text(value: float) -> str:
    """Without an exponent up to 1e21, as Go writes floats."""
    text = format(Decimal(repr(value)), "f") if 1e-4 <= abs(value) < 1e21 else repr(value)
    return text.removesuffix(".0")


def _age(text: str, now: datetime) -> str:
    try:
        return ages.since(times.time(text), now) if text else ages.UNKNOWN
    except ValueError:
        return ages.INVALID
