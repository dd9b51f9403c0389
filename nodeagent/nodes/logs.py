"""A container's log as a stream of chunks. Lines that come in quick succession go out together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from datetime import datetime, timedelta

from nodeagent.runtime.interface import LogOptions, Output
from steersman.api import times
from steersman.api.errors import BadRequest
from steersman.pb import nodes_pb2 as pb

MAX_PENDING = 256
CHUNK_BYTES = 64 * 1024

Send = Callable[[bytes], Awaitable[None]]


def options_of(request: pb.LogsRequest, now: datetime) -> LogOptions:
    return LogOptions(
        follow=request.follow,
        tail_lines=request.tail_lines if request.HasField("tail_lines") else None,
        since=_since(request, now),
        timestamps=request.timestamps,
        limit_bytes=request.limit_bytes if request.HasField("limit_bytes") else None,
    )


def _since(request: pb.LogsRequest, now: datetime) -> datetime | None:
    if request.HasField("since_seconds"):
        return now - timedelta(seconds=request.since_seconds)
    try:
        return times.to_datetime(times.time(request.since_time)) if request.since_time else None
    except ValueError as error:
        raise BadRequest(str(error)) from error


async def stream(outputs: AsyncGenerator[Output, None], send: Send) -> None:
    """Until the log ends. Whoever reads slowly slows the engine down, not this process."""
    pending: asyncio.Queue[bytes | None] = asyncio.Queue(MAX_PENDING)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_gather(outputs, pending))
        while (chunk := await pending.get()) is not None:
            chunks, size = [chunk], len(chunk)
            is_last = False
            while size < CHUNK_BYTES and not pending.empty():
                further = pending.get_nowait()
                if further is None:
                    is_last = True
                    break
                chunks.append(further)
                size += len(further)
            await send(b"".join(chunks))
            if is_last:
                return


async def _gather(outputs: AsyncGenerator[Output, None], pending: asyncio.Queue[bytes | None]) -> None:
    async with aclosing(outputs):
        async for output in outputs:
            await pending.put(output.data)
    await pending.put(None)
