"""What containers leave behind when they end: their termination message, else the end of their log."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

from nodeagent import launching
from nodeagent.runtime.interface import ContainerRuntime, LogOptions
from nodeagent.runtime.seen import SeenContainer
from steersman.api.core import Container, Pod
from steersman.api.errors import ApiError
from steersman.base import log

MAX_BYTES = 4096
MAX_LOG_BYTES = 2048
MAX_LOG_LINES = 80

_log = log.get("lastwords")


class LastWords:
    """`data_dir` None: nothing real runs, and nobody has anything to say."""

    def __init__(self, runtime: ContainerRuntime, data_dir: Path | None) -> None:
        self._runtime = runtime
        self._data_dir = data_dir

    async def read(self, pod: Pod, container: Container, ended: SeenContainer) -> str:
        if self._data_dir is None:
            return ""
        path = launching.message_file(self._data_dir, pod.metadata.uid, ended.name, ended.attempt)
        message = await asyncio.to_thread(_head, path)
        falls_back = container.termination_message_policy == "FallbackToLogsOnError"
        if message or not falls_back or ended.exit_code == 0:
            return message
        return await self._log_end(ended.id)

    async def _log_end(self, container_id: str) -> str:
        found = bytearray()
        try:
            async with aclosing(self._runtime.logs(container_id, LogOptions(tail_lines=MAX_LOG_LINES))) as pieces:
                async for piece in pieces:
                    found = (found + piece.data)[-MAX_LOG_BYTES:]
        except ApiError as error:
            _log.info("no log to quote", container=container_id, reason=error.message)
        return found.decode(errors="replace")


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode(errors="replace")
    except OSError:
        return ""
