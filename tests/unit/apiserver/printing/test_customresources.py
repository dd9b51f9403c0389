"""The columns that definitions of custom resources ask for."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.printing import customresources
from apiserver.printing.columns import NAME, Column
from steersman.api.apiextensions import CustomResourceColumnDefinition
from tests.unit.apiserver.printing.rows import CREATED, NOW


def asked(kind: str, path: str = ".v", **more: Any) -> CustomResourceColumnDefinition:
    return CustomResourceColumnDefinition(name="V", type=kind, json_path=path, **more)


@pytest.mark.parametrize(
    ("kind", "value", "cell"),
    [
        ("string", "text", "text"),
        ("string", 3, "3"),
        ("string", True, "true"),
        ("string", None, "<no value>"),
        ("string", 1.5, "1.5"),
        ("string", 2.0, "2"),
        ("string", 1e20, "100000000000000000000"),
        ("string", 1e21, "1e+21"),
        ("string", 0.00001, "1e-05"),
        ("string", {"b": 1, "a": [2]}, '{"a":[2],"b":1}'),
        ("string", [], "[]"),
        ("integer", 3, 3),
        ("integer", 3.9, 3),
        ("integer", "3", None),
        ("integer", True, None),
        ("number", 3, 3.0),
        ("number", "x", None),
        ("boolean", False, False),
        ("boolean", "false", None),
        ("date", CREATED, "5m"),
        ("date", "2026-11-18T12:55:00+01:00", "5m"),
        ("date", "yesterday", "<invalid>"),
        ("date", "", "<unknown>"),
        ("date", 3, None),
    ],
)
def test_cells(kind: str, value: Any, cell: Any) -> None:
    made = customresources.printer_of([asked(kind)]).cells({"metadata": {"name": "x"}, "v": value}, NOW)
    assert made == ["x", cell]
    assert type(made[1]) is type(cell)


def test_what_is_not_there() -> None:
    assert customresources.printer_of([asked("string", ".a.b")]).cells({"metadata": {"name": "x"}}, NOW) == ["x", None]


def test_columns() -> None:
    said = asked("integer", format="int32", priority=1, description="How many.")
    columns = customresources.printer_of([said, asked("string", ".a.b")]).columns
    assert columns == (
        NAME,
        Column("V", "How many.", "integer", "int32", 1),
        Column("V", "What stands at .a.b.", "string"),
    )


def test_without_columns_the_age_is_shown() -> None:
    printer = customresources.printer_of([])
    assert [column.name for column in printer.columns] == ["Name", "Age"]
    assert printer.cells({"metadata": {"name": "x", "creationTimestamp": CREATED}}, NOW) == ["x", "5m"]


def test_a_path_that_cannot_be_read_ends_the_columns() -> None:
    printer = customresources.printer_of([asked("string"), asked("string", ".a["), asked("string")])
    assert len(printer.columns) == 2
