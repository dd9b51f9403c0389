"""What is wrong with a document, in Kubernetes' words, and what is left of it when that is taken out.

The slow way to read JSON: taken only when the fast one has stumbled, or has seen a sign of a repeated field. It names
every unknown and every repeated field with its path, refuses the first wrong type the way Go's decoder does, and hands
back plain values in which only known fields are left and `null` means absent, as it does to Kubernetes.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from steersman.api import quantity, schema, times
from steersman.api.errors import quoted
from steersman.api.part import Part
from steersman.api.schema import Form, Shape

MOST_COMPLAINTS = 100

_NOT_AN_OBJECT = (
    r"couldn\'t get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct "
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


class _Members(list[tuple[str, Any]]):
    """The members of one JSON object, in order, repetitions kept."""


class _Number(float):
    """A number with a fraction or an exponent, and the text it was written in."""

    __slots__ = ("text",)

    def __new__(cls, text: str) -> _Number:
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


def diagnose(struct: type[Part], data: bytes) -> Finding:
    """Read `data` as a `struct`, slowly. Unreadable or Malformed when that cannot be done."""
    try:
        tree = _parse(data)
        if not isinstance(tree, _Members):
            raise Unreadable(_NOT_AN_OBJECT.format(_kind_of(tree)))
        walk = _Walk()
        clean = walk.struct(struct, tree, "", "")
    except RecursionError:
        raise Unreadable(_SYNTAX.format("exceeded max depth")) from None
    return Finding(clean, walk.complaints)


def _parse(data: bytes) -> Any:
    try:
        text = data.decode()
    except UnicodeDecodeError as err:
        raise Unreadable(_SYNTAX.format(f"invalid UTF-8 at byte {err.start}")) from None
    try:
        return json.loads(text, object_pairs_hook=_Members, parse_float=_Number, parse_constant=_refuse_constant)
    except json.JSONDecodeError as err:
        raise Unreadable(_SYNTAX.format(_syntax_error(err))) from None
    except ValueError as err:
        raise Unreadable(_SYNTAX.format(err)) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"invalid character '{name[0]}' looking for beginning of value")


_WHERE = {
    "Expecting value": "looking for beginning of value",
    "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    "Illegal trailing comma before end of object": "looking for beginning of object key string",
    "Illegal trailing comma before end of array": "looking for beginning of value",
    "Expecting ':' delimiter": "after object key",
    "Expecting ',' delimiter": "after array element or object key:value pair",
    "Extra data": "after top-level value",
    "Invalid control character at": "in string literal",
    "Invalid \\escape": "in string escape code",
    "Invalid \\uXXXX escape": "in \\u hexadecimal character escape",
}


def _syntax_error(err: json.JSONDecodeError) -> str:
    if err.pos >= len(err.doc.rstrip()) or err.msg.startswith("Unterminated string"):
        return "unexpected end of JSON input"
    character = err.doc[err.pos]
    if err.msg == "Expecting ',' delimiter":
        opened = _innermost_bracket(err.doc, err.pos)
        where = "after array element" if opened == "[" else "after object key:value pair"
    else:
        where = _WHERE.get(err.msg, err.msg)
    shown = "'\\''" if character == "'" else f"'{quoted(character)[1:-1]}'"
    return f"invalid character {shown} {where}"


_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def _innermost_bracket(text: str, end: int) -> str:
    open_brackets: list[str] = []
    for match in _STRING_OR_BRACKET.finditer(text, 0, end):
        token = match[0]
        if token in "[{":
            open_brackets.append(token)
        elif token in "]}":
            open_brackets.pop()
    return open_brackets[-1] if open_brackets else "{"


class _Walk:
    """One pass over a document in its own order, with the complaints gathered on the way.

    `where` is the path that complaints name (`spec.containers[0]`). `go_field` is the one that type errors name, the
    way Go's decoder does: the innermost struct, then the names of fields without indices and keys.
    """

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def struct(self, struct: type[Part], members: _Members, where: str, names: str) -> dict[str, Any]:
        known = schema.fields(struct)
        clean: dict[str, Any] = {}
        seen: set[str] = set()
        for name, node in members:
            path = f"{where}.{name}" if where else name
            field = known.get(name)
            if field is None:
                self._complain("unknown", path)
                continue
            if name in seen:
                self._complain("duplicate", path)
            seen.add(name)
            if node is None:
                clean.pop(name, None)
                continue
            inner = f"{names}.{name}" if names else name
            clean[name] = self.value(field.shape, node, path, inner, f"{_go_name(struct)}.{inner}")
        return clean

    def value(self, shape: Shape, node: Any, where: str, names: str, go_field: str) -> Any:
        match shape.form:
            case Form.STRUCT if shape.struct is not None and isinstance(node, _Members):
                return self.struct(shape.struct, node, where, names)
            case Form.LIST if shape.item is not None and type(node) is list:
                item = shape.item
                return [
                    _zero(item) if each is None else self.value(item, each, f"{where}[{index}]", names, go_field)
                    for index, each in enumerate(node)
                ]
            case Form.MAP if shape.item is not None and isinstance(node, _Members):
                return self._map(shape.item, node, where, names, go_field)
            case Form.CHOICE:
                return self._choice(shape, node, where, names, go_field)
            case Form.JSON:
                return _plain(node)
        scalar = _SCALARS.get(shape.form)
        if scalar is not None:
            try:
                return scalar(node)
            except _WrongType:
                pass
            except ValueError as err:
                raise Malformed(str(err)) from None
        return _refuse(shape, node, go_field)

    def _map(self, item: Shape, members: _Members, where: str, names: str, go_field: str) -> dict[str, Any]:
        clean: dict[str, Any] = {}
        for key, node in members:
            path = f"{where}.{key}"
            if key in clean:
                self._complain("duplicate", path)
            clean[key] = _zero(item) if node is None else self.value(item, node, path, names, go_field)
        return clean

    def _choice(self, shape: Shape, node: Any, where: str, names: str, go_field: str) -> Any:
        for choice in shape.choices:
            if _fits(choice, node):
                return self.value(choice, node, where, names, go_field)
        return _refuse(shape.choices[0], node, go_field)

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
    if type(node) not in (int, _Number):
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
        raise ValueError(f"json: cannot unmarshal {_kind_of(node)} into Go value of type string")
    return node


def _quantity(node: Any) -> str:
    if isinstance(node, _Number):
        return quantity.canonical(node.text)
    if type(node) in (str, int):
        return quantity.canonical(node.strip() if isinstance(node, str) else node)
    raise ValueError(quantity.WRONG_FORMAT)


def _int_or_string(node: Any) -> int | str:
    if type(node) is str:
        return node
    if type(node) is int and -(2**31) <= node < 2**31:
        return node
    raise ValueError(f"json: cannot unmarshal {_kind_of(node)}{_literal(node)} into Go value of type int32")


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


def _refuse(shape: Shape, node: Any, go_field: str) -> NoReturn:
    literal = _literal(node) if shape.form in (Form.INT32, Form.INT64) else ""
    raise Malformed(
        f"json: cannot unmarshal {_kind_of(node)}{literal} into Go struct field {go_field} of type {_go_type(shape)}"
    )


def _fits(shape: Shape, node: Any) -> bool:
    match shape.form:
        case Form.STRUCT:
            return isinstance(node, _Members)
        case Form.LIST:
            return type(node) is list
        case Form.BOOL:
            return type(node) is bool
    return type(node) is str


def _kind_of(node: Any) -> str:
    """Go's word for the JSON type of a value."""
    if isinstance(node, _Members):
        return "object"
    words = {list: "array", str: "string", bool: "bool", int: "number", _Number: "number", type(None): "null"}
    return words[type(node)]


def _literal(node: Any) -> str:
    """The number itself, which Go repeats where it wanted an integer."""
    if isinstance(node, _Number):
        return f" {node.text}"
    return f" {node}" if type(node) is int else ""


def _plain(node: Any) -> Any:
    if isinstance(node, _Members):
        return {name: _plain(value) for name, value in node}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    return float(node) if isinstance(node, _Number) else node


def _zero(shape: Shape) -> Any:
    """What `null` means inside a list or a map."""
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
