"""An agent that is asked to stop: its pods run on; or, where the machine goes down, they end in good order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from nodeagent.runtime.docker import naming
from steersman.api.core import Node, ServiceAccount
from steersman.api.errors import NotFound
from steersman.client.informer import Informer
from tests.dockerengine import Engine
from tests.e2e import cluster as clusters
from tests.e2e.cluster import POLITE, WITHIN, Cluster
from tests.eventually import eventually

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(300)]


def manifest(name: str, folder: Path, **spec: Any) -> dict[str, Any]:
    """It says in `folder` that it hears signals, that its hook has run, and that it was told to end."""
    script = POLITE.replace("exit 0", f"touch /told/{name}; exit 0")
    script = script.replace("; while", f"; touch /told/{name}-up; while")
    container = {
        "name": "main",
        "image": "busybox:1.36",
        "command": ["/bin/sh", "-c", script],
        "lifecycle": {"preStop": {"exec": {"command": ["/bin/touch", f"/told/{name}-hook"]}}},
        "volumeMounts": [{"name": "told", "mountPath": "/told"}],
    }
    volumes = [{"name": "told", "hostPath": {"path": str(folder), "type": "Directory"}}]
    nobody_else_ends_it = [{"operator": "Exists"}]
    fields = {
        "nodeName": "node-a",
        "containers": [container],
        "volumes": volumes,
        "tolerations": nobody_else_ends_it,
        **spec,
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": fields}


async def _running(cluster: Cluster) -> int:
    return len(await cluster.containers(f"label={naming.CONTAINER}=main", "status=running"))


async def _account_made(cluster: Cluster, namespace: str) -> bool:
    try:
        await cluster.api.of(ServiceAccount).get("default", namespace)
    except NotFound:
        return False
    return True


@asynccontextmanager
async def _heard_of_nodes(cluster: Cluster) -> AsyncIterator[set[tuple[str, str, str]]]:
    """All that is said of nodes' readiness meanwhile: who looks later finds what others say of a node that is gone."""
    heard: set[tuple[str, str, str]] = set()

    def note(_: Node | None, new: Node | None) -> None:
        found = new.status.conditions if new is not None else ()
        heard.update((each.status, each.reason, each.message) for each in found if each.type == "Ready")

    informer = Informer(cluster.api.of(Node))
    informer.on_change(note)
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(informer.run())
        await informer.synced.wait()
        yield heard
        watching.cancel()


async def test_pods_outlive_an_agent_that_stops(docker_engine: Engine, tmp_path: Path) -> None:
    async with clusters.running(docker_engine, tmp_path, ["node-a"]) as cluster:
        await cluster.create(manifest("stays", tmp_path))
        await cluster.ready("stays")
        assert await cluster.agents["node-a"].terminate() == 0
        assert await _running(cluster) == 1
        assert not (tmp_path / "stays-hook").exists()


async def test_pods_end_with_their_machine_critical_ones_last(docker_engine: Engine, tmp_path: Path) -> None:
    grace = ["--shutdown-grace-period=60s", "--shutdown-grace-period-critical-pods=30s"]
    async with clusters.running(docker_engine, tmp_path, ["node-a"], agent=grace) as cluster:
        await eventually(lambda: _account_made(cluster, "kube-system"), within=WITHIN)
        critical = manifest("critical", tmp_path, priorityClassName="system-node-critical")
        await cluster.create({**critical, "metadata": {"name": "critical", "namespace": "kube-system"}})
        await cluster.create(manifest("ordinary", tmp_path))
        for name in ("ordinary", "critical"):
            await eventually((tmp_path / f"{name}-up").exists, within=WITHIN)
        await cluster.ready("ordinary")
        async with _heard_of_nodes(cluster) as heard:
            assert await cluster.agents["node-a"].terminate() == 0
            going = ("False", "KubeletNotReady", "node is shutting down")
            await eventually(lambda: going in heard, within=WITHIN)
        assert await _running(cluster) == 0
        told = [tmp_path / name for name in ("ordinary-hook", "ordinary", "critical-hook", "critical")]
        moments = [each.stat().st_mtime_ns for each in told]
        assert moments == sorted(moments)
        pod = await cluster.pod("ordinary")
        assert (pod.status.phase, pod.status.reason) == ("Failed", "Terminated")
        assert pod.status.message == "Pod was terminated in response to imminent node shutdown."
        assert pod.status.container_statuses[0].state.terminated is not None
        assert {each.type: each.reason for each in pod.status.conditions}["DisruptionTarget"] == "TerminationByKubelet"
        await cluster.agents["node-a"].start()
        await cluster.nodes_ready("node-a")
        await cluster.delete("ordinary")

        async def is_clean() -> bool:
            return await cluster.containers(f"label={naming.UID}={pod.metadata.uid}") == []

        await eventually(is_clean, within=WITHIN)
