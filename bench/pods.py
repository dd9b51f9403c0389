"""Pods on a real engine, beside `docker run` of the same two containers in the same run.

    make bench-pods              everything, about three minutes
    python -m bench.pods 5 10    5 starts of each sort, 10 pods on one agent

One API server and one node agent as processes of their own, on the machine's Docker engine or on a private one. The
pods are created bound, as the scheduler leaves them, with the volume that every pod has (a token, the CA, the
namespace); measured is from the answer of the API server to the arrival of Ready at a watcher. `docker run` is the
command itself: a sandbox and a container that joins its network, one after the other. Both take turns, so that whatever
else the machine does meets both.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bench import measuring
from nodeagent.runtime.docker import OUR_PAUSE_IMAGE, naming
from steersman.api.core import ConfigMap, Namespace, Node, Pod
from steersman.client import client
from steersman.client.client import Client
from steersman.client.informer import Informer
from tests import dockerengine
from tests.apiserverprocess import api_server_process
from tests.builders import make_configmap, make_pod
from tests.dockerengine import BUSYBOX_IMAGE, Engine
from tests.nodeagentprocess import NodeAgentProcess, node_agent_process

ROUNDS = 20
PODS = 50
KILLS = 10
HOLLOW_NODES = 100
IDLE_SECONDS = 30.0
SETTLE_SECONDS = 5.0
PATIENCE_SECONDS = 300.0
NODE = "bench"
Key = TypeVar("Key")

PROGRAM = ["/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One row. `limit` None: only told."""

    what: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def holds(self) -> bool:
        return self.limit is None or self.value <= self.limit

    def row(self) -> tuple[str, str, str, str]:
        limit = "" if self.limit is None else f"≤ {self.limit:g} {self.unit}"
        value = f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.3g}"
        return self.what, f"{value} {self.unit}", limit, "" if self.holds else "missed"


class Watcher:
    """When pods become Ready, and when a container of theirs has been started again."""

    def __init__(self, api: Client) -> None:
        self._informer = Informer(api.of(Pod), namespace="default")
        self._informer.on_change(lambda _old, new: self._note(new))
        self._changed = asyncio.Event()
        self._ready_at: dict[str, float] = {}
        self._restarts: dict[tuple[str, int], float] = {}

    async def run(self) -> None:
        await self._informer.run()

    async def synced(self) -> None:
        await self._informer.synced.wait()

    def _note(self, pod: Pod | None) -> None:
        if pod is None:
            return
        name, now = pod.metadata.name, time.perf_counter()
        if any(each.type == "Ready" and each.status == "True" for each in pod.status.conditions):
            self._ready_at.setdefault(name, now)
            for status in pod.status.container_statuses:
                self._restarts.setdefault((name, status.restart_count), now)
        self._changed.set()

    async def ready(self, name: str) -> float:
        return await self._arrival(self._ready_at, name)

    async def restarted(self, name: str, count: int) -> float:
        return await self._arrival(self._restarts, (name, count))

    async def _arrival(self, arrivals: dict[Key, float], key: Key) -> float:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while key not in arrivals:
                self._changed.clear()
                await self._changed.wait()
        return arrivals[key]


@dataclass(frozen=True, slots=True)
class Bench:
    api: Client
    agent: NodeAgentProcess
    engine: Engine
    watcher: Watcher
    cluster: str

    async def create(self, name: str) -> float:
        """When the API server had it."""
        containers = [{"name": "main", "image": BUSYBOX_IMAGE, "command": PROGRAM}]
        spec = {"containers": containers, "terminationGracePeriodSeconds": 1}
        await self.api.raw(Pod).create(make_pod(name, node=NODE, spec=spec))
        return time.perf_counter()

    async def delete(self, name: str) -> None:
        await self.api.of(Pod).delete(name, "default", grace_period_seconds=0)

    async def start_of_pod(self, name: str) -> float:
        began = await self.create(name)
        took = await self.watcher.ready(name) - began
        await self.delete(name)
        return took

    async def start_by_docker(self, name: str) -> float:
        run = ("run", "--detach", "--label", f"{naming.CLUSTER}={self.cluster}")
        began = time.perf_counter()
        network = f"--network={_network(self.cluster)}"
        await asyncio.to_thread(self.engine.docker, *run, f"--name={name}-pause", network, OUR_PAUSE_IMAGE)
        joined = f"--network=container:{name}-pause"
        await asyncio.to_thread(self.engine.docker, *run, f"--name={name}", joined, BUSYBOX_IMAGE, *PROGRAM)
        took = time.perf_counter() - began
        await asyncio.to_thread(self.engine.docker, "rm", "--force", name, f"{name}-pause")
        return took


async def main(rounds: int, pods: int) -> int:
    figures: list[Figure] = []
    with _engine() as engine, tempfile.TemporaryDirectory() as folder:
        async with _running(engine, Path(folder)) as bench:
            figures += await _starts(bench, rounds)
            figures += await _crowd(bench, pods)
            figures += [await _kills(bench, pods)]
        figures += [await _hollow(Path(folder))]
    print(measuring.table(("what", "measured", "must be", ""), [figure.row() for figure in figures]))
    return 0 if all(figure.holds for figure in figures) else 1


