"""A container engine in memory: containers are rows that change state, and nothing runs.

Containers start at once. Those that are meant to end do so, with exit code 0, a second later; `play` may say otherwise.
One task brings all of them to their end, however many there are.
"""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import ipaddress
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace

from nodeagent.runtime.interface import Owner
from nodeagent.runtime.seen import Image, PodNetwork, SeenContainer, SeenSandbox, State
from nodeagent.runtime.specs import ContainerSpec, PodRef, SandboxSpec
from steersman.api.names import Uid
from steersman.base.clock import Clock, SystemClock

LIFE_SECONDS = 1.0
SUBNET = ipaddress.IPv4Network("10.128.0.0/9")
KILLED = 137


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """How a container plays: when it ends after its start (None: never), and what it says."""

    seconds: float | None
    exit_code: int = 0
    oom_killed: bool = False
    log: tuple[bytes, ...] = ()


Play = Callable[[ContainerSpec], Part]


def as_meant(spec: ContainerSpec) -> Part:
    line = f"{spec.name} (attempt {spec.attempt}) is hollow: nothing runs\n".encode()
    return Part(seconds=LIFE_SECONDS if spec.ends else None, log=(line,))


@dataclass(slots=True)
class Sandbox:
    owner: Owner
    pod: PodRef
    seen: SeenSandbox


