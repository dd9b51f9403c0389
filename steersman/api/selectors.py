"""Which objects are wanted: label selectors and field selectors, parsed once and asked often.

Both grammars and all complaints are those of Kubernetes. A label selector asks about labels; a field selector asks
about the few fields of a kind that can be selected by, given as texts by path (`SELECTABLE_FIELDS` says which).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from steersman.api import fields, names
from steersman.api.errors import BadRequest, Cause
from steersman.api.kinds import Kind
from steersman.api.meta import LabelSelector
from steersman.api.selectable import ALWAYS, FIELDS, Selectable


class Operator(StrEnum):
    IN = "in"
    NOT_IN = "notin"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_EQUALS = "!="
    GREATER = "gt"
    LESS = "lt"
    EXISTS = "exists"
    ABSENT = "!"


_WANTED = frozenset({Operator.IN, Operator.EQUALS, Operator.DOUBLE_EQUALS})
_UNWANTED = frozenset({Operator.NOT_IN, Operator.NOT_EQUALS})


@dataclass(frozen=True, slots=True)
class Requirement:
    """One demand on one label. An absent label meets NOT_IN and NOT_EQUALS."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        if self.operator in _WANTED:
            return value in self.values
        if self.operator in _UNWANTED:
            return value is None or value not in self.values
        if self.operator is Operator.EXISTS:
            return value is not None
        if self.operator is Operator.ABSENT:
            return value is None
        bound = int(self.values[0])
        if value is None or not re.fullmatch("[-+]?[0-9]{1,19}", value):
            return False
        return int(value) > bound if self.operator is Operator.GREATER else int(value) < bound

    def __str__(self) -> str:
        match self.operator:
            case Operator.EXISTS:
                return self.key
            case Operator.ABSENT:
                return f"!{self.key}"
            case Operator.IN | Operator.NOT_IN:
                return f"{self.key} {self.operator} ({','.join(sorted(self.values))})"
            case Operator.GREATER | Operator.LESS:
                sign = ">" if self.operator is Operator.GREATER else "<"
                return f"{self.key}{sign}{self.values[0]}"
        return f"{self.key}{self.operator}{self.values[0]}"


@dataclass(frozen=True, slots=True)
class LabelMatcher:
    """All of the requirements, sorted by key. None of them: everything matches."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(requirement.matches(labels) for requirement in self.requirements)

    def predicate(self) -> Callable[[Mapping[str, str]], bool]:
        """The same as `matches` in one function, for whoever asks of thousands of objects."""
        if len(self.requirements) != 1:
            return self._exactly() or self.matches
        (only,) = self.requirements
        if only.operator in _WANTED and len(only.values) == 1:
            key, (value,) = only.key, only.values
            return lambda labels: labels.get(key) == value
        return only.matches

    def _exactly(self) -> Callable[[Mapping[str, str]], bool] | None:
        """Where all that is asked for is labels with one value each, as most owners do of their pods."""
        asked = {each.key: each.values[0] for each in self.requirements if len(each.values) == 1}
        if len(asked) < len(self.requirements) or any(each.operator not in _WANTED for each in self.requirements):
            return None
        wanted = asked.items()
        return lambda labels: wanted <= labels.items()

    def exact(self, key: str) -> str | None:
        """The one value that the label must have, where the selector says so."""
        for requirement in self.requirements:
            if requirement.key == key and requirement.operator in _WANTED and len(requirement.values) == 1:
                return requirement.values[0]
        return None

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


@dataclass(frozen=True, slots=True)
class FieldTerm:
    field: Selectable
    wanted: bool
    value: str


@dataclass(frozen=True, slots=True)
class FieldMatcher:
    """All of the terms. The fields come as texts by path; an absent or empty one has its kind's zero value."""

    terms: tuple[FieldTerm, ...] = ()

    def matches(self, texts: Mapping[str, str]) -> bool:
        for term in self.terms:
            field = term.field
            actual = texts.get(field.path) or texts.get(field.otherwise) or field.absent
            if (actual == term.value) is not term.wanted:
                return False
        return True

    def exact(self, label: str) -> str | None:
        """The one value that the field must have, where the selector says so."""
        return next((term.value for term in self.terms if term.wanted and term.field.label == label), None)


