"""Macros: calls that stand for other syntax. `has`, quantifiers, `map`, `filter`, `optMap`, their two-variable kin.

The names of the functions that only macros call begin with `@` or hold one, so that no user can write them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from steersman.cel import operators
from steersman.cel.syntax import ACCUMULATOR, Call, Comprehension, Expr, Ident, ListOf, Literal, MapOf, Select

MAP_INSERT: Final = "cel.@mapInsert"
SORT_BY_KEYS: Final = "@sortByAssociatedKeys"
_UNUSED: Final = "#unused"
_LEGACY_ACCUMULATOR: Final = "__result__"


class MacroError(Exception):
    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


class _Writer:
    """Writes syntax at the place of the macro's call."""

    def __init__(self, ids: Iterator[int], at: int) -> None:
        self._ids, self._at = ids, at

    def literal(self, value: bool | int) -> Literal:  # noqa: FBT001  # a value of CEL
        return Literal(value, id=next(self._ids), at=self._at)

    def ident(self, name: str) -> Ident:
        return Ident(name, id=next(self._ids), at=self._at)

    def result(self) -> Ident:
        return self.ident(ACCUMULATOR)

    def call(self, function: str, *args: Expr) -> Call:
        return Call(function, args, id=next(self._ids), at=self._at)

    def member(self, function: str, target: Expr, *args: Expr) -> Call:
        return Call(function, args, target, id=next(self._ids), at=self._at)

    def list_of(self, *elements: Expr) -> ListOf:
        return ListOf(elements, id=next(self._ids), at=self._at)

    def empty_map(self) -> MapOf:
        return MapOf((), id=next(self._ids), at=self._at)

    def present(self, select: Select) -> Select:
        return Select(select.operand, select.field, test_only=True, id=next(self._ids), at=self._at)

    def loop(
        self, over: Expr, names: Sequence[str], initial: Expr, step: Expr, *, condition: Expr | None = None,
        result: Expr | None = None, accumulator: str = ACCUMULATOR,
    ) -> Comprehension:  # fmt: skip
        return Comprehension(
            names[0],
            over,
            initial,
            self.literal(value=True) if condition is None else condition,
            step,
            self.ident(accumulator) if result is None else result,
            names[1] if len(names) > 1 else "",
            accumulator,
            id=next(self._ids),
            at=self._at,
        )


Expansion = Callable[[_Writer, Call, Expr], Expr | None]


def expand(call: Call, ids: Iterator[int]) -> Expr | None:
    """What the call stands for; None: it is no macro."""
    expansion = _MACROS.get((call.function, len(call.args), call.target is not None))
    if expansion is None:
        return None
    return expansion(_Writer(ids, call.at), call, call.target if call.target is not None else call)


def _has(write: _Writer, call: Call, _target: Expr) -> Expr:
    argument = call.args[0]
    if not isinstance(argument, Select) or argument.test_only:
        raise MacroError("invalid argument to has() macro", argument.at)
    return write.present(argument)


def _name(argument: Expr, complaint: str) -> str:
    if not isinstance(argument, Ident):
        raise MacroError(complaint, argument.at)
    return argument.name


def _names(arguments: Sequence[Expr], complaint: str = "argument must be a simple name") -> list[str]:
    names = [_name(argument, complaint) for argument in arguments]
    if len(names) == 2 and names[0] == names[1]:
        raise MacroError(f"duplicate variable name: {names[0]}", arguments[1].at)
    for name, argument in zip(names, arguments, strict=True):
        if name in (ACCUMULATOR, _LEGACY_ACCUMULATOR):
            raise MacroError("iteration variable overwrites accumulator variable", argument.at)
    return names


def _all(write: _Writer, call: Call, target: Expr) -> Expr:
    *variables, predicate = call.args
    names = _names(variables)
    going = write.call(operators.NOT_STRICTLY_FALSE, write.result())
    step = write.call(operators.AND, write.result(), predicate)
    return write.loop(target, names, write.literal(value=True), step, condition=going)


def _exists(write: _Writer, call: Call, target: Expr) -> Expr:
    *variables, predicate = call.args
    names = _names(variables)
    going = write.call(operators.NOT_STRICTLY_FALSE, write.call(operators.NOT, write.result()))
    step = write.call(operators.OR, write.result(), predicate)
    return write.loop(target, names, write.literal(value=False), step, condition=going)


