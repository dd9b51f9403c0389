"""A whole cluster for tests: API server, controller manager and node agents as processes, on a real engine.

Everything that the agents run is labelled with the cluster's uid, and swept at the end.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from nodeagent.runtime.docker import naming
from steersman.api import kinds
from steersman.api.core import ConfigMap, Namespace, Node, Pod, ServiceAccount
from steersman.api.errors import NotFound
from steersman.client import client
from steersman.client.client import Client
from tests.apiserverprocess import ApiServerProcess, api_server_process
from tests.dockerengine import Engine
from tests.eventually import eventually
from tests.nodeagentprocess import NodeAgentProcess, node_agent_process
from tests.replicaprocess import ReplicaProcesses, replica_processes

EXAMPLES = Path(__file__).parents[2] / "examples"
WITHIN = 90.0
"""Seconds for anything at all: only a broken cluster takes so long."""
POLITE = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"


@dataclass
class Cluster:
    api: Client
    server: ApiServerProcess
    replicas: ReplicaProcesses
    engine: Engine
    uid: str
    agents: dict[str, NodeAgentProcess] = field(default_factory=dict)

    async def apply(self, file: str) -> list[str]:
        """Create what an example describes; the names of its pods."""
        pods = []
        for text in yaml.safe_load_all((EXAMPLES / file).read_text()):
            pods += [text["metadata"]["name"]] if text["kind"] == "Pod" else []
            await self.create(text)
        return pods

    async def create(self, manifest: dict[str, Any]) -> None:
        group, _, version = manifest["apiVersion"].rpartition("/")
        kind = next(
            each for each in kinds.ALL if (each.group, each.version, each.kind) == (group, version, manifest["kind"])
        )
        if kind.namespaced:
            manifest["metadata"].setdefault("namespace", "default")
        await self.api.raw(kind).create(json.dumps(manifest).encode())

    async def pod(self, name: str) -> Pod:
        return await self.api.of(Pod).get(name, "default")

    async def pods(self, **labels: str) -> Sequence[Pod]:
        selector = ",".join(f"{key}={value}" for key, value in labels.items())
        return (await self.api.of(Pod).list("default", label_selector=selector)).items

    async def delete(self, name: str, **how: Any) -> None:
        await self.api.of(Pod).delete(name, "default", **how)

    async def gone(self, name: str) -> None:
        async def is_gone() -> bool:
            try:
                await self.pod(name)
            except NotFound:
                return True
            return False

        await eventually(is_gone, within=WITHIN)

    async def ready(self, name: str) -> Pod:
        async def is_ready() -> Pod:
            found = await self.pod(name)
            assert _is_true(found, "Ready"), f"{found.status}"
            return found

        return await eventually(is_ready, within=WITHIN)

    async def docker(self, *arguments: str) -> str:
        return await asyncio.to_thread(self.engine.docker, *arguments)

    async def run_in(self, pod: Pod, script: str, container: int = 0) -> str:
        """What a shell in the pod's container says."""
        container_id = pod.status.container_statuses[container].container_id.removeprefix("docker://")
        return await self.docker("exec", container_id, "/bin/sh", "-c", script)

    async def containers(self, *filters: str) -> list[str]:
        """The names of the cluster's containers, sandboxes included."""
        wanted = [f"--filter={each}" for each in (f"label={naming.CLUSTER}={self.uid}", *filters)]
        return sorted((await self.docker("ps", "--all", "--format", "{{.Names}}", *wanted)).split())

    async def nodes_ready(self, *names: str) -> None:
        async def all_ready() -> bool:
            found = {each.metadata.name: each for each in (await self.api.of(Node).list()).items}
            return all(name in found and _is_true(found[name], "Ready") for name in names)

        await eventually(all_ready, within=WITHIN)

    async def account_made(self) -> None:
        """Pods need a service account; a controller makes it with the namespace."""

        async def is_made() -> bool:
            try:
                await self.api.of(ServiceAccount).get("default", "default")
                await self.api.of(ConfigMap).get("kube-root-ca.crt", "default")
            except NotFound:
                return False
            return True

        await eventually(is_made, within=WITHIN)


def _is_true(found: Pod | Node, condition: str) -> bool:
    return any(each.type == condition and each.status == "True" for each in found.status.conditions)


@asynccontextmanager
async def running(
    engine: Engine, folder: Path, nodes: Sequence[str], *, agent: Sequence[str] = (), replica: Sequence[str] = ()
) -> AsyncIterator[Cluster]:
    """`agent` and `replica`: further arguments of the agents and the controller manager."""
    certificate = folder / "ca.crt"
    certificate.write_text("-----BEGIN CERTIFICATE-----\nnone, for tests\n-----END CERTIFICATE-----\n")
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(api_server_process(data_dir=folder / "api"))
        api = await stack.enter_async_context(client.connect([server.grpc]))
        uid = (await api.of(Namespace).get("kube-system")).metadata.uid
        stack.push_async_callback(_swept, engine, uid)
        arguments = [f"--root-ca-file={certificate}", *replica]
        replicas = await stack.enter_async_context(replica_processes(server.grpc, folder, count=1, arguments=arguments))
        cluster = Cluster(api, server, replicas, engine, uid)
        network = (f"--docker-network=steersman-{uid[:8]}", f"--docker-network-subnet={engine.new_subnet()}")
        for name in nodes:
            started = node_agent_process(
                server.grpc, folder / name, f"--docker-url={engine.url}", *network, *agent, node=name
            )
            cluster.agents[name] = await stack.enter_async_context(started)
        await cluster.account_made()
        await cluster.nodes_ready(*nodes)
        yield cluster


async def _swept(engine: Engine, uid: str) -> None:
    """Not at the first try while the engine still removes what a killed agent had asked it to."""

    def sweep() -> bool:
        try:
            engine.sweep(f"{naming.CLUSTER}={uid}")
            engine.docker("network", "rm", "--force", f"steersman-{uid[:8]}")
        except RuntimeError as error:
            raise AssertionError(str(error)) from error
        return True

    await eventually(lambda: asyncio.to_thread(sweep), within=WITHIN)
