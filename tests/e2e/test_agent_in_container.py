"""An agent that runs in a container itself, with the engine's socket: its pods have volumes like any others.

The container is made of the machine's own Python, so that no image has to be built.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from nodeagent.runtime.docker import naming
from tests.dockerengine import BUSYBOX_IMAGE, Engine
from tests.e2e import cluster as clusters
from tests.e2e.cluster import POLITE, Cluster

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(300)]

PROJECT = Path(__file__).parents[2]
SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ssl", "/etc/ld.so.cache")


def _mounts(*read_only: str) -> list[str]:
    found = dict.fromkeys(path for path in read_only if Path(path).exists())
    return [f"--volume={path}:{path}:ro" for path in found]


@asynccontextmanager
async def _agent(cluster: Cluster, data_dir: Path) -> AsyncIterator[None]:
    """On the machine's network, because the API server is on loopback."""
    socket = cluster.engine.url.removeprefix("unix://")
    run = ["run", "--detach", "--network=host", f"--label={naming.CLUSTER}={cluster.uid}", f"--workdir={PROJECT}"]
    mounts = _mounts(*SYSTEM, str(PROJECT), sys.prefix, sys.base_prefix)
    mounts += [f"--volume={socket}:{socket}", f"--volume={data_dir}:{data_dir}", "--volume=/:/host"]
    command = [
        sys.executable,
        "-m",
        "nodeagent",
        f"--server={cluster.server.grpc}",
        "--node-name=boxed",
        "--insecure",
        f"--data-dir={data_dir}",
        "--host-root=/host",
        "--address=127.0.0.1:0",
        f"--docker-url={cluster.engine.url}",
        f"--docker-network=steersman-{cluster.uid[:8]}",
        f"--docker-network-subnet={cluster.engine.new_subnet()}",
    ]
    container = await cluster.docker(*run, *mounts, BUSYBOX_IMAGE, *command)
    try:
        yield
    except BaseException:
        print(await cluster.docker("logs", container))
        raise
    finally:
        await cluster.docker("rm", "--force", container)


def _manifest(folder: Path) -> dict[str, Any]:
    mounts = [
        {"name": "config", "mountPath": "/config"},
        {"name": "scratch", "mountPath": "/part", "subPath": "a/b"},
        {"name": "scratch", "mountPath": "/scratch"},
        {"name": "host", "mountPath": "/host"},
    ]
    container = {
        "name": "main",
        "image": BUSYBOX_IMAGE,
        "command": ["/bin/sh", "-c", POLITE],
        "volumeMounts": mounts,
    }
    volumes = [
        {"name": "config", "configMap": {"name": "settings"}},
        {"name": "scratch", "emptyDir": {}},
        {"name": "host", "hostPath": {"path": str(folder), "type": "DirectoryOrCreate"}},
    ]
    spec = {"nodeName": "boxed", "terminationGracePeriodSeconds": 1, "containers": [container], "volumes": volumes}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "boxed"}, "spec": spec}


async def test_pods_of_an_agent_in_a_container_have_their_volumes(docker_engine: Engine, tmp_path: Path) -> None:
    if not docker_engine.url.startswith("unix://"):
        pytest.skip("the engine is on another machine")
    made = tmp_path / "made/by/the/agent"
    data_dir = tmp_path / "data"
    await asyncio.to_thread(data_dir.mkdir)
    async with clusters.running(docker_engine, tmp_path, []) as cluster, _agent(cluster, data_dir):
        await cluster.nodes_ready("boxed")
        settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"k": "v"}}
        await cluster.create(settings)
        await cluster.create(_manifest(made))
        pod = await cluster.ready("boxed")
        await cluster.run_in(pod, "echo part > /part/file; echo host > /host/file")
        assert await cluster.run_in(pod, "cat /config/k /scratch/a/b/file") == "vpart"
        assert (made / "file").read_text() == "host\n"
        await cluster.delete("boxed")
        await cluster.gone("boxed")
