"""The scheduler end to end: pods bound by a real controller manager over a real API server, each in its own process.

The embedded store, no node agents. All pods wait when the scheduler starts; counted is from the first binding to the
last. CPU time tells what a busy machine's clock does not: what each process spends on one pod.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bench import processes
from steersman.api import codec, quantity
from steersman.api.core import Node, Pod
from steersman.client import client
from steersman.client.client import Client

ALLOCATABLE = {"cpu": "64", "memory": "256Gi", "pods": "200"}
REQUESTS = {"cpu": "100m", "memory": "128Mi"}
LOOK_SECONDS = 0.05
WITHIN_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Bound:
    """What it took to bind `pods` pods."""

    pods: int
    seconds: float
    apiserver_cpu: float
    scheduler_cpu: float
    overfilled: int
    """Nodes that hold more than their capacity."""

    @property
    def per_second(self) -> float:
        return self.pods / self.seconds


async def measure(nodes: int, pods: int) -> Bound:
    with tempfile.TemporaryDirectory() as folder:
        async with (
            processes.api_server("scheduling", Path(folder), "--insecure") as server,
            client.connect([server.grpc]) as api,
        ):
            await _fill(api, nodes, pods)
            port = processes.free_port()
            command = [sys.executable, "-m", "controller_manager", "--insecure", "--server", server.grpc]
            command += ["--controllers", "scheduler", "--http-address", f"127.0.0.1:{port}", "--log-level", "warning"]
            async with processes.running(*command, ready_port=port) as scheduler:
                before = cpu_seconds(server.pid), cpu_seconds(scheduler)
                seconds = await _all_bound(api, pods)
                spent = cpu_seconds(server.pid) - before[0], cpu_seconds(scheduler) - before[1]
            return Bound(pods, seconds, *spent, overfilled=await _overfilled(api))


async def _fill(api: Client, nodes: int, pods: int) -> None:
    async with api.batch() as batch:

        async def create_node(number: int) -> None:
            metadata = {"name": f"node-{number}", "labels": {"topology.kubernetes.io/zone": f"zone-{number % 3}"}}
            status = {"allocatable": ALLOCATABLE, "capacity": ALLOCATABLE}
            manifest = {"metadata": metadata, "status": status}
            node = codec.load(Node, msgspec.json.encode(manifest))
            await batch.create(node)
            await batch.update_status(node)

        async def create_pod(number: int) -> None:
            container = {"name": "c", "image": "registry.example/app:1", "resources": {"requests": REQUESTS}}
            metadata = {"name": f"web-{number}", "namespace": "default", "labels": {"app": "web"}}
            manifest = {"metadata": metadata, "spec": {"containers": [container]}}
            await batch.create(codec.load(Pod, msgspec.json.encode(manifest)))

        await _each(nodes, create_node)
        await _each(pods, create_pod)


async def _each(count: int, work: Any) -> None:
    remaining = iter(range(count))

    async def worker() -> None:
        for number in remaining:
            await work(number)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(32):
            tasks.create_task(worker())


async def _all_bound(api: Client, pods: int) -> float:
    """Seconds from the first binding to the last."""
    first: float | None = None
    async with asyncio.timeout(WITHIN_SECONDS):
        while True:
            waiting = await _waiting(api)
            if first is None and waiting < pods:
                first = time.perf_counter()
            if not waiting:
                return time.perf_counter() - (first or 0.0)
            await asyncio.sleep(LOOK_SECONDS)


async def _waiting(api: Client) -> int:
    found = await api.raw(Pod).list("default", field_selector="spec.nodeName=", limit=1)
    return len(found.items) + (found.remaining or 0)


async def _overfilled(api: Client) -> int:
    """Judged by what the API server has, not by what the scheduler thinks."""
    asked: dict[str, Counter[str]] = {}
    for pod in (await api.of(Pod).list()).items:
        taken = asked.setdefault(pod.spec.node_name, Counter())
        taken["pods"] += 1
        for container in pod.spec.containers:
            for name, amount in container.resources.requests.items():
                taken[name] += quantity.milli(amount)
    limits = {name: quantity.milli(amount) for name, amount in ALLOCATABLE.items() if name != "pods"}
    limits["pods"] = int(ALLOCATABLE["pods"])
    return sum(any(taken[name] > limit for name, limit in limits.items()) for taken in asked.values())


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def row(nodes: int, bound: Bound) -> Sequence[str]:
    def per_pod(seconds: float) -> str:
        return f"{seconds / bound.pods * 1e3:.2f}"

    figures = [f"{bound.per_second:,.0f}", per_pod(bound.apiserver_cpu), per_pod(bound.scheduler_cpu)]
    return [f"{nodes:,}", f"{bound.pods:,}", *figures, str(bound.overfilled)]
