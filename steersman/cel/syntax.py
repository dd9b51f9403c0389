"""The parts of a parsed expression. Two parts are equal if they mean the same, wherever they were written.

`id` is unique within one expression; `at` is the offset of the character that complaints point at. Macros are gone from
the tree: comprehensions and plain calls stand in their place, and `Parsed.macros` remembers what was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

ACCUMULATOR = "@result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    id: int = field(compare=False)
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """`value` is an int, a Uint, a float, a bool, a str, bytes or None."""

    value: Any

    def __eq__(self, other: object) -> bool:
        # 1, 1.0, 1u and true are one value to Python.
        if not isinstance(other, Literal):
            return NotImplemented
        return type(self.value) is type(other.value) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))


@dataclass(frozen=True, slots=True)
class Ident(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Select(Node):
    operand: Expr
    field: str
    test_only: bool = False


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function or operator; `target` is what a member function is called on."""

    function: str
    args: tuple[Expr, ...]
    target: Expr | None = None


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    elements: tuple[Expr, ...]
    optional: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry(Node):
    key: Expr
    value: Expr
    optional: bool = False


@dataclass(frozen=True, slots=True)
class MapOf(Node):
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class FieldValue(Node):
    name: str
    value: Expr
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Construct(Node):
    """An object of a named type."""

    type_name: str
    fields: tuple[FieldValue, ...]


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """For each element of `over`, while `condition` holds: `accumulator = step`; then `result`."""

    variable: str
    over: Expr
    initial: Expr
    condition: Expr
    step: Expr
    result: Expr
    second_variable: str = ""
    accumulator: str = ACCUMULATOR


Expr = Literal | Ident | Select | Call | ListOf | MapOf | Construct | Comprehension


@dataclass(frozen=True, slots=True)
class Parsed:
    text: str
    expression: Expr
    macros: Mapping[int, Call] = field(compare=False)


def children(node: Node) -> list[Node]:
    """The parts directly below one."""
    found: list[Node] = []
    for each in fields(node):
        value = getattr(node, each.name)
        found += [part for part in (value if isinstance(value, tuple) else (value,)) if isinstance(part, Node)]
    return found


def walk(root: Node) -> Iterator[Node]:
    """All parts, the whole first. What a macro wrote twice is met twice."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(children(node))
