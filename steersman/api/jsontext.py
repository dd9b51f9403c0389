"""JSON text to a tree that keeps what other parsers throw away: repeated members, and how numbers were written.

Faults of syntax are told in the words of Go's decoder, because those are the words that users of Kubernetes know.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from steersman.api.errors import quoted


class Members(list[tuple[str, Any]]):
    """The members of one JSON object, in order, repetitions kept."""


class Number(float):
    """A number with a fraction or an exponent, and the text it was written in."""

    __slots__ = ("text",)

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


class SyntaxFault(ValueError):
    """The text is not JSON."""


def parse(data: bytes) -> Any:
    """A tree of Members, lists, texts, ints, Numbers, bools and None. RecursionError when it is too deep for us."""
    try:
        text = data.decode()
    except UnicodeDecodeError as err:
        raise SyntaxFault(f"invalid UTF-8 at byte {err.start}") from None
    if "\\ud" in text or "\\uD" in text:
        text = _ESCAPE.sub(_whole_character, text)
    try:
        return json.loads(text, object_pairs_hook=Members, parse_float=Number, parse_constant=_refuse_constant)
    except json.JSONDecodeError as err:
        raise SyntaxFault(_syntax_error(err)) from None
    except ValueError as err:
        raise SyntaxFault(str(err)) from None


_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.DOTALL)


def _whole_character(escape: re.Match[str]) -> str:
    """Half of a UTF-16 pair stands for no character: Go reads it as U+FFFD, and no UTF-8 could hold it."""
    return "\\ufffd" if len(escape[0]) == 6 else escape[0]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"invalid character '{name[0]}' looking for beginning of value")


_WHERE = {
    "Expecting value": "looking for beginning of value",
    "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    "Illegal trailing comma before end of object": "looking for beginning of object key string",
    "Illegal trailing comma before end of array": "looking for beginning of value",
    "Expecting ':' delimiter": "after object key",
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


_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]')


def _innermost_bracket(text: str, end: int) -> str:
    open_brackets: list[str] = []
    for match in _STRING_OR_BRACKET.finditer(text, 0, end):
        token = match[0]
        if token in "[{":
            open_brackets.append(token)
        elif token in "]}":
            open_brackets.pop()
    return open_brackets[-1] if open_brackets else "{"


def kind_of(node: Any) -> str:
    """Go's word for the JSON type of a value."""
    if isinstance(node, Members):
        return "object"
    words = {list: "array", str: "string", bool: "bool", int: "number", Number: "number", type(None): "null"}
    return words[type(node)]


def literal(node: Any) -> str:
    """The number itself, which Go repeats where it wanted an integer."""
    if isinstance(node, Number):
        return f" {node.text}"
    return f" {node}" if type(node) is int else ""


def plain(node: Any) -> Any:
    """The tree as dicts, lists and floats; of repeated members the last one counts."""
    if isinstance(node, Members):
        return {name: plain(value) for name, value in node}
    if isinstance(node, list):
        return [plain(value) for value in node]
    return float(node) if isinstance(node, Number) else node
