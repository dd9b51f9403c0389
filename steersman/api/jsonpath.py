"""JSONPath as Kubernetes has it: for the columns that custom resources bring along, and for `steer get -o jsonpath`.

`.spec.ports[0].port`, `.status.conditions[?(@.type=="Ready")].status`, `['a']`, `[-1:]`, `[1,3]`, `.*`, `..name`. A
backslash keeps a dot in a name. What is not there is no result, and neither is what cannot be looked at that way (an
index beyond the end, a filter on a text).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Step = Callable[[list[Any]], list[Any]]
"""From the values found so far to those that the next part of the path leads to."""


class PathError(ValueError):
    """The text is no path."""


class _Unfit(Exception):
    """The path cannot be followed in this document."""


@dataclass(frozen=True, slots=True)
class Path:
    steps: tuple[Step, ...]

    def find(self, document: Any) -> list[Any]:
        try:
            return _follow(self.steps, [document])
        except _Unfit:
            return []


def parse(text: str) -> Path:
    """PathError for what is no path."""
    return Path(tuple(_Parser(text).steps()))


def _follow(steps: Sequence[Step], values: list[Any]) -> list[Any]:
    for step in steps:
        values = step(values)
    return values


def _field(name: str) -> Step:
    return lambda values: [value[name] for value in values if isinstance(value, dict) and name in value]


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list) else []


def _wildcard(values: list[Any]) -> list[Any]:
    return [child for value in values for child in _children(value)]


def _descend(values: list[Any]) -> list[Any]:
    """Every object and list that has anything in it, at any depth."""
    found: list[Any] = []
    for value in values:
        if children := _children(value):
            found.append(value)
            found += _descend(children)
    return found


def _literal(constant: Any) -> Step:
    return lambda values: [constant for _ in values]


def _union(paths: Sequence[Sequence[Step]]) -> Step:
    return lambda values: [found for steps in paths for found in _follow(steps, values)]


def _slice(first: int | None, end: int | None, stride: int | None) -> Step:
    """From `first` to before `end`; negative ones count from the end. Beyond the ends there is nothing to be found."""

    def step(values: list[Any]) -> list[Any]:
        found: list[Any] = []
        for value in values:
            if value is None:
                continue
            if not isinstance(value, list):
                raise _Unfit
            start, stop = _bound(first, 0, len(value)), _bound(end, len(value), len(value))
            if start == stop:
                return found
            if not (0 <= start < len(value) and start < stop <= len(value)) or (stride is not None and stride <= 0):
                raise _Unfit
            found += value[start : stop : stride or 1]
        return found

    return step


def _bound(given: int | None, absent: int, length: int) -> int:
    if given is None:
        return absent
    return given + length if given < 0 else given


def _index(number: int) -> Step:
    return _slice(number, number + 1 if number != -1 else None, None)


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
}


def _filter(left: Sequence[Step], sign: str, right: Sequence[Step]) -> Step:
    def fits(item: Any) -> bool:
        found, wanted = _follow(left, [item]), _follow(right, [item])
        if len(found) > 1 or len(wanted) > 1:
            raise _Unfit
        return bool(found and wanted) and _compare(sign, found[0], wanted[0])

    return _each_item(fits)


def _exists(path: Sequence[Step]) -> Step:
    return _each_item(lambda item: bool(_follow(path, [item])))


def _each_item(fits: Callable[[Any], bool]) -> Step:
    def step(values: list[Any]) -> list[Any]:
        if not all(isinstance(value, list) for value in values):
            raise _Unfit
        return [item for value in values for item in value if fits(item)]

    return step


def _compare(sign: str, left: Any, right: Any) -> bool:
    """Only texts with texts, numbers with numbers of the same sort, and truths for equality."""
    comparable = (str, int, float, bool) if sign in ("==", "!=") else (str, int, float)
    if type(left) is not type(right) or type(left) not in comparable:
        raise _Unfit
    return _COMPARISONS[sign](left, right)


_NAME = re.compile(r"(?:\\.|[^\s.,\[\]$@{}\\])*")
_FILTER = re.compile(r"""\[\?\(((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^)"'])*)\)\]""")
_BRACKETS = re.compile(r"\[([^\]\n]*)\]")
_QUOTED = re.compile(r""""((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'""")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?")
_WORD = re.compile(r"\w+")
_COMPARISON = re.compile(r"([^!<>=]+)([!<>=]+)(.+)", re.DOTALL)
_KEY = re.compile(r"'([^']*)'")
_SLICE = re.compile(r"(-?\d*)(:-?\d*)?(:-?\d*)?")
_WORDS = {"true": True, "false": False}


class _Parser:
    """One pass over the text of a path."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def steps(self) -> list[Step]:
        steps: list[Step] = []
        while self._at < len(self._text):
            step = self._next()
            if step is not None:
                steps += step
        return steps

    def _next(self) -> list[Step] | None:
        if self._skip(".."):
            follows = self._text[self._at : self._at + 1]
            return [_descend, self._named()] if follows.isalnum() or follows == "_" else [_descend]
        if self._skip("."):
            return [self._named()]
        if self._text.startswith("[?(", self._at):
            return [_filter_of(self._take(_FILTER, "unterminated filter")[1])]
        if self._text.startswith("[", self._at):
            return _brackets(self._take(_BRACKETS, "unterminated array")[1])
        if any(self._skip(sign) for sign in ("@", "$", " ")):
            return None  # the present object, which it is about anyway
        return [_literal(self._constant())]

    def _named(self) -> Step:
        name = self._take(_NAME, "")[0]
        return _wildcard if name == "*" else _field(name.replace("\\", ""))

    def _constant(self) -> Any:
        if self._text[self._at] in "\"'":
            quoted = self._take(_QUOTED, "unterminated quoted string")
            return re.sub(r"\\(.)", r"\1", quoted[1] if quoted[1] is not None else quoted[2])
        if _NUMBER.match(self._text, self._at):
            number = self._take(_NUMBER, "")[0]
            return float(number) if "." in number else int(number)
        word = self._take(_WORD, f"unrecognized character {self._text[self._at]!r}")[0]
        if word not in _WORDS:
            raise PathError(f"unrecognized identifier {word}")
        return _WORDS[word]

    def _skip(self, sign: str) -> bool:
        if not self._text.startswith(sign, self._at):
            return False
        self._at += len(sign)
        return True

    def _take(self, pattern: re.Pattern[str], complaint: str) -> re.Match[str]:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise PathError(complaint)
        self._at = match.end()
        return match


def _filter_of(text: str) -> Step:
    comparison = _COMPARISON.fullmatch(text)
    if comparison is None:
        return _exists(_Parser(text).steps())
    left, sign, right = comparison.groups()
    if sign not in _COMPARISONS:
        raise PathError(f"unrecognized filter operator {sign}")
    return _filter(_Parser(left).steps(), sign, _Parser(right).steps())


def _brackets(text: str) -> list[Step]:
    if "," in text:
        return [_union([_brackets(part.strip()) for part in text.split(",")])]
    if key := _KEY.fullmatch(text):
        return _Parser(f".{key[1]}").steps()
    bounds = _SLICE.fullmatch(":" if text == "*" else text)
    if bounds is None or not text:
        raise PathError(f"invalid array index {text}")
    first, end, stride = bounds.groups()
    if end is None:
        return [_index(_number(first) or 0)]
    return [_slice(_number(first), _number(end[1:]), None if stride is None else _number(stride[1:]))]


def _number(text: str) -> int | None:
    if text == "-":
        raise PathError("array index - is not a number")
    return int(text) if text else None
