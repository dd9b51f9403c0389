"""Waiting for an object: its states one after the other, from now on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from steersman.api.errors import Expired
from steersman.api.kinds import Kind
from steersman.client.client import Client
from steersman.client.watching import Change, ChangeType

Document = dict[str, Any]


async def states(api: Client, kind: Kind, name: str, namespace: str) -> AsyncGenerator[Document | None, None]:
    """The object as it is, then after each change; None when it is not there. Never ends by itself."""
    objects = api.raw(kind)
    while True:
        found = await objects.list(namespace, field_selector=f"metadata.name={name}")
        yield msgspec.json.decode(found.items[0]) if found.items else None
        try:
            async with objects.watch(after=found.revision, namespace=namespace, name=name) as watch:
                async for event in watch:
                    if isinstance(event, Change):
                        yield None if event.type is ChangeType.DELETED else msgspec.json.decode(event.object)
        except Expired:
            continue  # too far behind to go on: look again


async def gone(api: Client, kind: Kind, name: str, namespace: str, uid: str) -> None:
    """Until that very object is not there any more; a namesake is somebody else."""
    async for state in states(api, kind, name, namespace):
        if state is None or state["metadata"].get("uid") != uid:
            return
