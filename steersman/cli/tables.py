"""Tables from the server as kubectl prints them: columns as wide as they must be, three spaces between. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

GAP = 3
NARROWEST = 6


class Column(msgspec.Struct):
    name: str
    priority: int = 0


class Metadata(msgspec.Struct):
    name: str = ""
    namespace: str = ""
    labels: dict[str, str] = {}


class Named(msgspec.Struct):
    metadata: Metadata = msgspec.field(default_factory=Metadata)


class Row(msgspec.Struct):
    cells: list[Any]
    object: Named | None = None


class Table(msgspec.Struct, rename="camel"):
    """`column_definitions` is empty in all events of a watch but the first."""

    column_definitions: list[Column] = []
    rows: list[Row] = []


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of a table beside its cells. `prefix`: stands in front of names when several kinds are shown."""

    wide: bool = False
    with_namespace: bool = False
    with_labels: bool = False
    without_headers: bool = False
    prefix: str = ""


decode = msgspec.json.Decoder(Table).decode


def rows(table: Table, look: Look, columns: Sequence[Column] | None = None) -> list[list[str]]:
    """Header first, unless it is unwanted or the table has none. `columns`: those of an earlier table."""
    known = columns if columns is not None else table.column_definitions
    shown = [number for number, column in enumerate(known) if look.wide or not column.priority]
    made: list[list[str]] = []
    if table.column_definitions and not look.without_headers:
        before = ["NAMESPACE"] if look.with_namespace else []
        after = ["LABELS"] if look.with_labels else []
        made.append([*before, *(known[number].name.upper() for number in shown), *after])
    for row in table.rows:
        made.append(_row(row, shown, look))
    return made


def _row(row: Row, shown: Sequence[int], look: Look) -> list[str]:
    metadata = row.object.metadata if row.object is not None else Metadata()
    cells = [text_of(row.cells[number]) for number in shown]
    if look.prefix and cells:
        cells[0] = f"{look.prefix}/{cells[0]}"
    before = [metadata.namespace] if look.with_namespace else []
    after = [labels_text(metadata.labels)] if look.with_labels else []
    return [*before, *cells, *after]


def text_of(cell: Any) -> str:
    """One line: what follows a line break is only hinted at."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    first, broken, _ = str(cell).partition("\n")
    return f"{first}..." if broken else first


def labels_text(labels: dict[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items())) or "<none>"


def aligned(made: Sequence[Sequence[str]], at_least: Sequence[int] = ()) -> str:
    """Lines, each with its end. `at_least`: widths that earlier lines had."""
    widths = widths_of(made, at_least)
    lines = []
    for row in made:
        *padded, last = row
        lines.append("".join(cell.ljust(width) for cell, width in zip(padded, widths, strict=False)) + last + "\n")
    return "".join(lines)


def widths_of(made: Sequence[Sequence[str]], at_least: Sequence[int] = ()) -> list[int]:
    count = max((len(row) for row in made), default=0)
    widths = [max(NARROWEST, *(len(row[place]) + GAP for row in made if place < len(row))) for place in range(count)]
    return [max(pair) for pair in zip(widths, [*at_least, *([0] * count)], strict=False)]
