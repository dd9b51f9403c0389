"""A program at a terminal of its own, typed at and read by a test."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import termios
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from tests.eventually import eventually

WITHIN = 40.0


class Terminal:
    def __init__(self, master: int, process: asyncio.subprocess.Process) -> None:
        self._master = master
        self._process = process
        self.shown = b""

    def take(self) -> None:
        try:
            self.shown += os.read(self._master, 65536)
        except OSError:  # the program has gone
            asyncio.get_running_loop().remove_reader(self._master)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    async def shows(self, text: str) -> None:
        def there() -> bool:
            assert text.encode() in self.shown, self.shown
            return True

        await eventually(there, within=WITHIN)

    async def exit_code(self) -> int:
        async with asyncio.timeout(WITHIN):
            return await self._process.wait()


@asynccontextmanager
async def at_terminal(
    *command: str, env: Mapping[str, str], rows: int = 33, columns: int = 101
) -> AsyncIterator[Terminal]:
    """Run it; what is left of it at the end is killed."""
    master, slave = pty.openpty()
    loop = asyncio.get_running_loop()
    try:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = await asyncio.create_subprocess_exec(*command, stdin=slave, stdout=slave, stderr=slave, env=env)
        terminal = Terminal(master, process)
        loop.add_reader(master, terminal.take)
        try:
            yield terminal
        finally:
            loop.remove_reader(master)
            if process.returncode is None:
                process.kill()
                await process.wait()
    finally:
        os.close(slave)
        os.close(master)
