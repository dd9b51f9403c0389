"""Giving a volume to a group (`fsGroup`): what is in it belongs to the group, and what is made in it will.

Never through a symbolic link: whoever may write to a volume must not choose what on this machine changes its owner.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

READ_WRITE = 0o660
READ = 0o440
_ENTER = 0o110


def give(folder: Path, group: int, rights: int) -> None:
    """The folder and everything below it."""
    for _, folders, files, here in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            _give_one(name, here, group, rights)
    _give_one(str(folder), None, group, rights)


def is_given(folder: Path, group: int, rights: int) -> bool:
    """Whether the folder itself is as `give` leaves it: whoever asked for a change on mismatch is content then."""
    found = folder.stat()
    wanted = rights | _ENTER | stat.S_ISGID
    return found.st_gid == group and found.st_mode & wanted == wanted


def _give_one(name: str, parent: int | None, group: int, rights: int) -> None:
    os.chown(name, -1, group, dir_fd=parent, follow_symlinks=False)
    mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode):
        rights |= _ENTER | stat.S_ISGID
    elif not stat.S_ISREG(mode):
        return
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    try:
        os.fchmod(handle, stat.S_IMODE(mode) | rights)
    finally:
        os.close(handle)
