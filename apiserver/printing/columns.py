"""The columns of a table, and what a kind brings along to fill them.

A row always has a cell for every column; those of priority 1 are for wide output, and it is the client that leaves them
out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from steersman.api.meta import Object

Cell = str | int | float | bool | None
Cells = list[Cell]


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    description: str
    type: str = "string"
    format: str = ""
    priority: int = 0


def number(name: str, description: str) -> Column:
    return Column(name, description, "integer")


def flag(name: str, description: str) -> Column:
    return Column(name, description, "boolean")


def wide(name: str, description: str) -> Column:
    return Column(name, description, priority=1)


NAME = Column("Name", "The object's name, unique among those of its kind in its namespace.", format="name")
AGE = Column("Age", "How long ago the object was created.")
CONTAINERS = wide("Containers", "The names of the containers in the pod template.")
IMAGES = wide("Images", "The images of the containers in the pod template.")
SELECTOR = wide("Selector", "Which pods belong to it, by their labels.")


class Outcome(StrEnum):
    """How what a row shows has ended."""

    SUCCEEDED = "Succeeded"
    FAILED = "Failed"


def _unfinished(_: Any) -> Outcome | None:
    return None


@dataclass(frozen=True, slots=True)
class Printer:
    """How the objects of one kind are shown, in their stored form.

    `outcome`: whether a row is about something that has ended. `order`: the key by which rows are sorted, for the kinds
    whose order says something; None keeps the order of the list. `reads`: the parts of an object that all these look
    at, for the kinds that are listed by the thousand; None is the whole of it.
    """

    columns: tuple[Column, ...]
    cells: Callable[[Any, datetime], Cells]
    outcome: Callable[[Any], Outcome | None] = _unfinished
    order: Callable[[Any], Any] | None = None
    reads: type[msgspec.Struct] | None = None


def created_at(shown: Object, _: datetime) -> Cells:
    return [shown.metadata.name, shown.metadata.creation_timestamp]


DEFAULT = Printer((NAME, Column("Created At", "When the object was created.", "date")), created_at)
"""For the kinds of which there is nothing particular to show."""
