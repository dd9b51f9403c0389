"""The ContainerRuntime of one hollow node."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from nodeagent.runtime import references
from nodeagent.runtime.hollow import sessions
from nodeagent.runtime.hollow.engine import KILLED, Container, HollowEngine
from nodeagent.runtime.interface import (
    Connection,
    LogOptions,
    Output,
    Owner,
    Session,
    StartFailed,
    StreamOptions,
)
from nodeagent.runtime.seen import (
    DiskUse,
    Engine,
    Image,
    PodNetwork,
    SeenContainer,
    SeenPod,
    SeenSandbox,
    State,
    Usage,
    Wake,
)
from nodeagent.runtime.specs import ContainerSpec, Credentials, PodRef, SandboxSpec
from steersman.api.errors import Conflict, NotFound, Unavailable
from steersman.api.names import Uid

CPUS = 8
MEMORY_BYTES = 32 << 30
IMAGE_BYTES = 10 << 20
CONTAINER_MEMORY_BYTES = 1 << 20


class HollowRuntime:
    def __init__(self, engine: HollowEngine, owner: Owner) -> None:
        self._engine = engine
        self._owner = owner

    async def ping(self) -> None:
        return

    async def sees_our_files(self) -> bool:
        return False

    async def engine(self) -> Engine:
        return Engine(
            name="hollow",
            version="",
            operating_system="hollow",
            os_type="linux",
            architecture={"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine()),
            kernel=os.uname().release,
            cpus=CPUS,
            memory_bytes=MEMORY_BYTES,
            data_root="",
        )

    async def prepare(self) -> PodNetwork:
        return self._engine.network

    async def find_image(self, reference: str) -> Image | None:
        if not references.is_id(reference):
            references.parse(reference)
        return next((image for image in self._engine.images.values() if reference in (image.id, *image.tags)), None)

    async def pull_image(self, reference: str, credentials: Credentials | None = None) -> Image:
        references.parse(reference)
        digest = f"sha256:{hashlib.sha256(reference.encode()).hexdigest()}"
        image = Image(id=digest, tags=(reference,), digests=(), size_bytes=IMAGE_BYTES, user="")
        self._engine.images[digest] = image
        return image

    async def list_images(self) -> tuple[Image, ...]:
        return tuple(self._engine.images.values())

    async def remove_image(self, image_id: str) -> None:
        if any(container.seen.image_id == image_id for container in self._engine.containers.values()):
            raise Conflict(f"image {image_id} is used by a container")
        self._engine.images.pop(image_id, None)

    async def run_sandbox(self, spec: SandboxSpec) -> SeenSandbox:
        return self._engine.start_sandbox(self._owner, spec)

    async def run_container(self, spec: ContainerSpec) -> SeenContainer:
        sandbox = self._engine.sandboxes.get(spec.sandbox_id)
        if sandbox is None:
            raise NotFound(f"No such container: {spec.sandbox_id}")
        if sandbox.seen.state is not State.RUNNING:
            raise StartFailed(f"cannot join network of a non running container: {spec.sandbox_id}")
        image = await self.find_image(spec.image)
        if image is None:
            raise NotFound(f"No such image: {spec.image}")
        return self._engine.start_container(self._owner, spec, image.id)

    async def stop_container(self, container_id: str, grace_seconds: float, *, signal: str = "") -> None:
        """At once, and politely: nothing runs that could take its time."""
        self._engine.end(container_id, 0)

    async def kill_container(self, container_id: str, signal: str = "KILL") -> None:
        if signal.removeprefix("SIG") == "KILL":
            self._engine.end(container_id, KILLED)

    async def remove_container(self, container_id: str) -> None:
        self._engine.remove(container_id)

    async def remove_sandbox(self, sandbox_id: str) -> None:
        self._engine.remove(sandbox_id)

    async def observe(self, uid: Uid) -> SeenPod:
        rows = self._engine.rows_of(self._owner, uid)
        sandboxes = [self._engine.sandboxes[row] for row in rows if row in self._engine.sandboxes]
        containers = [self._engine.containers[row] for row in rows if row in self._engine.containers]
        known = [sandbox.pod for sandbox in sandboxes] + [container.spec.pod for container in containers]
        return SeenPod(
            pod=known[0] if known else PodRef(uid, "", ""),
            sandboxes=tuple(sorted((row.seen for row in sandboxes), key=lambda seen: -seen.attempt)),
            containers=tuple(sorted((row.seen for row in containers), key=lambda seen: (seen.name, -seen.attempt))),
        )

    async def list_pods(self) -> tuple[SeenPod, ...]:
        return tuple([await self.observe(uid) for uid in self._engine.pods_of(self._owner)])

    async def events(self) -> AsyncGenerator[Wake, None]:
        with self._engine.listening(self._owner) as listener:
            yield Wake(None)
            while True:
                yield Wake(await listener.next())

    def logs(self, container_id: str, options: LogOptions) -> AsyncGenerator[Output, None]:
        return sessions.logs(self._container, container_id, options)

    @asynccontextmanager
    async def _exec(self, container_id: str) -> AsyncIterator[Session]:
        if self._container(container_id).seen.state is not State.RUNNING:
            raise Conflict(f"container {container_id} is not running")
        yield sessions.HollowExec()

    def exec(
        self, container_id: str, command: tuple[str, ...], options: StreamOptions
    ) -> AbstractAsyncContextManager[Session]:
        return self._exec(container_id)

    @asynccontextmanager
    async def _attach(self, container_id: str) -> AsyncIterator[Session]:
        container = self._container(container_id)
        if container.seen.state is not State.RUNNING:
            raise Conflict(f"container {container_id} is not running")
        yield sessions.HollowAttach(container)

    def attach(self, container_id: str, options: StreamOptions) -> AbstractAsyncContextManager[Session]:
        return self._attach(container_id)

    async def connect(self, sandbox_id: str, port: int) -> Connection:
        if sandbox_id not in self._engine.sandboxes:
            raise NotFound(f"No such container: {sandbox_id}")
        raise Unavailable(f"port {port} of sandbox {sandbox_id}: nothing listens in a hollow pod")

    async def usage(self, container_id: str) -> Usage | None:
        row = self._engine.containers.get(container_id) or self._engine.sandboxes.get(container_id)
        if row is None or row.seen.state is not State.RUNNING:
            return None
        return Usage(
            at=self._engine.clock.now(),
            cpu_nanoseconds=0,
            memory_bytes=CONTAINER_MEMORY_BYTES,
            working_set_bytes=CONTAINER_MEMORY_BYTES,
        )

    async def disk_use(self) -> DiskUse:
        ours = [row.seen.id for row in self._engine.containers.values() if row.owner == self._owner]
        return DiskUse(
            image_bytes=sum(image.size_bytes for image in self._engine.images.values()),
            writable_bytes=dict.fromkeys(ours, 0),
        )

    def _container(self, container_id: str) -> Container:
        container = self._engine.containers.get(container_id)
        if container is None or container.owner != self._owner:
            raise NotFound(f"No such container: {container_id}")
        return container
