"""Certificates and requests in their usual wrapping: blocks of base64 between `-----BEGIN …-----` lines. Pure."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass

_BLOCK = re.compile(
    rb"^-----BEGIN (?P<kind>[^\n]*?)-----[ \t\r]*\n(?P<body>.*?)^-----END (?P=kind)-----[ \t\r]*$",
    re.MULTILINE | re.DOTALL,
)
_HEADERS = re.compile(rb"(?:[^\n:]+:[^\n]*\n)+\s*")


@dataclass(frozen=True, slots=True)
class Block:
    """`kind` is what it claims to be, such as `CERTIFICATE`; `has_headers` whether lines of text precede the data."""

    kind: str
    data: bytes
    has_headers: bool = False


def blocks(text: bytes) -> list[Block]:
    """The well-formed blocks; whatever stands between them counts for nothing."""
    found: list[Block] = []
    for match in _BLOCK.finditer(text):
        body = match["body"]
        headers = _HEADERS.match(body)
        try:
            data = binascii.a2b_base64(b"".join(body[headers.end() if headers else 0 :].split()), strict_mode=True)
        except binascii.Error:
            continue
        found.append(Block(match["kind"].decode(errors="replace"), data, has_headers=headers is not None))
    return found
