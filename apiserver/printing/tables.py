"""Tables: objects as rows of cells, beside each the object's metadata, or all of it, or nothing.

A Table is a form in which a front shows one object, a list, or the objects of watch events. Only its first event names
the columns. Everything but `Table.event`, which remembers that, is a function of its arguments and of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

import msgspec

from apiserver.printing import catalog
from apiserver.printing.columns import Column, Outcome, Printer
from apiserver.registry import bookmarks, versions
from apiserver.registry.requests import FoundList, Listed
from steersman.api import codec
from steersman.api.kinds import Kind

GROUP, VERSION = "meta.k8s.io", "v1"
CHUNK = 250
"""Rows that are made in one go before others may run."""

_COMPLETED = {
    Outcome.SUCCEEDED: "The pod has completed successfully.",
    Outcome.FAILED: "The pod failed.",
}


class Include(StrEnum):
    """What stands beside the cells of a row."""

    METADATA = "Metadata"
    OBJECT = "Object"
    NONE = "None"


class _OnlyMetadata(msgspec.Struct):
    metadata: msgspec.Raw


class _Version(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    annotations: dict[str, str] = {}


class _Versioned(msgspec.Struct):
    metadata: _Version


_read_metadata = msgspec.json.Decoder(_OnlyMetadata).decode
_read_version = msgspec.json.Decoder(_Versioned).decode
_encode = msgspec.json.Encoder(enc_hook=str.__str__).encode


def metadata_of(json: bytes) -> memoryview:
    """The metadata of an object as it stands there."""
    return memoryview(_read_metadata(json).metadata)


def list_metadata(found: FoundList) -> bytes:
    metadata: dict[str, object] = {"resourceVersion": str(found.revision)}
    if found.continue_token:
        metadata["continue"] = found.continue_token
        if found.remaining is not None:
            metadata["remainingItemCount"] = found.remaining
    return _encode(metadata)


class Rows:
    """How the objects of one kind become rows."""

    def __init__(self, printer: Printer, load: Callable[[bytes], Any], version: str, include: Include) -> None:
        self._printer = printer
        self._load = load
        self._include = include
        partial = f'{{"kind":"PartialObjectMetadata","apiVersion":"{GROUP}/{version}","metadata":'
        self._partial = f',"object":{partial}'.encode()

    def row(self, json: bytes, now: datetime) -> bytes:
        shown = self._load(json)
        outcome = self._printer.outcome(shown)
        conditions = b"" if outcome is None else _CONDITIONS[outcome]
        cells = _encode(self._printer.cells(shown, now))
        return b"".join((b'{"cells":', cells, conditions, *self._beside(json), b"}"))

    def arranged(self, items: Sequence[Listed]) -> Sequence[Listed]:
        order = self._printer.order
        return items if order is None else sorted(items, key=lambda item: order(self._load(item.json)))

    def _beside(self, json: bytes) -> tuple[bytes | memoryview, ...]:
        if self._include is Include.OBJECT:
            return b',"object":', json
        if self._include is Include.NONE and not _ends_initial_events(json):
            return (b',"object":null',)
        return self._partial, metadata_of(json), b"}"


def _ends_initial_events(json: bytes) -> bool:
    """Of such a bookmark the metadata is what matters, whatever else was asked for."""
    return bookmarks.INITIAL_EVENTS_END in _read_version(json).metadata.annotations


def _condition(outcome: Outcome) -> bytes:
    conditions = [{"type": "Completed", "status": "True", "reason": outcome, "message": _COMPLETED[outcome]}]
    return b',"conditions":' + _encode(conditions)


_CONDITIONS = {outcome: _condition(outcome) for outcome in Outcome}


class Table:
    """The form of one answer, or of all events of one watch."""

    def __init__(
        self,
        printer: Printer,
        load: Callable[[bytes], Any],
        now: Callable[[], datetime],
        version: str = VERSION,
        include: Include = Include.METADATA,
    ) -> None:
        """`load`: from an object's JSON to what the printer knows."""
        self._rows = Rows(printer, load, version, include)
        self._now = now
        self._at = now()
        self._name = f"table {version} {include}"
        self._is_headed = False
        self._head = f'{{"kind":"Table","apiVersion":"{GROUP}/{version}","metadata":'.encode()
        self._columns = _encode_columns(printer.columns)

    @property
    def name(self) -> str:
        """What encoded events are kept under; empty before the first, which nobody else can use: it has the columns."""
        return self._name if self._is_headed else ""

    def one(self, json: bytes) -> bytes:
        return self._single(json, self._columns, self._now())

    def event(self, json: bytes) -> bytes:
        columns = b"null" if self._is_headed else self._columns
        self._is_headed = True
        return self._single(json, columns, self._now())

    def bookmark(self, json: bytes) -> bytes:
        """A row like any other, and perhaps the first."""
        return self.event(json)

    def list_head(self, found: FoundList) -> bytes:
        self._at = self._now()
        return b"".join((self._head, list_metadata(found), b',"columnDefinitions":', self._columns, b',"rows":['))

    def item(self, json: bytes) -> bytes:
        return self._rows.row(json, self._at)

    def arranged(self, items: Sequence[Listed]) -> Sequence[Listed]:
        """In the order in which they are shown."""
        return self._rows.arranged(items)

    def pieces(self, found: FoundList) -> Iterator[bytes]:
        """A whole list, piece by piece."""
        yield self.list_head(found)
        items = self.arranged(found.items)
        for start in range(0, len(items), CHUNK):
            if start:
                yield b","
            yield b",".join([self.item(item.json) for item in items[start : start + CHUNK]])
        yield b"]}"

    def _single(self, json: bytes, columns: bytes, now: datetime) -> bytes:
        metadata = _encode({"resourceVersion": _read_version(json).metadata.resource_version})
        row = self._rows.row(json, now)
        return b"".join((self._head, metadata, b',"columnDefinitions":', columns, b',"rows":[', row, b"]}"))


def of_kind(
    kind: Kind, now: Callable[[], datetime], version: str = VERSION, include: Include = Include.METADATA
) -> Table:
    printer = catalog.printer_of(kind)
    return Table(printer, _loader(kind, printer), now, version, include)


@cache
def _loader(kind: Kind, printer: Printer) -> Callable[[bytes], Any]:
    """From an object's JSON, in the version that was asked for, to what the printer knows."""
    if printer.reads is not None:
        return msgspec.json.Decoder(printer.reads).decode

    def load(json: bytes) -> Any:
        shown = codec.load(kind.struct, json)
        return versions.to_stored(kind, shown) if kind.stored_as else shown

    return load


def _encode_columns(columns: tuple[Column, ...]) -> bytes:
    return _encode(
        [
            {
                "name": column.name,
                "type": column.type,
                "format": column.format,
                "description": column.description,
                "priority": column.priority,
            }
            for column in columns
        ]
    )
