"""What is shown of an object, by the names of the columns."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from apiserver.printing import catalog
from apiserver.printing.columns import Cell
from steersman.api import codec, kinds
from steersman.api.autoscaling import Scale
from steersman.api.kinds import Kind
from steersman.api.meta import Object

NOW = datetime(2026, 11, 18, 12, 0, 0, tzinfo=UTC)
CREATED = "2026-11-18T11:55:00Z"
"""Five minutes before."""
_SCALE = Kind(Scale, "scale", group="autoscaling")


def shown(struct: type[Object], *, metadata: dict[str, Any] | None = None, **fields: Any) -> dict[str, Cell]:
    """The row of an object called `x` that is five minutes old."""
    document = {"metadata": {"name": "x", "creationTimestamp": CREATED, **(metadata or {})}, **fields}
    made, complaints = codec.from_dict(struct, document, validation=codec.FieldValidation.WARN)
    assert not complaints
    printer = catalog.printer_of(kinds.of_struct(struct) or _SCALE)
    seen = made if printer.reads is None else msgspec.json.decode(codec.encode(made), type=printer.reads)
    return dict(zip((column.name for column in printer.columns), printer.cells(seen, NOW), strict=True))
