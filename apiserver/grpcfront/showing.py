"""Objects in the form of a Table, for clients that show them to people."""

from __future__ import annotations

import asyncio

from apiserver.printing import tables
from apiserver.printing.tables import Table
from apiserver.registry.requests import Found, FoundList
from steersman.api.errors import BadRequest
from steersman.api.kinds import Kind
from steersman.base.clock import SystemClock
from steersman.pb import objects_pb2, resources_pb2

_CLOCK = SystemClock()


def table_of(kind: Kind, form: resources_pb2.Form) -> Table | None:
    """None where objects are wanted as they are."""
    if form == resources_pb2.OBJECT:
        return None
    if form != resources_pb2.TABLE:
        raise BadRequest(f"unknown form {form}")
    return tables.of_kind(kind, _CLOCK.now)


def envelope(json: bytes, revision: int) -> objects_pb2.Object:
    return objects_pb2.Object(json=json, group=tables.GROUP, version=tables.VERSION, kind="Table", revision=revision)


def one(table: Table, found: Found) -> objects_pb2.Object:
    return envelope(table.one(found.json), found.revision)


async def whole(table: Table, found: FoundList) -> resources_pb2.ListReply:
    """The list as one Table. Lets others run now and then."""
    pieces = []
    for piece in table.pieces(found):
        pieces.append(piece)
        await asyncio.sleep(0)
    reply = resources_pb2.ListReply(
        items=[objects_pb2.Object(json=b"".join(pieces), revision=found.revision)],
        revision=found.revision,
        remaining=found.remaining or 0,
        group=tables.GROUP,
        version=tables.VERSION,
        kind="Table",
    )
    setattr(reply, "continue", found.continue_token)
    return reply
