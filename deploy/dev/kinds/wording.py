"""A complaint as a rule: the indexes and the offending values are examples, the rest is what is promised."""

from __future__ import annotations

import json
import re

_LONGEST_VALUE = 40
_LONGEST_MESSAGE = 220
_VALUED = re.compile(r"(?P<what>(Invalid|Unsupported|Duplicate) value|Not found): ", re.DOTALL)
_PATTERN = re.compile(r" \((e\.g\.|regex) .*?regex used for validation is .*\)|, regex used for validation is '.*'", re.DOTALL)
_DECODER = json.JSONDecoder()


def path(field: str) -> str:
    """The field with every index written `[]`."""
    return shortened(re.sub(r"\[\d+\]", "[]", field), 120)


def message(text: str) -> str:
    """The message as it is shown: the value and the patterns cut short."""
    what, value, rest = _parts(text)
    rest = _PATTERN.sub("", rest)
    whole = f"{what}: {shortened(value, _LONGEST_VALUE)}{rest}" if value else f"{what}{rest}"
    return shortened(whole, _LONGEST_MESSAGE)


def essence(text: str) -> str:
    """What two complaints about different values have in common."""
    what, value, rest = _parts(text)
    return f"{what}: …{rest}" if value else f"{what}{rest}"


def shortened(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _parts(text: str) -> tuple[str, str, str]:
    """`Invalid value`, the value, and everything behind it; without a value the text is all rest."""
    begun = _VALUED.match(text)
    if begun is None:
        return "", "", text
    value = text[begun.end() :]
    try:
        end = _DECODER.raw_decode(value)[1]
    except ValueError:
        end = value.find(": ") if ": " in value else len(value)
    if value[end : end + 2] not in ("", ": "):
        end = len(value)
    return begun["what"], value[:end], value[end:]
