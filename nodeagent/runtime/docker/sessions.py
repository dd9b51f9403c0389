"""Talking to processes in containers: logs, exec, attach."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial

from nodeagent.runtime.docker import frames, processes, reading
from nodeagent.runtime.docker.client import EngineClient, Upgraded
from nodeagent.runtime.interface import LogOptions, Output, Session, Stderr, Stdout, StreamOptions, TerminalSize
from steersman.api.errors import BadRequest, Conflict, Internal, NotFound

EXIT_CODE_ATTEMPTS = 200
EXIT_CODE_POLL_SECONDS = 0.05
COULD_NOT_RUN = 126
NEVER_DETACH = ",".join(["ctrl-_"] * 16)  # Docker always has such keys, and its default takes ctrl-p away from shells

ExitCode = Callable[[], Awaitable[int | None]]
Kill = Callable[[], Awaitable[bool]]


async def _not_ours_to_kill() -> bool:
    return False


class DockerSession:
    """A Session over an upgraded connection."""

    def __init__(
        self,
        connection: Upgraded,
        resize_path: str,
        exit_code: ExitCode,
        client: EngineClient,
        kill: Kill = _not_ours_to_kill,
    ) -> None:
        self._kill = kill
        self._writer = connection.writer
        self._outputs = frames.outputs(connection.reader, multiplexed=connection.multiplexed)
        self._resize_path = resize_path
        self._exit_code = exit_code
        self._client = client

    async def read(self) -> Output | None:
        try:
            return await anext(self._outputs, None)
        except OSError:  # the engine went away: there will be no more
            return None

    async def write(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise Conflict("the process no longer reads its input") from error

    async def close_stdin(self) -> None:
        with suppress(OSError):
            self._writer.write_eof()

    async def resize(self, size: TerminalSize) -> None:
        with suppress(NotFound, Conflict, BadRequest, Internal):
            await self._client.call("POST", self._resize_path, {"w": str(size.width), "h": str(size.height)})

    async def kill(self) -> bool:
        return await self._kill()

    async def exit_code(self) -> int | None:
        return await self._exit_code()


class StillbornSession:
    """Of a program that could not be run: the engine's words on stderr, then the end."""

    def __init__(self, message: str) -> None:
        self._outputs: list[Output] = [Stderr(message.encode() + b"\n")]

    async def read(self) -> Output | None:
        return self._outputs.pop() if self._outputs else None

    async def write(self, data: bytes) -> None:
        raise Conflict("the process has ended")

    async def close_stdin(self) -> None:
        return

    async def resize(self, size: TerminalSize) -> None:
        return

    async def kill(self) -> bool:
        return True

    async def exit_code(self) -> int | None:
        return COULD_NOT_RUN


class Sessions:
    def __init__(self, client: EngineClient) -> None:
        self._client = client

    async def logs(self, container_id: str, options: LogOptions) -> AsyncGenerator[Output, None]:
        query = log_query(options)
        left = options.limit_bytes
        async with self._client.stream("GET", f"/containers/{container_id}/logs", query) as response:
            multiplexed = "multiplexed" in response.headers.get("Content-Type", "")
            async with aclosing(frames.outputs(response.content, multiplexed=multiplexed)) as outputs:
                async for output in outputs:
                    if left is None:
                        yield output
                        continue
                    if left <= 0:
                        return
                    yield _cut(output, left)
                    left -= len(output.data)

    @asynccontextmanager
    async def exec(self, container_id: str, command: tuple[str, ...], options: StreamOptions) -> AsyncIterator[Session]:
        body = {
            "AttachStdin": options.stdin,
            "AttachStdout": options.stdout,
            "AttachStderr": options.stderr and not options.tty,
            "Tty": options.tty,
            "Cmd": list(command),
            "DetachKeys": NEVER_DETACH,
        }
        made = await self._client.call("POST", f"/containers/{container_id}/exec", body=body)
        path = f"/exec/{made['Id']}"
        try:
            connection = await self._client.upgrade(f"{path}/start", body={"Detach": False, "Tty": options.tty})
        except (BadRequest, Internal) as error:
            yield StillbornSession(error.message)
            return
        try:
            exit_code, kill = partial(self._exec_code, path), partial(self._kill_exec, path)
            yield DockerSession(connection, f"{path}/resize", exit_code, self._client, kill)
        finally:
            connection.writer.close()

    @asynccontextmanager
    async def attach(self, container_id: str, options: StreamOptions) -> AsyncIterator[Session]:
        path = f"/containers/{container_id}"
        if not (await self._client.call("GET", f"{path}/json"))["State"]["Running"]:
            raise Conflict(f"container {container_id} is not running")
        query = {
            "stream": "1",
            "stdin": _flag(on=options.stdin),
            "stdout": _flag(on=options.stdout),
            "stderr": _flag(on=options.stderr),
            "detachKeys": NEVER_DETACH,
        }
        connection = await self._client.upgrade(f"{path}/attach", query)
        try:
            yield DockerSession(connection, f"{path}/resize", lambda: self._container_code(path), self._client)
        finally:
            connection.writer.close()

    async def _exec_code(self, path: str) -> int | None:
        """The output may end a moment before Docker has noted how the process ended."""
        for _ in range(EXIT_CODE_ATTEMPTS):
            answer = await self._client.call("GET", f"{path}/json")
            if not answer["Running"] and answer["ExitCode"] is not None:
                code: int = answer["ExitCode"]
                return code
            await asyncio.sleep(EXIT_CODE_POLL_SECONDS)
        return None

    async def _kill_exec(self, path: str) -> bool:
        """Docker itself has no call for it. It answers before it has started the process: that is waited for, or the
        process would begin after it was thought dead."""
        for _ in range(EXIT_CODE_ATTEMPTS):
            answer = await self._client.call("GET", f"{path}/json")
            if answer["Running"] and answer["Pid"]:
                return await asyncio.to_thread(processes.kill, answer["Pid"], answer["ContainerID"])
            if answer["ExitCode"] is not None:
                return True
            await asyncio.sleep(EXIT_CODE_POLL_SECONDS)
        return False

    async def _container_code(self, path: str) -> int | None:
        for _ in range(EXIT_CODE_ATTEMPTS):
            try:
                answer = await self._client.call("GET", f"{path}/json")
            except NotFound:
                return None
            if not answer["State"]["Running"]:
                code: int = answer["State"]["ExitCode"]
                return code
            await asyncio.sleep(EXIT_CODE_POLL_SECONDS)
        return None


def log_query(options: LogOptions) -> dict[str, str]:
    query = {
        "stdout": _flag(on=options.stdout),
        "stderr": _flag(on=options.stderr),
        "follow": _flag(on=options.follow),
        "timestamps": _flag(on=options.timestamps),
        "tail": "all" if options.tail_lines is None else str(options.tail_lines),
    }
    if options.since is not None:
        query["since"] = reading.unix_time(options.since)
    return query


def _cut(output: Output, limit: int) -> Output:
    if len(output.data) <= limit:
        return output
    return Stderr(output.data[:limit]) if isinstance(output, Stderr) else Stdout(output.data[:limit])


def _flag(*, on: bool) -> str:
    return "1" if on else "0"
