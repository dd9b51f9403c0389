"""ListReply, put together by hand.

Thousands of small message objects cost more than everything else that a list takes. On the wire a repeated field is
its elements one after the other, so the objects' bytes are joined between a few bytes of tags and lengths, and only the
rest of the reply is made the usual way.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache

from apiserver.registry.requests import FoundList
from steersman.api.kinds import Kind
from steersman.pb import objects_pb2, resources_pb2

CHUNK = 500
_LENGTH_DELIMITED, _VARINT = 2, 0


def _tag(message: type, field: str, wire_type: int) -> bytes:
    number: int = message.DESCRIPTOR.fields_by_name[field].number  # type: ignore[attr-defined]
    return _varint(number << 3 | wire_type)


@lru_cache(maxsize=4096)
def _varint(number: int) -> bytes:
    groups = []
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*groups, number))


_ITEM = _tag(resources_pb2.ListReply, "items", _LENGTH_DELIMITED)
_JSON = _tag(objects_pb2.Object, "json", _LENGTH_DELIMITED)
_REVISION = _tag(objects_pb2.Object, "revision", _VARINT)


async def encode(kind: Kind, found: FoundList) -> bytes:
    """The serialised ListReply. Lets others run now and then."""
    pieces: list[bytes] = []
    for number, item in enumerate(found.items, 1):
        if number % CHUNK == 0:
            await asyncio.sleep(0)
        json, revision = item.json, _REVISION + _varint(item.revision)
        head = _JSON + _varint(len(json))
        pieces += (_ITEM, _varint(len(head) + len(json) + len(revision)), head, json, revision)
    rest = resources_pb2.ListReply(
        revision=found.revision,
        remaining=found.remaining or 0,
        group=kind.group,
        version=kind.version,
        kind=kind.kind,
    )
    setattr(rest, "continue", found.continue_token)
    pieces.append(rest.SerializeToString())
    return b"".join(pieces)
