"""Exec, attach and port-forward: what the API server says goes in, what the process says comes out.

The input is read by a task of its own, which waits while the process does not take it; so does gRPC then, and so do
those before it. After the last word the caller is listened to until it hangs up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from nodeagent.runtime.interface import Connection, Output, Session, Stderr, StreamOptions, TerminalSize
from steersman.api.errors import ApiError, Conflict
from steersman.pb import nodes_pb2 as pb

CHUNK_BYTES = 32 * 1024
HANG_UP_SECONDS = 10.0
"""How long a caller may take to hang up after the last word."""
MAX_SIDE = 65_535
"""Of a terminal, in characters."""

ReadInput = Callable[[], Awaitable[pb.SessionInput | None]]
SendOutput = Callable[[pb.SessionOutput], Awaitable[None]]
ReadPort = Callable[[], Awaitable[pb.PortInput | None]]
SendPort = Callable[[pb.PortOutput], Awaitable[None]]


def options_of(start: pb.SessionStart) -> StreamOptions:
    """With a terminal there is no second stream of output."""
    return StreamOptions(stdin=start.stdin, stdout=start.stdout, stderr=start.stderr and not start.tty, tty=start.tty)


def without_closing(read: ReadInput) -> ReadInput:
    """The same, but that a client which has said everything leaves stdin open for the next one."""

    async def read_on() -> pb.SessionInput | None:
        while (message := await read()) is not None and message.WhichOneof("part") == "close_stdin":
            continue
        return message

    return read_on


async def converse(session: Session, read: ReadInput, send: SendOutput, *, tells_exit_code: bool) -> None:
    """Until the process has said everything; then how it ended, if that is to be told."""
    async with asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(_pass_input_on(read, session))
        try:
            while (output := await session.read()) is not None:
                await send(_message(output))
            code = await session.exit_code() if tells_exit_code else None
            if code is not None:
                await send(pb.SessionOutput(exit_code=code))
        except ApiError as error:
            await send(pb.SessionOutput(error=error.message))
        await send(pb.SessionOutput(ended=True))
        await _hung_up(listening)


async def _hung_up(listening: asyncio.Task[None]) -> None:
    await asyncio.wait((listening,), timeout=HANG_UP_SECONDS)
    listening.cancel()


def _message(output: Output) -> pb.SessionOutput:
    return pb.SessionOutput(stderr=output.data) if isinstance(output, Stderr) else pb.SessionOutput(stdout=output.data)


async def _pass_input_on(read: ReadInput, session: Session) -> None:
    is_deaf = False
    while (message := await read()) is not None:
        match message.WhichOneof("part"):
            case "stdin" if not is_deaf:
                try:
                    await session.write(message.stdin)
                except Conflict:
                    is_deaf = True  # what comes is dropped, but the terminal may still be resized
            case "close_stdin":
                await session.close_stdin()
            case "resize":
                await session.resize(TerminalSize(_side(message.resize.width), _side(message.resize.height)))


def _side(characters: int) -> int:
    return min(max(characters, 0), MAX_SIDE)


async def forward(connection: Connection, read: ReadPort, send: SendPort) -> None:
    """Until the pod closes its side."""
    reader, writer = connection
    try:
        async with asyncio.TaskGroup() as tasks:
            sending = tasks.create_task(_pass_bytes_on(read, writer))
            while data := await _read(reader):
                await send(pb.PortOutput(data=data))
            await send(pb.PortOutput(ended=True))
            await _hung_up(sending)
    finally:
        writer.close()


async def _read(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(CHUNK_BYTES)
    except OSError:  # the pod broke the connection off: that is its end
        return b""


async def _pass_bytes_on(read: ReadPort, writer: asyncio.StreamWriter) -> None:
    try:
        while (message := await read()) is not None:
            if message.WhichOneof("part") == "data":
                writer.write(message.data)
                await writer.drain()
            elif writer.can_write_eof():
                writer.write_eof()
    except OSError:
        while await read() is not None:  # the pod no longer listens
            continue
