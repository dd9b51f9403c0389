"""Nodes that run nothing: test equipment for whatever needs a cluster with machines in it.

    python -m tests.hollownodes --server 127.0.0.1:6444 --nodes 50

One process plays all of them. It registers the nodes, keeps their Leases renewed, says of every pod bound to one of
them that it runs and is ready, and lets go of pods that are being deleted. It prints `ready` once the nodes are there.
For tests, `hollow_nodes_process` is the same as a process that ends with the block, and `HollowNodes.run` runs inside
the test's own.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from steersman.api import codec, times
from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.core import (
    ContainerState,
    ContainerStateRunning,
    ContainerStatus,
    HostIP,
    Node,
    NodeCondition,
    NodeStatus,
    Pod,
    PodCondition,
    PodIP,
    PodStatus,
)
from steersman.api.errors import AlreadyExists, ApiError, NotFound
from steersman.api.meta import ObjectMeta
from steersman.api.part import Time
from steersman.base import log, run
from steersman.base.clock import Clock, SystemClock
from steersman.base.run import Stopping
from steersman.client import client
from steersman.client.cache import Cache, ObjectKey
from steersman.client.client import Client
from steersman.client.informer import Informer
from steersman.client.writing import Writes
from steersman.control import loop
from steersman.control.barrier import Barrier
from steersman.control.loop import DONE, Loop, Outcome
from steersman.control.workqueue import WorkQueue
from steersman.control.writes import Tracked

BEAT_SECONDS = 3.0
BEATS_OF_ONE_ROUND = 30
"""A round of heartbeats is spread over so many moments."""
LEASE_SECONDS = 40
LEASES = "kube-node-lease"
WORKERS = 64
BY_ADDRESS = "address"
READY_SECONDS = 30.0
CAPACITY = {"cpu": "32", "memory": "128Gi", "pods": "110", "ephemeral-storage": "100Gi"}

_HEALTHY = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID"),
    ("Ready", "True", "KubeletReady"),
)
_POD_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")

_log = log.get("hollownodes")


# --- What a hollow node and its pods say of themselves


def node_status(now: Time) -> NodeStatus:
    described = {
        "capacity": CAPACITY,
        "allocatable": CAPACITY,
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "nodeInfo": {"containerRuntimeVersion": "hollow://", "kubeletVersion": "v1.36.0", "operatingSystem": "linux"},
    }
    conditions = tuple(
        NodeCondition(type=type, status=status, reason=reason, last_heartbeat_time=now, last_transition_time=now)
        for type, status, reason in _HEALTHY
    )
    return replace(codec.load(Node, msgspec.json.encode({"status": described})).status, conditions=conditions)


def make_node(name: str, zone: str, now: Time) -> Node:
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
    if zone:
        labels["topology.kubernetes.io/zone"] = zone
    return Node(metadata=ObjectMeta(name=name, labels=labels), status=node_status(now))


def running_status(pod: Pod, address: str, now: Time) -> PodStatus:
    """All containers run and are ready."""
    state = ContainerState(running=ContainerStateRunning(started_at=now))
    containers = tuple(
        ContainerStatus(name=each.name, state=state, ready=True, started=True, image=each.image, image_id=each.image)
        for each in pod.spec.containers
    )
    held = {each.type: each for each in pod.status.conditions}
    conditions = tuple(
        held[type]
        if type in held and held[type].status == "True"
        else PodCondition(type=type, status="True", last_transition_time=now)
        for type in _POD_CONDITIONS
    )
    others = tuple(each for type, each in held.items() if type not in _POD_CONDITIONS)
    return replace(
        pod.status,
        phase="Running",
        conditions=conditions + others,
        container_statuses=containers,
        host_ip="127.0.0.1",
        host_ips=(HostIP(ip="127.0.0.1"),),
        pod_ip=address,
        pod_ips=(PodIP(ip=address),),
        start_time=pod.status.start_time or now,
    )


def is_ready(value: Node | Pod) -> bool:
    return any(each.type == "Ready" and each.status == "True" for each in value.status.conditions)


def addresses() -> Iterator[str]:
    """10.0.0.1 and so on: ends of networks are left out."""
    for number in itertools.count(1):
        if number % 256 not in (0, 255):
            yield f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


# --- Keeping it said


class _Nodes:
    """A node that is missing, or that somebody has called not ready, is put right."""

    name = "hollow-nodes"

    def __init__(self, nodes: Tracked[Node], cache: Cache[Node], names: Sequence[str], zones: int, clock: Clock):
        self._nodes = nodes
        self._cache = cache
        self._zones = {name: f"zone-{number % zones}" if zones else "" for number, name in enumerate(names)}
        self._clock = clock

    async def reconcile(self, key: ObjectKey) -> Outcome:
        if key.name not in self._zones:
            return DONE
        node, now = self._cache.get(key), times.from_datetime(self._clock.now())
        if node is None:
            with contextlib.suppress(AlreadyExists):
                await self._nodes.create(make_node(key.name, self._zones[key.name], now))
        elif not is_ready(node):
            await self._nodes.update_status(replace(node, status=node_status(now)))
        return DONE


class _Pods:
    """A pod bound to one of our nodes runs at once, and ends as soon as it should."""

    name = "hollow-pods"

    def __init__(self, pods: Tracked[Pod], cache: Cache[Pod], names: Sequence[str], clock: Clock) -> None:
        self._pods = pods
        self._cache = cache
        self._names = frozenset(names)
        self._clock = clock
        self._addresses = addresses()

    async def reconcile(self, key: ObjectKey) -> Outcome:
        pod = self._cache.get(key)
        if pod is None or pod.spec.node_name not in self._names:
            return DONE
        with contextlib.suppress(NotFound):
            if pod.metadata.deletion_timestamp is not None:
                await self._pods.delete(key.name, key.namespace, uid=pod.metadata.uid, grace_period_seconds=0)
            elif not is_ready(pod) and pod.status.phase not in ("Succeeded", "Failed"):
                address = pod.status.pod_ip or self._free_address()
                status = running_status(pod, address, times.from_datetime(self._clock.now()))
                await self._pods.update_status(replace(pod, status=status))
        return DONE

    def _free_address(self) -> str:
        """One that no pod has, also none that an earlier process of ours gave an address."""
        return next(each for each in self._addresses if not self._cache.by_index(BY_ADDRESS, each))


class HollowNodes:
    """The nodes `names`, spread over `zones` zones if there are any."""

    def __init__(self, api: Client, names: Sequence[str], *, zones: int = 0, clock: Clock | None = None) -> None:
        self._api = api
        self._names = tuple(names)
        self._zones = zones
        self._clock = clock or SystemClock()
        self.registered = asyncio.Event()
        """Set once every node is there and has given a sign of life."""

    async def run(self) -> None:
        """Play them until cancelled."""
        # Only what is bound concerns a node; that the others are not sent halves the work.
        pods = Informer(
            self._api.of(Pod),
            field_selector="spec.nodeName!=",
            indexes={BY_ADDRESS: lambda pod: (pod.status.pod_ip,)},
        )
        nodes = Informer(self._api.of(Node))
        async with self._api.batch() as batch, asyncio.TaskGroup() as tasks:
            for informer in (pods, nodes):
                tasks.create_task(informer.run())
                await informer.synced.wait()
            for each in (self._pod_loop(pods, batch.of(Pod)), self._node_loop(nodes, batch.of(Node))):
                tasks.create_task(each.run())
            first_beats = asyncio.Event()
            tasks.create_task(self._beat(batch.of(Lease), first_beats))
            tasks.create_task(self._tell_when_registered(nodes, first_beats))

    def _pod_loop(self, informer: Informer[Pod], writes: Writes[Pod]) -> Loop:
        queue: WorkQueue[ObjectKey] = WorkQueue(self._clock)
        loop.wake(queue, informer)
        player = _Pods(Tracked(self._api.of(Pod), over=writes), informer.cache, self._names, self._clock)
        return Loop(player, queue, Barrier({Pod: informer}), workers=WORKERS)

    def _node_loop(self, informer: Informer[Node], writes: Writes[Node]) -> Loop:
        queue: WorkQueue[ObjectKey] = WorkQueue(self._clock)
        loop.wake(queue, informer)
        for name in self._names:
            queue.add(ObjectKey("", name))
        tracked = Tracked(self._api.of(Node), over=writes)
        player = _Nodes(tracked, informer.cache, self._names, self._zones, self._clock)
        return Loop(player, queue, Barrier({Node: informer}), workers=WORKERS)

    async def _tell_when_registered(self, nodes: Informer[Node], first_beats: asyncio.Event) -> None:
        missing, known = set(self._names), asyncio.Event()

        def on_change(_: Node | None, new: Node | None) -> None:
            if new is not None:
                missing.discard(new.metadata.name)
            if not missing:
                known.set()

        nodes.on_change(on_change)
        await known.wait()
        await first_beats.wait()
        self.registered.set()

    async def _beat(self, leases: Writes[Lease], first_beats: asyncio.Event) -> None:
        """All nodes at once, and from then on each once a round, spread over the round."""
        await self._renew_all(leases, self._names)
        first_beats.set()
        began = self._clock.monotonic()
        for moment in itertools.count():
            await self._renew_all(leases, self._names[moment % BEATS_OF_ONE_ROUND :: BEATS_OF_ONE_ROUND])
            next_at = began + (moment + 1) * BEAT_SECONDS / BEATS_OF_ONE_ROUND
            await self._clock.sleep(next_at - self._clock.monotonic())

    async def _renew_all(self, leases: Writes[Lease], names: Sequence[str]) -> None:
        async with asyncio.TaskGroup() as tasks:
            for name in names:
                tasks.create_task(self._renew(leases, name))

    async def _renew(self, leases: Writes[Lease], name: str) -> None:
        now = times.micro_from_datetime(self._clock.now())
        try:
            try:
                await leases.patch(name, LEASES, msgspec.json.encode({"spec": {"renewTime": str(now)}}))
            except NotFound:
                spec = LeaseSpec(holder_identity=name, lease_duration_seconds=LEASE_SECONDS, renew_time=now)
                await leases.create(Lease(metadata=ObjectMeta(name=name, namespace=LEASES), spec=spec))
        except ApiError as error:
            _log.warning("no heartbeat", node=name, error=error.reason, reason=error.message)


# --- As a process


def names_of(count: int, first: int = 0) -> list[str]:
    return [f"node-{number}" for number in range(first, first + count)]


@asynccontextmanager
async def hollow_nodes_process(
    server: str, count: int, *, first: int = 0, zones: int = 0, log_file: Path | None = None
) -> AsyncIterator[int]:
    """A process that plays `count` nodes, already registered; gives its pid. It is killed at the end."""
    arguments = [f"--server={server}", f"--nodes={count}", f"--first={first}", f"--zones={zones}"]
    with contextlib.ExitStack() as files:
        errors = files.enter_context(log_file.open("ab")) if log_file else asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.hollownodes", *arguments, stdout=asyncio.subprocess.PIPE, stderr=errors
        )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            said = await process.stdout.readline()
        if said != b"ready\n":
            raise RuntimeError(f"the hollow nodes have ended: {said!r}")
        yield process.pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        await process.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(prog="hollownodes", description="Nodes that run nothing.")
    parser.add_argument("--server", required=True, help="host:port of the API servers' gRPC, separated by commas")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number in the first node's name")
    parser.add_argument("--zones", type=int, default=0, help="spread the nodes over so many zones")
    options = parser.parse_args()
    log.configure(log.Level.WARNING)

    async def play(stopping: Stopping) -> None:
        async with client.connect(options.server.split(",")) as api, asyncio.TaskGroup() as tasks:
            nodes = HollowNodes(api, names_of(options.nodes, options.first), zones=options.zones)
            playing = tasks.create_task(nodes.run())
            await nodes.registered.wait()
            print("ready", flush=True)
            await stopping.wait()
            playing.cancel()

    return run.run(play)


if __name__ == "__main__":
    sys.exit(main())
