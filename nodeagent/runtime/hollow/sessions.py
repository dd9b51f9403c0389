"""What a hollow container says: its log, and conversations in which nobody is at the other end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

from nodeagent.runtime.hollow.engine import Container
from nodeagent.runtime.interface import LogOptions, Output, Stderr, Stdout, TerminalSize
from nodeagent.runtime.seen import State

NOTHING_RUNS = b"this container is hollow: nothing was run\n"


async def logs(
    find: Callable[[str], Container], container_id: str, options: LogOptions
) -> AsyncGenerator[Output, None]:
    container = find(container_id)
    text = log_text(container, options)
    if text and options.stdout:
        yield Stdout(text)
    if options.follow and (options.limit_bytes is None or len(text) < options.limit_bytes):
        await container.ended.wait()


def log_text(container: Container, options: LogOptions) -> bytes:
    """Everything was said in the moment of the start."""
    said_at = container.seen.started_at
    lines = container.part.log
    if options.since is not None and said_at is not None and said_at < options.since:
        lines = ()
    if options.tail_lines is not None:
        lines = lines[max(0, len(lines) - options.tail_lines) :]
    if options.timestamps and said_at is not None:
        stamp = said_at.strftime("%Y-%m-%dT%H:%M:%S.%f000Z ").encode()
        lines = tuple(stamp + line for line in lines)
    return b"".join(lines)[: options.limit_bytes]


class _Deaf:
    """Takes input and does nothing with it."""

    async def write(self, data: bytes) -> None:
        return

    async def close_stdin(self) -> None:
        return

    async def resize(self, size: TerminalSize) -> None:
        return

    async def kill(self) -> bool:
        return False


class HollowExec(_Deaf):
    """Says that nothing was run, and succeeds: exec probes and hooks pass."""

    def __init__(self) -> None:
        self._outputs: list[Output] = [Stderr(NOTHING_RUNS)]

    async def read(self) -> Output | None:
        return self._outputs.pop() if self._outputs else None

    async def exit_code(self) -> int | None:
        return 0


class HollowAttach(_Deaf):
    """Silent until the container ends."""

    def __init__(self, container: Container) -> None:
        self._container = container

    async def read(self) -> Output | None:
        await self._container.ended.wait()
        return None

    async def exit_code(self) -> int | None:
        seen = self._container.seen
        return seen.exit_code if seen.state is State.EXITED else None
