"""One store per data directory: the lock that a second opener meets before it has touched anything."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class DataDirInUse(Exception):
    """Another store, in this process or another, has the directory open."""


@contextmanager
def exclusive(data_dir: Path) -> Iterator[None]:
    """Hold `data_dir`, made if need be, until the block ends or the process dies, however it dies."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(data_dir / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
            raise DataDirInUse(f"data directory {data_dir} is in use by process {holder}") from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
