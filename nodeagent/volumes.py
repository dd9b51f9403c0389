"""The seam between pods and their volumes, and the two kinds that need nothing but a folder: emptyDir and hostPath.

A pod starts once all its volumes are there; until then it waits with FailedMount and is tried again. What is prepared
survives the agent: preparing again finds it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from nodeagent.runtime.specs import MemoryVolume
from steersman.api import quantity
from steersman.api.core import EmptyDirVolumeSource, HostPathVolumeSource, Pod, Volume
from steersman.api.names import Uid


class VolumeProblem(Exception):
    """A volume cannot be had now; the text is for the user. It is tried again."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A file or folder of this machine."""

    path: Path
    read_only: bool = False


Source = Folder | MemoryVolume


@dataclass(frozen=True, slots=True)
class Prepared:
    """What stands behind each volume of a pod, by the volume's name."""

    sources: Mapping[str, Source] = field(default_factory=dict)


class Volumes(Protocol):
    async def prepare(self, pod: Pod) -> Prepared:
        """Make every volume of the pod available. Repeatable. Raises VolumeProblem."""

    async def release(self, uid: Uid) -> None:
        """Nothing of the pod runs any more: take away what was made for it. Repeatable; no pod by that uid is fine."""


def pod_folder(data_dir: Path, uid: str) -> Path:
    """Everything on disk that belongs to one pod."""
    return data_dir / "pods" / uid


class LocalVolumes:
    """emptyDir and hostPath; every other kind is refused by name."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    async def prepare(self, pod: Pod) -> Prepared:
        return await asyncio.to_thread(self._prepare, pod)

    async def release(self, uid: Uid) -> None:
        folder = pod_folder(self._data_dir, uid)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _prepare(self, pod: Pod) -> Prepared:
        folder = pod_folder(self._data_dir, pod.metadata.uid) / "volumes"
        return Prepared({volume.name: _source(volume, folder) for volume in pod.spec.volumes})


class NoVolumes:
    """For containers that do not really run: every volume is there, and there is nothing behind it."""

    async def prepare(self, pod: Pod) -> Prepared:
        return Prepared()

    async def release(self, uid: Uid) -> None:
        return


def _source(volume: Volume, folder: Path) -> Source:
    try:
        if volume.empty_dir is not None:
            return _empty_dir(volume.name, volume.empty_dir, folder)
        if volume.host_path is not None:
            return _host_path(volume.host_path)
    except OSError as error:
        raise VolumeProblem(f'MountVolume.SetUp failed for volume "{volume.name}" : {error}') from error
    except VolumeProblem as problem:
        raise VolumeProblem(f'MountVolume.SetUp failed for volume "{volume.name}" : {problem}') from problem
    raise VolumeProblem(
        f'MountVolume.SetUp failed for volume "{volume.name}" : this node has only emptyDir and hostPath volumes'
    )


def _empty_dir(name: str, source: EmptyDirVolumeSource, folder: Path) -> Source:
    if source.medium == "Memory":
        size = quantity.units(source.size_limit) if source.size_limit else 0
        return MemoryVolume(name, size)
    if source.medium:
        raise VolumeProblem(f'unknown storage medium "{source.medium}"')
    path = folder / "empty-dir" / name
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o777)  # whoever the container runs as may write; mkdir's own mode is cut by the umask
    return Folder(path)


_KINDS = {
    "Directory": (stat.S_ISDIR, "directory"),
    "File": (stat.S_ISREG, "file"),
    "Socket": (stat.S_ISSOCK, "socket"),
    "CharDevice": (stat.S_ISCHR, "character device"),
    "BlockDevice": (stat.S_ISBLK, "block device"),
}


def _host_path(source: HostPathVolumeSource) -> Folder:
    path, kind = Path(source.path), source.type or ""
    if kind == "DirectoryOrCreate":
        path.mkdir(parents=True, exist_ok=True)
        kind = "Directory"
    elif kind == "FileOrCreate":
        _touch(path)
        kind = "File"
    elif not kind:
        # Without a type nothing is checked, and the engines of old have made a missing folder.
        if not path.exists():
            path.mkdir(parents=True)
        return Folder(path)
    is_kind, word = _KINDS[kind]
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = 0
    if not is_kind(mode):
        raise VolumeProblem(f"hostPath type check failed: {path} is not a {word}")
    return Folder(path)


def _touch(path: Path) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o644))
