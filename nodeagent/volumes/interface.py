"""The seam between pods and their volumes.

A pod starts once all its volumes are there; until then it waits with FailedMount and is tried again. What is prepared
survives the agent: preparing again finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from nodeagent.runtime.specs import MemoryVolume
from steersman.api.core import Pod
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


class NoVolumes:
    """For containers that do not really run: every volume is there, and there is nothing behind it."""

    async def prepare(self, pod: Pod) -> Prepared:
        return Prepared()

    async def release(self, uid: Uid) -> None:
        return


def pod_folder(data_dir: Path, uid: str) -> Path:
    """Everything on disk that belongs to one pod."""
    return data_dir / "pods" / uid


def empty_dir_folder(data_dir: Path, uid: str, volume: str) -> Path:
    """What an emptyDir on disk is."""
    return pod_folder(data_dir, uid) / "volumes" / "empty-dir" / volume
