"""What expressions compute with, beside Python's own: unsigned numbers, spans and points of time, optionals, types.

int, float, bool, str, bytes, None, list and dict stand for themselves. Numbers have bounds, which arithmetic checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

INT_BOUND: Final = 2**63
UINT_BOUND: Final = 2**64


class EvaluationError(Exception):
    """The expression has no value here."""


class Uint(int):
    __slots__ = ()

    def __repr__(self) -> str:
        return f"{int(self)}u"


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    nanoseconds: int


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """Since 1970, without leap seconds."""

    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Optional:
    value: Any = None
    present: bool = False


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value: what `type(x)` gives."""

    name: str


@dataclass(frozen=True, slots=True)
class Record:
    """An object of a named type, made by an expression."""

    type_name: str
    fields: dict[str, Any]


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(left: Any, right: Any) -> bool:
    """CEL's equality: numbers compare across their types, everything else only with its like."""
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(value, right[key]) for key, value in left.items())
    if isinstance(left, Record) and isinstance(right, Record):
        return left.type_name == right.type_name and equal(left.fields, right.fields)
    if isinstance(left, Optional) and isinstance(right, Optional):
        return left.present == right.present and equal(left.value, right.value)
    return type(left) is type(right) and bool(left == right)
