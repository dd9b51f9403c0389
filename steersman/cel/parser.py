"""Text to syntax, macros expanded. All complaints are collected, as Kubernetes words and places them. Pure.

Expressions nest `MAX_NESTING` deep at most and their trees `MAX_DEPTH`, so that whoever walks them may recurse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steersman.cel import operators, syntax
from steersman.cel.recovery import EPSILON, Fault, GivenUp
from steersman.cel.source import NOWHERE, CompilationError, Issue
from steersman.cel.syntax import Expr, Node, Parsed
from steersman.cel.terms import BEGIN, BINARY, TermParser
from steersman.cel.tokens import EOF, NUM_FLOAT, NUM_INT, Token

MAX_TEXT: Final = 100_000
MAX_NESTING: Final = 50
MAX_DEPTH: Final = 150
_LEVELS: Final = (operators.RELATIONS, operators.SUMS, operators.PRODUCTS)


def parse(text: str) -> Parsed:
    if len(text) > MAX_TEXT:
        message = f"expression code point size exceeds limit: size: {len(text)}, limit {MAX_TEXT}"
        raise CompilationError(text, [Issue(message)])
    parser = _Parser(text)
    try:
        expression = parser.start()
    except GivenUp:
        raise CompilationError(text, parser.recognizer.issues) from None
    if parser.recognizer.issues:
        raise CompilationError(text, parser.recognizer.issues)
    if _depth(expression) > MAX_DEPTH:
        raise CompilationError(text, [Issue(f"expression recursion limit exceeded: {MAX_DEPTH}")])
    return Parsed(text, expression, parser.macros)


def _depth(root: Node) -> int:
    deepest, level = 0, [root]
    while level:
        deepest += 1
        level = [child for node in level for child in syntax.children(node)]
    return deepest


class _Parser(TermParser):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._nesting = 0

    def start(self) -> Expr:
        expression = self.recognizer.within(frozenset({EOF}), self._expression)
        try:
            self.recognizer.match(EOF, frozenset())
        except Fault as fault:
            self.recognizer.recover(fault, "start")
        return expression

    # --- Operators

    def _expression(self) -> Expr:
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            self.recognizer.complain(f"expression recursion limit exceeded: {MAX_NESTING}", NOWHERE)
            raise GivenUp
        try:
            return self._conditional()
        except Fault as fault:
            self.recognizer.recover(fault, "expression")
            return self._mistake()
        finally:
            self._nesting -= 1

    def _conditional(self) -> Expr:
        condition = self.recognizer.within(BINARY | {"?", EPSILON}, self._or)
        if self.recognizer.look().kind != "?":
            return condition
        mark = self.recognizer.take()
        then = self.recognizer.within(BINARY | {":"}, self._or)
        self.recognizer.match(":", BEGIN)
        otherwise = self._expression()
        return self._call(mark.at, operators.CONDITIONAL, condition, then, otherwise)

    def _or(self) -> Expr:
        terms, marks = [self._and()], []
        while self.recognizer.look().kind == "||":
            marks.append(self.recognizer.take().at)
            terms.append(self._and())
        return self._balanced(operators.OR, terms, marks)

    def _and(self) -> Expr:
        terms, marks = [self._binary(0)], []
        while self.recognizer.look().kind == "&&":
            marks.append(self.recognizer.take().at)
            terms.append(self._binary(0))
        return self._balanced(operators.AND, terms, marks)

    def _balanced(self, function: str, terms: Sequence[Expr], marks: Sequence[int]) -> Expr:
        """Long chains become flat trees."""
        if len(terms) == 1:
            return terms[0]
        middle = len(marks) // 2
        left = self._balanced(function, terms[: middle + 1], marks[:middle])
        right = self._balanced(function, terms[middle + 1 :], marks[middle + 1 :])
        return self._call(marks[middle], function, left, right)

    def _binary(self, level: int) -> Expr:
        """Left-associative operators, the loosest level first."""
        operand = self._unary()
        return self._operators(operand, level)

    def _operators(self, left: Expr, loosest: int) -> Expr:
        while True:
            kind = self.recognizer.look().kind
            level = next((level for level in range(loosest, len(_LEVELS)) if kind in _LEVELS[level]), None)
            if level is None:
                return left
            mark = self.recognizer.take()
            right = self._binary(level + 1)
            left = self._call(mark.at, operators.BINARY[kind], left, right)

    def _unary(self) -> Expr:
        recognizer = self.recognizer
        try:
            recognizer.sync(BEGIN)
            first = recognizer.look()
            if first.kind == "!":
                turns = 0
                while recognizer.look().kind == "!":
                    recognizer.take()
                    turns += 1
                return self._prefixed(operators.NOT, first, turns)
            if first.kind == "-" and recognizer.look(2).kind not in (NUM_INT, NUM_FLOAT):
                return self._negated(first)
            return self._member()
        except Fault as fault:
            recognizer.recover(fault, "unary")
            return self._mistake()

    def _negated(self, first: Token) -> Expr:
        recognizer, turns = self.recognizer, 0
        while recognizer.look().kind == "-":
            if recognizer.look(2).kind not in BEGIN - {"!"}:
                raise recognizer.no_way_on(2)
            recognizer.take()
            turns += 1
        return self._prefixed(operators.NEGATE, first, turns)

    def _prefixed(self, function: str, mark: Token, turns: int) -> Expr:
        """Two in a row undo each other."""
        operand = self._member()
        return self._call(mark.at, function, operand) if turns % 2 else operand
