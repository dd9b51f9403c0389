"""The cluster of deploy/compose.yaml as it is, on a Docker engine of the test's choice.

Everything but Jaeger is started: the cluster does not need it, and its image takes long to make.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from nodeagent.runtime.docker import naming
from steersman.api.coordination import Lease
from steersman.client import client
from steersman.client.client import Client
from steersman.client.transport import Credentials
from tests.dockerengine import Engine

ROOT = Path(__file__).parents[2]
IMAGES = ("base", "steersman", "etcd", "pause", "busybox")
GRPC = ("127.0.0.1:6444", "127.0.0.1:7444")
BUILD_SECONDS = 1_200.0
COMMAND_SECONDS = 300.0
NODE_FOLDERS = Path("/var/lib/steersman-nodes")
ETCD = ("etcd-0", "etcd-1", "etcd-2")


class Composition:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._environment = {
            **os.environ,
            "DOCKER_HOST": engine.url,
            "DOCKER_SOCKET": engine.url.removeprefix("unix://"),
            "COMPOSE_FILE": str(ROOT / "deploy" / "compose.yaml"),
        }

    async def make_images(self) -> None:
        await self._run([str(ROOT / "deploy" / "airgap" / "images.sh"), *IMAGES], BUILD_SECONDS)

    async def up(self) -> None:
        """Started, and healthy where a health check is defined; also what was killed."""
        services = (await self.compose("config", "--services")).split()
        await self.compose("up", "--detach", "--wait", *(each for each in services if each != "jaeger"))

    async def down(self) -> None:
        await self._run([str(ROOT / "deploy" / "down.sh")], COMMAND_SECONDS)

    async def kill(self, *services: str) -> None:
        """As kill -9; they stay dead until `up`."""
        await self.compose("kill", *services)

    async def compose(self, *arguments: str) -> str:
        return await self._run(["docker", "compose", *arguments], COMMAND_SECONDS)

    async def etcd_leader(self) -> str:
        endpoints = ",".join(f"http://{name}:2379" for name in ETCD)
        command = ("exec", "--no-TTY", ETCD[0], "etcdctl", f"--endpoints={endpoints}", "endpoint", "status")
        for member in json.loads(await self.compose(*command, "--write-out=json")):
            if member["Status"]["leader"] == member["Status"]["header"]["member_id"]:
                return str(member["Endpoint"]).removeprefix("http://").removesuffix(":2379")
        raise AssertionError("etcd has no leader")

    async def left(self, uid: str) -> list[str]:
        """Of the file, and of the cluster with this uid: containers, volumes, networks, and files of its pods."""
        found = ""
        for label in ("com.docker.compose.project=steersman", f"{naming.CLUSTER}={uid}"):
            for listing in (("ps", "--all"), ("volume", "ls"), ("network", "ls")):
                found += await asyncio.to_thread(
                    self._engine.docker, *listing, "--filter", f"label={label}", "--format", "{{.Labels}}\n"
                )
        files = await asyncio.to_thread(lambda: [str(path) for path in NODE_FOLDERS.glob(f"*/{uid}/**/*")])
        return found.split() + files

    @asynccontextmanager
    async def administrator(self, folder: Path) -> AsyncIterator[Client]:
        """A client of both API servers, with the certificate that they made."""
        await self.compose("cp", "apiserver-0:/var/lib/steersman/pki", str(folder / "pki"))
        files = (folder / "pki" / name for name in ("ca.crt", "admin.crt", "admin.key"))
        async with client.connect(GRPC, Credentials.from_files(*files)) as api:
            yield api

    async def _run(self, command: Sequence[str], timeout_seconds: float) -> str:
        done = await asyncio.to_thread(
            subprocess.run,
            command,
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=timeout_seconds,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")
        return done.stdout


async def leading(api: Client, lease: str = "kube-controller-manager") -> str:
    """The service whose process holds the Lease; empty while nobody does."""
    found = await api.of(Lease).get(lease, "kube-system")
    return (found.spec.holder_identity or "").rpartition("_")[0]
