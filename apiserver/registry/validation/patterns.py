"""Regular expressions in schemas: the mistakes that every dialect refuses, in the words of Go's parser.

What only some dialects know (classes by property, named groups) is let through: the schema's user knows best.
"""

from __future__ import annotations

import re
from typing import Final

_LOOK_AROUND: Final = re.compile(r"\(\?(=|!|<=|<!)")
_CLASS: Final = re.compile(r"\[\^?\]?(\[:\^?\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_REPEATED: Final = re.compile(r"[*+?]")


def complain(pattern: str) -> str:
    """The first thing that is wrong; empty when nothing is."""
    found = _first_mistake(pattern)
    return f"error parsing regexp: {found}" if found else ""


def _first_mistake(pattern: str) -> str:
    depth = position = 0
    repeatable = False  # whether something stands before that a repetition could apply to
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            if position + 1 == len(pattern):
                return "trailing backslash at end of expression: ``"
            position, repeatable = position + 2, True
            continue
        if character == "[":
            closed = _CLASS.match(pattern, position)
            if closed is None:
                return f"missing closing ]: `{pattern[position:]}`"
            position, repeatable = closed.end(), True
            continue
        if character == "(":
            if look := _LOOK_AROUND.match(pattern, position):
                return f"invalid or unsupported Perl syntax: `{look.group()}`"
            depth += 1
            position += 2 if pattern.startswith("(?", position) else 1
            repeatable = False
            continue
        if character == ")":
            if not depth:
                return f"unexpected ): `{pattern}`"
            depth -= 1
        if _REPEATED.match(character) and not repeatable:
            return f"missing argument to repetition operator: `{character}`"
        repeatable = character not in "|^"
        position += 1
    return f"missing closing ): `{pattern}`" if depth else ""
