"""Settings as text: addresses, durations and the other types that a flag or an environment variable can hold.

Pure: text in, value out, or a ValueError that says what was expected.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NewType

Duration = NewType("Duration", float)
"""Seconds, written as "5s", "1m30s" or "300ms"."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen or whom to call. Port 0 lets the system choose."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


_ADDRESS = re.compile(r"(?:\[(?P<bracketed>[0-9A-Fa-f:.]+)\]|(?P<plain>[^\s:/\[\]]+)):(?P<port>\d{1,5})", re.ASCII)


def parse_address(text: str) -> Address:
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not host:port, such as 127.0.0.1:6443 or [::1]:6443")
    port = int(match["port"])
    if port > 65535:
        raise ValueError(f"{text!r} has a port above 65535")
    return Address(match["bracketed"] or match["plain"], port)


_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "us": 0.000001}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:h|ms|us|m|s))+", re.ASCII)
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(h|ms|us|m|s)", re.ASCII)


def parse_duration(text: str) -> Duration:
    if text == "0":
        return Duration(0.0)
    if _DURATION.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a duration, such as 300ms, 5s or 1m30s")
    return Duration(sum(float(number) * _UNITS[unit] for number, unit in _DURATION_PART.findall(text)))


def format_duration(seconds: float) -> str:
    """The shortest way to write it that `parse_duration` reads back."""
    if 0 < seconds < 1:
        return f"{seconds * 1000:g}ms"
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    parts = [f"{amount:g}{unit}" for amount, unit in ((hours, "h"), (minutes, "m"), (rest, "s")) if amount]
    return "".join(parts) or "0s"


_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def parse_bool(text: str) -> bool:
    try:
        return _BOOLEANS[text.lower()]
    except KeyError:
        raise ValueError(f"{text!r} is not true or false") from None


def _parse_int(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None


def _parse_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None


def _parse_list(text: str) -> tuple[str, ...]:
    return tuple(item for item in (part.strip() for part in text.split(",")) if item)


class Form(StrEnum):
    """How a flag takes its value."""

    VALUE = "value"
    SWITCH = "switch"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class ValueType:
    """How one type of setting is read and shown, and what its help has in place of a value."""

    parse: Callable[[str], Any]
    placeholder: str
    show: Callable[[Any], str] = str
    form: Form = Form.VALUE
    optional: bool = False


_PLAIN: dict[Any, ValueType] = {
    str: ValueType(str, "TEXT"),
    int: ValueType(_parse_int, "N"),
    float: ValueType(_parse_float, "NUMBER"),
    bool: ValueType(parse_bool, "", show=lambda on: "on" if on else "", form=Form.SWITCH),
    Path: ValueType(lambda text: Path(text).expanduser(), "PATH"),
    Address: ValueType(parse_address, "HOST:PORT"),
    Duration: ValueType(parse_duration, "DURATION", show=format_duration),
    tuple[str, ...]: ValueType(_parse_list, "A,B,…", show=",".join, form=Form.LIST),
}


def type_of(hint: Any) -> ValueType:
    """The reading of a type hint. TypeError for one that a setting cannot have: a mistake in the settings class."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _choice(hint)
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        inner = [part for part in typing.get_args(hint) if part is not types.NoneType]
        if len(inner) == 1:
            return replace(type_of(inner[0]), optional=True)
    raise TypeError(f"a setting cannot be of type {hint}")


def _choice(options: type[StrEnum]) -> ValueType:
    listed = ", ".join(options)

    def parse(text: str) -> StrEnum:
        try:
            return options(text)
        except ValueError:
            raise ValueError(f"{text!r} is not one of {listed}") from None

    return ValueType(parse, "|".join(options))
