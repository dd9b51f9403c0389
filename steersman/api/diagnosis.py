"""What is wrong with a document, in Kubernetes' words, and what is left of it when that is taken out.

The slow way to read JSON: taken only when the fast one has stumbled, or has seen a sign of a repeated field. It names
every unknown and every repeated field with its path, refuses the first wrong type the way Go's decoder does, and hands
back plain values in which only known fields are left and `null` means absent, as it does to Kubernetes; so does `[]`
where it would come back as `null`.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from steersman.api import jsontext, quantity, schema, times
from steersman.api.errors import quoted
from steersman.api.part import Part
from steersman.api.schema import Form, Shape

MOST_COMPLAINTS = 100

_NOT_AN_OBJECT = (
    "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct "
    r'{{ APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }}'
)
_SYNTAX = "couldn't get version/kind; json parse error: {}"


class Unreadable(ValueError):
    """The document is no JSON object."""


class Malformed(ValueError):
    """The document holds a value of the wrong type."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`clean`: the known part of the document. `complaints`: what was unknown or said twice."""

    clean: dict[str, Any]
    complaints: list[str]


def diagnose(struct: type[Part], data: bytes) -> Finding:
    """Read `data` as a `struct`, slowly. Unreadable or Malformed when that cannot be done."""
    try:
        tree = jsontext.parse(data)
        if not isinstance(tree, jsontext.Members):
            raise Unreadable(_NOT_AN_OBJECT.format(jsontext.kind_of(tree)))
        walk = _Walk()
        clean = walk.struct(struct, tree, _Place())
    except jsontext.SyntaxFault as err:
        raise Unreadable(_SYNTAX.format(err)) from None
    except RecursionError:
        raise Unreadable(_SYNTAX.format("exceeded max depth")) from None
    return Finding(clean, walk.complaints)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where we are in the document. Complaints and type errors name places differently.

    A complaint names the `path` (`spec.containers[0].name`). A type error names, as Go's decoder does, the innermost
    struct and the fields that lead to the value, without indices and keys (`Container.spec.containers.name`).
    """

    path: str = ""
    fields: str = ""
    struct: str = ""

    def member(self, struct: type[Part], name: str) -> _Place:
        fields = f"{self.fields}.{name}" if self.fields else name
        return _Place(self.inside(name), fields, _go_name(struct))

    def index(self, number: int) -> _Place:
        return _Place(f"{self.path}[{number}]", self.fields, self.struct)

    def key(self, name: str) -> _Place:
        return _Place(self.inside(name), self.fields, self.struct)

    def inside(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


class _Walk:
    """One pass over a document in its own order, with the complaints gathered on the way."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def struct(self, struct: type[Part], members: jsontext.Members, place: _Place) -> dict[str, Any]:
        known = schema.fields(struct)
        clean: dict[str, Any] = {}
        seen: set[str] = set()
        for name, node in members:
            if name not in known:
                self._complain("unknown", place.inside(name))
                continue
            if name in seen:
                self._complain("duplicate", place.inside(name))
            seen.add(name)
            if node is None or (known[name].null_when_empty and type(node) is list and not node):
                clean.pop(name, None)
            else:
                clean[name] = self._value(known[name].shape, node, place.member(struct, name))
        return clean

    def _value(self, shape: Shape, node: Any, place: _Place) -> Any:
        match shape.form:
            case Form.STRUCT if shape.struct is not None and isinstance(node, jsontext.Members):
                return self.struct(shape.struct, node, place)
            case Form.LIST if shape.item is not None and type(node) is list:
                return [self._element(shape.item, each, place.index(number)) for number, each in enumerate(node)]
            case Form.MAP if shape.item is not None and isinstance(node, jsontext.Members):
                return self._map(shape.item, node, place)
            case Form.CHOICE:
                fitting = (choice for choice in shape.choices if _fits(choice, node))
                return self._value(next(fitting, shape.choices[0]), node, place)
            case Form.JSON:
                return jsontext.plain(node)
        if scalar := _SCALARS.get(shape.form):
            try:
                return scalar(node)
            except _WrongType:
                pass
            except ValueError as err:
                raise Malformed(str(err)) from None
        return _refuse(shape, node, place)

    def _element(self, shape: Shape, node: Any, place: _Place) -> Any:
        """A value inside a list or a map, where `null` cannot mean absent and so means the zero value."""
        return _zero(shape) if node is None else self._value(shape, node, place)

    def _map(self, item: Shape, members: jsontext.Members, place: _Place) -> dict[str, Any]:
        clean: dict[str, Any] = {}
        for key, node in members:
            if key in clean:
                self._complain("duplicate", place.inside(key))
            clean[key] = self._element(item, node, place.key(key))
        return clean

    def _complain(self, what: str, path: str) -> None:
        complaint = f"{what} field {quoted(path)}"
        if len(self.complaints) < MOST_COMPLAINTS and complaint not in self.complaints:
            self.complaints.append(complaint)


