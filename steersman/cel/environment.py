"""What an expression may speak of: variables, types of objects with their fields, and functions. Immutable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from steersman.cel import types
from steersman.cel.types import Kind, Type

Implementation = Callable[..., Any]
_F = TypeVar("_F", bound=Implementation)


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a function, and what it does; `params` of a member function begin with its target."""

    name: str
    params: tuple[Type, ...]
    result: Type
    implement: Implementation
    member: bool = False

    def with_own_params(self, unknown: Callable[[], Type]) -> tuple[Type, tuple[Type, ...]]:
        """The result and the params, with new type params in place of the signature's."""
        renaming: dict[str, Type] = {}

        def renamed(given: Type) -> Type:
            if given.kind is Kind.PARAM:
                if given.name not in renaming:
                    renaming[given.name] = unknown()
                return renaming[given.name]
            return replace(given, params=tuple(map(renamed, given.params))) if given.params else given

        return renamed(self.result), tuple(map(renamed, self.params))


class Library:
    """Functions, declared one by one with decorators."""

    def __init__(self) -> None:
        self.overloads: list[Overload] = []

    def function(self, name: str, *signatures: str) -> Callable[[_F], _F]:
        """Signatures as `string, int -> bool`."""
        return self._declare(name, signatures, member=False)

    def member(self, name: str, *signatures: str) -> Callable[[_F], _F]:
        """The first type is that of the target."""
        return self._declare(name, signatures, member=True)

    def _declare(self, name: str, signatures: Iterable[str], *, member: bool) -> Callable[[_F], _F]:
        def declare(implement: _F) -> _F:
            for signature in signatures:
                params, _, result = signature.partition("->")
                parsed = tuple(types.parse(each) for each in _split(params))
                self.overloads.append(Overload(name, parsed, types.parse(result), implement, member))
            return implement

        return declare


def _split(params: str) -> list[str]:
    """At the commas that stand in no parentheses."""
    parts, depth = [""], 0
    for character in params:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


Fields = Mapping[str, Type]


@dataclass(frozen=True, slots=True)
class Environment:
    functions: Mapping[str, tuple[Overload, ...]]
    variables: Mapping[str, Type] = field(default_factory=dict)
    objects: Mapping[str, Fields] = field(default_factory=dict)
    find_object: Callable[[str], Fields | None] = lambda _name: None
    """For types of objects that are too many to list."""
    find_field: Callable[[str, str], Type | None] = lambda _name, _field: None
    """The same for fields of objects whose fields nobody knows beforehand."""

    def with_variables(self, variables: Mapping[str, Type]) -> Environment:
        return replace(self, variables={**self.variables, **variables})

    def with_objects(self, objects: Mapping[str, Fields]) -> Environment:
        return replace(self, objects={**self.objects, **objects})

    def with_functions(self, *libraries: Library) -> Environment:
        return replace(self, functions=gathered(libraries, self.functions))

    def fields_of(self, name: str) -> Fields | None:
        found = self.objects.get(name)
        return self.find_object(name) if found is None else found

    def field_type(self, name: str, field_name: str) -> Type | None:
        known = self.fields_of(name) or {}
        found = known.get(field_name)
        return self.find_field(name, field_name) if found is None else found

    def type_named(self, name: str) -> Type | None:
        """What a name that is a type's stands for."""
        if name in _NAMED_TYPES:
            return _NAMED_TYPES[name]
        return types.struct(name) if self.fields_of(name) is not None else None


def gathered(
    libraries: Iterable[Library], known: Mapping[str, tuple[Overload, ...]] | None = None
) -> dict[str, tuple[Overload, ...]]:
    functions: dict[str, tuple[Overload, ...]] = dict(known or {})
    for library in libraries:
        for overload in library.overloads:
            functions[overload.name] = (*functions.get(overload.name, ()), overload)
    return functions


_NAMED_TYPES = {
    **{
        name: each for name, each in types.SIMPLE.items() if each.kind not in (Kind.NULL, Kind.DURATION, Kind.TIMESTAMP)
    },
    "null_type": types.NULL,
    "google.protobuf.Duration": types.DURATION,
    "google.protobuf.Timestamp": types.TIMESTAMP,
    "list": types.list_of(types.DYN),
    "map": types.map_of(types.DYN, types.DYN),
    types.OPTIONAL_NAME: types.optional_of(types.DYN),
}
