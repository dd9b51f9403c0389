"""deploy/compose.yaml: a whole cluster in containers, and the loss of each part under a steady stream of writes.

deploy/compose.single.yaml: the smallest one, which lives on after the loss of all of it.

These run when STEERSMAN_E2E_COMPOSE is set, because the images take minutes to make: `make test-compose`. They use the
engine of DOCKER_HOST if that is set, else a private one; the ports that the files publish must be free.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from steersman.api.core import Namespace
from steersman.client.client import Client
from tests import dockerengine
from tests.dockerengine import Engine, PrivateEngine
from tests.e2e import composition, nginx, writestream
from tests.e2e.composition import Composition
from tests.e2e.nginx import Nginx
from tests.e2e.writestream import WriteStream

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(3_600)]
WITHIN = nginx.WITHIN

Say = Callable[[str], None]
Loss = AbstractAsyncContextManager[None]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """With all images that the clusters need."""
    if not os.environ.get("STEERSMAN_E2E_COMPOSE"):
        pytest.skip("STEERSMAN_E2E_COMPOSE is not set: making the images takes minutes")
    if url := os.environ.get("DOCKER_HOST"):
        given = Engine(url)
        composition.make_images(given)
        yield given
        return
    dockerengine.require_docker()
    # Without the images of other tests: their nginx is a busybox, and here it is to be the real one.
    private = PrivateEngine(Path(tempfile.mkdtemp(prefix="steersman-docker-")))
    try:
        private.start()
        composition.make_images(private)
        yield private
    finally:
        private.remove()


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Tells whoever waits how far it is: the whole takes many minutes."""

    def shown(line: str) -> None:
        with capsys.disabled():
            print(f"\n  {line}", end="", flush=True)

    return shown


@asynccontextmanager
async def timed(say: Say, what: str) -> AsyncIterator[None]:
    began = time.monotonic()
    yield
    say(f"{what}: {time.monotonic() - began:.1f} s")


@asynccontextmanager
async def started(cluster: Composition, folder: Path, say: Say) -> AsyncIterator[Client]:
    """All nodes are ready; in the end it is taken down, and nothing may be left of it."""
    uid = ""
    try:
        async with timed(say, "healthy after"):
            await cluster.up()
        async with cluster.administrator(folder) as api:
            uid = (await api.of(Namespace).get("kube-system")).metadata.uid
            await nginx.nodes_are_ready(api, cluster.layout.nodes)
            assert await cluster.left(uid) != []
            yield api
    finally:
        await cluster.down()
    assert await cluster.left(uid) == []


@dataclass(frozen=True, slots=True)
class Trial:
    """Takes parts away from a cluster that works, one after the other."""

    cluster: Composition
    api: Client
    web: Nginx
    stream: WriteStream
    say: Say

    async def without(self, what: str, loss: Loss) -> None:
        """Everything goes on; then it is back."""
        async with timed(self.say, what):
            async with loss:
                await self.stream.goes_on(within=WITHIN)
                await self.web.heals()
            await self.is_whole()

    async def without_leader(self, what: str, loss_of: Callable[[str], Loss]) -> None:
        """Another leads from then on."""
        leader = await self.leader()
        await self.without(f"{leader} (leader) {what}", loss_of(leader))
        assert await self.leader() != leader

    async def without_node(self, what: str, node: str, loss: Loss) -> None:
        """Its pods run elsewhere; those that it had are ended when it is back."""
        async with timed(self.say, f"{node} {what}"):
            async with loss:
                await self.web.moves_away_from(node)
                await self.stream.goes_on(within=WITHIN)
            await self.is_whole()

    async def is_whole(self) -> None:
        """All nodes work, nothing is there twice, and nothing that was acknowledged is lost."""
        await nginx.nodes_are_ready(self.api, self.cluster.layout.nodes)
        await self.web.runs()
        await self.web.has_no_remains()
        await self.stream.check(within=WITHIN)

    async def leader(self) -> str:
        return await nginx.in_the_end(lambda: composition.leading(self.api))


async def test_the_loss_of_each_part_under_a_steady_stream_of_writes(engine: Engine, tmp_path: Path, say: Say) -> None:
    cluster = Composition(engine, composition.FLEET)
    async with started(cluster, tmp_path, say) as api:
        web = Nginx(api, replicas=6)
        async with timed(say, "nginx ×6 ready after"):
            await web.create()
            await web.runs()
        assert await web.nodes() == set(cluster.layout.nodes)
        async with writestream.streaming(api) as stream:
            trial = Trial(cluster, api, web, stream, say)
            await kill_parts(trial)
            await cut_parts_off(trial)
            await kill_everything(trial)
        await stream.check(within=WITHIN)
        say(f"{stream.count:,} writes acknowledged, none lost")


async def kill_parts(trial: Trial) -> None:
    cluster = trial.cluster
    await trial.without_leader("killed", cluster.killed)
    for server in cluster.layout.api_servers:
        await trial.without(f"{server} killed", cluster.killed(server))
    follower = await cluster.etcd_follower()
    await trial.without(f"{follower} (follower) killed", cluster.killed(follower))
    leader = await cluster.etcd_leader()
    await trial.without(f"{leader} (leader) killed", cluster.killed(leader))
    await trial.without_node("killed", "node-0", cluster.killed("node-0"))


async def cut_parts_off(trial: Trial) -> None:
    cluster = trial.cluster
    await trial.without_leader("cut off", cluster.cut_off)
    for server in cluster.layout.api_servers:
        await trial.without(f"{server} cut off", cluster.cut_off(server))
    leader = await cluster.etcd_leader()
    await trial.without(f"{leader} (leader) cut off", cluster.cut_off(leader))
    await trial.without_node("cut off", "node-1", cluster.cut_off("node-1"))


async def kill_everything(trial: Trial) -> None:
    async with timed(trial.say, "everything at once killed"):
        await trial.cluster.kill_everything()
        await trial.cluster.up()
        await trial.stream.goes_on(within=WITHIN)
        await trial.is_whole()
        await trial.web.heals()


async def test_the_smallest_cluster_lives_on_after_the_loss_of_all_of_it(
    engine: Engine, tmp_path: Path, say: Say
) -> None:
    cluster = Composition(engine, composition.SINGLE)
    async with started(cluster, tmp_path, say) as api:
        web = Nginx(api, replicas=2)
        await web.create()
        await web.runs()
        async with writestream.streaming(api) as stream:
            await kill_everything(Trial(cluster, api, web, stream, say))
        await stream.check(within=WITHIN)
