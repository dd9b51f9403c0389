"""The ContainerRuntime over a Docker engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from nodeagent.runtime.docker import client as engine_client
from nodeagent.runtime.docker import events, namespaces, naming, oomscores, pauseimage, reading
from nodeagent.runtime.docker.client import EngineClient
from nodeagent.runtime.docker.containers import Containers
from nodeagent.runtime.docker.images import Images
from nodeagent.runtime.docker.inspections import Inspections
from nodeagent.runtime.docker.sessions import Sessions
from nodeagent.runtime.docker.settings import OUR_PAUSE_IMAGE, DockerSettings
from nodeagent.runtime.interface import (
    Connection,
    CreateFailed,
    LogOptions,
    Output,
    Owner,
    PullFailed,
    Session,
    StreamOptions,
)
from nodeagent.runtime.seen import DiskUse, Engine, Image, PodNetwork, SeenContainer, SeenPod, SeenSandbox, Usage, Wake
from nodeagent.runtime.specs import ContainerSpec, Credentials, SandboxSpec
from steersman.api.errors import ApiError, Conflict, NotFound, Timeout, Unavailable
from steersman.api.names import Uid
from steersman.base.clock import Clock, SystemClock

PING_SECONDS = 5.0
DISK_USE_SECONDS = 120.0
CONNECT_SECONDS = 10.0


class DockerRuntime:
    def __init__(self, client: EngineClient, owner: Owner, settings: DockerSettings, clock: Clock) -> None:
        self._client = client
        self._owner = owner
        self._settings = settings
        self._clock = clock
        self._inspections = Inspections(client)
        self._containers = Containers(client, owner, settings, self._inspections)
        self._images = Images(client)
        self._sessions = Sessions(client)

    async def ping(self) -> None:
        await self._client.call("GET", "/version", timeout_seconds=PING_SECONDS)

    async def engine(self) -> Engine:
        version = await self._client.call("GET", "/version")
        return reading.engine(version, await self._client.call("GET", "/info"))

    async def sees_our_files(self) -> bool:
        return await asyncio.to_thread(namespaces.is_shared_with, self._client.url)

    async def prepare(self) -> PodNetwork:
        await self._ensure_pause_image()
        if self._containers.lowest_oom_score is None:
            self._containers.lowest_oom_score = await oomscores.lowest_allowed(
                self._client, self._settings.pause_image, naming.trial_name(self._owner)
            )
        return await self._ensure_network()

    async def _ensure_pause_image(self) -> None:
        name = self._settings.pause_image
        if await self._images.find(name) is not None:
            return
        if name != OUR_PAUSE_IMAGE:
            try:
                await self._images.pull(name, None)
            except PullFailed as error:
                raise CreateFailed(f"the pause image {name} cannot be fetched: {error.message}") from error
            return
        busybox = await asyncio.to_thread(pauseimage.find_busybox)
        if busybox is None:
            raise CreateFailed(
                f"the pause image {name} is missing and cannot be made: install busybox-static, or name another image"
            )
        archive = pauseimage.archive(await asyncio.to_thread(busybox.read_bytes))
        await self._images.load(name, archive, pauseimage.ENTRYPOINT)

    async def _ensure_network(self) -> PodNetwork:
        path = f"/networks/{self._settings.network}"
        try:
            return reading.network(await self._client.call("GET", path))
        except NotFound:
            pass
        subnet = self._settings.network_subnet
        body = {
            "Name": self._settings.network,
            "Driver": "bridge",
            "CheckDuplicate": True,
            "IPAM": {"Driver": "default", "Config": [{"Subnet": subnet}] if subnet else []},
            "Labels": {naming.CLUSTER: self._owner.cluster},
        }
        try:
            await self._client.call("POST", "/networks/create", body=body)
        except Conflict:
            pass  # another agent on this engine has just made it
        except (Unavailable, Timeout):
            raise
        except ApiError as error:
            raise CreateFailed(f"the pod network {self._settings.network}: {error.message}") from error
        return reading.network(await self._client.call("GET", path))

    async def find_image(self, reference: str) -> Image | None:
        return await self._images.find(reference)

    async def pull_image(self, reference: str, credentials: Credentials | None = None) -> Image:
        return await self._images.pull(reference, credentials)

    async def list_images(self) -> tuple[Image, ...]:
        return await self._images.list()

    async def remove_image(self, image_id: str) -> None:
        await self._images.remove(image_id)

    async def run_sandbox(self, spec: SandboxSpec) -> SeenSandbox:
        return await self._containers.run_sandbox(spec)

    async def run_container(self, spec: ContainerSpec) -> SeenContainer:
        return await self._containers.run_container(spec)

    async def stop_container(self, container_id: str, grace_seconds: float, *, signal: str = "") -> None:
        await self._containers.stop(container_id, grace_seconds, signal)

    async def kill_container(self, container_id: str, signal: str = "KILL") -> None:
        await self._containers.kill(container_id, signal)

    async def remove_container(self, container_id: str) -> None:
        await self._containers.remove(container_id)

    async def remove_sandbox(self, sandbox_id: str) -> None:
        try:
            identity, _ = await self._containers.identity(sandbox_id)
        except NotFound:
            return
        await self._containers.remove(sandbox_id)
        await self._containers.remove_volumes(identity.pod.uid)

    async def observe(self, uid: Uid) -> SeenPod:
        return await self._containers.observe(uid)

    async def list_pods(self) -> tuple[SeenPod, ...]:
        return await self._containers.list_pods()

    def events(self) -> AsyncGenerator[Wake, None]:
        return events.wakes(self._client, self._owner, self._inspections, self._clock)

    def logs(self, container_id: str, options: LogOptions) -> AsyncGenerator[Output, None]:
        return self._sessions.logs(container_id, options)

    def exec(
        self, container_id: str, command: tuple[str, ...], options: StreamOptions
    ) -> AbstractAsyncContextManager[Session]:
        return self._sessions.exec(container_id, command, options)

    def attach(self, container_id: str, options: StreamOptions) -> AbstractAsyncContextManager[Session]:
        return self._sessions.attach(container_id, options)

    async def connect(self, sandbox_id: str, port: int) -> Connection:
        identity, inspected = await self._containers.identity(sandbox_id)
        pid = inspected["State"]["Pid"]
        address = reading.sandbox(identity, inspected).ip
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                if namespaces.visible(pid, inspected["Id"]):
                    with suppress(PermissionError):
                        return await _connect_inside(pid, port)
                return await asyncio.open_connection(address or "127.0.0.1", port)
        except TimeoutError as error:
            raise Timeout(f"port {port} of sandbox {sandbox_id} did not answer in {CONNECT_SECONDS:g} s") from error
        except OSError as error:
            raise Unavailable(f"port {port} of sandbox {sandbox_id}: {error}") from error

    async def usage(self, container_id: str) -> Usage | None:
        query = {"stream": "false", "one-shot": "true"}
        try:
            return reading.usage(await self._client.call("GET", f"/containers/{container_id}/stats", query))
        except (NotFound, Conflict):
            return None

    async def disk_use(self) -> DiskUse:
        query = {"type": ("container", "image")}
        answer = await self._client.call("GET", "/system/df", query, timeout_seconds=DISK_USE_SECONDS)
        return reading.disk_use(answer, self._owner)


@asynccontextmanager
async def open_runtime(
    owner: Owner, settings: DockerSettings, clock: Clock | None = None
) -> AsyncIterator[DockerRuntime]:
    """Succeeds without an engine: calls are Unavailable until there is one."""
    async with engine_client.open_client(settings.url) as client:
        yield DockerRuntime(client, owner, settings, clock or SystemClock())


async def _connect_inside(pid: int, port: int) -> Connection:
    opened = await namespaces.socket_inside(pid)
    try:
        opened.settimeout(0)
        await asyncio.get_running_loop().sock_connect(opened, ("127.0.0.1", port))
        return await asyncio.open_connection(sock=opened)
    except BaseException:
        opened.close()
        raise
