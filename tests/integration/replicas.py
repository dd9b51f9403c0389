"""A replica of the controller manager in this process, and small words for what it is asked to look after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from controller_manager import replica
from controller_manager.config import Settings
from steersman.api import codec
from steersman.api.core import Event, Node, Pod
from steersman.base.run import Stopping
from steersman.base.values import Address
from steersman.client.client import Client


@asynccontextmanager
async def replica_running(server: str, *controllers: str, **changes: Any) -> AsyncIterator[None]:
    """Stands for election and leads while the block is open. `changes`: of its settings."""
    settings = Settings(
        server=(server,), insecure=True, controllers=controllers, http_address=Address("127.0.0.1", 0), **changes
    )
    stopping = Stopping()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(replica.run(settings, stopping))
        try:
            yield
        finally:
            stopping.set()


async def create_node(api: Client, name: str, *, cpu: str = "4", pods: str = "110", **labels: str) -> Node:
    manifest = {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}}
    node = (await api.of(Node).create(codec.load(Node, msgspec.json.encode(manifest)))).object
    capacity = {"cpu": cpu, "memory": "8Gi", "pods": pods}
    status = codec.load(Node, msgspec.json.encode({"status": {"allocatable": capacity, "capacity": capacity}})).status
    return (await api.of(Node).update_status(msgspec.structs.replace(node, status=status))).object


async def create_pod(
    api: Client, name: str, *, cpu: str = "1", labels: dict[str, str] | None = None, **spec: Any
) -> Pod:
    container = {"name": "c", "image": "registry.example/app:1", "resources": {"requests": {"cpu": cpu}}}
    metadata = {"name": name, "namespace": "default", "labels": labels or {}}
    manifest = {"metadata": metadata, "spec": {"containers": [container], **spec}}
    return (await api.of(Pod).create(codec.load(Pod, msgspec.json.encode(manifest)))).object


async def node_of(api: Client, name: str) -> str:
    return (await api.of(Pod).get(name, "default")).spec.node_name


async def events_of(api: Client, name: str) -> dict[str, str]:
    """The messages of the Events about an object, by reason."""
    found = await api.of(Event).list("default", field_selector=f"involvedObject.name={name}")
    return {event.reason: event.message for event in found.items}
