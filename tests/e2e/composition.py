"""The clusters of deploy/compose*.yaml as they are, on a Docker engine of the test's choice; parts killed and cut off.

Everything but Jaeger is started: the cluster does not need it, and its image takes long to make.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from nodeagent.runtime.docker import naming
from steersman.api.coordination import Lease
from steersman.client import client
from steersman.client.client import Client
from steersman.client.transport import Credentials
from tests.dockerengine import Engine
from tests.eventually import eventually

ROOT = Path(__file__).parents[2]
IMAGES = ("base", "steersman", "etcd", "pause", "nginx")
BUILD_SECONDS = 1_200.0
COMMAND_SECONDS = 300.0
HEALTHY_SECONDS = 180.0
NODE_FOLDERS = Path("/var/lib/steersman-nodes")
ETCD = ("etcd-0", "etcd-1", "etcd-2")


@dataclass(frozen=True, slots=True)
class Layout:
    """What is in a file."""

    file: str
    project: str
    api_servers: tuple[str, ...]
    grpc: tuple[str, ...]
    nodes: tuple[str, ...]


FLEET = Layout(
    file="compose.yaml",
    project="steersman",
    api_servers=("apiserver-0", "apiserver-1"),
    grpc=("127.0.0.1:6444", "127.0.0.1:7444"),
    nodes=("node-0", "node-1", "node-2"),
)
SINGLE = Layout(
    file="compose.single.yaml",
    project="steersman-single",
    api_servers=("apiserver",),
    grpc=("127.0.0.1:6444",),
    nodes=("node",),
)


def make_images(engine: Engine) -> None:
    command = [str(ROOT / "deploy" / "airgap" / "images.sh"), *IMAGES]
    _run(command, {**os.environ, "DOCKER_HOST": engine.url}, BUILD_SECONDS)


class Composition:
    def __init__(self, engine: Engine, layout: Layout) -> None:
        self._engine = engine
        self.layout = layout
        self._environment = {
            **os.environ,
            "DOCKER_HOST": engine.url,
            "DOCKER_SOCKET": engine.url.removeprefix("unix://"),
            "COMPOSE_FILE": str(ROOT / "deploy" / layout.file),
        }

    async def up(self) -> None:
        """Started, and healthy; also what was killed."""
        services = (await self.compose("config", "--services")).split()
        await self.compose("up", "--detach", "--wait", *(each for each in services if each != "jaeger"))

    async def down(self) -> None:
        await self._command(str(ROOT / "deploy" / "down.sh"))

    async def kill_everything(self) -> None:
        """As kill -9, all of it at once; it stays dead until `up`."""
        await self.compose("kill")

    @asynccontextmanager
    async def killed(self, service: str) -> AsyncIterator[None]:
        """As kill -9; it stays dead meanwhile."""
        await self.compose("kill", service)
        yield
        await self.up()

    @asynccontextmanager
    async def cut_off(self, service: str) -> AsyncIterator[None]:
        """It runs on, and nobody reaches it nor is reached by it; then it is back, perhaps under another address."""
        container, network = (await self.compose("ps", "--quiet", service)).strip(), f"{self.layout.project}_default"
        await self._docker("network", "disconnect", network, container)
        yield
        await self._docker("network", "connect", "--alias", service, network, container)
        await eventually(self.is_healthy, within=HEALTHY_SECONDS)

    async def is_healthy(self) -> bool:
        """Everything runs, and says that it is well."""
        listed = await self.compose("ps", "--all", "--format", "json")
        states = {(each["State"], each["Health"]) for each in map(json.loads, listed.splitlines())}
        return states == {("running", "healthy")}

    async def compose(self, *arguments: str) -> str:
        return await self._command("docker", "compose", *arguments)

    async def etcd_leader(self) -> str:
        endpoints = ",".join(f"http://{name}:2379" for name in ETCD)
        command = ("exec", "--no-TTY", ETCD[0], "etcdctl", f"--endpoints={endpoints}", "endpoint", "status")
        for member in json.loads(await self.compose(*command, "--write-out=json")):
            if member["Status"]["leader"] == member["Status"]["header"]["member_id"]:
                return str(member["Endpoint"]).removeprefix("http://").removesuffix(":2379")
        raise AssertionError("etcd has no leader")

    async def etcd_follower(self) -> str:
        leader = await self.etcd_leader()
        return next(member for member in ETCD if member != leader)

    async def left(self, uid: str) -> list[str]:
        """Of the file, and of the cluster with this uid: containers, volumes, networks, and files of its pods."""
        found = ""
        for label in (f"com.docker.compose.project={self.layout.project}", f"{naming.CLUSTER}={uid}"):
            for listing in (("ps", "--all"), ("volume", "ls"), ("network", "ls")):
                found += await self._docker(*listing, "--filter", f"label={label}", "--format", "{{.Labels}}\n")
        files = await asyncio.to_thread(lambda: [str(path) for path in NODE_FOLDERS.glob(f"*/{uid}/**/*")])
        return found.split() + files

    @asynccontextmanager
    async def administrator(self, folder: Path) -> AsyncIterator[Client]:
        """A client of all API servers, with the certificate that they made."""
        await self.compose("cp", f"{self.layout.api_servers[0]}:/var/lib/steersman/pki", str(folder / "pki"))
        files = (folder / "pki" / name for name in ("ca.crt", "admin.crt", "admin.key"))
        async with client.connect(self.layout.grpc, Credentials.from_files(*files)) as api:
            yield api

    async def _docker(self, *arguments: str) -> str:
        return await asyncio.to_thread(self._engine.docker, *arguments)

    async def _command(self, *command: str) -> str:
        return await asyncio.to_thread(_run, command, self._environment, COMMAND_SECONDS)


def _run(command: Sequence[str], environment: Mapping[str, str], timeout_seconds: float) -> str:
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout_seconds, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return done.stdout


async def leading(api: Client, lease: str = "kube-controller-manager") -> str:
    """The service whose process holds the Lease; empty while nobody does."""
    found = await api.of(Lease).get(lease, "kube-system")
    return (found.spec.holder_identity or "").rpartition("_")[0]
