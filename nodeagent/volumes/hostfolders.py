"""Volumes that are folders of this machine: emptyDir and hostPath.

An agent in a container sees the machine's files below `root`; the engine knows them by their plain paths.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from nodeagent.runtime.specs import MemoryVolume
from nodeagent.volumes import ownership
from nodeagent.volumes.interface import Folder, Source, VolumeProblem
from steersman.api import quantity
from steersman.api.core import EmptyDirVolumeSource, HostPathVolumeSource

EMPTY_DIR_MODE = 0o777
MADE_FOLDER_MODE = 0o755
MADE_FILE_MODE = 0o644

_KINDS = {
    "Directory": (stat.S_ISDIR, "directory"),
    "File": (stat.S_ISREG, "file"),
    "Socket": (stat.S_ISSOCK, "socket file"),
    "CharDevice": (stat.S_ISCHR, "character device"),
    "BlockDevice": (stat.S_ISBLK, "block device"),
}


def empty_dir(name: str, source: EmptyDirVolumeSource, path: Path, group: int | None) -> Source:
    mode = EMPTY_DIR_MODE if source.mode is None else source.mode
    if source.medium == "Memory":
        size = quantity.units(source.size_limit) if source.size_limit else 0
        return MemoryVolume(name, size, group)
    if source.medium:
        raise VolumeProblem(f'unknown storage medium "{source.medium}"')
    if not path.exists():
        path.mkdir(parents=True)
        path.chmod(mode)  # whoever the container runs as may write; mkdir's own mode is cut by the umask
        if group is not None:
            ownership.give(path, group, ownership.READ_WRITE)
    return Folder(path)


def host_path(source: HostPathVolumeSource, root: Path) -> Folder:
    path, kind = root / source.path.lstrip("/"), source.type or ""
    if kind in ("", "DirectoryOrCreate") and not os.path.lexists(path):
        # Without a type nothing is checked, and engines make a missing folder.
        path.mkdir(mode=MADE_FOLDER_MODE, parents=True)
    elif kind == "FileOrCreate" and not os.path.lexists(path):
        os.close(os.open(path, os.O_CREAT | os.O_RDONLY, MADE_FILE_MODE))
    if kind:
        _check(path, source.path, kind.removesuffix("OrCreate"))
    return Folder(Path(source.path))


def _check(path: Path, told: str, kind: str) -> None:
    if kind not in _KINDS:
        raise VolumeProblem(f"{kind} is an invalid volume type")
    is_kind, word = _KINDS[kind]
    try:
        mode = path.stat().st_mode
    except OSError as error:
        why = f"unable to determine its type: {error.strerror or error}"
        raise VolumeProblem(f"hostPath type check failed, {told} is not a {word}, {why}") from error
    if not is_kind(mode):
        actual = next((name for name, (matches, _) in _KINDS.items() if matches(mode)), "pipe")
        raise VolumeProblem(f"hostPath type check failed: {told} is not a {word}, it's a {actual}")
