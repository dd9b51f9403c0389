"""Lists as sets and sequences, maps that grow, and optional values."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from steersman.cel import macros
from steersman.cel.environment import Library
from steersman.cel.library import arithmetic
from steersman.cel.values import Duration, EvaluationError, Optional, Timestamp, equal, is_number

COLLECTIONS: Final = Library()
MAX_RANGE: Final = 1_000_000

_SUMMABLE: Final = ("int", "uint", "double", "duration")
_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")


def _has(values: list[Any], wanted: Any) -> bool:
    return any(equal(each, wanted) for each in values)


# --- Kubernetes' lists


@COLLECTIONS.member("isSorted", *(f"list({kind}) -> bool" for kind in _COMPARABLE))
def is_sorted(values: list[Any]) -> bool:
    return all(left <= right for left, right in pairwise(values))


@COLLECTIONS.member("sum", *(f"list({kind}) -> {kind}" for kind in _SUMMABLE))
def sum_of(values: list[Any]) -> Any:
    if not values:
        return 0
    total = values[0]
    for each in values[1:]:
        total = arithmetic.add(total, each)
    return total


@COLLECTIONS.member("max", *(f"list({kind}) -> {kind}" for kind in _COMPARABLE))
def max_of(values: list[Any]) -> Any:
    if not values:
        raise EvaluationError("max called on empty list")
    return max(values)


@COLLECTIONS.member("min", *(f"list({kind}) -> {kind}" for kind in _COMPARABLE))
def min_of(values: list[Any]) -> Any:
    if not values:
        raise EvaluationError("min called on empty list")
    return min(values)


@COLLECTIONS.member("indexOf", "list(A), A -> int")
def index_of(values: list[Any], wanted: Any) -> int:
    return next((place for place, each in enumerate(values) if equal(each, wanted)), -1)


@COLLECTIONS.member("lastIndexOf", "list(A), A -> int")
def last_index_of(values: list[Any], wanted: Any) -> int:
    return next((place for place in reversed(range(len(values))) if equal(values[place], wanted)), -1)


# --- CEL's own extension


@COLLECTIONS.member("slice", "list(T), int, int -> list(T)")
def slice_of(values: list[Any], start: int, end: int) -> list[Any]:
    if start < 0 or end < 0:
        raise EvaluationError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise EvaluationError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if end > len(values):
        raise EvaluationError(f"cannot slice({start}, {end}), list is length {len(values)}")
    return values[start:end]


@COLLECTIONS.member("flatten", "list(list(T)) -> list(T)", "list(dyn), int -> list(dyn)")
def flatten(values: list[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise EvaluationError("level must be non-negative")
    flat = values
    for _ in range(min(depth, 200)):
        if not any(isinstance(each, list) for each in flat):
            break
        flat = [item for each in flat for item in (each if isinstance(each, list) else [each])]
    return flat


@COLLECTIONS.function("lists.range", "int -> list(int)")
def range_of(count: int) -> list[int]:
    if count > MAX_RANGE:
        raise EvaluationError(f"range size exceeds the limit: {MAX_RANGE}")
    return list(range(count))


@COLLECTIONS.member("reverse", "list(T) -> list(T)")
def reverse(values: list[Any]) -> list[Any]:
    return values[::-1]


@COLLECTIONS.member("distinct", "list(T) -> list(T)")
def distinct(values: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for each in values:
        if not _has(kept, each):
            kept.append(each)
    return kept


@COLLECTIONS.member("sort", *(f"list({kind}) -> list({kind})" for kind in _COMPARABLE))
def sort(values: list[Any]) -> list[Any]:
    return _sorted_by(values, values)


@COLLECTIONS.member(macros.SORT_BY_KEYS, *(f"list(T), list({kind}) -> list(T)" for kind in _COMPARABLE))
def sort_by_keys(values: list[Any], keys: list[Any]) -> list[Any]:
    return _sorted_by(values, keys)


def _sorted_by(values: list[Any], keys: list[Any]) -> list[Any]:
    comparable = (bool, str, bytes, Duration, Timestamp)
    kinds = {"number" if is_number(key) else type(key).__name__ for key in keys}
    if len(kinds) > 1:
        raise EvaluationError("list elements must have the same type")
    if any(not is_number(key) and not isinstance(key, comparable) for key in keys):
        raise EvaluationError("list elements must be comparable")
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [values[place] for place in order]


@COLLECTIONS.member("first", "list(T) -> optional_type(T)")
def first(values: list[Any]) -> Optional:
    return Optional(values[0], present=True) if values else Optional()


@COLLECTIONS.member("last", "list(T) -> optional_type(T)")
def last(values: list[Any]) -> Optional:
    return Optional(values[-1], present=True) if values else Optional()


# --- Sets


@COLLECTIONS.function("sets.contains", "list(T), list(T) -> bool")
def set_contains(values: list[Any], wanted: list[Any]) -> bool:
    return all(_has(values, each) for each in wanted)


@COLLECTIONS.function("sets.equivalent", "list(T), list(T) -> bool")
def set_equivalent(left: list[Any], right: list[Any]) -> bool:
    return all(_has(left, each) for each in right) and all(_has(right, each) for each in left)


@COLLECTIONS.function("sets.intersects", "list(T), list(T) -> bool")
def set_intersects(left: list[Any], right: list[Any]) -> bool:
    return any(_has(right, each) for each in left)


# --- Maps


@COLLECTIONS.function(macros.MAP_INSERT, "map(K, V), K, V -> map(K, V)")
def insert(mapping: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    return _inserted(mapping, {key: value})


@COLLECTIONS.function(macros.MAP_INSERT, "map(K, V), map(K, V) -> map(K, V)")
def insert_all(mapping: dict[Any, Any], more: dict[Any, Any]) -> dict[Any, Any]:
    return _inserted(mapping, more)


def _inserted(mapping: dict[Any, Any], more: dict[Any, Any]) -> dict[Any, Any]:
    for key in more:
        if any(equal(key, known) for known in mapping):
            raise EvaluationError(f"insert failed: key {key} already exists")
    return {**mapping, **more}


# --- Optional values


@COLLECTIONS.function("optional.of", "V -> optional_type(V)")
def optional_of(value: Any) -> Optional:
    return Optional(value, present=True)


@COLLECTIONS.function("optional.ofNonZeroValue", "V -> optional_type(V)")
def optional_of_non_zero(value: Any) -> Optional:
    is_zero = value is None or (isinstance(value, int | float | str | bytes | list | dict) and not value)
    return Optional() if is_zero or value == Duration(0) else Optional(value, present=True)


@COLLECTIONS.function("optional.none", "-> optional_type(V)")
def optional_none() -> Optional:
    return Optional()


@COLLECTIONS.member("hasValue", "optional_type(V) -> bool")
def has_value(optional: Optional) -> bool:
    return optional.present


@COLLECTIONS.member("value", "optional_type(V) -> V")
def value_of(optional: Optional) -> Any:
    if not optional.present:
        raise EvaluationError("optional.none() dereference")
    return optional.value


@COLLECTIONS.member("or", "optional_type(V), optional_type(V) -> optional_type(V)")
def optional_or(optional: Optional, other: Optional) -> Optional:
    return optional if optional.present else other


@COLLECTIONS.member("orValue", "optional_type(V), V -> V")
def or_value(optional: Optional, other: Any) -> Any:
    return optional.value if optional.present else other


@COLLECTIONS.function("optional.unwrap", "list(optional_type(V)) -> list(V)")
@COLLECTIONS.member("unwrapOpt", "list(optional_type(V)) -> list(V)")
def unwrap(values: list[Any]) -> list[Any]:
    if any(not isinstance(each, Optional) for each in values):
        raise EvaluationError("value is not optional")
    return [each.value for each in values if each.present]
