"""Static pods: a file runs a pod, the API shows it, and only the file ends it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from nodeagent import staticpods
from nodeagent.runtime.docker import naming
from steersman.api.core import Pod
from tests.dockerengine import Engine
from tests.e2e import cluster as clusters
from tests.e2e.cluster import POLITE, WITHIN, Cluster
from tests.eventually import eventually

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(300)]

NAME = "static-node-a"


def manifest(color: str) -> str:
    return f"""
apiVersion: v1
kind: Pod
metadata:
  name: static
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: main
      image: busybox:1.36
      command: ["/bin/sh", "-c", "{POLITE}"]
      env: [{{name: COLOR, value: {color}}}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "static"
    made.mkdir()
    (made / "pod.yaml").write_text(manifest("blue"))
    (made / "README").write_text("not a manifest")
    (made / "broken.yaml").write_text("kind: Nonsense")
    return made


@pytest.fixture
async def cluster(docker_engine: Engine, tmp_path: Path, folder: Path) -> AsyncIterator[Cluster]:
    async with clusters.running(docker_engine, tmp_path, ["node-a"], agent=[f"--static-pods={folder}"]) as started:
        yield started


async def _shown(cluster: Cluster) -> Pod:
    async def is_there() -> Pod:
        found = [each for each in await cluster.pods() if each.metadata.name == NAME]
        assert found
        assert any(each.type == "Ready" and each.status == "True" for each in found[0].status.conditions)
        return found[0]

    return await eventually(is_there, within=WITHIN)


async def test_a_file_runs_a_pod_and_only_the_file_ends_it(cluster: Cluster, folder: Path) -> None:
    mirror = await _shown(cluster)
    notes = mirror.metadata.annotations
    assert notes[staticpods.MIRROR] == notes[staticpods.HASH]
    assert notes[staticpods.SOURCE] == "file"
    first = mirror.status.container_statuses[0].container_id

    await cluster.delete(NAME, grace_period_seconds=0)

    async def is_shown_again() -> bool:
        again = await _shown(cluster)
        assert again.metadata.uid != mirror.metadata.uid
        return again.status.container_statuses[0].container_id == first

    await eventually(is_shown_again, within=WITHIN)

    await cluster.agents["node-a"].kill()
    await cluster.agents["node-a"].start()
    assert (await _shown(cluster)).status.container_statuses[0].container_id == first

    (folder / "pod.yaml").write_text(manifest("red"))

    async def is_replaced() -> bool:
        found = await _shown(cluster)
        assert found.status.container_statuses[0].container_id != first
        return await cluster.run_in(found, "echo $COLOR") == "red"

    await eventually(is_replaced, within=WITHIN)
    assert len(await cluster.containers(f"label={naming.CONTAINER}=main", "status=running")) == 1

    (folder / "pod.yaml").unlink()
    await cluster.gone(NAME)

    async def is_clean() -> bool:
        return await cluster.containers() == []

    await eventually(is_clean, within=WITHIN)
