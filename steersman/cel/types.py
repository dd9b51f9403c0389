"""The types of expressions, and when one fits where another is wanted. Pure.

Types are values: equal if they are the same type. A `PARAM` is a type not known yet; a `Bindings` remembers what the
params met so far stand for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final


class Kind(Enum):
    DYN = auto()
    NULL = auto()
    BOOL = auto()
    INT = auto()
    UINT = auto()
    DOUBLE = auto()
    STRING = auto()
    BYTES = auto()
    DURATION = auto()
    TIMESTAMP = auto()
    LIST = auto()
    MAP = auto()
    TYPE = auto()
    STRUCT = auto()
    OPAQUE = auto()
    PARAM = auto()
    ERROR = auto()


@dataclass(frozen=True, slots=True)
class Type:
    kind: Kind
    name: str
    params: tuple[Type, ...] = field(default=())

    def __str__(self) -> str:
        """As complaints about results show it."""
        return _joined(_FULL_NAMES.get(self.kind, self.name), [str(param) for param in self.params])


DYN: Final = Type(Kind.DYN, "dyn")
NULL: Final = Type(Kind.NULL, "null")
BOOL: Final = Type(Kind.BOOL, "bool")
INT: Final = Type(Kind.INT, "int")
UINT: Final = Type(Kind.UINT, "uint")
DOUBLE: Final = Type(Kind.DOUBLE, "double")
STRING: Final = Type(Kind.STRING, "string")
BYTES: Final = Type(Kind.BYTES, "bytes")
DURATION: Final = Type(Kind.DURATION, "duration")
TIMESTAMP: Final = Type(Kind.TIMESTAMP, "timestamp")
TYPE: Final = Type(Kind.TYPE, "type")
ERROR: Final = Type(Kind.ERROR, "!error!")
OPTIONAL_NAME: Final = "optional_type"

SIMPLE: Final = {
    each.name: each for each in (DYN, NULL, BOOL, INT, UINT, DOUBLE, STRING, BYTES, DURATION, TIMESTAMP, TYPE)
}
_FULL_NAMES: Final = {
    Kind.NULL: "null_type",
    Kind.DURATION: "google.protobuf.Duration",
    Kind.TIMESTAMP: "google.protobuf.Timestamp",
}
_NULLABLE: Final = frozenset({Kind.OPAQUE, Kind.STRUCT, Kind.DURATION, Kind.TIMESTAMP, Kind.NULL})
_COMPOUND: Final = frozenset({Kind.OPAQUE, Kind.LIST, Kind.MAP, Kind.TYPE})


def list_of(element: Type) -> Type:
    return Type(Kind.LIST, "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    return Type(Kind.MAP, "map", (key, value))


def opaque(name: str, *params: Type) -> Type:
    return Type(Kind.OPAQUE, name, params)


def struct(name: str) -> Type:
    return Type(Kind.STRUCT, name)


def param(name: str) -> Type:
    return Type(Kind.PARAM, name)


def type_of(inner: Type) -> Type:
    return Type(Kind.TYPE, "type", (inner,))


def optional_of(inner: Type) -> Type:
    return opaque(OPTIONAL_NAME, inner)


def parse(text: str) -> Type:
    """A type from a signature: `map(A, list(string))`. One capital letter is a param; any other name an object's."""
    parsed, rest = _parsed(text.replace(" ", ""))
    if rest:
        raise ValueError(f"not a type: {text}")
    return parsed


def _parsed(text: str) -> tuple[Type, str]:
    match = re.match(r"[A-Za-z_.]+", text)
    if match is None:
        raise ValueError(f"not a type: {text}")
    name, rest = match.group(), text[match.end() :]
    params: list[Type] = []
    if rest.startswith("("):
        while rest[0] in "(,":
            inner, rest = _parsed(rest[1:])
            params.append(inner)
        rest = rest[1:]
    if name in SIMPLE and not params:
        return SIMPLE[name], rest
    if len(name) == 1 and name.isupper():
        return param(name), rest
    kinds = {"list": Kind.LIST, "map": Kind.MAP, "type": Kind.TYPE, OPTIONAL_NAME: Kind.OPAQUE}
    return Type(kinds.get(name, Kind.STRUCT), name, tuple(params)), rest