class _WrongType(Exception):
    """The JSON type of a value is not the field's."""


def _exactly(kind: type) -> Callable[[Any], Any]:
    def check(node: Any) -> Any:
        if type(node) is not kind:
            raise _WrongType
        return node

    return check


def _within(bits: int) -> Callable[[Any], Any]:
    bound = 1 << (bits - 1)

    def check(node: Any) -> Any:
        if type(node) is not int or not -bound <= node < bound:
            raise _WrongType
        return node

    return check


def _double(node: Any) -> float:
    if type(node) not in (int, jsontext.Number) or not math.isfinite(node):
        raise _WrongType
    return float(node)


def _base64(node: Any) -> str:
    if type(node) is not str:
        raise _WrongType
    text = re.sub(r"[\r\n]", "", node)
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        wrong = re.search(r"[^A-Za-z0-9+/]", text)
        position = wrong.start() if wrong else len(text) // 4 * 4
        raise ValueError(f"illegal base64 data at input byte {position}") from None
    return text


def _time_text(node: Any) -> str:
    if type(node) is not str:
        raise ValueError(f"json: cannot unmarshal {jsontext.kind_of(node)} into Go value of type string")
    return node


def _quantity(node: Any) -> str:
    if isinstance(node, jsontext.Number):
        return quantity.canonical(node.text)
    if type(node) in (str, int):
        return quantity.canonical(node.strip() if isinstance(node, str) else node)
    raise ValueError(quantity.WRONG_FORMAT)


def _int_or_string(node: Any) -> int | str:
    if type(node) is str:
        return node
    if type(node) is int and -(2**31) <= node < 2**31:
        return node
    raise ValueError(
        f"json: cannot unmarshal {jsontext.kind_of(node)}{jsontext.literal(node)} into Go value of type int32"
    )


_SCALARS: dict[Form, Callable[[Any], Any]] = {
    Form.STRING: _exactly(str),
    Form.BOOL: _exactly(bool),
    Form.INT32: _within(32),
    Form.INT64: _within(64),
    Form.DOUBLE: _double,
    Form.BYTES: _base64,
    Form.TIME: lambda node: times.time(_time_text(node)),
    Form.MICRO_TIME: lambda node: times.micro_time(_time_text(node)),
    Form.QUANTITY: _quantity,
    Form.INT_OR_STRING: _int_or_string,
}


def _refuse(shape: Shape, node: Any, place: _Place) -> NoReturn:
    literal = jsontext.literal(node) if shape.form in (Form.INT32, Form.INT64) else ""
    found, wanted = f"{jsontext.kind_of(node)}{literal}", _go_type(shape)
    raise Malformed(
        f"json: cannot unmarshal {found} into Go struct field {place.struct}.{place.fields} of type {wanted}"
    )


def _fits(shape: Shape, node: Any) -> bool:
    match shape.form:
        case Form.STRUCT:
            return isinstance(node, jsontext.Members)
        case Form.LIST:
            return type(node) is list
        case Form.BOOL:
            return type(node) is bool
    return type(node) is str


def _zero(shape: Shape) -> Any:
    match shape.form:
        case Form.STRUCT | Form.MAP:
            return {}
        case Form.LIST:
            return []
        case Form.QUANTITY:
            return "0"
        case Form.BOOL:
            return False
        case Form.INT32 | Form.INT64 | Form.DOUBLE | Form.INT_OR_STRING:
            return 0
        case Form.JSON:
            return None
    return ""


_GO_TYPES = {
    Form.STRING: "string",
    Form.BOOL: "bool",
    Form.INT32: "int32",
    Form.INT64: "int64",
    Form.DOUBLE: "float64",
    Form.BYTES: "[]uint8",
}


def _go_type(shape: Shape) -> str:
    if shape.struct is not None:
        return f"{_go_package(shape.struct)}.{_go_name(shape.struct)}"
    if shape.item is not None and shape.form is Form.LIST:
        return f"[]{_go_type(shape.item)}"
    if shape.item is not None:
        return "v1.ResourceList" if shape.item.form is Form.QUANTITY else f"map[string]{_go_type(shape.item)}"
    return _GO_TYPES.get(shape.form, shape.form)


def _go_name(struct: type[Part]) -> str:
    return struct.__name__.removesuffix("V1")


def _go_package(struct: type[Part]) -> str:
    second = struct.__module__.endswith(".autoscaling") and not struct.__name__.endswith("V1")
    return "v2" if second else "v1"
