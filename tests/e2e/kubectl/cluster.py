"""A cluster for kubectl: API server with TLS, controller manager and three hollow nodes, as processes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.apiserverprocess import api_server_process
from tests.e2e.kubectl import programs
from tests.e2e.kubectl.shell import Shell
from tests.eventually import eventually
from tests.nodeagentprocess import node_agent_process
from tests.replicaprocess import replica_processes

NODES = 3
WITHIN = 60.0
"""Seconds for anything at all: only a broken cluster takes so long."""


PATIENT = "--node-monitor-grace-period=60s"
"""On a machine that is busy with other tests no node is to be taken for lost."""


@dataclass(frozen=True, slots=True)
class Cluster:
    folder: Path

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "api" / "admin.conf"

    def shell(self, kubectl: Path, where: Path) -> Shell:
        """One in which `kubectl` is that program, and which stands in the folder `where`."""
        return Shell.with_kubectl(kubectl, self.kubeconfig, home=self.folder / f"home-{kubectl.name}", where=where)


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Cluster]:
    """With its nodes ready, and with all that a first pod needs."""
    data_dir = folder / "api"
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        server = await enter(
            api_server_process(data_dir=data_dir, insecure=False, arguments=["--node-certificates=node"])
        )
        await enter(replica_processes(server.grpc, folder, count=1, data_dir=data_dir, arguments=[PATIENT]))
        hollow = ("--runtime=hollow", f"--nodes={NODES}", "--no-insecure", f"--cluster-dir={data_dir}")
        await enter(node_agent_process(server.grpc, folder / "node", *hollow, node="node"))
        cluster = Cluster(folder)
        await _ready(cluster)
        yield cluster


async def _ready(cluster: Cluster) -> None:
    shell = cluster.shell(programs.found()[0], cluster.folder)

    async def all_there() -> bool:
        nodes = (await shell.run("kubectl get nodes --no-headers")).stdout
        account = (await shell.run("kubectl get serviceaccount default -o name")).stdout
        assert nodes.count(" Ready ") == NODES, nodes
        assert account, "no service account yet"
        return True

    await eventually(all_there, within=WITHIN)
