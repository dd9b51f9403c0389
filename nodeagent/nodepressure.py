"""Watches what the machine has left; when it is too little, pods are evicted one by one until it is enough again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from nodeagent import evictions, machine, pressure, storagelimits, volumes
from nodeagent.evictions import Consumption
from nodeagent.measures import Measures
from nodeagent.podmachine import Stage
from nodeagent.podworker import PodWorker
from nodeagent.pressure import Shortage, Signal, Threshold
from nodeagent.recording import Recorder
from nodeagent.runtime.interface import ContainerRuntime
from nodeagent.runtime.seen import SeenContainer, State
from steersman.api.core import Pod
from steersman.api.errors import ApiError
from steersman.base import log
from steersman.base.clock import Clock

CHECK_SECONDS = 10.0
END_SECONDS = 30.0
"""How long a pod that was evicted is waited for before the next look."""

_log = log.get("nodepressure")


class NodePressure:
    """The disk that it is about is the one that `data_dir` is on."""

    def __init__(
        self,
        thresholds: Sequence[Threshold],
        runtime: ContainerRuntime,
        data_dir: Path,
        recorder: Recorder,
        measures: Measures,
        clock: Clock,
    ) -> None:
        self._thresholds = thresholds
        self._runtime = runtime
        self._data_dir = data_dir
        self._recorder = recorder
        self._measures = measures
        self._clock = clock

    def conditions(self) -> frozenset[str]:
        """What the machine is short of now, by the types of the node's conditions."""
        return pressure.conditions(self._shortages())

    async def run(self, workers: Callable[[], Iterable[PodWorker]]) -> None:
        """Until cancelled. `workers` gives those of all pods that are here now."""
        while True:
            await self._clock.sleep(CHECK_SECONDS)
            shortages = [each for each in self._shortages() if each.signal in evictions.RESOURCES]
            if shortages:
                try:
                    await self._relieve(shortages[0], {worker.uid: worker for worker in workers()})
                except ApiError as error:
                    _log.warning("cannot tell who takes how much", error=error.reason, reason=error.message)

    def _shortages(self) -> list[Shortage]:
        return pressure.shortages(self._thresholds, machine.reserves(self._data_dir))

    async def _relieve(self, shortage: Shortage, workers: dict[str, PodWorker]) -> None:
        """Evict the one pod that is to go first, and wait until it has."""
        gone = evictions.first_to_go(shortage, await self._consumers(shortage.signal, workers))
        if gone is None:
            _log.warning("the node is short of something, and no pod can be spared", signal=shortage.signal.value)
            return
        told = evictions.message(shortage, gone)
        _log.warning("pod evicted", pod=gone.pod.metadata.name, namespace=gone.pod.metadata.namespace, reason=told)
        self._recorder.warning(gone.pod, evictions.REASON, told)
        self._measures.evicted(shortage.signal.value)
        worker = workers[gone.pod.metadata.uid]
        worker.oust(evictions.eviction(told, self._clock.now(), is_disruption=True))
        try:
            async with asyncio.timeout(END_SECONDS):
                await worker.ended.wait()
        except TimeoutError:
            _log.warning("an evicted pod has not ended yet", pod=gone.pod.metadata.name)

    async def _consumers(self, signal: Signal, workers: dict[str, PodWorker]) -> list[Consumption]:
        """Raises ApiError."""
        written = (await self._runtime.disk_use()).writable_bytes if signal is Signal.DISK else {}
        found = []
        for seen in await self._runtime.list_pods():
            worker = workers.get(seen.pod.uid)
            if worker is None or worker.stage is not Stage.SYNC:
                continue
            running = [each for each in seen.containers if each.state is State.RUNNING]
            by_name = {each.name: await self._used(signal, each, written.get(each.id, 0)) for each in running}
            volumes_use = await self._in_volumes(worker.pod) if signal is Signal.DISK else 0
            found.append(Consumption(worker.pod, sum(by_name.values()) + volumes_use, by_name))
        return found

    async def _used(self, signal: Signal, container: SeenContainer, written_bytes: int) -> int:
        if signal is Signal.DISK:
            return written_bytes
        usage = await self._runtime.usage(container.id)
        if usage is None:
            return 0
        return usage.working_set_bytes if signal is Signal.MEMORY else usage.pids

    async def _in_volumes(self, pod: Pod) -> int:
        folder = volumes.pod_folder(self._data_dir, pod.metadata.uid)
        return await asyncio.to_thread(storagelimits.used_bytes, folder)
