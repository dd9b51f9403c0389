"""Recorded Tables of Kubernetes: the same columns, and for objects that were recorded too the same cells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from apiserver.printing import catalog
from apiserver.printing import tables as printing
from apiserver.restfront import paths
from steersman.api import codec
from steersman.api.kinds import Kind
from tests.unit.api import facts
from tests.unit.apiserver.printing.rows import NOW

pytestmark = facts.needed
TIMED = frozenset({"Age", "Duration", "Last Schedule", "Last Seen", "First Seen", "Created At"})


def _answers() -> Iterator[tuple[str, Any]]:
    """The path and body of everything that was recorded."""
    folder = Path(facts.FOLDER) / "golden"
    for file in sorted((folder / "raw").glob("*.json")):
        recorded = json.loads(file.read_text())
        yield recorded["request"]["path"], recorded["body"]
    for file in sorted((folder / "http").glob("*.json")):
        for exchange in json.loads(file.read_text())["exchanges"]:
            yield exchange["request"]["path"].partition("?")[0], exchange["response"].get("body")


def _kind(path: str) -> Kind | None:
    about = paths.parse(path.partition("?")[0])
    return about.kind if about is not None and not about.subresource else None


@cache
def tables() -> list[tuple[Kind, Any]]:
    found = [(_kind(path), body) for path, body in _answers() if isinstance(body, dict) and body.get("kind") == "Table"]
    return [(kind, body) for kind, body in found if kind is not None]


@cache
def objects() -> dict[tuple[str, str], Any]:
    """Whole objects by uid and version."""
    whole: dict[tuple[str, str], Any] = {}
    for _, body in _answers():
        documents = body.get("items", [body]) if isinstance(body, dict) else []
        for document in documents:
            metadata = document.get("metadata", {})
            if "uid" in metadata and document.get("kind") != "PartialObjectMetadata":
                whole[metadata["uid"], metadata["resourceVersion"]] = document
    return whole


def test_the_columns_are_those_of_kubernetes() -> None:
    compared = set()
    for kind, body in tables():
        ours = [
            {"name": each.name, "type": each.type, "format": each.format, "priority": each.priority}
            for each in catalog.printer_of(kind).columns
        ]
        theirs = [
            {name: value for name, value in each.items() if name != "description"} for each in body["columnDefinitions"]
        ]
        assert ours == theirs, kind.kind
        compared.add(kind.kind)
    assert len(compared) >= 10


def test_the_cells_are_those_of_kubernetes() -> None:
    compared = 0
    for kind, body in tables():
        printer = catalog.printer_of(kind)
        for row in body["rows"]:
            metadata = row["object"]["metadata"]
            document = objects().get((metadata["uid"], metadata["resourceVersion"]))
            if document is None:
                continue
            shown, _ = codec.from_dict(kind.storage.struct, document)
            for column, ours, theirs in zip(printer.columns, printer.cells(shown, NOW), row["cells"], strict=True):
                if column.name not in TIMED:
                    assert ours == theirs, (kind.kind, column.name)
            compared += 1
    assert compared >= 5


def test_the_shape_of_a_table_is_that_of_kubernetes() -> None:
    for kind, body in tables():
        made = json.loads(printing.of_kind(kind, lambda: NOW).one(b'{"metadata":{"resourceVersion":"1"}}'))
        assert list(made) == list(body)
        assert all(list(row) == list(made["rows"][0]) for row in body["rows"])
