"""Functions that find by regular expressions."""

from __future__ import annotations

from itertools import islice
from typing import Final

from steersman.api import patterns
from steersman.api.patterns import BadPattern, Pattern
from steersman.cel.environment import Library
from steersman.cel.values import EvaluationError

REGEXES: Final = Library()


def compiled(pattern: str) -> Pattern:
    try:
        return patterns.compiled(pattern)
    except BadPattern as error:
        raise EvaluationError(str(error)) from None


@REGEXES.member("find", "string, string -> string")
def find(text: str, pattern: str) -> str:
    return _legal(pattern).find(text) or ""


@REGEXES.member("findAll", "string, string -> list(string)", "string, string, int -> list(string)")
def find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    return list(islice(_legal(pattern).find_all(text), None if most < 0 else most))


def _legal(pattern: str) -> Pattern:
    try:
        return patterns.compiled(pattern)
    except BadPattern as error:
        raise EvaluationError(f"Illegal regex: {error}") from None
