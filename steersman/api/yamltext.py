"""YAML to JSON as Kubernetes does it: one document, YAML 1.1's scalars as Go reads them, repeated keys noted.

Read event by event without recursion, so that neither deep nesting nor aliases of aliases can hurt: what aliases make
of a document may not be much larger than the document.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from steersman.api.errors import quoted

DEEPEST = 500
ALIAS_GROWTH = 10
"""How many times larger than its text a document may become through aliases."""

_STRING, _BINARY, _MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:binary", "<<"
_TRUE = frozenset(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"))
_FALSE = frozenset(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"))
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+|[1-9][0-9_]*|0)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class Unreadable(ValueError):
    """The text is not YAML, or not YAML that can be said in JSON."""


def to_json(data: bytes) -> tuple[bytes, list[str]]:
    """The first document as JSON, and what was said twice in it. Of what was said twice the last one counts."""
    reading = _Reading(limit=ALIAS_GROWTH * len(data) + 1024)
    for event in _events(data):
        if reading.take(event):
            break
    complaints = ["yaml: unmarshal errors:\n" + "\n".join(reading.repeated)] if reading.repeated else []
    return msgspec.json.encode(reading.document), complaints


def _events(data: bytes) -> Iterator[Any]:
    import yaml  # only the few requests that bring YAML pay for it

    try:
        yield from yaml.parse(data, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError) as err:
        raise Unreadable(f"yaml: {_one_line(err)}") from None


def _one_line(err: Any) -> str:
    mark = getattr(err, "problem_mark", None)
    problem = getattr(err, "problem", None) or str(err).splitlines()[0]
    return f"line {mark.line + 1}: {problem}" if mark is not None else str(problem)


@dataclass(slots=True)
class _Open:
    """A collection that has begun and not ended. `size`: about the length of its JSON so far."""

    value: dict[str, Any] | list[Any]
    anchor: str | None
    key: Any = None
    has_key: bool = False
    merged: list[Any] = field(default_factory=list)
    size: int = 2


class _Reading:
    def __init__(self, limit: int) -> None:
        self.document: Any = None
        self.repeated: list[str] = []
        self._limit = limit
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}

    def take(self, event: Any) -> bool:
        """Whether the document is complete."""
        match type(event).__name__:
            case "ScalarEvent":
                value = _scalar(event)
                self._put(value, len(event.value) + 1, event.anchor, event)
            case "MappingStartEvent":
                self._begin(_Open({}, event.anchor))
            case "SequenceStartEvent":
                self._begin(_Open([], event.anchor))
            case "MappingEndEvent" | "SequenceEndEvent":
                ended = self._open.pop()
                self._put(_with_merged(ended), ended.size, ended.anchor, event)
            case "AliasEvent":
                if event.anchor not in self._anchors:
                    raise Unreadable(f"yaml: unknown anchor '{event.anchor}' referenced")
                self._put(*self._anchors[event.anchor], None, event)
        return type(event).__name__ == "DocumentEndEvent"

    def _begin(self, collection: _Open) -> None:
        if len(self._open) >= DEEPEST:
            raise Unreadable("yaml: exceeded max depth")
        self._open.append(collection)

    def _put(self, value: Any, size: int, anchor: str | None, event: Any) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, size)
        if not self._open:
            self.document = value
            return
        around = self._open[-1]
        around.size += size
        if around.size > self._limit:
            raise Unreadable("yaml: document contains excessive aliasing")
        if isinstance(around.value, list):
            around.value.append(value)
        elif around.has_key:
            self._member(around, value, event)
        else:
            around.key, around.has_key = value, True

    def _member(self, around: _Open, value: Any, event: Any) -> None:
        key, around.key, around.has_key = around.key, None, False
        if key == _MERGE:
            around.merged += value if isinstance(value, list) else [value]
            return
        assert isinstance(around.value, dict)
        name = _key(key)
        if name in around.value:
            line = event.start_mark.line + 1
            self.repeated.append(f"  line {line}: key {quoted(name)} already set in map")
        around.value[name] = value


def _with_merged(ended: _Open) -> Any:
    """A mapping's own members beat those of `<<`, and of those the first ones beat the later."""
    if not isinstance(ended.value, dict) or not ended.merged:
        return ended.value
    members = dict(ended.value)
    for source in ended.merged:
        if not isinstance(source, dict):
            raise Unreadable("yaml: map merge requires map or sequence of maps as the value")
        members = {**source, **members}
    return members


def _key(key: Any) -> str:
    """JSON knows only texts as names."""
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, (str, int, float)):
        return str(key)
    raise Unreadable(f"unsupported map key of type: {type(key).__name__}")


def _scalar(event: Any) -> Any:
    text: str = event.value
    if event.tag == _BINARY:
        try:
            return base64.b64decode("".join(text.split()), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise Unreadable("yaml: !!binary value contains invalid base64 data") from None
    _, quoted_without_tag = event.implicit
    if quoted_without_tag or event.tag in (_STRING, "!"):
        return text
    return plain(text)


def plain(text: str) -> Any:
    """What an unquoted word means."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _NOT_FINITE.fullmatch(text):
        raise Unreadable(f"json: unsupported value: {text}")
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isinf(number):
            return text
        return int(number) if number.is_integer() and abs(number) < 1e21 else number
    return text


def _integer(text: str) -> int | float | str:
    digits = text.replace("_", "")
    sign, bare = (-1, digits[1:]) if digits.startswith("-") else (1, digits.removeprefix("+"))
    octal = len(bare) > 1 and bare[0] == "0" and bare[1].isdigit()
    try:
        number = sign * int(bare, 8 if octal else 0)
    except ValueError:
        return text
    return number if -(2**63) <= number < 2**64 else float(number)
