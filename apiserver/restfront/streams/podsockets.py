"""A pod's port as a socket of this process: what is written to it goes through the pod's node agent.

So that whatever speaks over sockets, an HTTP client for one, can speak to a pod that only its node can reach.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from apiserver.nodes import AgentConnection
from apiserver.restfront.streams import portforward
from steersman.api.core import Pod

CHUNK_BYTES = 32 * 1024


class PodSocket:
    """`near` is for the user; `why_not` says what went wrong, once something has."""

    def __init__(self, near: socket.socket, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.near = near
        self.why_not = ""
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        return await self._reader.read(CHUNK_BYTES)

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def fail(self, why: str) -> None:
        self.why_not = why

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


@asynccontextmanager
async def connected(agent: AgentConnection, pod: Pod, port: int) -> AsyncIterator[PodSocket]:
    near, far = socket.socketpair()
    try:
        reader, writer = await asyncio.open_connection(sock=far)
        pod_socket = PodSocket(near, reader, writer)
        async with asyncio.TaskGroup() as tasks:
            carrying = tasks.create_task(portforward.carry(pod_socket, port, agent, pod))
            try:
                yield pod_socket
            finally:
                carrying.cancel()
    finally:
        near.close()
