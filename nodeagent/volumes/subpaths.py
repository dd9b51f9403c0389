"""Parts of volumes (`subPath`, `fileKeyRef`): made when missing, or read; never outside the volume.

Whoever may write to a volume may put a symbolic link where the part is to be. So no link is followed here; where there
is one, nothing is made, and the engine decides: it resolves a part within the volume and refuses one that leads out.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make(volume: Path, part: str) -> None:
    """Make the folders of `part` that are missing below `volume`, with the mode of the volume."""
    if not volume.is_dir():
        return
    handle = os.open(volume, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    mode = stat.S_IMODE(os.fstat(handle).st_mode)
    try:
        for name in PurePosixPath(part).parts:
            inner = _enter(handle, name, mode)
            if inner is None:
                return
            os.close(handle)
            handle = inner
    finally:
        os.close(handle)


def read(volume: Path, part: str, limit: int) -> bytes:
    """The beginning of a file below `volume`. OSError when it is not there, or the way leads over a link."""
    *folders, name = PurePosixPath(part).parts
    handle = os.open(volume, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = inner
        found = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=handle)
    finally:
        os.close(handle)
    with os.fdopen(found, "rb") as file:
        return file.read(limit)


def _enter(parent: int, name: str, mode: int) -> int | None:
    """None: it is there, and no folder."""
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        is_new = False
    else:
        is_new = True
    try:
        handle = os.open(name, _FOLDER, dir_fd=parent)
    except OSError:
        return None
    if is_new:
        os.fchmod(handle, mode)
    return handle
