"""What a literal's token means: numbers, texts and bytes with their escapes. Pure."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from steersman.cel.tokens import BYTES, NUM_FLOAT, NUM_INT, NUM_UINT, Token
from steersman.cel.values import INT_BOUND, UINT_BOUND, Uint

_SIMPLE: Final = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ESCAPE: Final = re.compile(
    r"\\(?:([0-3][0-7][0-7])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_SURROGATES: Final = range(0xD800, 0xE000)


class LiteralError(Exception):
    """The token looks like a literal but has no value."""


def value_of(token: Token, *, negative: bool = False) -> Any:
    match token.kind:
        case "true" | "false":
            return token.kind == "true"
        case "null":
            return None
        case k if k == NUM_INT:
            return _integer(token.text, INT_BOUND, "int", negative=negative)
        case k if k == NUM_UINT:
            return Uint(_integer(token.text[:-1], UINT_BOUND, "uint"))
        case k if k == NUM_FLOAT:
            value = float(token.text)
            if math.isinf(value):
                raise LiteralError("invalid double literal")
            return -value if negative else value
        case k if k == BYTES:
            return _unquoted(token.text[1:], in_bytes=True)
        case _:
            return _unquoted(token.text, in_bytes=False).decode("utf-8")


def _integer(text: str, bound: int, name: str, *, negative: bool = False) -> int:
    digits = text[2:] if text.startswith("0x") else text
    if len(digits) > 64:  # Python refuses to read endless numbers
        digits = digits.lstrip("0")[:64] or "0"
    value = int(digits, 16 if text.startswith("0x") else 10)
    value = -value if negative else value
    if not -bound <= value < bound:
        raise LiteralError(f"invalid {name} literal")
    return value


def _unquoted(text: str, *, in_bytes: bool) -> bytes:
    raw = text[0] in "rR"
    body = text[1:] if raw else text
    width = 3 if len(body) >= 6 and body[:3] in ('"""', "'''") else 1
    body = body[width:-width]
    if raw or "\\" not in body:
        return _encoded(body)
    parts: list[bytes] = []
    end = 0
    for match in _ESCAPE.finditer(body):
        parts += [_encoded(body[end : match.start()]), _escaped(match, in_bytes=in_bytes)]
        end = match.end()
    return b"".join((*parts, _encoded(body[end:])))


def _escaped(match: re.Match[str], *, in_bytes: bool) -> bytes:
    octal, short, unicode, wide, simple = match.groups()
    if simple is not None:
        return bytes([_SIMPLE[simple]]) if simple in _SIMPLE else simple.encode()
    code = int(octal, 8) if octal else int(short or unicode or wide, 16)
    if in_bytes and (octal or short):
        return bytes([code])
    if code > 0x10FFFF or code in _SURROGATES:
        raise LiteralError("invalid unicode code point" if not in_bytes else "unable to unescape string")
    return chr(code).encode()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="replace")
