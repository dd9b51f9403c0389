"""Container runtimes for tests: opened on a machine (a Docker engine, or a hollow one), and swept afterwards."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass, replace

from nodeagent.runtime import docker, hollow
from nodeagent.runtime.docker import naming
from nodeagent.runtime.interface import ContainerRuntime, LogOptions, Owner, Session, Stderr, Stdout
from nodeagent.runtime.seen import SeenContainer, SeenSandbox, State
from nodeagent.runtime.specs import ContainerSpec, PodRef, SandboxSpec
from steersman.api.errors import Unavailable
from steersman.api.names import Uid
from tests import freeports
from tests.dockerengine import BUSYBOX_IMAGE, Engine
from tests.eventually import eventually

WITHIN = 60.0
"""Seconds that a real engine on a busy machine may take."""

POLITE = ("/bin/sh", "-c", "trap 'exit 0' TERM; echo ready; while :; do sleep 1000 & wait $!; done")
"""Runs for ever; ends at once, with 0, when told to."""

Open = Callable[[Owner], AbstractAsyncContextManager[ContainerRuntime]]


@dataclass(frozen=True)
class World:
    """One runtime and one pod in it. `open` opens further runtimes on the same machine."""

    runtime: ContainerRuntime
    owner: Owner
    open: Open
    image: str
    pod: PodRef

    @property
    def uid(self) -> Uid:
        return self.pod.uid

    async def sandbox(self, spec: SandboxSpec | None = None) -> SeenSandbox:
        return await self.runtime.run_sandbox(spec or SandboxSpec(pod=self.pod, hostname="web"))

    def spec(self, sandbox: SeenSandbox, *command: str, name: str = "app", attempt: int = 0) -> ContainerSpec:
        return ContainerSpec(
            pod=self.pod,
            sandbox_id=sandbox.id,
            name=name,
            attempt=attempt,
            image=self.image,
            command=command or POLITE,
        )

    async def running(self, *command: str) -> SeenContainer:
        """A container in a sandbox of its own."""
        return await self.runtime.run_container(self.spec(await self.sandbox(), *command))

    async def ended(self, name: str = "app") -> SeenContainer:
        """The newest container of that name, once it has ended."""

        async def has_ended() -> SeenContainer | None:
            found = (await self.runtime.observe(self.uid)).newest(name)
            return found if found is not None and found.state is State.EXITED else None

        found = await eventually(has_ended, within=WITHIN)
        assert found is not None
        return found


@asynccontextmanager
async def docker_world(engine: Engine) -> AsyncIterator[World]:
    """Under a cluster id of its own; everything that has it as a label goes at the end."""
    owner = Owner(uuid.uuid4().hex[:12], "node-a")
    settings = docker.DockerSettings(
        url=engine.url, network=f"steersman-{owner.cluster}", network_subnet=engine.new_subnet()
    )
    try:
        async with docker.open_runtime(owner, settings) as runtime:
            await runtime.prepare()
            image = await runtime.find_image(BUSYBOX_IMAGE)
            assert image is not None
            yield World(runtime, owner, lambda other: docker.open_runtime(other, settings), image.id, new_pod())
    finally:
        engine.sweep(f"{naming.CLUSTER}={owner.cluster}")


@asynccontextmanager
async def hollow_world() -> AsyncIterator[World]:
    owner = Owner(uuid.uuid4().hex[:12], "node-a")
    async with hollow.open_engine() as engine:

        @asynccontextmanager
        async def view(other: Owner) -> AsyncIterator[ContainerRuntime]:
            yield hollow.HollowRuntime(engine, other)

        runtime = hollow.HollowRuntime(engine, owner)
        image = await runtime.pull_image(BUSYBOX_IMAGE)
        yield World(runtime, owner, view, image.id, new_pod())


def new_pod() -> PodRef:
    return PodRef(Uid(str(uuid.uuid4())), "default", "web")


def with_new_pod(world: World) -> World:
    return replace(world, pod=new_pod())


async def read_logs(runtime: ContainerRuntime, container_id: str, options: LogOptions) -> tuple[bytes, bytes]:
    """What was written to stdout and to stderr."""
    out, err = b"", b""
    async with aclosing(runtime.logs(container_id, options)) as outputs:
        async for output in outputs:
            match output:
                case Stdout(data):
                    out += data
                case Stderr(data):
                    err += data
    return out, err


async def read_all(session: Session) -> tuple[bytes, bytes]:
    """Both streams of a session, to their end."""
    out, err = b"", b""
    while (output := await session.read()) is not None:
        if isinstance(output, Stderr):
            err += output.data
        else:
            out += output.data
    return out, err


async def said(world: World, spec: ContainerSpec) -> bytes:
    """Run a container to its end; what it wrote to stdout."""
    container = await world.runtime.run_container(spec)
    await world.ended(spec.name)
    return (await read_logs(world.runtime, container.id, LogOptions()))[0]


async def until_spoken(runtime: ContainerRuntime, container_id: str) -> None:
    """Until it has written something: before that, it may not hear a signal."""

    async def has_spoken() -> bool:
        return await read_logs(runtime, container_id, LogOptions()) != (b"", b"")

    await eventually(has_spoken, within=WITHIN)


async def fetch(runtime: ContainerRuntime, sandbox_id: str, port: int) -> bytes:
    """The page that a pod serves at a port, through `connect`, as soon as it serves one."""

    async def page() -> bytes:
        try:
            reader, writer = await runtime.connect(sandbox_id, port)
        except Unavailable:
            return b""
        return await _page(reader, writer)

    return await eventually(page, within=WITHIN)


async def fetch_at(host: str, port: int) -> bytes:
    return await _page(*await asyncio.open_connection(host, port))


async def _page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    try:
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        return await reader.read()
    finally:
        writer.close()


def free_port() -> int:
    """For a container that listens on the machine, or for one that must find nobody there."""
    return freeports.take()
