"""deploy/compose.yaml: the whole cluster in containers, and the loss of each part under a steady stream of writes.

Runs when STEERSMAN_E2E_COMPOSE is set, because the images take minutes to make: `make test-compose`. It uses the engine
of DOCKER_HOST if that is set, else a private one; the ports that the file publishes must be free.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
import yaml

from steersman.api import codec
from steersman.api.apps import Deployment
from steersman.api.core import ConfigMap, Namespace, Node, Pod
from steersman.api.errors import ApiError
from steersman.api.meta import ObjectMeta
from steersman.client.client import Client
from tests import dockerengine
from tests.dockerengine import Engine
from tests.e2e import composition
from tests.e2e.composition import Composition
from tests.eventually import eventually

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(2_400)]
WITHIN = 180.0
REPLICAS = 6
NODES = ("node-0", "node-1", "node-2")
PAUSE_SECONDS = 0.02
WEB = """
metadata: {name: web, namespace: default}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway,
         labelSelector: {matchLabels: {app: web}}}
      containers:
      - {name: main, image: "busybox:1.36", command: [httpd, -f, -p, "80"]}
"""


@pytest.fixture
def engine() -> Iterator[Engine]:
    if not os.environ.get("STEERSMAN_E2E_COMPOSE"):
        pytest.skip("STEERSMAN_E2E_COMPOSE is not set: making the images takes minutes")
    if url := os.environ.get("DOCKER_HOST"):
        yield Engine(url)
        return
    with dockerengine.private_engine() as private:
        yield private


class Stream:
    """One write after the other, each to a name of its own; those that were acknowledged are remembered."""

    def __init__(self, api: Client) -> None:
        self._maps = api.of(ConfigMap)
        self.acknowledged: dict[str, str] = {}

    async def run(self) -> None:
        number = 0
        while True:
            number += 1
            written = ConfigMap(
                metadata=ObjectMeta(name=f"written-{number}", namespace="default"), data={"n": str(number)}
            )
            try:
                answer = await self._maps.create(written)
            except ApiError:
                continue  # not acknowledged: nothing is promised
            self.acknowledged[answer.object.metadata.name] = answer.object.metadata.resource_version
            await asyncio.sleep(PAUSE_SECONDS)

    async def goes_on(self) -> None:
        """Also with what is lost at this moment."""
        before = len(self.acknowledged)
        await eventually(lambda: len(self.acknowledged) >= before + 20, within=WITHIN)

    async def check(self) -> None:
        promised = dict(self.acknowledged)  # before the list: the stream goes on meanwhile
        found = {
            each.metadata.name: each.metadata.resource_version for each in (await self._maps.list("default")).items
        }
        lost = {name for name, revision in promised.items() if found.get(name) != revision}
        assert not lost, f"{len(lost)} of {len(promised)} acknowledged writes are lost: {sorted(lost)[:5]}"


@asynccontextmanager
async def streaming(api: Client) -> AsyncIterator[Stream]:
    stream = Stream(api)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(stream.run())
        yield stream
        running.cancel()


async def ready_pods(api: Client) -> list[Pod]:
    found = (await api.of(Pod).list("default", label_selector="app=web")).items
    return [
        pod
        for pod in found
        if pod.metadata.deletion_timestamp is None
        and any(each.type == "Ready" and each.status == "True" for each in pod.status.conditions)
    ]


async def all_run(api: Client) -> None:
    async def six() -> bool:
        found = await api.of(Deployment).get("web", "default")
        return found.status.ready_replicas == len(await ready_pods(api)) == REPLICAS

    await eventually(six, within=WITHIN)


async def heals(api: Client) -> None:
    """A pod that is deleted is replaced: controllers, scheduler and agents all work."""
    victim = (await ready_pods(api))[0]
    await api.of(Pod).delete(victim.metadata.name, "default")
    await all_run(api)


async def nodes_are_ready(api: Client) -> bool:
    found = (await api.of(Node).list()).items
    ready = {
        node.metadata.name
        for node in found
        if any(each.type == "Ready" and each.status == "True" for each in node.status.conditions)
    }
    return ready == set(NODES)


async def lose(cluster: Composition, api: Client, stream: Stream, service: str) -> None:
    """Without it everything goes on; then it comes back."""
    await cluster.kill(service)
    await stream.goes_on()
    await heals(api)
    await cluster.up()
    await eventually(lambda: nodes_are_ready(api), within=WITHIN)
    await stream.check()


async def lose_node(cluster: Composition, api: Client, stream: Stream, node: str) -> None:
    """Its pods run elsewhere; those that it had are ended when it comes back."""

    async def run_elsewhere() -> bool:
        return node not in {pod.spec.node_name for pod in await ready_pods(api)}

    async def ended() -> bool:
        return len((await api.of(Pod).list("default")).items) == REPLICAS

    await cluster.kill(node)
    await eventually(run_elsewhere, within=WITHIN)
    await all_run(api)
    await cluster.up()
    await eventually(lambda: nodes_are_ready(api), within=WITHIN)
    await eventually(ended, within=WITHIN)
    await stream.check()


async def test_the_loss_of_each_part_under_a_steady_stream_of_writes(engine: Engine, tmp_path: Path) -> None:
    cluster, uid = Composition(engine), ""
    await cluster.make_images()
    try:
        await cluster.up()
        async with cluster.administrator(tmp_path) as api:
            uid = (await api.of(Namespace).get("kube-system")).metadata.uid
            await eventually(lambda: nodes_are_ready(api), within=WITHIN)
            await api.of(Deployment).create(codec.load(Deployment, msgspec.json.encode(yaml.safe_load(WEB))))
            await all_run(api)
            assert await cluster.left(uid) != []
            assert {pod.spec.node_name for pod in await ready_pods(api)} == set(NODES)
            async with streaming(api) as stream:
                await _lose_parts(cluster, api, stream)
            await stream.check()
    finally:
        await cluster.down()
    assert await cluster.left(uid) == []


async def _lose_parts(cluster: Composition, api: Client, stream: Stream) -> None:
    leader = await composition.leading(api)
    await lose(cluster, api, stream, leader)
    assert await composition.leading(api) not in ("", leader)
    for service in ("apiserver-0", "apiserver-1", await cluster.etcd_leader()):
        await lose(cluster, api, stream, service)
    await lose_node(cluster, api, stream, "node-0")
    await cluster.kill()  # everything at once
    await cluster.up()
    await eventually(lambda: nodes_are_ready(api), within=WITHIN)
    await stream.goes_on()
    await all_run(api)
    await heals(api)
