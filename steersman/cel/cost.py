"""What an expression costs at the worst, before anything is evaluated, in the steps that Kubernetes counts. Pure.

Sizes are told by whoever knows the data: `size_of(("self", "spec", "@items"))` is the most characters or elements that
a value there can have, or None. Where nobody knows, the worst is assumed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from steersman.cel import operators
from steersman.cel.checker import Checked
from steersman.cel.syntax import Call, Comprehension, Construct, Expr, Ident, ListOf, Literal, MapOf, Select
from steersman.cel.types import Kind

SizeOf = Callable[[tuple[str, ...]], int | None]
UNLIMITED: Final = 2**64 - 1
ITEMS: Final = "@items"
KEYS: Final = "@keys"

_LIST_COST: Final = 10
_MAP_COST: Final = 30
_OBJECT_COST: Final = 40
_TRAVERSAL: Final = 0.1
_PATTERN: Final = 0.25
_SCALARS: Final = frozenset(
    {Kind.BOOL, Kind.INT, Kind.UINT, Kind.DOUBLE, Kind.DURATION, Kind.TIMESTAMP, Kind.NULL, Kind.TYPE}
)
_SIZED: Final = frozenset({Kind.STRING, Kind.BYTES, Kind.LIST, Kind.MAP, Kind.DYN})
_COMPARISONS: Final = frozenset({"_<_", "_<=_", "_>_", "_>=_", "_==_", "_!=_"})
_WALKS_TARGET: Final = frozenset(
    """charAt indexOf lastIndexOf lowerAscii upperAscii trim substring format strings.quote bytes string quantity
    isQuantity url isURL ip isIP cidr isCIDR semver isSemver validate""".split()  # noqa: SIM905  # a table reads better
)
_WALKS_LIST: Final = frozenset(
    {"isSorted", "sum", "max", "min", "reverse", "distinct", "sort", "flatten", "join", "slice"}
)
_KEEPS_SIZE: Final = frozenset(
    {"lowerAscii", "upperAscii", "trim", "substring", "reverse", "distinct", "sort", "string"}
)


def estimate(checked: Checked, size_of: SizeOf) -> int:
    """The most steps; UNLIMITED if nothing limits them."""
    return min(_Estimator(checked, size_of).cost(checked.parsed.expression), UNLIMITED)


class _Estimator:
    def __init__(self, checked: Checked, size_of: SizeOf) -> None:
        self._checked = checked
        self._size_of = size_of
        self._scopes: list[dict[str, tuple[str, ...] | int]] = []
        self._paths: dict[int, tuple[str, ...]] = {}
        self._sizes: dict[int, int] = {}

    def cost(self, node: Expr) -> int:
        match node:
            case Literal():
                return self._literal(node)
            case Ident():
                return self._ident(node)
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListOf():
                self._sizes[node.id] = len(node.elements)
                return _LIST_COST + sum(map(self.cost, node.elements))
            case MapOf():
                self._sizes[node.id] = len(node.entries)
                return _MAP_COST + sum(self.cost(entry.key) + self.cost(entry.value) for entry in node.entries)
            case Construct():
                return _OBJECT_COST + sum(self.cost(given.value) for given in node.fields)
            case Comprehension():
                return self._comprehension(node)

    def _size(self, node: Expr) -> int:
        if node.id in self._sizes:
            return self._sizes[node.id]
        if self._checked.types[node.id].kind in _SCALARS:
            return 1
        path = self._paths.get(node.id)
        known = self._size_of(path) if path else None
        return UNLIMITED if known is None else known

    def _literal(self, node: Literal) -> int:
        self._sizes[node.id] = len(node.value) if isinstance(node.value, str | bytes) else 1
        return 0

    def _ident(self, node: Ident) -> int:
        for scope in reversed(self._scopes):
            if node.name in scope:
                known = scope[node.name]
                if isinstance(known, int):
                    self._sizes[node.id] = known
                else:
                    self._paths[node.id] = known
                return 1
        self._paths[node.id] = (node.name,)
        return 1

    def _select(self, node: Select) -> int:
        if node.id in self._checked.references:
            return 1
        spent = self.cost(node.operand)
        if node.test_only:
            return spent
        if path := self._paths.get(node.operand.id):
            self._paths[node.id] = (*path, node.field)
        is_field = self._checked.types[node.operand.id].kind in (Kind.MAP, Kind.STRUCT, Kind.PARAM)
        return spent + is_field

    # --- Calls

    def _call(self, node: Call) -> int:
        costs = [self.cost(argument) for argument in node.args]
        operands = list(node.args)
        if node.target is not None and node.id not in self._checked.references:
            costs.insert(0, self.cost(node.target))
            operands.insert(0, node.target)
        match node.function:
            case operators.AND | operators.OR:
                return sum(costs)
            case operators.CONDITIONAL:
                self._sizes[node.id] = max(self._size(operands[1]), self._size(operands[2]))
                return costs[0] + max(costs[1], costs[2])
        return sum(costs) + self._own_cost(node, operands)

    def _own_cost(self, node: Call, operands: list[Expr]) -> int:
        function, sizes = node.function, [self._size(operand) for operand in operands]
        kind = self._checked.types[operands[0].id].kind if operands else Kind.NULL
        if function == operators.INDEX and (path := self._paths.get(operands[0].id)):
            self._paths[node.id] = (*path, ITEMS)
        if function == "_+_" and kind in _SIZED:
            self._sizes[node.id] = sizes[0] + sizes[1]
            return 1 if kind is Kind.LIST else _scaled(sizes[0] + sizes[1])
        if function in _COMPARISONS:
            return _scaled(min(sizes[0], sizes[1]))
        if function == operators.IN and self._checked.types[operands[1].id].kind is not Kind.MAP:
            return sizes[1]
        return self._text_cost(node, kind, sizes)

    def _text_cost(self, node: Call, kind: Kind, sizes: list[int]) -> int:
        function = node.function
        if function in ("startsWith", "endsWith"):
            return _scaled(sizes[1])
        if function == "contains" and len(sizes) == 2:
            return _scaled(sizes[0]) * _scaled(sizes[1])
        if function in ("matches", "find", "findAll") and len(sizes) > 1:
            self._sizes[node.id] = sizes[0]
            return _scaled(sizes[0] + 1) * math.ceil(sizes[1] * _PATTERN)
        if function in ("replace", "split") and len(sizes) > 1:
            self._sizes[node.id] = sizes[0] * max(1, sizes[2]) if function == "replace" and len(sizes) > 2 else sizes[0]
            return _scaled(sizes[0])
        if function in _KEEPS_SIZE and sizes:
            self._sizes[node.id] = sizes[0]
        if kind is Kind.LIST and function in _WALKS_LIST:
            return sizes[0]
        if kind in (Kind.STRING, Kind.BYTES) and function in _WALKS_TARGET:
            return _scaled(sizes[0])
        return 1

    # --- Comprehensions

    def _comprehension(self, node: Comprehension) -> int:
        spent = self.cost(node.over) + self.cost(node.initial)
        times = self._size(node.over)
        self._scopes.append(self._variables(node))
        each = self.cost(node.condition) + self.cost(node.step)
        spent += self.cost(node.result)
        self._scopes.pop()
        if isinstance(node.initial, ListOf | MapOf):
            self._sizes[node.id] = times
        elif isinstance(node.initial, Literal):
            self._sizes[node.id] = self._sizes[node.initial.id]
        return spent + times * each

    def _variables(self, node: Comprehension) -> dict[str, tuple[str, ...] | int]:
        accumulated = self._paths.get(node.initial.id) or self._sizes.get(node.initial.id, UNLIMITED)
        variables: dict[str, tuple[str, ...] | int] = {node.accumulator: accumulated}
        path = self._paths.get(node.over.id)
        if path is None:
            return {**variables, node.variable: UNLIMITED, node.second_variable: UNLIMITED}
        is_map = self._checked.types[node.over.id].kind is Kind.MAP
        if node.second_variable:
            return {**variables, node.variable: (*path, KEYS), node.second_variable: (*path, ITEMS)}
        return {**variables, node.variable: (*path, KEYS if is_map else ITEMS)}


def _scaled(size: int) -> int:
    return math.ceil(size * _TRAVERSAL)
