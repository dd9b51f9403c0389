"""Conversions between types, sizes, and the texts' functions of the standard library."""

from __future__ import annotations

import math
from typing import Any, Final

from steersman.cel import operators
from steersman.cel.environment import Library
from steersman.cel.library import arithmetic, regexes, timekeeping
from steersman.cel.values import Duration, EvaluationError, Timestamp, TypeValue, Uint

CONVERSIONS: Final = Library()

_TYPE_NAMES: Final = {
    bool: "bool", int: "int", Uint: "uint", float: "double", str: "string", bytes: "bytes", type(None): "null_type",
    list: "list", dict: "map", Duration: "google.protobuf.Duration", Timestamp: "google.protobuf.Timestamp",
    TypeValue: "type",
}  # fmt: skip


@CONVERSIONS.function("dyn", "A -> dyn")
def dyn(value: Any) -> Any:
    return value


@CONVERSIONS.function("type", "A -> type(A)")
def type_of(value: Any) -> TypeValue:
    return TypeValue(_TYPE_NAMES.get(type(value)) or str(getattr(value, "type_name", "optional_type")))


@CONVERSIONS.function("bool", "bool -> bool", "string -> bool")
def to_bool(value: bool | str) -> bool:  # noqa: FBT001  # a value of CEL
    if isinstance(value, bool):
        return value
    if value in ("1", "t", "T", "TRUE", "true", "True"):
        return True
    if value in ("0", "f", "F", "FALSE", "false", "False"):
        return False
    raise EvaluationError(f"type conversion error from 'string' to 'bool': {value}")


@CONVERSIONS.function(
    "int", "int -> int", "uint -> int", "double -> int", "string -> int", "timestamp -> int", "duration -> int"
)
def to_int(value: Any) -> int:
    if isinstance(value, Timestamp):
        return value.nanoseconds // timekeeping.SECOND
    if isinstance(value, Duration):
        return value.nanoseconds
    return arithmetic.bounded(_whole(value, "int"), 0)


@CONVERSIONS.function("uint", "uint -> uint", "int -> uint", "double -> uint", "string -> uint")
def to_uint(value: Any) -> int:
    return arithmetic.bounded(_whole(value, "uint"), Uint(0))


def _whole(value: Any, name: str) -> int:
    try:
        if isinstance(value, str):
            if not value.removeprefix("-").removeprefix("+").isascii() or "_" in value or value != value.strip():
                raise ValueError
            return int(value)
        if isinstance(value, float) and not math.isfinite(value):
            raise EvaluationError("integer overflow")
        return int(value)
    except ValueError:
        raise EvaluationError(f"type conversion error from 'string' to '{name}'") from None


@CONVERSIONS.function("double", "double -> double", "int -> double", "uint -> double", "string -> double")
def to_double(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        raise EvaluationError("type conversion error from 'string' to 'double'") from None


@CONVERSIONS.function(
    "string", "string -> string", "bool -> string", "bytes -> string", "double -> string", "duration -> string",
    "int -> string", "timestamp -> string", "uint -> string",
)  # fmt: skip
def to_string(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from None
    if isinstance(value, float):
        return shown_double(value)
    if isinstance(value, Duration):
        return timekeeping.shown_duration(value)
    if isinstance(value, Timestamp):
        return timekeeping.shown_timestamp(value)
    return str(int(value)) if isinstance(value, int) else str(value)


def shown_double(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    shown = repr(value)
    return shown.removesuffix(".0")


@CONVERSIONS.function("bytes", "bytes -> bytes", "string -> bytes")
def to_bytes(value: str | bytes) -> bytes:
    return value.encode(errors="replace") if isinstance(value, str) else value


@CONVERSIONS.function("duration", "duration -> duration", "string -> duration", "int -> duration")
def to_duration(value: Any) -> Duration:
    if isinstance(value, str):
        return timekeeping.parse_duration(value)
    return value if isinstance(value, Duration) else timekeeping.duration(int(value))


@CONVERSIONS.function("timestamp", "timestamp -> timestamp", "string -> timestamp", "int -> timestamp")
def to_timestamp(value: Any) -> Timestamp:
    if isinstance(value, str):
        return timekeeping.parse_timestamp(value)
    return value if isinstance(value, Timestamp) else timekeeping.timestamp(int(value) * timekeeping.SECOND)


_SIZED: Final = ("string -> int", "bytes -> int", "list(A) -> int", "map(A, B) -> int")


@CONVERSIONS.member("size", *_SIZED)
@CONVERSIONS.function("size", *_SIZED)
def size(value: Any) -> int:
    return len(value)


@CONVERSIONS.member("contains", "string, string -> bool")
def contains(text: str, part: str) -> bool:
    return part in text


@CONVERSIONS.member("startsWith", "string, string -> bool")
def starts_with(text: str, part: str) -> bool:
    return text.startswith(part)


@CONVERSIONS.member("endsWith", "string, string -> bool")
def ends_with(text: str, part: str) -> bool:
    return text.endswith(part)


@CONVERSIONS.member("matches", "string, string -> bool")
@CONVERSIONS.function("matches", "string, string -> bool")
def matches(text: str, pattern: str) -> bool:
    return regexes.compiled(pattern).matches(text)


def _lazy(*_arguments: Any) -> Any:
    raise EvaluationError("no such overload")


# The evaluator knows how these go about their arguments; here they have their types.
CONVERSIONS.function(operators.CONDITIONAL, "bool, A, A -> A")(_lazy)
CONVERSIONS.function(operators.AND, "bool, bool -> bool")(_lazy)
CONVERSIONS.function(operators.OR, "bool, bool -> bool")(_lazy)
CONVERSIONS.function(operators.NOT_STRICTLY_FALSE, "bool -> bool")(_lazy)
