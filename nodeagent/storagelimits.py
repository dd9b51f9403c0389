"""Looks from time to time at what pods have written to their emptyDirs, and evicts those that exceed a `sizeLimit`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from nodeagent import evictions, volumes
from nodeagent.measures import Measures
from nodeagent.podmachine import Stage
from nodeagent.podworker import PodWorker
from nodeagent.recording import Recorder
from steersman.base import log
from steersman.base.clock import Clock

CHECK_SECONDS = 10.0
_BLOCK_BYTES = 512
"""What the kernel counts a file's room in, whatever the disk's own blocks are."""

_log = log.get("storagelimits")


class StorageLimits:
    def __init__(self, data_dir: Path, recorder: Recorder, measures: Measures, clock: Clock) -> None:
        self._data_dir = data_dir
        self._recorder = recorder
        self._measures = measures
        self._clock = clock

    async def run(self, workers: Callable[[], Iterable[PodWorker]]) -> None:
        """Until cancelled. `workers` gives those of all pods that are here now."""
        while True:
            await self._clock.sleep(CHECK_SECONDS)
            for worker in workers():
                await self._check(worker)

    async def _check(self, worker: PodWorker) -> None:
        pod = worker.pod
        limited = evictions.limited_volumes(pod)
        if worker.stage is not Stage.SYNC or not limited or not evictions.may_be_evicted(pod):
            return
        folders = {name: volumes.empty_dir_folder(self._data_dir, pod.metadata.uid, name) for name in limited}
        used = {name: await asyncio.to_thread(used_bytes, folder) for name, folder in folders.items()}
        complaint = evictions.overfull_volume(pod, used)
        if complaint is None:
            return
        _log.info("pod evicted", pod=pod.metadata.name, namespace=pod.metadata.namespace, reason=complaint)
        self._recorder.warning(pod, evictions.REASON, complaint)
        self._measures.evicted("emptydir")
        worker.oust(evictions.eviction(complaint, self._clock.now()))


def used_bytes(folder: Path) -> int:
    """The room that everything below `folder` takes on the disk. What vanishes meanwhile counts nothing."""
    rooms: dict[tuple[int, int], int] = {}
    waiting = [os.fspath(folder)]
    while waiting:
        for entry in _entries(waiting.pop()):
            with suppress(FileNotFoundError):
                found = entry.stat(follow_symlinks=False)
                # By inode: a file of several names takes its room once.
                rooms[found.st_dev, found.st_ino] = found.st_blocks * _BLOCK_BYTES
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return sum(rooms.values())


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [*entries]
    except (FileNotFoundError, NotADirectoryError):
        return []