def _exists_one(write: _Writer, call: Call, target: Expr) -> Expr:
    *variables, predicate = call.args
    names = _names(variables)
    more = write.call("_+_", write.result(), write.literal(1))
    step = write.call(operators.CONDITIONAL, predicate, more, write.result())
    one = write.call("_==_", write.result(), write.literal(1))
    return write.loop(target, names, write.literal(0), step, result=one)


def _conditional_step(write: _Writer, predicate: Expr | None, step: Expr) -> Expr:
    return step if predicate is None else write.call(operators.CONDITIONAL, predicate, step, write.result())


def _map(write: _Writer, call: Call, target: Expr) -> Expr:
    variable, *predicates, transform = call.args
    names = _names([variable], "argument is not an identifier")
    step: Expr = write.call("_+_", write.result(), write.list_of(transform))
    step = _conditional_step(write, predicates[0] if predicates else None, step)
    return write.loop(target, names, write.list_of(), step)


def _filter(write: _Writer, call: Call, target: Expr) -> Expr:
    variable, predicate = call.args
    names = _names([variable], "argument is not an identifier")
    step = write.call("_+_", write.result(), write.list_of(variable))
    return write.loop(target, names, write.list_of(), _conditional_step(write, predicate, step))


def _transform_list(write: _Writer, call: Call, target: Expr) -> Expr:
    names, predicate, transform = _transformation(call)
    step = write.call("_+_", write.result(), write.list_of(transform))
    return write.loop(target, names, write.list_of(), _conditional_step(write, predicate, step))


def _transform_map(write: _Writer, call: Call, target: Expr) -> Expr:
    names, predicate, transform = _transformation(call)
    step = write.call(MAP_INSERT, write.result(), write.ident(names[0]), transform)
    return write.loop(target, names, write.empty_map(), _conditional_step(write, predicate, step))


def _transform_entry(write: _Writer, call: Call, target: Expr) -> Expr:
    names, predicate, transform = _transformation(call)
    step = write.call(MAP_INSERT, write.result(), transform)
    return write.loop(target, names, write.empty_map(), _conditional_step(write, predicate, step))


def _transformation(call: Call) -> tuple[list[str], Expr | None, Expr]:
    predicate = call.args[2] if len(call.args) == 4 else None
    return _names(call.args[:2]), predicate, call.args[-1]


def _opt_map(write: _Writer, call: Call, target: Expr) -> Expr:
    inner = write.call("optional.of", _bound(write, call, target))
    present, absent = write.member("hasValue", target), write.call("optional.none")
    return write.call(operators.CONDITIONAL, present, inner, absent)


def _opt_flat_map(write: _Writer, call: Call, target: Expr) -> Expr:
    inner = _bound(write, call, target)
    present, absent = write.member("hasValue", target), write.call("optional.none")
    return write.call(operators.CONDITIONAL, present, inner, absent)


def _bound(write: _Writer, call: Call, target: Expr) -> Expr:
    """The second argument, with the first naming the value inside of the target."""
    name = _name(call.args[0], f"{call.function}() variable name must be a simple identifier")
    value, never = write.member("value", target), write.literal(value=False)
    again = write.ident(name)
    return write.loop(write.list_of(), [_UNUSED], value, again, condition=never, result=call.args[1], accumulator=name)


def _sort_by(write: _Writer, call: Call, target: Expr) -> Expr:
    variable, key = call.args
    if isinstance(variable, Ident) and variable.name in (ACCUMULATOR, _LEGACY_ACCUMULATOR):
        raise MacroError("iteration variable overwrites accumulator variable", variable.at)
    names = [_name(variable, "argument is not an identifier")]
    step = write.call("_+_", write.result(), write.list_of(key))
    return write.member(SORT_BY_KEYS, target, write.loop(target, names, write.list_of(), step))


_MACROS: Final[dict[tuple[str, int, bool], Expansion]] = {
    ("has", 1, False): _has,
    **{("all", arguments, True): _all for arguments in (2, 3)},
    **{("exists", arguments, True): _exists for arguments in (2, 3)},
    **{(name, arguments, True): _exists_one for name in ("exists_one", "existsOne") for arguments in (2, 3)},
    **{("map", arguments, True): _map for arguments in (2, 3)},
    ("filter", 2, True): _filter,
    **{("transformList", arguments, True): _transform_list for arguments in (3, 4)},
    **{("transformMap", arguments, True): _transform_map for arguments in (3, 4)},
    **{("transformMapEntry", arguments, True): _transform_entry for arguments in (3, 4)},
    ("optMap", 2, True): _opt_map,
    ("optFlatMap", 2, True): _opt_flat_map,
    ("sortBy", 2, True): _sort_by,
}