def shown(given: Type) -> str:
    """As complaints about arguments show it."""
    return _joined(given.name, [shown(each) for each in given.params])


def _joined(name: str, params: list[str]) -> str:
    return f"{name}({', '.join(params)})" if params else name


def is_dynamic(given: Type) -> bool:
    return given.kind is Kind.DYN


def unwrapped(given: Type) -> Type | None:
    """What an optional holds; None: it is none."""
    return given.params[0] if given.kind is Kind.OPAQUE and given.name == OPTIONAL_NAME else None


class Bindings:
    """What type params stand for."""

    def __init__(self) -> None:
        self._bound: dict[str, Type] = {}

    def assignable(self, wanted: tuple[Type, ...], given: tuple[Type, ...]) -> bool:
        """Whether all fit; if so, what was learnt about params stays."""
        before = dict(self._bound)
        if len(wanted) == len(given) and all(map(self._fits, wanted, given)):
            return True
        self._bound = before
        return False

    def substitute(self, given: Type, *, final: bool = False) -> Type:
        """The type with what is known put in; `final`: what is not known may be anything."""
        if given.kind is Kind.PARAM:
            if given.name in self._bound:
                return self.substitute(self._bound[given.name], final=final)
            return DYN if final else given
        if not given.params:
            return given
        return Type(given.kind, given.name, tuple(self.substitute(each, final=final) for each in given.params))

    def _fits(self, first: Type, second: Type) -> bool:
        if second.kind is Kind.PARAM:
            fits, was_bound = self._bind(first, second)
            if fits or was_bound:
                return fits
        if first.kind is Kind.PARAM:
            return self._bind(second, first)[0]
        if first.kind in (Kind.DYN, Kind.ERROR) or second.kind in (Kind.DYN, Kind.ERROR):
            return True
        if first.kind is Kind.NULL:
            return second.kind in _NULLABLE
        if second.kind is Kind.NULL:
            return first.kind in _NULLABLE
        if first.kind is Kind.TYPE:
            return second.kind is Kind.TYPE
        if first.kind in _COMPOUND:
            same = first.kind is second.kind and first.name == second.name and len(first.params) == len(second.params)
            return same and all(map(self._fits, first.params, second.params))
        return first == second

    def _bind(self, given: Type, unknown: Type) -> tuple[bool, bool]:
        """Whether `unknown` can stand for `given`, and whether it stood for something before."""
        if given == unknown:
            return True, True
        bound = self._bound.get(unknown.name)
        if bound is None:
            if self._mentions(given, unknown):
                return False, False
            self._bound[unknown.name] = given
            return True, False
        if given == bound:
            return True, True
        if not self._fits(given, bound):
            return False, True
        wider = most_general(given, bound)
        if not self._mentions(wider, unknown):
            self._bound[unknown.name] = wider
        return True, True

    def _mentions(self, within: Type, unknown: Type) -> bool:
        if within == unknown:
            return True
        if within.kind is Kind.PARAM:
            bound = self._bound.get(within.name)
            return bound is not None and self._mentions(bound, unknown)
        return any(self._mentions(each, unknown) for each in within.params)


def most_general(first: Type, second: Type) -> Type:
    return first if _no_narrower(first, second) else second


def _no_narrower(first: Type, second: Type) -> bool:
    if first.kind in (Kind.DYN, Kind.PARAM):
        return True
    if second.kind in (Kind.DYN, Kind.PARAM) or first.kind is not second.kind:
        return False
    if first.kind is Kind.TYPE:
        return True
    if first.kind not in _COMPOUND:
        return first == second
    same = first.name == second.name and len(first.params) == len(second.params)
    return same and all(map(_no_narrower, first.params, second.params))
