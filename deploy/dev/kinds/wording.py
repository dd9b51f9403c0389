"""A complaint as a rule: the indexes and the offending values are examples, the rest is what is promised."""

from __future__ import annotations

import json
import re

_LONGEST_PATH = 240
_LONGEST_VALUE = 40
_LONGEST_MESSAGE = 220
_VALUED = re.compile(r"((Invalid|Unsupported|Duplicate) value|Not found): ")
_RUN = re.compile(r"(\w)\1{15,}")
_PATTERN = re.compile(
    r" \((e\.g\.|regex) .*?regex used for validation is .*\)|, regex used for validation is '.*'", re.DOTALL
)
_DECODER = json.JSONDecoder()


def path(field: str) -> str:
    """The field with every index written `[]`."""
    return shortened(re.sub(r"\[\d+\]", "[]", field), _LONGEST_PATH)


def message(text: str) -> str:
    """The message as it is shown: the value and the patterns cut short."""
    what, value, rest = _parts(text)
    return shortened(f"{what}{shortened(value, _LONGEST_VALUE)}{_PATTERN.sub('', rest)}", _LONGEST_MESSAGE)


def essence(text: str) -> str:
    """What two complaints about different values have in common."""
    what, value, rest = _parts(text)
    bare = value.strip('"')
    return f"{what}…{rest.replace(bare, '…') if len(bare) > 1 else rest}"


def shortened(text: str, longest: int) -> str:
    """On one line, without long runs of one letter, and no longer than that."""
    line = _RUN.sub(r"\1…", " ".join(text.split()))
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _parts(text: str) -> tuple[str, str, str]:
    """`Invalid value: `, the value, and everything behind it; where there is no telling, all of it is rest.

    Only the first line counts: what follows is a comparison of two objects, all of it values.
    """
    text = text.partition("\n")[0]
    begun = _VALUED.match(text)
    if begun is None:
        return "", "", text
    behind = text[begun.end() :]
    try:
        end = _DECODER.raw_decode(behind)[1]
    except ValueError:
        end = behind.find(": ")
    if end < 0 or behind[end : end + 2] not in ("", ": "):
        return "", "", text
    return begun[0], behind[:end], behind[end:]
