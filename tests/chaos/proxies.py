"""A wire that can be cut: TCP between a client and a server of which the test decides what still flows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum

from tests.etcdserver import EtcdMember


class Flow(StrEnum):
    BOTH_WAYS = "both ways"
    NO_ANSWERS = "no answers"
    CUT = "cut"


class Proxy:
    """TCP in front of an etcd member. What must not flow is swallowed; the connections stay open."""

    def __init__(self, member: EtcdMember) -> None:
        self._port = int(member.endpoint.rpartition(":")[2])
        self._pipes: list[asyncio.Task[None]] = []
        self.flow = Flow.BOTH_WAYS
        self.swallowed_bytes = 0
        self.endpoint = ""

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        member_reader, member_writer = await asyncio.open_connection("127.0.0.1", self._port)
        for source, sink, blocked_by in (
            (reader, member_writer, {Flow.CUT}),
            (member_reader, writer, {Flow.CUT, Flow.NO_ANSWERS}),
        ):
            self._pipes.append(asyncio.create_task(self._pipe(source, sink, blocked_by)))

    async def _pipe(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, blocked_by: set[Flow]) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while data := await source.read(65536):
                if self.flow in blocked_by:
                    self.swallowed_bytes += len(data)
                    continue
                sink.write(data)
                await sink.drain()
        sink.close()
        with contextlib.suppress(OSError):
            await sink.wait_closed()

    async def close(self) -> None:
        for pipe in self._pipes:
            pipe.cancel()
        await asyncio.gather(*self._pipes)


@asynccontextmanager
async def proxied(member: EtcdMember) -> AsyncIterator[Proxy]:
    """A proxy in front of the member; `endpoint` is where it listens."""
    proxy = Proxy(member)
    listener = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    proxy.endpoint = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        listener.close()
        await proxy.close()