SELECTABLE_FIELDS: Mapping[str, tuple[str, ...]] = {
    resource: tuple(dict.fromkeys(field.path for field in own if field.path)) for resource, own in FIELDS.items()
}
"""The paths that can be selected by, beside name and namespace, by qualified resource as stored."""


@lru_cache(maxsize=1024)
def parse_labels(text: str) -> LabelMatcher:
    """`a=b,c!=d,e in (x,y),f notin (z),g,!h,n>3`. BadRequest in Kubernetes' words."""
    return _matcher(_LabelParser(text).requirements())


@lru_cache(maxsize=1024)
def parse_fields(text: str, kind: Kind) -> FieldMatcher:
    """`metadata.name=a,status.phase!=Running`; a backslash keeps `,`, `=` and itself. BadRequest otherwise."""
    supported = {field.label: field for field in (*ALWAYS, *FIELDS.get(kind.qualified_resource, ()))}
    terms: list[FieldTerm] = []
    for part in sorted(re.findall(r"(?:\\.|[^,\\]|\\$)+", text, re.DOTALL)):
        match = re.match(r"(.*?)(!=|==|=)(.*)", part, re.DOTALL)
        if match is None:
            raise BadRequest(f"invalid selector: '{text}'; can't understand '{part}'")
        label, operator, value = match.groups()
        plain = _unescaped(value)
        if label not in supported:
            raise BadRequest(_unsupported(label, kind))
        terms.append(FieldTerm(supported[label], operator != "!=", plain))
    return FieldMatcher(tuple(terms))


def of_struct(selector: LabelSelector | None) -> LabelMatcher | None:
    """The selector of an object's field. None, which selects nothing, stays None; an empty one selects everything.

    ValueError for what validation should have refused.
    """
    if selector is None:
        return None
    operators = {
        "In": Operator.IN,
        "NotIn": Operator.NOT_IN,
        "Exists": Operator.EXISTS,
        "DoesNotExist": Operator.ABSENT,
    }
    requirements = [Requirement(key, Operator.EQUALS, (value,)) for key, value in selector.match_labels.items()]
    for expression in selector.match_expressions:
        operator = operators.get(expression.operator)
        if operator is None:
            raise ValueError(f'"{expression.operator}" is not a valid label selector operator')
        requirements.append(Requirement(expression.key, operator, expression.values))
    return _matcher(requirements)


def of_labels(labels: Mapping[str, str]) -> LabelMatcher:
    """All of these labels with these values: the selector of Services and ReplicationControllers."""
    return _matcher(Requirement(key, Operator.EQUALS, (value,)) for key, value in labels.items())


def text_of(selector: LabelSelector) -> str:
    """The selector in the form that `parse_labels` reads."""
    return str(of_struct(selector))


