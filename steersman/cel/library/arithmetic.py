"""Operators: arithmetic within bounds, comparison across kinds of numbers, equality, membership, indexing."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

from steersman.cel import operators
from steersman.cel.environment import Library
from steersman.cel.library import timekeeping
from steersman.cel.values import (
    INT_BOUND,
    UINT_BOUND,
    Duration,
    EvaluationError,
    Optional,
    Timestamp,
    Uint,
    equal,
    is_number,
)

ARITHMETIC: Final = Library()
_NUMBERS: Final = ("int", "uint", "double")


def bounded(value: int, like: int) -> int:
    """An integer of the kind of `like`, or an error if it has no room."""
    if isinstance(like, Uint):
        if not 0 <= value < UINT_BOUND:
            raise EvaluationError("unsigned integer overflow")
        return Uint(value)
    if not -INT_BOUND <= value < INT_BOUND:
        raise EvaluationError("integer overflow")
    return int(value)


def _same(*kinds: str) -> list[str]:
    return [f"{kind}, {kind} -> {kind}" for kind in kinds]


@ARITHMETIC.function(
    "_+_", *_same(*_NUMBERS, "string", "bytes", "list(A)", "duration"), "duration, timestamp -> timestamp",
    "timestamp, duration -> timestamp",
)  # fmt: skip
def add(left: Any, right: Any) -> Any:
    if isinstance(left, Duration | Timestamp):
        total = left.nanoseconds + right.nanoseconds
        is_point = isinstance(left, Timestamp) or isinstance(right, Timestamp)
        return timekeeping.timestamp(total) if is_point else timekeeping.duration(total)
    if isinstance(left, int):
        return bounded(left + right, left)
    return left + right


@ARITHMETIC.function(
    "_-_", *_same(*_NUMBERS, "duration"), "timestamp, duration -> timestamp", "timestamp, timestamp -> duration"
)
def subtract(left: Any, right: Any) -> Any:
    if isinstance(left, Duration | Timestamp):
        difference = left.nanoseconds - right.nanoseconds
        is_point = isinstance(left, Timestamp) and isinstance(right, Duration)
        return timekeeping.timestamp(difference) if is_point else timekeeping.duration(difference)
    return bounded(left - right, left) if isinstance(left, int) else left - right


@ARITHMETIC.function("_*_", *_same(*_NUMBERS))
def multiply(left: Any, right: Any) -> Any:
    return bounded(left * right, left) if isinstance(left, int) else left * right


@ARITHMETIC.function("_/_", *_same(*_NUMBERS))
def divide(left: Any, right: Any) -> Any:
    if isinstance(left, int):
        if right == 0:
            raise EvaluationError("division by zero")
        quotient = abs(left) // abs(right)
        return bounded(quotient if (left < 0) == (right < 0) else -quotient, left)
    if right == 0:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)
    return left / right


@ARITHMETIC.function("_%_", *_same("int", "uint"))
def remainder(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationError("modulus by zero")
    rest = abs(left) % abs(right)
    return bounded(-rest if left < 0 else rest, left)


@ARITHMETIC.function(operators.NEGATE, "int -> int", "double -> double")
def negate(value: Any) -> Any:
    return bounded(-value, value) if isinstance(value, int) else -value


@ARITHMETIC.function(operators.NOT, "bool -> bool")
def invert(value: bool) -> bool:  # noqa: FBT001  # a value of CEL
    return not value


@ARITHMETIC.function("_==_", "A, A -> bool")
def equals(left: Any, right: Any) -> bool:
    return equal(left, right)


@ARITHMETIC.function("_!=_", "A, A -> bool")
def differs(left: Any, right: Any) -> bool:
    return not equal(left, right)


_MIXED: Final = [f"{left}, {right} -> bool" for left in _NUMBERS for right in _NUMBERS]
_ORDERED: Final = [f"{kind}, {kind} -> bool" for kind in ("bool", "string", "bytes", "timestamp", "duration")]


def _comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    def compared(left: Any, right: Any) -> bool:
        if is_number(left) and (math.isnan(left) or math.isnan(right)):
            raise EvaluationError("NaN values cannot be ordered")
        return bool(compare(left, right))

    return compared


for _name, _compare in (("_<_", operator.lt), ("_<=_", operator.le), ("_>_", operator.gt), ("_>=_", operator.ge)):
    ARITHMETIC.function(_name, *_ORDERED, *_MIXED)(_comparison(_compare))


@ARITHMETIC.function(operators.IN, "A, list(A) -> bool", "A, map(A, B) -> bool")
def contained(value: Any, container: Any) -> bool:
    return any(equal(value, each) for each in container)


@ARITHMETIC.function(
    operators.INDEX, "list(A), int -> A", "map(A, B), A -> B", "optional_type(list(V)), int -> optional_type(V)",
    "optional_type(map(K, V)), K -> optional_type(V)",
)  # fmt: skip
def index(container: Any, key: Any) -> Any:
    if isinstance(container, Optional):
        return Optional(index(container.value, key), present=True) if container.present else container
    if isinstance(container, list):
        place = _whole(key)
        if not 0 <= place < len(container):
            raise EvaluationError(f"index out of bounds: {place}")
        return container[place]
    for each, value in container.items():
        if equal(each, key):
            return value
    raise EvaluationError(f"no such key: {key}")


@ARITHMETIC.function(
    operators.OPTIONAL_INDEX, "list(V), int -> optional_type(V)", "optional_type(list(V)), int -> optional_type(V)",
    "map(K, V), K -> optional_type(V)", "optional_type(map(K, V)), K -> optional_type(V)",
)  # fmt: skip
def optional_index(container: Any, key: Any) -> Any:
    if isinstance(container, Optional):
        return optional_index(container.value, key) if container.present else container
    try:
        return Optional(index(container, key), present=True)
    except EvaluationError:
        return Optional()


def _whole(key: Any) -> int:
    if isinstance(key, float) and not key.is_integer():
        raise EvaluationError(f"unsupported index value: {key}")
    return int(key)