@dataclass(slots=True)
class Container:
    owner: Owner
    spec: ContainerSpec
    part: Part
    seen: SeenContainer
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Listener:
    """The pods of one owner about which something is to be told: each once, however much happened."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self._pending: dict[Uid, None] = {}
        self._news = asyncio.Event()

    def tell(self, uid: Uid) -> None:
        self._pending[uid] = None
        self._news.set()

    async def next(self) -> Uid:
        await self._news.wait()
        uid = next(iter(self._pending))
        del self._pending[uid]
        if not self._pending:
            self._news.clear()
        return uid


class HollowEngine:
    """What all hollow nodes of a process share: addresses, images, and the rows."""

    def __init__(self, clock: Clock, play: Play) -> None:
        self.clock = clock
        self.images: dict[str, Image] = {}
        self.sandboxes: dict[str, Sandbox] = {}
        self.containers: dict[str, Container] = {}
        self.network = PodNetwork("hollow", str(SUBNET), str(SUBNET[1]))
        self._pods: dict[Owner, dict[Uid, set[str]]] = {}
        self._play = play
        self._addresses = itertools.count(2)
        self._endings: list[tuple[float, str]] = []
        self._sooner = asyncio.Event()
        self._listeners: dict[Owner, set[Listener]] = {}

    def start_sandbox(self, owner: Owner, spec: SandboxSpec) -> SeenSandbox:
        sandbox_id = _id(owner, spec.pod.uid, "POD", spec.attempt)
        if sandbox_id in self.sandboxes:
            return self.sandboxes[sandbox_id].seen
        now = self.clock.now()
        ip = "" if spec.host_network else str(SUBNET[next(self._addresses) % SUBNET.num_addresses])
        seen = SeenSandbox(
            id=sandbox_id,
            attempt=spec.attempt,
            state=State.RUNNING,
            ip=ip,
            ips=(ip,) if ip else (),
            host_network=spec.host_network,
            created_at=now,
            started_at=now,
            finished_at=None,
            annotations=spec.annotations,
        )
        self.sandboxes[sandbox_id] = Sandbox(owner, spec.pod, seen)
        self._enter(owner, spec.pod.uid, sandbox_id)
        return seen

    def start_container(self, owner: Owner, spec: ContainerSpec, image_id: str) -> SeenContainer:
        container_id = _id(owner, spec.pod.uid, spec.name, spec.attempt)
        if container_id in self.containers:
            return self.containers[container_id].seen
        now = self.clock.now()
        part = self._play(spec)
        seen = SeenContainer(
            id=container_id,
            name=spec.name,
            attempt=spec.attempt,
            sandbox_id=spec.sandbox_id,
            state=State.RUNNING,
            image_id=image_id,
            created_at=now,
            started_at=now,
            finished_at=None,
            exit_code=None,
            oom_killed=False,
            error="",
            annotations=spec.annotations,
        )
        self.containers[container_id] = Container(owner, spec, part, seen)
        self._enter(owner, spec.pod.uid, container_id)
        if part.seconds is not None:
            heapq.heappush(self._endings, (self.clock.monotonic() + part.seconds, container_id))
            self._sooner.set()
        return seen

    def end(self, row_id: str, exit_code: int, *, oom_killed: bool = False) -> None:
        """A container or a sandbox; nothing happens to what has ended, or is not there."""
        now = self.clock.now()
        if row_id in self.sandboxes:
            sandbox = self.sandboxes[row_id]
            sandbox.seen = replace(sandbox.seen, state=State.EXITED, ip="", ips=(), finished_at=now)
            self._tell(sandbox.owner, sandbox.pod.uid)
            return
        container = self.containers.get(row_id)
        if container is None or container.seen.state is State.EXITED:
            return
        container.seen = replace(
            container.seen, state=State.EXITED, exit_code=exit_code, oom_killed=oom_killed, finished_at=now
        )
        container.ended.set()
        self._tell(container.owner, container.spec.pod.uid)

    def remove(self, row_id: str) -> None:
        self.end(row_id, KILLED)
        row = self.containers.pop(row_id, None) or self.sandboxes.pop(row_id, None)
        if row is None:
            return
        uid = row.spec.pod.uid if isinstance(row, Container) else row.pod.uid
        pods = self._pods[row.owner]
        pods[uid].discard(row_id)
        if not pods[uid]:
            del pods[uid]
        self._tell(row.owner, uid)

    def pods_of(self, owner: Owner) -> list[Uid]:
        return [*self._pods.get(owner, ())]

    def rows_of(self, owner: Owner, uid: Uid) -> set[str]:
        return self._pods.get(owner, {}).get(uid, set())

    @contextmanager
    def listening(self, owner: Owner) -> Iterator[Listener]:
        listener = Listener(owner)
        listeners = self._listeners.setdefault(owner, set())
        listeners.add(listener)
        try:
            yield listener
        finally:
            listeners.discard(listener)

    async def bring_to_end(self) -> None:
        """For ever: let each container end when its time has come."""
        while True:
            await self._next_ending()
            now = self.clock.monotonic()
            while self._endings and self._endings[0][0] <= now:
                _, container_id = heapq.heappop(self._endings)
                container = self.containers.get(container_id)
                if container is not None:
                    part = container.part
                    self.end(container_id, part.exit_code, oom_killed=part.oom_killed)

    async def _next_ending(self) -> None:
        """Until the earliest ending is due. A new row with an earlier one cuts the wait short."""
        self._sooner.clear()
        if not self._endings:
            await self._sooner.wait()
            return
        async with asyncio.TaskGroup() as waits:
            due = waits.create_task(self.clock.sleep(self._endings[0][0] - self.clock.monotonic()))
            sooner = waits.create_task(self._sooner.wait())
            await asyncio.wait((due, sooner), return_when=asyncio.FIRST_COMPLETED)
            due.cancel()
            sooner.cancel()

    def _enter(self, owner: Owner, uid: Uid, row_id: str) -> None:
        self._pods.setdefault(owner, {}).setdefault(uid, set()).add(row_id)
        self._tell(owner, uid)

    def _tell(self, owner: Owner, uid: Uid) -> None:
        for listener in self._listeners.get(owner, ()):
            listener.tell(uid)


@asynccontextmanager
async def open_engine(clock: Clock | None = None, play: Play = as_meant) -> AsyncIterator[HollowEngine]:
    engine = HollowEngine(clock or SystemClock(), play)
    async with asyncio.TaskGroup() as tasks:
        ending = tasks.create_task(engine.bring_to_end())
        try:
            yield engine
        finally:
            ending.cancel()


def _id(owner: Owner, uid: Uid, name: str, attempt: int) -> str:
    """The same for the same thing: that is what makes a second start an adoption."""
    text = "\0".join((owner.cluster, owner.node, uid, name, str(attempt)))
    return hashlib.sha256(text.encode()).hexdigest()
