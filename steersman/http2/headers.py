"""Header lists: HPACK (RFC 7541) and the rules of HTTP for requests (RFC 9113, section 8).

Decoding is done by the `hpack` package. Clients send the same few lists over and over, each field as an index into the
table that both ends keep; such a block means the same until the table changes, and what it was understood to mean is
remembered until then.

We ourselves encode without a table: our lists are short, and so a list is the same bytes on every connection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import hpack
from hpack.table import HeaderTable

from steersman.http2.faults import Code, ConnectionFault, Malformed

Field = tuple[bytes, bytes]
Head = TypeVar("Head")

NO_TABLE = b"\x20"
"""Opens the first block of a connection: from now on the table has size 0, whatever the peer would grant."""
REMEMBERED_BLOCKS = 256

_ONLY_INDEXED = 0x80
_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9a-z]+")
_BAD_VALUE = re.compile(rb"[\0\r\n]|\A[ \t]|[ \t]\Z")
_OF_THE_CONNECTION = frozenset({b"connection", b"proxy-connection", b"keep-alive", b"transfer-encoding", b"upgrade"})
_REQUEST_PSEUDO = frozenset({b":method", b":scheme", b":path", b":authority"})


class Decoder(Generic[Head]):
    """Blocks of one connection, in their order. `understand` makes of a list what the rest of the program wants."""

    def __init__(self, understand: Callable[[list[Field]], Head], max_list_bytes: int) -> None:
        self._understand = understand
        self._hpack = hpack.Decoder(max_header_list_size=max_list_bytes)
        self._known: dict[bytes, Head] = {}

    def decode(self, block: bytes) -> Head:
        """Raises ConnectionFault, or Malformed if only this list is wrong."""
        known = self._known.get(block)
        if known is not None:
            return known
        head = self._understand(self.fields(block))
        if block and min(block) >= _ONLY_INDEXED:  # then every byte is one index, and the table stays as it is
            if len(self._known) >= REMEMBERED_BLOCKS:
                self._known.clear()
            self._known[block] = head
        return head

    def fields(self, block: bytes) -> list[Field]:
        """The list itself, not remembered: for trailers."""
        table = self._hpack.header_table
        before = self._state(table)
        try:
            fields = self._hpack.decode(block, raw=True)
        except hpack.OversizedHeaderListError as error:
            raise ConnectionFault(Code.ENHANCE_YOUR_CALM, "the header list is too large") from error
        except hpack.HPACKError as error:
            raise ConnectionFault(Code.COMPRESSION_ERROR, "a header block that cannot be decoded") from error
        after = self._state(table)
        if before[0] is not after[0] or before[1:] != after[1:]:
            self._known.clear()
        return [(name, value) for name, value in fields]

    @staticmethod
    def _state(table: HeaderTable) -> tuple[object, int, int]:
        """Differs after every change of the table: an entry is added at its front, and is a new object."""
        entries = table.dynamic_entries
        return (entries[0] if entries else None, len(entries), table.maxsize)


def encode(fields: Iterable[Field]) -> bytes:
    """A block of literals that neither end has to remember."""
    return b"".join(_literal(name, value) for name, value in fields)


def _literal(name: bytes, value: bytes) -> bytes:
    return b"".join((b"\x00", _length(len(name)), name, _length(len(value)), value))


def _length(number: int) -> bytes:
    """An integer with a prefix of 7 bits (RFC 7541, section 5.1)."""
    if number < 0x7F:
        return bytes((number,))
    number -= 0x7F
    groups = [0x7F]
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*groups, number))


@dataclass(frozen=True, slots=True)
class Request:
    method: bytes
    path: bytes
    fields: tuple[Field, ...]
    content_length: int | None


def request(fields: list[Field]) -> Request:
    """A request's header list, by the rules. Raises Malformed."""
    pseudo: dict[bytes, bytes] = {}
    ordinary: list[Field] = []
    for name, value in fields:
        if not name.startswith(b":"):
            _check_ordinary(name, value)
            ordinary.append((name, value))
        elif ordinary or name in pseudo or name not in _REQUEST_PSEUDO or _BAD_VALUE.search(value):
            raise Malformed(f"the field {name!r} is unknown, repeated, out of place or bad")
        else:
            pseudo[name] = value
    if not (pseudo.get(b":method") and pseudo.get(b":scheme") and pseudo.get(b":path")):
        raise Malformed("no method, scheme or path")
    return Request(pseudo[b":method"], pseudo[b":path"], tuple(ordinary), _content_length(ordinary))


def check_trailers(fields: list[Field]) -> None:
    for name, value in fields:
        _check_ordinary(name, value)


def _check_ordinary(name: bytes, value: bytes) -> None:
    if _NAME.fullmatch(name) is None or _BAD_VALUE.search(value):
        raise Malformed(f"the field {name!r} is not allowed in HTTP/2")
    if name in _OF_THE_CONNECTION or (name == b"te" and value != b"trailers"):
        raise Malformed(f"the field {name!r} belongs to a connection of HTTP/1.1")


def _content_length(fields: list[Field]) -> int | None:
    said = {value for name, value in fields if name == b"content-length"}
    if not said:
        return None
    (value, *more) = said
    if more or not value.isdigit() or len(value) > 18:
        raise Malformed("a content-length that is no length")
    return int(value)
