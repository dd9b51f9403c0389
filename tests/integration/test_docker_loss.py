"""The engine stops, dies, freezes and returns: what a runtime says meanwhile, and that it goes on afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from nodeagent.runtime import docker
from nodeagent.runtime.interface import LogOptions, Owner, StreamOptions
from nodeagent.runtime.seen import State, Wake
from nodeagent.runtime.specs import SandboxSpec
from steersman.api.errors import Timeout, Unavailable
from steersman.api.names import Uid
from tests import dockerengine, runtimes
from tests.dockerengine import PrivateEngine
from tests.eventually import eventually
from tests.runtimes import WITHIN, World

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def engine() -> Iterator[PrivateEngine]:
    with dockerengine.private_engine() as started:
        yield started


@pytest.fixture
async def world(engine: PrivateEngine) -> AsyncIterator[World]:
    async with runtimes.docker_world(engine) as opened:
        yield opened


async def test_without_an_engine_everything_is_unavailable(tmp_path: Path) -> None:
    settings = docker.DockerSettings(url=f"unix://{tmp_path}/docker.sock")
    async with docker.open_runtime(Owner("cluster", "node"), settings) as runtime:
        for call in (
            runtime.ping(),
            runtime.engine(),
            runtime.prepare(),
            runtime.find_image("busybox"),
            runtime.pull_image("busybox"),
            runtime.list_images(),
            runtime.run_sandbox(SandboxSpec(pod=runtimes.new_pod())),
            runtime.stop_container("id", 1),
            runtime.kill_container("id"),
            runtime.remove_container("id"),
            runtime.remove_sandbox("id"),
            runtime.observe(Uid("uid")),
            runtime.list_pods(),
            runtimes.read_logs(runtime, "id", LogOptions()),
            runtime.usage("id"),
            runtime.disk_use(),
        ):
            with pytest.raises(Unavailable):
                await call
        with pytest.raises(Unavailable):
            async with runtime.exec("id", ("true",), StreamOptions()):
                pass


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_an_engine_that_returns_is_used_again(world: World, engine: PrivateEngine, how: str) -> None:
    container = await world.running()
    async with aclosing(world.runtime.events()) as events:
        assert await anext(events) == Wake(None)
        await asyncio.to_thread(engine.stop if how == "stop" else engine.kill)
        with pytest.raises(Unavailable):
            await world.runtime.observe(world.uid)
        await asyncio.to_thread(engine.start)

        async def look_at_everything() -> None:
            while await anext(events) != Wake(None):
                pass

        async with asyncio.timeout(WITHIN):
            await look_at_everything()

        async def has_ended() -> bool:
            seen = await world.runtime.observe(world.uid)
            newest = seen.newest("app")
            assert newest is not None
            assert newest.id == container.id
            assert seen.sandbox is not None
            return newest.state is seen.sandbox.state is State.EXITED

        await eventually(has_ended, within=WITHIN)
        await world.runtime.prepare()
        sandbox = await world.sandbox(SandboxSpec(pod=world.pod, attempt=1))
        again = await world.runtime.run_container(world.spec(sandbox, attempt=1))
        assert again.state is State.RUNNING
        async with asyncio.timeout(WITHIN):
            while (await anext(events)).uid != world.uid:
                pass


async def test_a_frozen_engine_is_a_timeout_and_then_goes_on(world: World, engine: PrivateEngine) -> None:
    container = await world.running()
    engine.pause()
    try:
        with pytest.raises(Timeout):
            await world.runtime.ping()
    finally:
        engine.resume()
    assert (await world.runtime.observe(world.uid)).newest("app") == container


async def test_a_log_that_is_followed_when_the_engine_dies_ends(world: World, engine: PrivateEngine) -> None:
    container = await world.running()
    async with aclosing(world.runtime.logs(container.id, LogOptions(follow=True))) as outputs:
        async with asyncio.timeout(WITHIN):
            await anext(outputs)
        await asyncio.to_thread(engine.kill)
        try:
            async with asyncio.timeout(WITHIN):
                with pytest.raises((Unavailable, StopAsyncIteration)):
                    await anext(outputs)
        finally:
            await asyncio.to_thread(engine.start)


async def test_agents_that_begin_together_prepare_one_network(engine: PrivateEngine) -> None:
    """On an engine that has neither the network nor the pause image."""
    settings = docker.DockerSettings(url=engine.url, network="together", network_subnet=engine.new_subnet())
    engine.docker("image", "rm", "--force", docker.OUR_PAUSE_IMAGE)
    owners = [Owner("together", f"node-{number}") for number in range(4)]

    async def prepare(owner: Owner) -> str:
        async with docker.open_runtime(owner, settings) as runtime:
            network = await runtime.prepare()
            sandbox = await runtime.run_sandbox(SandboxSpec(pod=runtimes.new_pod()))
            assert sandbox.ip
            return network.subnet

    try:
        assert set(await asyncio.gather(*map(prepare, owners))) == {settings.network_subnet}
        assert len(engine.docker("network", "ls", "--quiet", "--filter", "name=together").split()) == 1
    finally:
        engine.sweep("steersman.io/cluster=together")
