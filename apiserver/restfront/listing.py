"""Lists, put together from the objects' own bytes; a long one lets others run now and then."""

from __future__ import annotations

import asyncio

from apiserver.registry.requests import FoundList
from apiserver.restfront.representation import Form

CHUNK = 250


async def encode(form: Form, found: FoundList) -> bytes:
    items, shown, pieces = form.arranged(found.items), form.item, [form.list_head(found)]
    for start in range(0, len(items), CHUNK):
        if start:
            await asyncio.sleep(0)
            pieces.append(b",")
        pieces.append(b",".join([shown(item.json) for item in items[start : start + CHUNK]]))
    pieces.append(b"]}\n")
    return b"".join(pieces)
