"""What a checked expression comes to, for given variables, within a limit of steps. Pure.

Errors are values on their way through `&&`, `||` and quantifiers: where the other side settles the matter, they are
forgotten. Too many steps are never forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from steersman.cel import operators
from steersman.cel.checker import Checked
from steersman.cel.environment import Overload
from steersman.cel.syntax import Call, Comprehension, Construct, Expr, Ident, ListOf, Literal, MapOf, Select
from steersman.cel.types import Kind, Type
from steersman.cel.values import Duration, EvaluationError, Optional, Record, Timestamp, TypeValue, Uint

PER_CALL_LIMIT: Final = 1_000_000
_LIST_COST: Final = 10
_MAP_COST: Final = 30
_OBJECT_COST: Final = 40
_CHARACTERS_PER_STEP: Final = 10


class CostExceeded(Exception):
    """The expression would take more steps than it may."""

    def __init__(self) -> None:
        super().__init__("operation cancelled: actual cost limit exceeded")


def evaluate(checked: Checked, variables: Mapping[str, Any], *, limit: int = PER_CALL_LIMIT) -> Any:
    """The value; EvaluationError if there is none, CostExceeded if it takes too long to say."""
    return _Evaluator(checked, variables, limit).visit(checked.parsed.expression)


def evaluate_costed(checked: Checked, variables: Mapping[str, Any], *, limit: int = PER_CALL_LIMIT) -> tuple[Any, int]:
    """The value, and how many steps it took."""
    evaluator = _Evaluator(checked, variables, limit)
    return evaluator.visit(checked.parsed.expression), evaluator.spent


class _Evaluator:
    def __init__(self, checked: Checked, variables: Mapping[str, Any], limit: int) -> None:
        self._checked = checked
        self._variables = variables
        self._limit = limit
        self._scopes: list[dict[str, Any]] = []
        self.spent = 0

    def visit(self, node: Expr) -> Any:
        match node:
            case Literal():
                return node.value
            case Ident():
                return self._named(node.name)
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListOf():
                return self._list(node)
            case MapOf():
                return self._map(node)
            case Construct():
                return self._construct(node)
            case Comprehension():
                return self._comprehension(node)

    def _spend(self, steps: int) -> None:
        self.spent += steps
        if self.spent > self._limit:
            raise CostExceeded

    # --- Names and fields

    def _named(self, name: str) -> Any:
        self._spend(1)
        for scope in reversed(self._scopes) if not name.startswith(".") else ():
            if name in scope:
                found = scope[name]
                if isinstance(found, EvaluationError):
                    raise found
                return found
        bare = name.removeprefix(".")
        if bare in self._variables:
            found = self._variables[bare]
            return found() if isinstance(found, Lazy) else found
        if self._checked.environment.type_named(bare) is not None:
            return TypeValue(bare)
        raise EvaluationError(f"no such attribute(s): {name}")

    def _select(self, node: Select) -> Any:
        reference = self._checked.references.get(node.id)
        if reference is not None:
            return self._named(reference)
        operand = self.visit(node.operand)
        if node.test_only:
            return _has_field(operand, node.field)
        self._spend(1)
        if isinstance(operand, Optional):
            return _optional_field(operand, node.field)
        return _field(operand, node.field)

    # --- Calls

    def _call(self, node: Call) -> Any:
        lazily = _LAZY.get(node.function)
        if lazily is not None and node.target is None:
            return lazily(self, node)
        reference = self._checked.references.get(node.id)
        arguments = [self.visit(argument) for argument in node.args]
        if node.target is not None and reference is None:
            arguments.insert(0, self.visit(node.target))
        self._spend(1 + sum(map(_weight, arguments)) // _CHARACTERS_PER_STEP)
        for overload in self._checked.overloads[node.id]:
            if _accepts(overload, arguments):
                return self._run(overload, arguments)
        raise EvaluationError("no such overload")

    def _run(self, overload: Overload, arguments: list[Any]) -> Any:
        try:
            result = overload.implement(*arguments)
        except (ArithmeticError, TypeError, ValueError, RecursionError) as error:
            # Dynamic values may be of any type: what does not go together is no bug of ours.
            raise EvaluationError(f"no such overload: {overload.name}") from error
        self._spend(_weight(result) // _CHARACTERS_PER_STEP)
        return result

    def _and(self, node: Call) -> bool:
        return self._junction(node, decisive=False)

    def _or(self, node: Call) -> bool:
        return self._junction(node, decisive=True)

    def _junction(self, node: Call, *, decisive: bool) -> bool:
        """One decisive side is enough, whatever became of the other."""
        failure: EvaluationError | None = None
        for argument in node.args:
            try:
                value: object = self.visit(argument)
            except EvaluationError as error:
                failure = failure or error
                continue
            if value is decisive:
                return decisive
            if not isinstance(value, bool):
                failure = failure or EvaluationError("no such overload")
        if failure is not None:
            raise failure
        return not decisive

    def _conditional(self, node: Call) -> Any:
        condition, then, otherwise = node.args
        decided = self.visit(condition)
        if not isinstance(decided, bool):
            raise EvaluationError("no such overload")
        return self.visit(then if decided else otherwise)

    def _not_strictly_false(self, node: Call) -> bool:
        try:
            return self.visit(node.args[0]) is not False
        except EvaluationError:
            return True

    def _optional_select(self, node: Call) -> Optional:
        operand, name = self.visit(node.args[0]), node.args[1]
        self._spend(1)
        field = str(name.value) if isinstance(name, Literal) else ""
        return _optional_field(operand if isinstance(operand, Optional) else Optional(operand, present=True), field)

    # --- Aggregates

    def _list(self, node: ListOf) -> list[Any]:
        self._spend(_LIST_COST)
        values: list[Any] = []
        for index, element in enumerate(node.elements):
            value = self.visit(element)
            if index in node.optional:
                values += [value.value] if _present(value) else []
            else:
                values.append(value)
        return values

    def _map(self, node: MapOf) -> dict[Any, Any]:
        self._spend(_MAP_COST)
        mapping: dict[Any, Any] = {}
        for entry in node.entries:
            key, value = self.visit(entry.key), self.visit(entry.value)
            if not isinstance(key, int | str | float):
                raise EvaluationError(f"unsupported key type: {type(key).__name__}")
            if key in mapping:
                raise EvaluationError(f"Failed with repeated key: {key}")
            if not entry.optional:
                mapping[key] = value
            elif _present(value):
                mapping[key] = value.value
        return mapping

    def _construct(self, node: Construct) -> Record:
        self._spend(_OBJECT_COST)
        fields: dict[str, Any] = {}
        for given in node.fields:
            value = self.visit(given.value)
            if not given.optional:
                fields[given.name] = value
            elif _present(value):
                fields[given.name] = value.value
        return Record(node.type_name.removeprefix("."), fields)

    # --- Comprehensions

    def _comprehension(self, node: Comprehension) -> Any:
        over = self.visit(node.over)
        if not isinstance(over, list | dict):
            raise EvaluationError("got invalid comprehension range")
        scope: dict[str, Any] = {node.accumulator: self._held(node.initial)}
        self._scopes.append(scope)
        try:
            for first, second in over.items() if isinstance(over, dict) else enumerate(over):
                if node.second_variable:
                    scope |= {node.variable: first, node.second_variable: second}
                else:
                    scope[node.variable] = first if isinstance(over, dict) else second
                if self.visit(node.condition) is not True:
                    break
                self._spend(1)
                scope[node.accumulator] = self._held(node.step)
            return self.visit(node.result)
        finally:
            self._scopes.pop()

    def _held(self, node: Expr) -> Any:
        """The value, or the error, which comes up again when somebody looks at it."""
        try:
            return self.visit(node)
        except EvaluationError as error:
            return error


class Lazy:
    """A variable that is computed when it is first looked at."""

    def __init__(self, compute: Callable[[], Any]) -> None:
        self._compute = compute
        self._known: list[Any] = []

    def __call__(self) -> Any:
        if not self._known:
            self._known.append(self._compute())
        return self._known[0]


_LAZY: Final[Mapping[str, Callable[[_Evaluator, Call], Any]]] = {
    operators.AND: _Evaluator._and,
    operators.OR: _Evaluator._or,
    operators.CONDITIONAL: _Evaluator._conditional,
    operators.NOT_STRICTLY_FALSE: _Evaluator._not_strictly_false,
    operators.OPTIONAL_SELECT: _Evaluator._optional_select,
}


def _weight(value: Any) -> int:
    """How much there is to walk through."""
    return len(value) if isinstance(value, str | bytes | list | dict) else 0


def _present(value: Any) -> bool:
    if not isinstance(value, Optional):
        raise EvaluationError("value is not optional")
    return value.present


def _fields_of(operand: Any) -> dict[Any, Any]:
    if isinstance(operand, Record):
        return operand.fields
    if isinstance(operand, dict):
        return operand
    raise EvaluationError("no such overload")


def _field(operand: Any, name: str) -> Any:
    known = _fields_of(operand)
    if name not in known:
        raise EvaluationError(f"no such key: {name}")
    return known[name]


def _has_field(operand: Any, name: str) -> bool:
    if isinstance(operand, Optional):
        return operand.present and _has_field(operand.value, name)
    return name in _fields_of(operand)


def _optional_field(operand: Optional, name: str) -> Optional:
    if not operand.present or not _has_field(operand.value, name):
        return Optional()
    return Optional(_field(operand.value, name), present=True)


_CLASSES: Final[Mapping[Kind, type]] = {
    Kind.BOOL: bool, Kind.STRING: str, Kind.BYTES: bytes, Kind.DOUBLE: float, Kind.UINT: Uint, Kind.LIST: list,
    Kind.MAP: dict, Kind.DURATION: Duration, Kind.TIMESTAMP: Timestamp, Kind.OPAQUE: Optional, Kind.TYPE: TypeValue,
    Kind.NULL: type(None),
}  # fmt: skip


def _accepts(overload: Overload, arguments: list[Any]) -> bool:
    return len(overload.params) == len(arguments) and all(map(_is_of, overload.params, arguments))


def _is_of(wanted: Type, value: Any) -> bool:
    if wanted.kind in (Kind.DYN, Kind.PARAM):
        return True
    if wanted.kind is Kind.INT:
        return type(value) is int
    if wanted.kind is Kind.STRUCT:
        return bool(getattr(value, "type_name", "") == wanted.name)
    if not isinstance(value, _CLASSES[wanted.kind]):
        return False
    inner: list[Any] = []
    if isinstance(value, Optional) and value.present:
        inner = [value.value]
    elif isinstance(value, list):
        inner = value[:1]
    return all(_is_of(wanted.params[0], each) for each in inner) if wanted.params else True
