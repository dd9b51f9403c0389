"""gRPC's headers and trailers: metadata, time-outs and statuses as header fields, and back. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from steersman.http2 import headers
from steersman.http2.faults import Malformed
from steersman.http2.headers import Field

Metadata = tuple[tuple[str, str | bytes], ...]
Pairs = Sequence[tuple[str, str | bytes]]

CONTENT_TYPE = b"application/grpc"
_BINARY = "-bin"
_RESERVED = frozenset({"te", "content-type", "content-length", "host"})
_UNIT_SECONDS = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}
_TIMEOUT = re.compile(rb"([0-9]{1,8})([HMSmun])")
_KEY = re.compile(r"[0-9a-z_.\-]+")
_TEXT_VALUE = re.compile(r"[\x20-\x7e]*")
_PLAIN = frozenset(range(0x20, 0x7F)) - {0x25}

RESPONSE = headers.encode([(b":status", b"200"), (b"content-type", CONTENT_TYPE)])
"""The header block that opens a response without metadata of its own."""


def is_grpc(content_type: bytes) -> bool:
    """With or without a word about what messages look like: they are bytes to us."""
    return content_type == CONTENT_TYPE or content_type.startswith((CONTENT_TYPE + b"+", CONTENT_TYPE + b";"))


def response(metadata: Pairs = ()) -> bytes:
    """The header block that opens a response."""
    return RESPONSE + headers.encode(sent(metadata)) if metadata else RESPONSE


def received(fields: Iterable[Field]) -> Metadata:
    """The metadata among the fields. Raises Malformed."""
    found: list[tuple[str, str | bytes]] = []
    for name, value in fields:
        key = name.decode("ascii")
        if key in _RESERVED or key.startswith("grpc-"):
            continue
        if key.endswith(_BINARY):
            found.extend((key, _unpacked(part)) for part in value.split(b","))
        else:
            found.append((key, value.decode("ascii", "replace")))
    return tuple(found)


def _unpacked(value: bytes) -> bytes:
    """Base 64 with or without its padding: both are to be taken."""
    value = value.strip()
    try:
        return base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except binascii.Error as error:
        raise Malformed("binary metadata that is not base 64") from error


def sent(metadata: Pairs) -> list[Field]:
    """Metadata as fields. Raises ValueError for what cannot travel."""
    fields = []
    for key, value in metadata:
        if _KEY.fullmatch(key) is None or key.startswith("grpc-"):
            raise ValueError(f"{key!r} cannot be a key of metadata")
        if key.endswith(_BINARY):
            raw = value.encode() if isinstance(value, str) else value
            fields.append((key.encode(), base64.b64encode(raw).rstrip(b"=")))
            continue
        text = value if isinstance(value, str) else value.decode("ascii")
        if _TEXT_VALUE.fullmatch(text) is None:
            raise ValueError(f"the value of {key!r} is not printable ASCII")
        fields.append((key.encode(), text.strip().encode()))
    return fields


def timeout_seconds(value: bytes) -> float:
    """What `grpc-timeout` says. Raises Malformed."""
    match = _TIMEOUT.fullmatch(value)
    if match is None:
        raise Malformed(f"{value[:40]!r} is not a time-out")
    return int(match[1]) * _UNIT_SECONDS[match[2].decode()]


def timeout(seconds: float) -> bytes:
    """`grpc-timeout` for so many seconds; never less than that, so that our own clock ends the call first."""
    milliseconds = int(max(0.0, seconds) * 1000) + 1
    if milliseconds < 10**8:
        return b"%dm" % milliseconds
    return b"%dS" % min(milliseconds // 1000 + 1, 10**8 - 1)


def percent_encoded(text: str) -> bytes:
    return b"".join(bytes((byte,)) if byte in _PLAIN else b"%%%02X" % byte for byte in text.encode(errors="replace"))


def percent_decoded(value: bytes) -> str:
    """Never fails: what is not well encoded is taken as it stands."""
    plain = re.sub(rb"%([0-9A-Fa-f]{2})", lambda match: bytes((int(match[1], 16),)), value)
    return plain.decode(errors="replace")


@lru_cache(maxsize=64)
def _bare_trailers(code: int) -> bytes:
    return headers.encode([(b"grpc-status", b"%d" % code)])


def trailers(code: int, message: str = "", metadata: Pairs = ()) -> bytes:
    """The header block that ends a response."""
    block = _bare_trailers(code)
    if message:
        block += headers.encode([(b"grpc-message", percent_encoded(message))])
    return block + headers.encode(sent(metadata)) if metadata else block
