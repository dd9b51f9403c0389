"""Does an expression fit its environment, and of which type is it? All complaints are collected. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from steersman.cel import operators, types
from steersman.cel.environment import Environment, Overload
from steersman.cel.source import CompilationError, Issue
from steersman.cel.syntax import Call, Comprehension, Construct, Expr, Ident, ListOf, Literal, MapOf, Parsed, Select
from steersman.cel.types import Kind, Type
from steersman.cel.values import Uint


@dataclass(frozen=True, slots=True)
class Checked:
    """An expression that fits. `references`: which parts are (qualified) names of variables or types, by id."""

    parsed: Parsed
    environment: Environment
    result: Type
    types: Mapping[int, Type]
    references: Mapping[int, str]
    overloads: Mapping[int, tuple[Overload, ...]] = field(default_factory=dict)


def check(parsed: Parsed, environment: Environment) -> Checked:
    checker = _Checker(environment)
    result = checker.visit(parsed.expression)
    if checker.issues:
        raise CompilationError(parsed.text, checker.issues)
    settled = {key: checker.bindings.substitute(each, final=True) for key, each in checker.types.items()}
    final = checker.bindings.substitute(result, final=True)
    return Checked(parsed, environment, final, settled, checker.references, checker.overloads)


class _Checker:
    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._scopes: list[dict[str, Type]] = []
        self._fresh = count()
        self.issues: list[Issue] = []
        self.bindings = types.Bindings()
        self.types: dict[int, Type] = {}
        self.references: dict[int, str] = {}
        self.overloads: dict[int, tuple[Overload, ...]] = {}

    def visit(self, node: Expr) -> Type:
        match node:
            case Literal():
                found = _type_of_literal(node)
            case Ident():
                found = self._ident(node)
            case Select():
                found = self._select(node)
            case Call():
                found = self._call(node)
            case ListOf():
                found = self._list(node)
            case MapOf():
                found = self._map(node)
            case Construct():
                found = self._construct(node)
            case Comprehension():
                found = self._comprehension(node)
        self.types[node.id] = found
        return found

    # --- Names

    def _ident(self, node: Ident) -> Type:
        found = self._resolve(node.name)
        if found is None:
            return self._undeclared(node.at, node.name)
        self.references[node.id] = node.name
        return found

    def _resolve(self, name: str) -> Type | None:
        bare = name.removeprefix(".")
        if bare == name:
            for scope in reversed(self._scopes):
                if name in scope:
                    return scope[name]
        if bare in self._environment.variables:
            return self._environment.variables[bare]
        named = self._environment.type_named(bare)
        return None if named is None else types.type_of(named)

    def _select(self, node: Select) -> Type:
        name = "" if node.test_only else qualified_name(node)
        # A local variable hides every longer name that begins with it.
        if name and not any(name.partition(".")[0] in scope for scope in self._scopes):
            found = self._resolve(name)
            if found is not None:
                self.references[node.id] = name
                return found
        found = self._field(node.operand, node.field, node.at)
        return types.BOOL if node.test_only else self.bindings.substitute(found)

    def _field(self, operand: Expr, name: str, at: int) -> Type:
        operand_type = self.bindings.substitute(self.visit(operand))
        inner = types.unwrapped(operand_type)
        target = operand_type if inner is None else inner
        found = types.DYN
        if target.kind is Kind.MAP:
            found = target.params[1]
        elif target.kind is Kind.STRUCT:
            found = self._field_type(target.name, name, at)
        elif target.kind is Kind.PARAM:
            self.bindings.assignable((types.DYN,), (target,))
        elif target.kind not in (Kind.DYN, Kind.ERROR):
            self._complain(at, f"type '{types.shown(target)}' does not support field selection")
        return found if inner is None else types.optional_of(found)

    def _field_type(self, type_name: str, name: str, at: int) -> Type:
        found = self._environment.field_type(type_name, name)
        if found is not None:
            return found
        known = self._environment.fields_of(type_name) is not None
        self._complain(at, f"undefined field '{name}'" if known else f"unexpected failed resolution of '{type_name}'")
        return types.ERROR

    # --- Calls

    def _call(self, node: Call) -> Type:
        if node.function == operators.OPTIONAL_SELECT:
            return self._optional_select(node)
        arguments = tuple(self.visit(argument) for argument in node.args)
        functions = self._environment.functions
        if node.target is None:
            name = node.function.removeprefix(".")
            if name not in functions:
                return self._undeclared(node.at, node.function)
            return self._overload(node, name, arguments, member=False)
        prefix = qualified_name(node.target)
        if prefix and (qualified := f"{prefix}.{node.function}".removeprefix(".")) in functions:
            self.references[node.id] = qualified
            return self._overload(node, qualified, arguments, member=False)
        target = self.visit(node.target)
        if node.function not in functions:
            return self._undeclared(node.at, node.function)
        return self._overload(node, node.function, (target, *arguments), member=True)

    def _optional_select(self, node: Call) -> Type:
        operand, name = node.args
        found = self._field(operand, str(name.value) if isinstance(name, Literal) else "", node.at)
        found = self.bindings.substitute(found)
        return found if types.unwrapped(found) is not None else types.optional_of(found)

    def _overload(self, node: Call, name: str, arguments: tuple[Type, ...], *, member: bool) -> Type:
        if name in (operators.AND, operators.OR):
            return self._junction(node, arguments)
        result: Type | None = None
        chosen: list[Overload] = []
        for overload in self._environment.functions[name]:
            if overload.member is not member:
                continue
            result_type, params = overload.with_own_params(self._unknown)
            if not self.bindings.assignable(arguments, params):
                continue
            chosen.append(overload)
            found = self.bindings.substitute(result_type)
            if result is None:
                result = found
            elif not types.is_dynamic(result) and found != result:
                result = types.DYN
        if result is None:
            shown = [types.shown(self.bindings.substitute(each, final=True)) for each in arguments]
            target = f"{shown.pop(0)}." if member else ""
            signature = f"{target}({', '.join(shown)})"
            self._complain(node.at, f"found no matching overload for '{name}' applied to '{signature}'")
            return types.ERROR
        self.overloads[node.id] = tuple(chosen)
        return result

    def _junction(self, node: Call, arguments: tuple[Type, ...]) -> Type:
        fine = True
        for argument, found in zip(node.args, arguments, strict=True):
            fine &= self._expect(argument, types.BOOL, found)
        return types.BOOL if fine else types.ERROR

    # --- Aggregates

    def _list(self, node: ListOf) -> Type:
        joined: Type | None = None
        for index, element in enumerate(node.elements):
            found = self.visit(element)
            if index in node.optional:
                found = self._unwrap(element, found)
            joined = self._joined(element, joined, found)
        return types.list_of(self._unknown() if joined is None else joined)

    def _map(self, node: MapOf) -> Type:
        keys: Type | None = None
        values: Type | None = None
        for entry in node.entries:
            keys = self._joined(entry.key, keys, self.visit(entry.key))
            found = self.visit(entry.value)
            values = self._joined(entry.value, values, self._unwrap(entry.value, found) if entry.optional else found)
        return types.map_of(keys or self._unknown(), values or self._unknown())

    def _construct(self, node: Construct) -> Type:
        name = node.type_name.removeprefix(".")
        found = self._environment.type_named(name)
        if found is None:
            return self._undeclared(node.at, node.type_name)
        if found.kind is not Kind.STRUCT:
            self._complain(node.at, f"'{types.shown(found)}' is not a message type")
            return types.ERROR
        for given in node.fields:
            value = self.visit(given.value)
            wanted = self._field_type(name, given.name, given.at)
            value = self._unwrap(given.value, value) if given.optional else value
            if not self.bindings.assignable((wanted,), (value,)):
                shown, wrong = types.shown(wanted), types.shown(self.bindings.substitute(value))
                message = f"expected type of field '{given.name}' is '{shown}' but provided type is '{wrong}'"
                self._complain(given.at, message)
        return found

    def _unwrap(self, node: Expr, found: Type) -> Type:
        inner = types.unwrapped(found)
        if inner is None and not types.is_dynamic(found):
            self._mismatch(node, types.optional_of(found), found)
        return found if inner is None else inner

    def _joined(self, node: Expr, previous: Type | None, current: Type) -> Type:
        """Elements of one list are of one type."""
        if previous is None:
            return current
        if self.bindings.assignable((previous,), (current,)):
            return types.most_general(previous, current)
        self._mismatch(node, previous, current)
        return types.ERROR

    # --- Comprehensions

    def _comprehension(self, node: Comprehension) -> Type:
        over = self.bindings.substitute(self.visit(node.over))
        initial = self.visit(node.initial)
        first, second = self._elements(node.over, over)
        self._scopes.append({node.accumulator: initial})
        if node.second_variable:
            variables = {node.variable: first, node.second_variable: second}
        else:
            variables = {node.variable: second if over.kind is Kind.LIST else first}
        self._scopes.append(variables)
        self._expect(node.condition, types.BOOL, self.visit(node.condition))
        self._expect(node.step, initial, self.visit(node.step))
        self._scopes.pop()
        result = self.visit(node.result)
        self._scopes.pop()
        return self.bindings.substitute(result)

    def _elements(self, node: Expr, over: Type) -> tuple[Type, Type]:
        """What a comprehension's variables are: index or key, and element or value."""
        if over.kind is Kind.LIST:
            return types.INT, over.params[0]
        if over.kind is Kind.MAP:
            return over.params[0], over.params[1]
        if over.kind in (Kind.DYN, Kind.ERROR, Kind.PARAM):
            self.bindings.assignable((types.DYN,), (over,))
            return types.DYN, types.DYN
        rule = "cannot be range of a comprehension (must be list, map, or dynamic)"
        self._complain(node.at, f"expression of type '{types.shown(over)}' {rule}")
        return types.ERROR, types.ERROR

    # --- Complaints

    def _expect(self, node: Expr, wanted: Type, found: Type) -> bool:
        if self.bindings.assignable((wanted,), (found,)):
            return True
        self._mismatch(node, wanted, found)
        return False

    def _mismatch(self, node: Expr, wanted: Type, found: Type) -> None:
        self._complain(node.at, f"expected type '{types.shown(wanted)}' but found '{types.shown(found)}'")

    def _undeclared(self, at: int, name: str) -> Type:
        self._complain(at, f"undeclared reference to '{name}' (in container '')")
        return types.ERROR

    def _complain(self, at: int, message: str) -> None:
        self.issues.append(Issue(message, at))

    def _unknown(self) -> Type:
        return types.param(f"_var{next(self._fresh)}")


def qualified_name(node: Expr) -> str:
    """`a.b.c` if the expression is nothing else."""
    names: list[str] = []
    while isinstance(node, Select) and not node.test_only:
        names.append(node.field)
        node = node.operand
    return ".".join([node.name, *reversed(names)]) if isinstance(node, Ident) else ""


def _type_of_literal(node: Literal) -> Type:
    value = node.value
    if value is None:
        return types.NULL
    found = {
        bool: types.BOOL,
        int: types.INT,
        Uint: types.UINT,
        float: types.DOUBLE,
        str: types.STRING,
        bytes: types.BYTES,
    }
    return found[type(value)]