async def _starts(bench: Bench, rounds: int) -> list[Figure]:
    ours, theirs = [], []
    await bench.start_of_pod("warm-up")
    await bench.start_by_docker("warm-up")
    for number in range(rounds):
        theirs.append(await bench.start_by_docker(f"plain-{number}"))
        ours.append(await bench.start_of_pod(f"pod-{number}"))
    pod, plain = statistics.median(ours), statistics.median(theirs)
    return [
        Figure("docker run of two containers, median", plain * 1e3, "ms"),
        Figure("pod: bound to Ready, median", pod * 1e3, "ms"),
        Figure("pod beside docker run", pod / plain, "×", 1.5),
    ]


async def _crowd(bench: Bench, pods: int) -> list[Figure]:
    began, cpu = time.perf_counter(), _cpu_seconds(bench.agent.pid)
    for number in range(pods):
        await bench.create(f"crowd-{number}")
    for number in range(pods):
        await bench.watcher.ready(f"crowd-{number}")
    took = time.perf_counter() - began
    spent = _cpu_seconds(bench.agent.pid) - cpu
    await asyncio.sleep(SETTLE_SECONDS)
    idle_began, idle_cpu = time.perf_counter(), _cpu_seconds(bench.agent.pid)
    await asyncio.sleep(IDLE_SECONDS)
    share = (_cpu_seconds(bench.agent.pid) - idle_cpu) / (time.perf_counter() - idle_began)
    return [
        Figure(f"{pods} pods at once: all Ready after", took, "s"),
        Figure("of that, the agent's CPU per pod", spent / pods * 1e3, "ms"),
        Figure(f"agent's memory with {pods} pods", _resident_mb(bench.agent.pid), "MB", 90.0),
        Figure(f"agent's CPU, idle with {pods} pods", share * 100, "%", 2.0),
    ]


async def _kills(bench: Bench, pods: int) -> Figure:
    """From the return of `docker kill` to the arrival of the container's next life; another pod each time, because the
    second restart of one waits ten seconds."""
    times = []
    for number in range(min(KILLS, pods)):
        name = f"crowd-{number}"
        pod = await bench.api.of(Pod).get(name, "default")
        victim = pod.status.container_statuses[0].container_id.removeprefix("docker://")
        await asyncio.to_thread(bench.engine.docker, "kill", victim)
        began = time.perf_counter()
        times.append(await bench.watcher.restarted(name, 1) - began)
    return Figure("docker kill to Ready again, median", statistics.median(times) * 1e3, "ms", 500.0)


async def _hollow(folder: Path) -> Figure:
    """Many nodes in one process that only plays them."""
    async with (
        api_server_process(data_dir=folder / "hollow-api", arguments=["--log-level=warning"]) as server,
        client.connect([server.grpc]) as api,
        node_agent_process(
            server.grpc, folder / "hollow", "--runtime=hollow", f"--nodes={HOLLOW_NODES}", node="hollow"
        ) as agent,
    ):
        await _nodes_ready(api, HOLLOW_NODES)
        await asyncio.sleep(SETTLE_SECONDS)
        return Figure(f"memory of {HOLLOW_NODES} hollow nodes", _resident_mb(agent.pid), "MB", 120.0)


async def _nodes_ready(api: Client, count: int) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            nodes = (await api.of(Node).list()).items
            ready = [each for node in nodes for each in node.status.conditions if each.type == "Ready"]
            if sum(each.status == "True" for each in ready) >= count:
                return
            await asyncio.sleep(0.1)


@contextmanager
def _engine() -> Iterator[Engine]:
    engine = Engine(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))
    try:
        answers = engine.answers()
    except FileNotFoundError:
        raise SystemExit("docker is not installed") from None
    if not answers:
        with dockerengine.private_engine() as private:
            yield private
        return
    engine.load_images()
    yield engine


@asynccontextmanager
async def _running(engine: Engine, folder: Path) -> AsyncIterator[Bench]:
    async with (
        api_server_process(data_dir=folder / "api", arguments=["--log-level=warning"]) as server,
        client.connect([server.grpc]) as api,
    ):
        cluster = (await api.of(Namespace).get("kube-system")).metadata.uid
        await api.raw(ConfigMap).create(make_configmap("kube-root-ca.crt", data={"ca.crt": "for every pod"}))
        arguments = (
            f"--docker-url={engine.url}",
            f"--docker-network={_network(cluster)}",
            f"--docker-network-subnet={engine.new_subnet()}",
            "--heartbeat-interval=3s",
        )
        watcher = Watcher(api)
        try:
            async with (
                node_agent_process(server.grpc, folder / "node", *arguments, node=NODE) as agent,
                asyncio.TaskGroup() as tasks,
            ):
                watching = tasks.create_task(watcher.run())
                await watcher.synced()
                await _nodes_ready(api, 1)
                yield Bench(api, agent, engine, watcher, cluster)
                watching.cancel()
        finally:
            await asyncio.to_thread(_sweep, engine, cluster)


def _sweep(engine: Engine, cluster: str) -> None:
    engine.sweep(f"{naming.CLUSTER}={cluster}")
    subprocess.run(
        ["docker", "--host", engine.url, "network", "rm", _network(cluster)],
        check=False,
        capture_output=True,
        timeout=dockerengine.COMMAND_SECONDS,
    )


def _network(cluster: str) -> str:
    return f"steersman-{cluster[:8]}"


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(asyncio.run(main(*(given + [ROUNDS, PODS][len(given) :]))))
