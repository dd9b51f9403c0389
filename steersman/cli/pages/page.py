"""A page of prose about one object: labels, values beside them, tables. Pure.

Lines have cells, set apart by tabs. A column is as wide as its widest cell in neighbouring lines, and two more; a line
without that column ends it. So each group of lines is aligned by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from steersman.api import times

GAP = 2
NONE, UNSET = "<none>", "<unset>"
LONGEST_ANNOTATION = 140
HIDDEN_ANNOTATIONS = frozenset({"kubectl.kubernetes.io/last-applied-configuration"})


class Page:
    """Written from top to bottom. `level`: how deep a line is indented."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def line(self, text: str, level: int = 0) -> None:
        self._lines.append("  " * level + text)

    def row(self, cells: Iterable[object], level: int = 0) -> None:
        self.line("\t".join(map(str, cells)), level)

    def pair(self, label: str, value: object, level: int = 0) -> None:
        self.line(f"{label}:\t{value}", level)

    def pairs(self, values: Mapping[str, object], level: int = 0) -> None:
        """Those that have a value."""
        for label, value in values.items():
            if value not in (None, ""):
                self.pair(label, value, level)

    def several(self, label: str, values: Sequence[str], level: int = 0) -> None:
        """One below the other, the first beside the label."""
        first, *others = values or [NONE]
        self.pair(label, first, level)
        for value in others:
            self.line(f"\t{value}")

    def labels(self, label: str, values: Mapping[str, str], level: int = 0) -> None:
        self.several(label, [f"{key}={value}" for key, value in sorted(values.items())], level)

    def annotations(self, label: str, values: Mapping[str, str], level: int = 0) -> None:
        told: list[str] = []
        for key, value in sorted(values.items()):
            if key not in HIDDEN_ANNOTATIONS:
                told += _annotation(key, value.removesuffix("\n"))
        self.several(label, told, level)

    def text(self) -> str:
        rows = [line.split("\t") for text in self._lines for line in text.split("\n")]
        widths: list[list[int]] = [[] for _ in rows]
        _measure(rows, widths, 0, range(len(rows)))
        return "".join(f"{_padded(row, width)}\n" for row, width in zip(rows, widths, strict=True))


def _annotation(key: str, value: str) -> list[str]:
    """What is long stands below its key, and is cut."""
    if len(key) + len(value) + 2 <= LONGEST_ANNOTATION and "\n" not in value:
        return [f"{key}: {value}"]
    most = LONGEST_ANNOTATION - 2
    return [f"{key}:", *(f"  {line[:most]}{'...' if len(line) > most else ''}" for line in value.split("\n"))]


def _measure(rows: Sequence[Sequence[str]], widths: list[list[int]], column: int, lines: range) -> None:
    """Give the lines that have this column its width, group by group, and go on with the next column in each group."""
    at = lines.start
    while at < lines.stop:
        end = at
        while end < lines.stop and column < len(rows[end]) - 1:
            end += 1
        if end == at:
            at += 1
            continue
        width = max(len(row[column]) for row in rows[at:end]) + GAP
        for number in range(at, end):
            widths[number].append(width)
        _measure(rows, widths, column + 1, range(at, end))
        at = end


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    *cells, last = row
    return "".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + last


def when(text: str | None) -> str:
    """A moment as kubectl writes it: Wed, 18 Nov 2026 07:18:31 +0000."""
    return _rfc1123(times.to_datetime(text)) if text else UNSET


def _rfc1123(moment: datetime) -> str:
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    # Not by strftime, whose names of days follow the machine's language.
    return f"{days[moment.weekday()]}, {moment:%d} {months[moment.month - 1]} {moment:%Y %H:%M:%S} +0000"


def flag(value: bool | None) -> str:  # noqa: FBT001 -- the value itself is what is shown
    return "true" if value else "false"
