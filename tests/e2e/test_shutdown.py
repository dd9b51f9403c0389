"""An agent that is asked to stop: its pods run on; or, where the machine goes down, they end in good order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodeagent.runtime.docker import naming
from tests.dockerengine import Engine
from tests.e2e import cluster as clusters
from tests.e2e.cluster import POLITE, WITHIN, Cluster
from tests.eventually import eventually

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(300)]


def manifest(name: str, folder: Path, **spec: Any) -> dict[str, Any]:
    script = POLITE.replace("exit 0", f"touch /told/{name}; exit 0")
    container = {
        "name": "main",
        "image": "busybox:1.36",
        "command": ["/bin/sh", "-c", script],
        "volumeMounts": [{"name": "told", "mountPath": "/told"}],
    }
    volumes = [{"name": "told", "hostPath": {"path": str(folder), "type": "Directory"}}]
    fields = {"nodeName": "node-a", "containers": [container], "volumes": volumes, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": fields}


async def _running(cluster: Cluster) -> int:
    return len(await cluster.containers(f"label={naming.CONTAINER}=main", "status=running"))


async def test_pods_outlive_an_agent_that_stops(docker_engine: Engine, tmp_path: Path) -> None:
    async with clusters.running(docker_engine, tmp_path, ["node-a"]) as cluster:
        await cluster.create(manifest("stays", tmp_path))
        await cluster.ready("stays")
        assert await cluster.agents["node-a"].terminate() == 0
        assert await _running(cluster) == 1


async def test_pods_end_with_their_machine_critical_ones_last(docker_engine: Engine, tmp_path: Path) -> None:
    grace = ["--shutdown-grace-period=20s", "--shutdown-grace-period-critical-pods=10s"]
    async with clusters.running(docker_engine, tmp_path, ["node-a"], agent=grace) as cluster:
        critical = manifest("critical", tmp_path, priorityClassName="system-node-critical")
        await cluster.create({**critical, "metadata": {"name": "critical", "namespace": "kube-system"}})
        await cluster.create(manifest("ordinary", tmp_path))
        await cluster.ready("ordinary")

        async def both_run() -> bool:
            return await _running(cluster) == 2

        await eventually(both_run, within=WITHIN)
        assert await cluster.agents["node-a"].terminate() == 0
        assert await _running(cluster) == 0
        assert (tmp_path / "ordinary").stat().st_mtime_ns < (tmp_path / "critical").stat().st_mtime_ns
        pod = await cluster.pod("ordinary")
        assert (pod.status.phase, pod.status.reason) == ("Failed", "Terminated")
        assert pod.status.container_statuses[0].state.terminated is not None
        await cluster.agents["node-a"].start()
        await cluster.nodes_ready("node-a")
        await cluster.delete("ordinary")

        async def is_clean() -> bool:
            return await cluster.containers(f"label={naming.UID}={pod.metadata.uid}") == []

        await eventually(is_clean, within=WITHIN)
