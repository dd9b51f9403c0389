"""Folders of pods that are gone: their agent died before it could take them away, or they went while none was there."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

from nodeagent import clusteridentity
from nodeagent.runtime.interface import ContainerRuntime
from nodeagent.volumes.interface import pod_folder
from steersman.api.core import Pod
from steersman.api.errors import ApiError
from steersman.base import log
from steersman.base.clock import Clock
from steersman.client.client import Client
from steersman.client.informer import Informer

SWEEP_SECONDS = 120.0

_log = log.get("leftovers")


class Leftovers:
    """`places` are this node's, in this cluster, and nobody else's: on disk, and perhaps in memory."""

    def __init__(
        self, api: Client, cluster: str, runtime: ContainerRuntime, places: Sequence[Path], clock: Clock
    ) -> None:
        self._api = api
        self._cluster = cluster
        self._runtime = runtime
        self._places = places
        self._clock = clock

    async def run(self, pods: Informer[Pod]) -> None:
        """Until cancelled. ClusterChanged when the list of pods is another cluster's."""
        await pods.synced.wait()
        suspects: frozenset[str] = frozenset()
        while True:
            try:
                suspects = await self._sweep(pods, suspects)
            except ApiError as error:
                _log.info("cannot look for left-over volumes", error=error.reason, reason=error.message)
            await self._clock.sleep(SWEEP_SECONDS)

    async def _sweep(self, pods: Informer[Pod], suspects: frozenset[str]) -> frozenset[str]:
        """Who is still a suspect: only one that was one the last time is taken for gone, and not one of a pod that a
        worker is just about to finish."""
        present = await asyncio.to_thread(_folders, self._places)
        running = {seen.pod.uid for seen in await self._runtime.list_pods()}
        listed = {pod.metadata.uid for pod in pods.cache.list()}
        found = orphaned(present, listed, running)
        gone = found & suspects
        if gone:
            await clusteridentity.confirm(self._api, self._cluster)
        for uid in gone:
            for place in self._places:
                await asyncio.to_thread(shutil.rmtree, pod_folder(place, uid), ignore_errors=True)
            _log.info("left-over volumes removed", uid=uid)
        return found - gone


def orphaned(present: Collection[str], listed: Collection[str], running: Collection[str]) -> frozenset[str]:
    """The uids for which there is a folder, but neither a pod in the API nor anything on the engine."""
    return frozenset(present) - frozenset(listed) - frozenset(running)


def _folders(places: Sequence[Path]) -> frozenset[str]:
    return frozenset(path.name for place in places for path in (place / "pods").glob("*"))
