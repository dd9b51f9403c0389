"""Reads the figures of a node and its pods. Rates are taken over the time since the last question."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from nodeagent.nodes import summary
from nodeagent.nodes.localnodes import LocalNode
from nodeagent.nodes.summary import NodeReading, PodReading, Reading
from nodeagent.runtime.seen import DiskUse, SeenPod, State, Usage
from steersman.api.errors import ApiError
from steersman.base import log
from steersman.base.clock import Clock

AT_ONCE = 8
"""Questions to the engine at the same time."""
DISK_USE_SECONDS = 60.0
HOLLOW = "hollow"
MACHINE = ""
"""What stands among the ids for the machine itself."""

_TICK_NANOSECONDS = 10_000_000
"""Linux tells CPU time in hundredths of a second."""
_log = log.get("stats")


@dataclass(frozen=True, slots=True)
class _Figures:
    """Of two rounds of readings, by id."""

    now: Mapping[str, Usage]
    before: Mapping[str, Usage]
    written_bytes: Mapping[str, int]

    def of(self, container_id: str, started_at: datetime | None) -> Reading:
        usage = self.now[container_id]
        return Reading(
            usage=usage,
            nanocores=summary.nanocores(self.before.get(container_id), usage),
            started_at=started_at,
            written_bytes=self.written_bytes.get(container_id),
        )

    def of_pod(self, seen: SeenPod) -> PodReading | None:
        """None: nothing of it runs."""
        sandbox = next((each for each in seen.sandboxes if each.id in self.now), None)
        running = [each for each in seen.containers if each.id in self.now]
        if sandbox is None and not running:
            return None
        return PodReading(
            name=seen.pod.name,
            namespace=seen.pod.namespace,
            uid=seen.pod.uid,
            sandbox=None if sandbox is None else self.of(sandbox.id, sandbox.started_at),
            containers=[(each.name, self.of(each.id, each.started_at)) for each in running],
        )


class Statistics:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._before: dict[str, dict[str, Usage]] = {}
        self._disk: dict[str, tuple[float, DiskUse]] = {}

    async def summary(self, node: LocalNode) -> bytes:
        """Raises ApiError when the engine cannot be asked."""
        engine, disk = await node.runtime.engine(), await self._disk_use(node)
        seen = await node.runtime.list_pods()
        usages = await _usages(node, seen)
        at = self._clock.now()
        if engine.name != HOLLOW:
            usages[MACHINE] = _machine_usage(at)
        figures = _Figures(usages, self._before.get(node.name, {}), {} if disk is None else disk.writable_bytes)
        self._before[node.name] = usages
        return summary.encode(
            NodeReading(
                name=node.name,
                at=at,
                machine=figures.of(MACHINE, _boot_time(at)) if MACHINE in usages else None,
                memory_bytes=engine.memory_bytes,
                pods=[reading for each in seen if (reading := figures.of_pod(each)) is not None],
                image_bytes=None if disk is None else disk.image_bytes,
            )
        )

    async def _disk_use(self, node: LocalNode) -> DiskUse | None:
        """At most a minute old; None when the engine does not say."""
        now = self._clock.monotonic()
        known = self._disk.get(node.name)
        if known is not None and now - known[0] < DISK_USE_SECONDS:
            return known[1]
        try:
            found = await node.runtime.disk_use()
        except ApiError as error:
            _log.info("the engine does not say what its files take", node=node.name, reason=error.message)
            return None
        self._disk[node.name] = now, found
        return found


async def _usages(node: LocalNode, pods: tuple[SeenPod, ...]) -> dict[str, Usage]:
    """Of all that runs, by id; what ended in the meantime is left out."""
    ids = [each.id for pod in pods for each in pod.sandboxes if each.state is State.RUNNING]
    ids += [each.id for pod in pods for each in pod.containers if each.state is State.RUNNING]
    slots = asyncio.Semaphore(AT_ONCE)
    found: dict[str, Usage] = {}

    async def ask(container_id: str) -> None:
        async with slots:
            usage = await node.runtime.usage(container_id)
        if usage is not None:
            found[container_id] = usage

    async with asyncio.TaskGroup() as tasks:
        for each in ids:
            tasks.create_task(ask(each))
    return found


def _machine_usage(at: datetime) -> Usage:
    """What the kernel says of the whole machine."""
    total = [int(tick) for tick in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = total[3] + total[4]
    memory = {
        name: int(value.split()[0]) * 1024
        for name, _, value in (line.partition(":") for line in Path("/proc/meminfo").read_text().splitlines())
        if value
    }
    return Usage(
        at=at,
        cpu_nanoseconds=(sum(total) - idle) * _TICK_NANOSECONDS,
        memory_bytes=memory["MemTotal"] - memory["MemFree"],
        working_set_bytes=memory["MemTotal"] - memory["MemAvailable"],
    )


def _boot_time(at: datetime) -> datetime:
    return at - timedelta(seconds=float(Path("/proc/uptime").read_text().split()[0]))
