"""How far the end of each pod has come, kept on disk: an agent that is killed meanwhile lets its successor go on.

A pod that was told to end keeps its time, however often its agent starts anew; a preStop hook that has run is not run
again. One that was cut short is: nobody knows how far it came.
"""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

from nodeagent import volumes
from steersman.api.names import Uid

_BEGAN = "began"


class Endings:
    """`data_dir` None: nothing real runs, and nothing outlives the agent."""

    def __init__(self, data_dir: Path | None) -> None:
        self._data_dir = data_dir

    async def began_at(self, uid: Uid) -> datetime | None:
        """When an agent first told the pod to end."""
        folder = self._folder(uid)
        return None if folder is None else await asyncio.to_thread(_time_of, folder / _BEGAN)

    async def begin(self, uid: Uid, now: datetime) -> None:
        folder = self._folder(uid)
        if folder is not None:
            await asyncio.to_thread(_note, folder / _BEGAN, now)

    async def take_back(self, uid: Uid) -> None:
        """The pod lives on: what ended it was a reason that only the last agent knew."""
        folder = self._folder(uid)
        if folder is not None:
            await asyncio.to_thread((folder / _BEGAN).unlink, missing_ok=True)

    async def has_run_hook(self, uid: Uid, container_id: str) -> bool:
        folder = self._folder(uid)
        return folder is not None and await asyncio.to_thread((folder / container_id).exists)

    async def note_hook(self, uid: Uid, container_id: str, now: datetime) -> None:
        folder = self._folder(uid)
        if folder is not None:
            await asyncio.to_thread(_note, folder / container_id, now)

    def _folder(self, uid: Uid) -> Path | None:
        """In the pod's own, so that it goes when the pod does."""
        return None if self._data_dir is None else volumes.pod_folder(self._data_dir, uid) / "ending"


def _note(path: Path, now: datetime) -> None:
    """A file is the note; its time is the moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (now.timestamp(), now.timestamp()))


def _time_of(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None
