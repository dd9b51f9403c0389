"""Files with environment variables, as `fileKeyRef` reads them: `NAME='value'`, one after the other. Pure.

What is between the quotes is taken as it is, over as many lines as it takes. A `#` begins a comment. A blank after the
`=` makes the variable empty, as in a shell. Everything else is refused: a file that could be read in two ways is wrong.
"""

from __future__ import annotations

import re

_NOTHING = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_NAME = re.compile(r"[ \t]*(?P<name>[^=\n]*[^=\n \t])=")
_EMPTY = re.compile(r"[ \t][^\n]*(?:\n|\Z)")
_VALUE = re.compile(r"'(?P<value>[^']*)'[ \t]*(?:#[^\n]*)?(?:\n|\Z)")


class BadEnvFile(Exception):
    """The text says in which line, and what is wrong with it."""


def find(text: str, key: str) -> str:
    """The value of the first variable of that name; empty if there is none. BadEnvFile for what comes before it."""
    text = text.replace("\r\n", "\n")
    position = 0
    while position < len(text):
        nothing = _NOTHING.match(text, position)
        if nothing is not None:
            position = nothing.end()
            continue
        name = _NAME.match(text, position)
        if name is None:
            raise _bad(text, position, "a variable is NAME='value'")
        value = _EMPTY.match(text, name.end()) or _VALUE.match(text, name.end())
        if value is None:
            raise _bad(text, position, "a value is enclosed in single quotes")
        if name["name"] == key:
            return value.groupdict().get("value", "")
        position = value.end()
    return ""


def _bad(text: str, position: int, rule: str) -> BadEnvFile:
    line = text.count("\n", 0, position) + 1
    return BadEnvFile(f"line {line}: {rule}")
