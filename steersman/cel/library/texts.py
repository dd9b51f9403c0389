"""The extension library for texts: characters, places, parts, joining; and `format`."""

from __future__ import annotations

from typing import Any, Final

from steersman.cel.environment import Library
from steersman.cel.library import conversions
from steersman.cel.values import Duration, EvaluationError, Timestamp, TypeValue, Uint, is_number

TEXTS: Final = Library()
_SPACES: Final = "".join(
    map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000))
)
_LOWER: Final = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_UPPER: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
MAX_PRECISION: Final = 1000


@TEXTS.member("charAt", "string, int -> string")
def char_at(text: str, place: int) -> str:
    if not 0 <= place <= len(text):
        raise EvaluationError(f"index out of range: {place}")
    return text[place : place + 1]


@TEXTS.member("indexOf", "string, string -> int", "string, string, int -> int")
def index_of(text: str, part: str, start: int = 0) -> int:
    if not 0 <= start <= len(text):
        raise EvaluationError(f"index out of range: {start}")
    return text.find(part, start)


@TEXTS.member("lastIndexOf", "string, string -> int", "string, string, int -> int")
def last_index_of(text: str, part: str, start: int | None = None) -> int:
    if start is None:
        return text.rfind(part)
    if not 0 <= start <= len(text):
        raise EvaluationError(f"index out of range: {start}")
    return text.rfind(part, 0, start + len(part))


@TEXTS.member("lowerAscii", "string -> string")
def lower_ascii(text: str) -> str:
    return text.translate(_LOWER)


@TEXTS.member("upperAscii", "string -> string")
def upper_ascii(text: str) -> str:
    return text.translate(_UPPER)


@TEXTS.member("replace", "string, string, string -> string", "string, string, string, int -> string")
def replace(text: str, old: str, new: str, most: int = -1) -> str:
    return text.replace(old, new, max(most, -1))


@TEXTS.member("split", "string, string -> list(string)", "string, string, int -> list(string)")
def split(text: str, separator: str, most: int = -1) -> list[str]:
    if most == 0:
        return []
    limit = most - 1 if most > 0 else -1
    if separator:
        return text.split(separator, limit)
    return list(text) if limit < 0 else [*text[:limit], *([text[limit:]] if text[limit:] else [])]


@TEXTS.member("substring", "string, int -> string", "string, int, int -> string")
def substring(text: str, start: int, end: int | None = None) -> str:
    last = len(text) if end is None else end
    if start > last:
        raise EvaluationError(f"invalid substring range. start: {start}, end: {last}")
    for place in (start, last):
        if not 0 <= place <= len(text):
            raise EvaluationError(f"index out of range: {place}")
    return text[start:last]


@TEXTS.member("trim", "string -> string")
def trim(text: str) -> str:
    return text.strip(_SPACES)


@TEXTS.member("join", "list(string) -> string", "list(string), string -> string")
def join(parts: list[Any], separator: str = "") -> str:
    for part in parts:
        if not isinstance(part, str):
            raise EvaluationError(f"join: invalid input: {part}")
    return separator.join(parts)


_ESCAPES: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}


@TEXTS.function("strings.quote", "string -> string")
def quote(text: str) -> str:
    return f'"{"".join(_ESCAPES.get(character, character) for character in text)}"'


@TEXTS.member("format", "string, list(dyn) -> string")
def format_text(pattern: str, arguments: list[Any]) -> str:
    """`%s`, `%d`, `%f`, `%e`, `%b`, `%o`, `%x`, `%X`, with a precision, and `%%`."""
    parts: list[str] = []
    rest, used = pattern, 0
    while rest:
        plain, percent, rest = rest.partition("%")
        parts.append(plain)
        if not percent:
            break
        if rest.startswith("%"):
            parts.append("%")
            rest = rest[1:]
            continue
        precision, rest = _precision(rest)
        if not rest:
            raise EvaluationError("could not parse formatting clause: unexpected end of string")
        if used >= len(arguments):
            raise EvaluationError(f"index {used} out of range")
        parts.append(_formatted(rest[0], precision, arguments[used]))
        used, rest = used + 1, rest[1:]
    return "".join(parts)


def _precision(rest: str) -> tuple[int, str]:
    if not rest.startswith("."):
        return 6, rest
    digits = rest[1:]
    length = next((place for place, each in enumerate(digits) if not (each.isascii() and each.isdigit())), len(digits))
    precision = int(digits[: min(length, 9)] or 0)
    if precision > MAX_PRECISION:
        raise EvaluationError(f"precision is too large: {precision}")
    return precision, digits[length:]


def _formatted(clause: str, precision: int, value: Any) -> str:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    match clause:
        case "s":
            return shown(value)
        case "d" if is_whole:
            return str(int(value))
        case "f" | "e" if is_number(value):
            return f"{float(value):.{precision}{clause}}"
        case "b" if is_whole or isinstance(value, bool):
            return f"{int(value):b}"
        case "o" if is_whole:
            return f"{int(value):o}"
        case "x" | "X" if is_whole:
            return f"{int(value):{clause}}"
        case "x" | "X" if isinstance(value, str | bytes):
            digits = (value.encode() if isinstance(value, str) else value).hex()
            return digits if clause == "x" else digits.upper()
        case "s" | "d" | "f" | "e" | "b" | "o" | "x" | "X":
            raise EvaluationError(f"error during formatting: no such clause for this value: {clause}")
    raise EvaluationError(f'could not parse formatting clause: unrecognized formatting clause "{clause}"')


def shown(value: Any) -> str:
    """Any value, as `%s` shows it."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{shown(key)}: {shown(each)}" for key, each in value.items())) + "}"
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, bool | int | float | str | bytes | Uint | Duration | Timestamp):
        return str(conversions.to_string(value))
    raise EvaluationError("error during formatting: string clause can only be used on plain values")
