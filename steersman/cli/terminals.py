"""The terminal that `steer` is started from, or the file or pipe in its place."""

from __future__ import annotations

import asyncio
import os
import signal
import termios
import tty
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

PIECE_BYTES = 32 * 1024


@contextmanager
def raw(descriptor: int) -> Iterator[None]:
    """Every key goes through as it is typed, Ctrl-C too; afterwards the terminal is as it was."""
    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


async def pieces(descriptor: int) -> AsyncGenerator[bytes, None]:
    """What is typed or piped in, until its end."""
    while True:
        await _readable(descriptor)
        try:
            piece = os.read(descriptor, PIECE_BYTES)
        except OSError:  # the terminal has gone
            return
        if not piece:
            return
        yield piece


async def _readable(descriptor: int) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(descriptor, ready.set)
    except PermissionError:  # a file, or /dev/null: reading from it never waits
        return
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)


async def sizes(descriptor: int) -> AsyncGenerator[os.terminal_size, None]:
    """As it is, then after each change. Never ends by itself."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGWINCH, changed.set)
    try:
        while True:
            yield os.get_terminal_size(descriptor)
            await changed.wait()
            changed.clear()
    finally:
        loop.remove_signal_handler(signal.SIGWINCH)