def _matcher(requirements: Iterable[Requirement]) -> LabelMatcher:
    return LabelMatcher(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


def _unsupported(label: str, kind: Kind) -> str:
    if kind.qualified_resource in FIELDS:
        return f"field label not supported: {label}"
    return f'"{label}" is not a known field selector: only "metadata.name", "metadata.namespace"'


def _unescaped(value: str) -> str:
    plain: list[str] = []
    for escape, bare in re.findall(r"(\\.?)|([^\\])", value, re.DOTALL):
        if escape and escape[1:] not in (",", "=", "\\"):
            raise BadRequest(f"invalid field selector: invalid escape sequence: {escape}")
        if bare in (",", "="):
            raise BadRequest(f"invalid field selector: unescaped character in value: {ord(bare)}")
        plain.append(bare or escape[1:])
    return "".join(plain)


_TOKEN = re.compile(r"[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+)|$)")
_END = ""
_BINARY: dict[str, Operator] = {
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
    "=": Operator.EQUALS,
    "==": Operator.DOUBLE_EQUALS,
    "!=": Operator.NOT_EQUALS,
    ">": Operator.GREATER,
    "<": Operator.LESS,
}
_SYMBOLS = frozenset({"=", "==", "!=", "!", "(", ")", ",", "<", ">"})


class _LabelParser:
    """One pass over the tokens of a label selector. `in` and `notin` are words like others except after a key."""

    def __init__(self, text: str) -> None:
        self._tokens = [match[1] or match[2] or _END for match in _TOKEN.finditer(text)]
        self._tokens.append(_END)
        self._next = 0

    def requirements(self) -> Iterator[Requirement]:
        if not self._at_requirement() and self._peek() != _END:
            raise BadRequest(f"found '{self._peek()}', expected: !, identifier, or 'end of string'")
        while self._peek() != _END:
            try:
                yield self._requirement()
            except ValueError as err:
                raise BadRequest(f"unable to parse requirement: {err}") from err
            after = self._take()
            if after == _END:
                return
            if after != ",":
                raise BadRequest(f"found '{after}', expected: ',' or 'end of string'")
            if not self._at_requirement():
                raise BadRequest(f"found '{self._peek()}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        negated = self._peek() == "!"
        if negated:
            self._take()
        key = self._take()
        if key in _SYMBOLS or key == _END:
            raise ValueError(f"found '{key}', expected: identifier")
        if complaints := names.qualified_name(key):
            raise ValueError(f"<nil>: {fields.invalid('', key, '; '.join(complaints)).message}")
        if negated:
            return Requirement(key, Operator.ABSENT)
        if self._peek() in (_END, ","):
            return Requirement(key, Operator.EXISTS)
        found = self._take()
        operator = _BINARY.get(found)
        if operator is None:
            raise ValueError(f"found '{found}', expected: in, notin, =, ==, !=, gt, lt")
        values = self._set() if operator in (Operator.IN, Operator.NOT_IN) else (self._value(),)
        _check_values(key, operator, values)
        return Requirement(key, operator, values)

    def _value(self) -> str:
        if self._peek() in (_END, ","):
            return ""
        value = self._take()
        if value in _SYMBOLS:
            raise ValueError(f"found '{value}', expected: identifier")
        return value

    def _set(self) -> tuple[str, ...]:
        opening = self._take()
        if opening != "(":
            raise ValueError(f"found '{opening}' expected: '('")
        values: set[str] = set()
        while True:
            # An empty place, as in `(,a)` or `()`, stands for the empty value.
            token = self._peek()
            if token in (",", ")"):
                values.add("")
            elif token in _SYMBOLS or token == _END:
                raise ValueError(f"found '{token}', expected: ',', ')' or identifier")
            else:
                values.add(self._take())
            after = self._take()
            if after == ")":
                return tuple(sorted(values))
            if after != ",":
                raise ValueError(f"found '{after}', expected: ',' or ')'")

    def _at_requirement(self) -> bool:
        token = self._peek()
        return token == "!" or (token != _END and token not in _SYMBOLS)

    def _peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else _END

    def _take(self) -> str:
        token = self._peek()
        self._next += 1
        return token


def _check_values(key: str, operator: Operator, values: tuple[str, ...]) -> None:
    causes: list[Cause] = []
    for index, value in enumerate(values):
        path = fields.Path("values").index(index)
        if operator in (Operator.GREATER, Operator.LESS) and not re.fullmatch("[-+]?[0-9]{1,19}", value):
            detail = "for 'Gt', 'Lt' operators, the value must be an integer"
            causes.append(fields.invalid(path, value, detail))
        if complaints := names.label_value(value):
            causes.append(fields.invalid(path.key(key), value, "; ".join(complaints)))
    if causes:
        lines = [f"{cause.field}: {cause.message}" for cause in causes]
        raise ValueError(lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]")
