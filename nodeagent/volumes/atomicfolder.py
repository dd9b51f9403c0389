"""A folder whose files change all at once: readers see the old ones or the new ones, never a mixture.

Laid out as Kubernetes does it, because programs rely on it: the files are in a folder named after the time, `..data` is
a link to that folder, and each name that users see is a link through `..data`. Replacing that one link is the change.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath

from nodeagent.volumes import ownership
from nodeagent.volumes.payload import File

CURRENT = "..data"
NEXT = "..data_tmp"
FOLDER_MODE = 0o755
ROOT_MODE = 0o777


def write(folder: Path, files: Mapping[str, File], group: int | None, now: datetime) -> bool:
    """Make `files` the content; whether anything had to change. After a crash at any point, writing again mends it."""
    folder.mkdir(parents=True, exist_ok=True)
    current = _current(folder)
    if current is not None and _content(current) == {path: file.content for path, file in files.items()}:
        _show(folder, files)
        return False
    folder.chmod(ROOT_MODE)
    fresh = folder / f"..{now:%Y_%m_%d_%H_%M_%S}.{now.microsecond:06d}{os.getpid()}"
    shutil.rmtree(fresh, ignore_errors=True)
    _fill(fresh, files)
    if group is not None:
        ownership.give(fresh, group, ownership.READ)
    _point(folder, fresh.name)
    _show(folder, files)
    for past in folder.glob("..[0-9]*"):
        if past.name != fresh.name:
            shutil.rmtree(past, ignore_errors=True)
    return True


def _current(folder: Path) -> Path | None:
    try:
        return folder / (folder / CURRENT).readlink()
    except FileNotFoundError:
        return None


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _fill(folder: Path, files: Mapping[str, File]) -> None:
    folder.mkdir()
    folder.chmod(FOLDER_MODE)
    for path, file in files.items():
        target = folder / path
        for parent in reversed(PurePosixPath(path).parents[:-1]):
            (folder / parent).mkdir(exist_ok=True)
            (folder / parent).chmod(FOLDER_MODE)
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as writer:
            writer.write(file.content)
            if file.user is not None:
                os.fchown(handle, file.user, -1)
            os.fchmod(handle, file.mode)


def _point(folder: Path, name: str) -> None:
    following = folder / NEXT
    following.unlink(missing_ok=True)
    following.symlink_to(name)
    following.rename(folder / CURRENT)


def _show(folder: Path, files: Mapping[str, File]) -> None:
    """A link for each name at the top; none for what is there no longer."""
    wanted = {PurePosixPath(path).parts[0] for path in files}
    for name in wanted:
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(f"{CURRENT}/{name}")
    for link in folder.iterdir():
        if not link.name.startswith("..") and link.name not in wanted:
            link.unlink()
