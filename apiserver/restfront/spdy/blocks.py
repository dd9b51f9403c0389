"""Lists of headers on the wire: counted names and values, compressed over the life of a connection.

Each end has one of both: what was sent before makes what is sent next shorter, so no block may be left out.
"""

from __future__ import annotations

import struct
import zlib

from apiserver.restfront.spdy.dictionary import DICTIONARY
from apiserver.restfront.spdy.faults import Malformed

MAX_BLOCK_BYTES = 64 * 1024
"""Of one list, decompressed."""
MAX_HEADERS = 256

Headers = tuple[tuple[str, str], ...]
_COUNT = struct.Struct(">I")


class Compressor:
    def __init__(self) -> None:
        self._zlib = zlib.compressobj(zdict=DICTIONARY)

    def encode(self, headers: Headers) -> bytes:
        """Names are sent in lower case, as the protocol wants them."""
        parts = [_COUNT.pack(len(headers))]
        for name, value in headers:
            for text in (name.lower(), value):
                raw = text.encode()
                parts += (_COUNT.pack(len(raw)), raw)
        return self._zlib.compress(b"".join(parts)) + self._zlib.flush(zlib.Z_SYNC_FLUSH)


class Decompressor:
    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zdict=DICTIONARY)

    def decode(self, block: bytes) -> Headers:
        """Raises Malformed."""
        try:
            plain = self._zlib.decompress(block, MAX_BLOCK_BYTES)
        except zlib.error as error:
            raise Malformed(f"headers that cannot be decompressed: {error}") from error
        if self._zlib.unconsumed_tail:
            raise Malformed(f"headers of more than {MAX_BLOCK_BYTES} bytes")
        return _headers(plain)


def _headers(plain: bytes) -> Headers:
    if len(plain) < _COUNT.size:
        raise Malformed("headers without their number")
    count, at = _COUNT.unpack_from(plain)[0], _COUNT.size
    if count > MAX_HEADERS:
        raise Malformed(f"more than {MAX_HEADERS} headers")
    found = []
    for _ in range(count):
        name, at = _text(plain, at)
        value, at = _text(plain, at)
        found.append((name, value))
    if at != len(plain):
        raise Malformed("something behind the last header")
    return tuple(found)


def _text(plain: bytes, at: int) -> tuple[str, int]:
    begin = at + _COUNT.size
    if begin > len(plain):
        raise Malformed("a header that is cut off")
    end = begin + _COUNT.unpack_from(plain, at)[0]
    if end > len(plain):
        raise Malformed("a header that is cut off")
    try:
        return plain[begin:end].decode(), end
    except UnicodeDecodeError as error:
        raise Malformed("a header that is no text") from error
