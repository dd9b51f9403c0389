"""The parts of an expression that operators join: literals, names, calls, members, lists, maps and objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import count
from typing import Final, TypeVar

from steersman.cel import literals, macros, operators
from steersman.cel.recovery import EPSILON, Fault, Kinds, Recognizer
from steersman.cel.syntax import Call, Construct, Entry, Expr, FieldValue, Ident, ListOf, Literal, MapOf, Select
from steersman.cel.tokens import BYTES, ESC_IDENTIFIER, IDENTIFIER, NUM_FLOAT, NUM_INT, NUM_UINT, STRING, Token

_T = TypeVar("_T")

RESERVED: Final = frozenset(
    """as break const continue else for function if import let loop package namespace return var void
    while""".split()  # noqa: SIM905  # a table reads better
)

_LITERALS: Final = frozenset({NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "true", "false", "null"})
BEGIN: Final = _LITERALS | {"[", "{", "(", ".", "-", "!", IDENTIFIER}
_OPTIONAL_BEGIN: Final = BEGIN | {"?"}
_FIELD_BEGIN: Final = frozenset({"?", IDENTIFIER, ESC_IDENTIFIER})
BINARY: Final = frozenset(operators.BINARY)
_MEMBER: Final = frozenset({".", "["})
_BEHIND: Final = BINARY | _MEMBER | {"?", EPSILON}


class TermParser(ABC):
    """Reads terms; what stands inside of their brackets is a whole expression again."""

    def __init__(self, text: str) -> None:
        self.recognizer = Recognizer(text)
        self.macros: dict[int, Call] = {}
        self._ids = count(1)

    @abstractmethod
    def _expression(self) -> Expr: ...

    # --- Members

    def _member(self) -> Expr:
        recognizer = self.recognizer
        expression = self._primary()
        try:
            while (kind := recognizer.look().kind) in _MEMBER:
                expression = self._indexed(expression) if kind == "[" else self._selected(expression)
        except Fault as fault:
            recognizer.recover(fault, "member")
            return self._mistake()
        return expression

    def _indexed(self, operand: Expr) -> Expr:
        recognizer = self.recognizer
        mark = recognizer.take()
        recognizer.sync(_OPTIONAL_BEGIN)
        optional = recognizer.look().kind == "?"
        if optional:
            recognizer.take()
        index = recognizer.within(frozenset({"]"}), self._expression)
        recognizer.match("]", _BEHIND)
        return self._call(mark.at, operators.OPTIONAL_INDEX if optional else operators.INDEX, operand, index)

    def _selected(self, operand: Expr) -> Expr:
        recognizer = self.recognizer
        if recognizer.look(2).kind not in _FIELD_BEGIN:
            raise recognizer.no_way_on(2)
        mark = recognizer.take()
        if recognizer.look().kind == IDENTIFIER and recognizer.look(2).kind == "(":
            name = recognizer.take().text
            opening = recognizer.take()
            return self._called(opening.at, name, self._arguments(), operand)
        optional = recognizer.look().kind == "?"
        if optional:
            recognizer.take()
        field = self._field_name()
        if optional:
            literal = Literal(field.text, id=next(self._ids), at=field.at)
            return self._call(mark.at, operators.OPTIONAL_SELECT, operand, literal)
        return Select(operand, field.text, id=next(self._ids), at=mark.at)

    def _field_name(self) -> Token:
        self.recognizer.sync(frozenset({IDENTIFIER, ESC_IDENTIFIER}))
        token = self.recognizer.look()
        if token.kind not in (IDENTIFIER, ESC_IDENTIFIER):
            raise self.recognizer.no_way_on(1)
        if token.kind == ESC_IDENTIFIER:
            self.recognizer.complain("unsupported syntax: '`'", token.at)
        return self.recognizer.take()

    def _arguments(self) -> tuple[Expr, ...]:
        """Behind an opening parenthesis."""
        recognizer = self.recognizer
        recognizer.sync(BEGIN | {")"})
        arguments: list[Expr] = []
        if recognizer.look().kind in BEGIN:
            arguments.append(recognizer.within(frozenset({",", ")"}), self._expression))
            while recognizer.look().kind == ",":
                recognizer.take()
                arguments.append(recognizer.within(frozenset({",", ")"}), self._expression))
        recognizer.match(")", _BEHIND)
        return tuple(arguments)

    def _called(self, at: int, name: str, arguments: tuple[Expr, ...], target: Expr | None = None) -> Expr:
        written = Call(name, arguments, target, id=next(self._ids), at=at)
        try:
            expanded = macros.expand(written, self._ids)
        except macros.MacroError as error:
            self.recognizer.complain(error.message, error.at)
            return self._mistake(error.at)
        if expanded is None:
            return written
        self.macros[expanded.id] = written
        return expanded

    # --- Primaries

    def _primary(self) -> Expr:
        recognizer = self.recognizer
        try:
            kind = recognizer.look().kind
            if kind in _LITERALS or kind == "-":
                return self._literal()
            if kind in (IDENTIFIER, "."):
                return self._named()
            if kind == "(":
                recognizer.take()
                expression = recognizer.within(frozenset({")"}), self._expression)
                recognizer.match(")", _BEHIND)
                return expression
            if kind == "[":
                return self._list()
            if kind == "{":
                return self._map()
            recognizer.sync(BEGIN - {"!"})
            raise recognizer.no_way_on(1)
        except Fault as fault:
            recognizer.recover(fault, "primary", _MEMBER)
            return self._mistake()

    def _literal(self) -> Expr:
        recognizer = self.recognizer
        first = recognizer.take()
        token = recognizer.take() if first.kind == "-" else first
        try:
            value = literals.value_of(token, negative=first.kind == "-")
        except literals.LiteralError as error:
            recognizer.complain(str(error), first.at)
            return self._mistake(first.at)
        return Literal(value, id=next(self._ids), at=first.at)

    def _named(self) -> Expr:
        """A variable, a call, or an object of a named type."""
        recognizer = self.recognizer
        first = recognizer.look()
        if first.kind == "." and recognizer.look(2).kind != IDENTIFIER:
            raise recognizer.no_way_on(2)
        leading = "." if first.kind == "." else ""
        if leading:
            recognizer.take()
        if self._begins_object():
            return self._object(leading)
        name = recognizer.take()
        is_reserved = name.text in RESERVED
        if is_reserved:
            recognizer.complain(f"reserved identifier: {name.text}", first.at)
        if recognizer.look().kind == "(":
            opening = recognizer.take()
            arguments = self._arguments()
            return self._mistake(first.at) if is_reserved else self._called(opening.at, leading + name.text, arguments)
        return self._mistake(first.at) if is_reserved else Ident(leading + name.text, id=next(self._ids), at=name.at)

    def _begins_object(self) -> bool:
        ahead = 1
        while self.recognizer.look(ahead).kind == IDENTIFIER:
            following = self.recognizer.look(ahead + 1).kind
            if following != ".":
                return following == "{"
            ahead += 2
        return False

    def _object(self, leading: str) -> Expr:
        recognizer = self.recognizer
        names = [recognizer.take().text]
        while recognizer.look().kind == ".":
            recognizer.take()
            names.append(recognizer.take().text)
        opening = recognizer.take()
        values = self._entries(_FIELD_BEGIN, "}", self._field_value)
        return Construct(leading + ".".join(names), tuple(values), id=next(self._ids), at=opening.at)

    def _field_value(self) -> FieldValue:
        optional = self._optional_mark()
        name = self._field_name()
        colon, value = self._colon_and_value()
        return FieldValue(name.text, value, optional, id=next(self._ids), at=colon)

    def _map(self) -> Expr:
        opening = self.recognizer.take()
        entries = self._entries(_OPTIONAL_BEGIN, "}", self._entry)
        return MapOf(tuple(entries), id=next(self._ids), at=opening.at)

    def _entry(self) -> Entry:
        optional = self._optional_mark()
        key = self.recognizer.within(frozenset({":"}), self._expression)
        colon, value = self._colon_and_value()
        return Entry(key, value, optional, id=next(self._ids), at=colon)

    def _colon_and_value(self) -> tuple[int, Expr]:
        colon = self.recognizer.match(":", BEGIN)
        return colon.at, self.recognizer.within(frozenset({",", "}"}), self._expression)

    def _entries(self, begin: Kinds, closing: str, read: Callable[[], _T]) -> list[_T]:
        """Entries up to the closing bracket, which is taken. A comma may stand behind the last one, or alone."""
        recognizer = self.recognizer
        recognizer.sync(begin | {",", closing})
        entries: list[_T] = []
        try:
            if recognizer.look().kind in begin:
                entries.append(read())
                while recognizer.look().kind == "," and recognizer.look(2).kind in begin:
                    recognizer.take()
                    entries.append(read())
        except Fault as fault:
            recognizer.recover(fault, "entries", frozenset({",", closing}))
        if recognizer.look().kind == ",":
            recognizer.take()
        recognizer.match(closing, _BEHIND)
        return entries

    def _list(self) -> Expr:
        opening = self.recognizer.take()
        found = self._entries(_OPTIONAL_BEGIN, "]", self._element)
        optional = frozenset(index for index, (is_optional, _) in enumerate(found) if is_optional)
        return ListOf(tuple(element for _, element in found), optional, id=next(self._ids), at=opening.at)

    def _element(self) -> tuple[bool, Expr]:
        optional = self._optional_mark()
        return optional, self.recognizer.within(frozenset({",", "]"}), self._expression)

    def _optional_mark(self) -> bool:
        optional = self.recognizer.look().kind == "?"
        if optional:
            self.recognizer.take()
        return optional

    def _mistake(self, at: int = 0) -> Expr:
        """Stands where something was complained of."""
        return Literal(None, id=next(self._ids), at=at)

    def _call(self, at: int, function: str, *arguments: Expr) -> Call:
        return Call(function, arguments, id=next(self._ids), at=at)
