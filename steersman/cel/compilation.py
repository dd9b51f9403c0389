"""Text to something that can be evaluated: parse, check, and look at literals that could never work. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from steersman.cel import checker, parser, syntax
from steersman.cel.checker import Checked
from steersman.cel.environment import Environment
from steersman.cel.library import regexes, timekeeping
from steersman.cel.source import CompilationError, Issue
from steersman.cel.syntax import Call, Expr, Literal
from steersman.cel.values import EvaluationError

_READERS: Final[Mapping[str, tuple[int, Callable[[str], object]]]] = {
    "duration": (0, timekeeping.parse_duration),
    "timestamp": (0, timekeeping.parse_timestamp),
    "matches": (1, regexes.compiled),
}


def compile(text: str, environment: Environment) -> Checked:  # called as compilation.compile
    """CompilationError, whose text is what users are shown, if it is no expression here."""
    parsed = parser.parse(text)
    checked = checker.check(parsed, environment)
    if issues := list(_literal_issues(parsed.expression)):
        raise CompilationError(text, issues)
    return checked


def _literal_issues(expression: Expr) -> Iterator[Issue]:
    for node in syntax.walk(expression):
        if not isinstance(node, Call) or node.function not in _READERS:
            continue
        place, read = _READERS[node.function]
        # A member function's target is its first argument.
        arguments = node.args if node.target is None else (node.target, *node.args)
        argument = arguments[place] if place < len(arguments) else None
        if isinstance(argument, Literal) and isinstance(argument.value, str):
            try:
                read(argument.value)
            except EvaluationError:
                yield Issue(f"invalid {node.function} argument", argument.at)
