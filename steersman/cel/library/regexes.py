"""Regular expressions, in what Go's dialect and Python's have in common; and the functions that find by them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from steersman.cel.environment import Library
from steersman.cel.values import EvaluationError

REGEXES: Final = Library()
MAX_PATTERN: Final = 1024 * 8

_POSSESSIVE_OR_LOOKING: Final = re.compile(r"\(\?(?:[=!]|<[=!]|>|\(|P=|#)|[*+?}]\+|(?<!\\)(?:\\\\)*\\[1-9Z]")
_LAST: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\z")


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    if len(pattern) > MAX_PATTERN or _POSSESSIVE_OR_LOOKING.search(pattern):
        raise EvaluationError(f"error parsing regexp: invalid or unsupported syntax: `{pattern}`")
    try:
        return re.compile(_LAST.sub(r"\1\\Z", pattern), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise EvaluationError(f"error parsing regexp: {error}") from None


@REGEXES.member("find", "string, string -> string")
def find(text: str, pattern: str) -> str:
    match = compiled(pattern).search(text)
    return "" if match is None else match.group()


@REGEXES.member("findAll", "string, string -> list(string)", "string, string, int -> list(string)")
def find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    found = [match.group() for match in compiled(pattern).finditer(text)]
    return found if most < 0 else found[:most]
