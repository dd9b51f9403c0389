"""What an agent clears away: folders of pods that are gone, and images that no pod needs when the disk is full."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from nodeagent.imagecollection import ImageCollection, Thresholds
from nodeagent.runtime import docker, hollow
from nodeagent.runtime.hollow import HollowRuntime
from nodeagent.runtime.interface import Owner
from nodeagent.volumes.leftovers import Leftovers
from steersman.api import codec
from steersman.api.core import Namespace, Pod
from steersman.base.clock import SystemClock
from steersman.client import client
from steersman.client.informer import Informer
from tests.apiserverprocess import api_server_process
from tests.builders import make_pod
from tests.dockerengine import BUSYBOX_IMAGE, Engine
from tests.eventually import eventually

pytestmark = pytest.mark.timeout(180)

WITHIN = 60.0


async def test_folders_of_pods_that_are_gone(tmp_path: Path) -> None:
    """At the second look: a pod may be about to come, or its worker about to end."""
    async with api_server_process(data_dir=tmp_path / "api") as server, client.connect([server.grpc]) as api:
        cluster = (await api.of(Namespace).get("kube-system")).metadata.uid
        spec = {"automountServiceAccountToken": False}
        pod = codec.load(Pod, (await api.raw(Pod).create(make_pod("web", node="node-a", spec=spec))).object)
        kept, gone = tmp_path / "pods" / pod.metadata.uid, tmp_path / "pods" / "gone"
        for folder in (kept, gone):
            (folder / "volumes").mkdir(parents=True)
        async with hollow.open_engine() as engine, asyncio.TaskGroup() as tasks:
            pods = Informer(api.of(Pod))
            tidying = Leftovers(
                api, cluster, HollowRuntime(engine, Owner(cluster, "node-a")), [tmp_path], _ImpatientClock()
            )
            running = [tasks.create_task(pods.run()), tasks.create_task(tidying.run(pods))]

            async def is_swept() -> bool:
                return not gone.exists()

            await eventually(is_swept, within=WITHIN)
            assert kept.exists()
            for task in running:
                task.cancel()


class _ImpatientClock(SystemClock):
    """Minutes pass in no time."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.05))


@pytest.mark.docker
async def test_only_our_own_images_go_when_the_disk_is_full(docker_engine: Engine, tmp_path: Path) -> None:
    names = {"ours": "steersman-test/ours:1", "theirs": "steersman-test/theirs:1"}
    ids = {}
    for name, image in names.items():
        change = f"LABEL made-for={name}"
        container = docker_engine.docker("create", BUSYBOX_IMAGE, "/bin/true")
        ids[name] = docker_engine.docker("commit", "--change", change, container, image)
        docker_engine.docker("rm", container)
    ledger = tmp_path / "images"
    ledger.mkdir()
    (ledger / ids["ours"]).touch()
    os.utime(ledger / ids["ours"], (1.0, 1.0))
    settings = docker.DockerSettings(url=docker_engine.url)
    try:
        async with docker.open_runtime(Owner("cluster", "node"), settings) as runtime, asyncio.TaskGroup() as tasks:
            collecting = ImageCollection(runtime, tmp_path, tmp_path, Thresholds(0, 0), _ImpatientClock())
            running = tasks.create_task(collecting.run())

            async def is_removed() -> bool:
                return not await asyncio.to_thread(docker_engine.docker, "images", "--quiet", names["ours"])

            await eventually(is_removed, within=WITHIN)
            await eventually(lambda: not list(ledger.iterdir()), within=WITHIN)
            running.cancel()
        assert docker_engine.docker("images", "--quiet", names["theirs"])
    finally:
        docker_engine.docker("rmi", "--force", names["theirs"])
