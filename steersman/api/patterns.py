"""Regular expressions that users give, in schemas and in CEL: RE2, as Kubernetes has it.

RE2 takes time in proportion to the text, whatever the pattern; Python's own `re` may take for ever, and speaks another
dialect. So every pattern that is not ours goes through here. Mistakes are told in the words of Go's parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import re2  # type: ignore[import-untyped]

MOST_KEPT: Final = 256
"""Compiled patterns: each may grow to megabytes as it meets more texts."""

_OPTIONS: Final = re2.Options()
_OPTIONS.log_errors = False

_GO_WORDS: Final = {
    "bad repetition operator": "invalid nested repetition operator",
    "invalid named capture group": "invalid named capture",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid repetition size": "invalid repeat count",
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "no argument for repetition operator": "missing argument to repetition operator",
    "pattern too large - compile failed": "expression too large",
    "trailing \\": "trailing backslash at end of expression",
}
_ABOUT_ALL: Final = frozenset({"missing )", "unexpected )"})
"""Mistakes of which Go shows the whole pattern."""

_ESCAPE: Final = re.compile(r"\\Q.*?(?:\\E|\Z)|\\(.)", re.DOTALL)
_ANY_BYTE: Final = "C"


class BadPattern(ValueError):
    """No regular expression. The text says why."""


class Pattern:
    """A compiled pattern. Half a surrogate pair, which no valid text has, counts as a question mark."""

    __slots__ = ("_compiled",)

    def __init__(self, text: str) -> None:
        if any(escape.group(1) == _ANY_BYTE for escape in _ESCAPE.finditer(text)):
            # RE2 knows it, Go does not: it may tear a character apart.
            raise BadPattern(f"error parsing regexp: invalid escape sequence: `\\{_ANY_BYTE}`")
        try:
            self._compiled = re2.compile(_bytes(text), options=_OPTIONS)
        except re2.error as error:
            raise BadPattern(_go_complaint(error.args[0], text)) from None

    def matches(self, text: str) -> bool:
        """Whether it fits anywhere in the text."""
        return self._compiled.search(_bytes(text)) is not None

    def find(self, text: str) -> str | None:
        """Where it fits first."""
        found = self._compiled.search(_bytes(text))
        return None if found is None else _text(found.group())

    def find_all(self, text: str) -> Iterator[str]:
        """Every place from left to right. Nothing right behind a place counts as part of it, as it does to Go."""
        last_end = -1
        for found in self._compiled.finditer(_bytes(text)):
            start, end = found.span()
            if start < end or start != last_end:
                yield _text(found.group())
            last_end = end


@lru_cache(maxsize=MOST_KEPT)
def compiled(pattern: str) -> Pattern:
    """BadPattern where it is none."""
    return Pattern(pattern)


def complain(pattern: str) -> str:
    """What is wrong with it; empty when nothing is."""
    try:
        compiled(pattern)
    except BadPattern as error:
        return str(error)
    return ""


def _go_complaint(complaint: bytes, pattern: str) -> str:
    what, _, where = _text(complaint).partition(": ")
    shown = pattern if what in _ABOUT_ALL else where
    return f"error parsing regexp: {_GO_WORDS.get(what, what)}: `{shown}`"


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")


def _text(found: bytes) -> str:
    return found.decode(errors="replace")
