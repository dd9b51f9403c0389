"""`$(NAME)` in commands, arguments and environment values. Pure.

A name that is not known stays as it was written, `$$` stands for one dollar sign (so `$$(NAME)` is never expanded), and
a bracket that is not closed is plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_REFERENCE = re.compile(r"\$(?:\$|\(([^)]*)\))")


def expand(text: str, *sources: Mapping[str, str]) -> str:
    """`text` with the references that one of `sources` knows replaced; the first that knows a name wins."""
    if "$" not in text:
        return text

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return "$"
        return next((source[name] for source in sources if name in source), match[0])

    return _REFERENCE.sub(value, text)


def expand_all(texts: Iterable[str], *sources: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(expand(text, *sources) for text in texts)
