"""A command's streams in the messages of one WebSocket, in Kubernetes' protocol v5.

A message is a byte that says which stream, then the data. The last one from the server is on ERROR: a Status that says
how the command ended.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass

import msgspec
from aiohttp import ClientWebSocketResponse, WSMsgType

from steersman.api.errors import Internal
from steersman.cli import httpfront

PROTOCOL = "v5.channel.k8s.io"
STDIN, STDOUT, STDERR, ERROR, RESIZE = range(5)
CLOSE = 255
"""The next byte names a stream that ends."""
NON_ZERO_EXIT_CODE = "NonZeroExitCode"

Take = Callable[[int, bytes], None]
"""Gets what the command says, with the stream: STDOUT or STDERR."""


@dataclass(frozen=True, slots=True)
class Ended:
    """`code` None: it did not come to an exit code, and `message` says why."""

    code: int | None
    message: str = ""


def ended(raw: bytes) -> Ended:
    """How the command ended, by the last word on ERROR."""
    status = httpfront.told(raw)
    if status is None:
        return Ended(None, raw.decode(errors="replace"))
    if status.status == "Success":
        return Ended(0)
    causes = status.details.causes if status.details is not None else ()
    codes = [cause.message for cause in causes if cause.reason == "ExitCode"]
    if status.reason == NON_ZERO_EXIT_CODE and codes and codes[0].isdecimal():
        return Ended(int(codes[0]), status.message)
    return Ended(None, status.message)


async def converse(
    socket: ClientWebSocketResponse,
    take: Take,
    stdin: AsyncGenerator[bytes, None] | None,
    sizes: AsyncGenerator[os.terminal_size, None] | None,
) -> Ended:
    """Until the command has ended. Internal if the server breaks off without a word about that."""
    async with asyncio.TaskGroup() as tasks:
        sending = []
        if sizes is not None:
            sending.append(tasks.create_task(_send_sizes(socket, sizes)))
        if stdin is not None:
            sending.append(tasks.create_task(_send_input(socket, stdin)))
        outcome = await _heard(socket, take)
        for task in sending:
            task.cancel()
    return outcome


async def _heard(socket: ClientWebSocketResponse, take: Take) -> Ended:
    outcome: Ended | None = None
    async for message in socket:
        if message.type is not WSMsgType.BINARY or not message.data:
            continue
        stream, data = message.data[0], message.data[1:]
        if stream == ERROR:
            outcome = ended(data)
        elif stream in (STDOUT, STDERR) and data:
            take(stream, data)
    if outcome is None:
        raise Internal("the connection was lost while the command ran")
    return outcome


async def _send_input(socket: ClientWebSocketResponse, stdin: AsyncGenerator[bytes, None]) -> None:
    with suppress(ConnectionError):  # whoever listens learns how it ended
        async for piece in stdin:
            await socket.send_bytes(bytes((STDIN,)) + piece)
        await socket.send_bytes(bytes((CLOSE, STDIN)))


async def _send_sizes(socket: ClientWebSocketResponse, sizes: AsyncGenerator[os.terminal_size, None]) -> None:
    with suppress(ConnectionError):
        async for size in sizes:
            told = msgspec.json.encode({"Width": size.columns, "Height": size.lines})
            await socket.send_bytes(bytes((RESIZE,)) + told)
