"""One keeper per cluster: a lock that the kernel takes back when its holder is gone, however that went."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Held(Exception):
    """Somebody else keeps this cluster."""


@contextmanager
def held(file: Path) -> Iterator[None]:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with file.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Held from error
        yield
