"""Every kind is shown somehow."""

from __future__ import annotations

import pytest

from apiserver.printing import catalog
from steersman.api import kinds
from steersman.api.kinds import Kind
from tests.unit.apiserver.printing.rows import NOW

STORED = [kind for kind in kinds.ALL if "get" in kind.verbs]


@pytest.mark.parametrize("kind", STORED, ids=lambda kind: f"{kind.api_version} {kind.kind}")
def test_an_empty_object_fills_its_columns(kind: Kind) -> None:
    printer = catalog.printer_of(kind)
    assert len(printer.cells(kind.storage.struct(), NOW)) == len(printer.columns)


@pytest.mark.parametrize("kind", STORED, ids=lambda kind: f"{kind.api_version} {kind.kind}")
def test_the_columns(kind: Kind) -> None:
    columns = catalog.printer_of(kind).columns
    assert len({column.name for column in columns}) == len(columns)
    assert all(column.description.endswith(".") for column in columns)
    assert {column.type for column in columns} <= {"string", "integer", "boolean", "date"}
    assert {column.priority for column in columns} <= {0, 1}
