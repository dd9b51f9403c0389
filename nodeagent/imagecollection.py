"""Images that pods no longer need are removed when the disk fills up: the longest unused first, until there is room.

Only images that a pod of this node has once used: the engine may be shared with people who have their own. A folder
remembers them over restarts of the agent; a file in it is an image, and the file's time is when it was last used.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nodeagent.runtime.interface import ContainerRuntime
from nodeagent.runtime.seen import Image
from steersman.api.errors import ApiError, Conflict
from steersman.base import log
from steersman.base.clock import Clock

CHECK_SECONDS = 60.0
LEAST_AGE_SECONDS = 120.0
"""An image that was used so lately may be about to be used again."""

_log = log.get("imagecollection")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Percent of the disk: from `high` on images are removed, down to `low`. 100: never."""

    high: int
    low: int


@dataclass(frozen=True, slots=True)
class Disk:
    total_bytes: int
    free_bytes: int


def excess_bytes(disk: Disk, thresholds: Thresholds) -> int:
    """How much has to go; 0: the disk is not full enough for that."""
    used = disk.total_bytes - disk.free_bytes
    if thresholds.high >= 100 or used * 100 < disk.total_bytes * thresholds.high:
        return 0
    return used - disk.total_bytes * thresholds.low // 100


def choose(
    images: Sequence[Image], last_used: Mapping[str, float], in_use: Collection[str], excess: int, now: float
) -> list[Image]:
    """Which images to remove to be rid of so many bytes, the longest unused first. Times are in seconds."""
    idle = [
        image for image in images if image.id not in in_use and now - last_used.get(image.id, now) >= LEAST_AGE_SECONDS
    ]
    chosen: list[Image] = []
    for image in sorted(idle, key=lambda image: last_used[image.id]):
        if excess <= 0:
            break
        chosen.append(image)
        excess -= image.size_bytes
    return chosen


class ImageCollection:
    """`engine_dir` is where the engine keeps its images, as this process sees it."""

    def __init__(
        self, runtime: ContainerRuntime, data_dir: Path, engine_dir: Path, thresholds: Thresholds, clock: Clock
    ) -> None:
        self._runtime = runtime
        self._ledger = data_dir / "images"
        self._engine_dir = engine_dir
        self._thresholds = thresholds
        self._clock = clock

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self._collect()
            except (ApiError, OSError) as error:
                _log.warning("cannot look after images", reason=str(error))
            await self._clock.sleep(CHECK_SECONDS)

    async def _collect(self) -> None:
        seen = await self._runtime.list_pods()
        in_use = {container.image_id for pod in seen for container in pod.containers}
        now = self._clock.now().timestamp()
        last_used = await asyncio.to_thread(_note, self._ledger, in_use, now)
        excess = excess_bytes(await asyncio.to_thread(_disk, self._engine_dir), self._thresholds)
        if not excess:
            return
        chosen = choose(await self._runtime.list_images(), last_used, in_use, excess, now)
        if not chosen:
            _log.warning("the disk is full, and no image of ours can be spared", excess_bytes=excess)
        for image in chosen:
            await self._remove(image)

    async def _remove(self, image: Image) -> None:
        try:
            await self._runtime.remove_image(image.id)
        except Conflict:
            return  # somebody else on this engine uses it
        (self._ledger / _file_name(image.id)).unlink(missing_ok=True)
        _log.info("image removed", image=image.id, tags=image.tags, bytes=image.size_bytes)


def _note(ledger: Path, in_use: Collection[str], now: float) -> dict[str, float]:
    """Write down what is used now; what was used when."""
    ledger.mkdir(parents=True, exist_ok=True)
    for image_id in in_use:
        path = ledger / _file_name(image_id)
        path.touch()
        os.utime(path, (now, now))
    return {_image_id(path.name): path.stat().st_mtime for path in ledger.iterdir()}


def _disk(folder: Path) -> Disk:
    found = shutil.disk_usage(folder)
    return Disk(found.used + found.free, found.free)


def _file_name(image_id: str) -> str:
    return image_id.replace("/", "%")


def _image_id(file_name: str) -> str:
    return file_name.replace("%", "/")
