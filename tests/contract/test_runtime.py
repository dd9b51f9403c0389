"""What every ContainerRuntime promises (nodeagent/runtime/interface.py), for the real engine and the hollow one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from nodeagent.runtime.interface import (
    ContainerRuntime,
    InvalidImageName,
    LogOptions,
    Owner,
    StartFailed,
    StreamOptions,
)
from nodeagent.runtime.seen import State, Wake
from nodeagent.runtime.specs import SandboxSpec
from steersman.api.errors import Conflict, NotFound, Unavailable
from steersman.api.names import Uid
from tests import runtimes
from tests.dockerengine import BUSYBOX_IMAGE
from tests.eventually import eventually
from tests.runtimes import WITHIN, World

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(params=["hollow", pytest.param("docker", marks=pytest.mark.docker)])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    match request.param:
        case "docker":
            async with runtimes.docker_world(request.getfixturevalue("docker_engine")) as opened:
                yield opened
        case "hollow":
            async with runtimes.hollow_world() as opened:
                yield opened


async def test_it_is_a_runtime_that_says_what_it_is(world: World) -> None:
    assert isinstance(world.runtime, ContainerRuntime)
    await world.runtime.ping()
    engine = await world.runtime.engine()
    assert engine.name in ("docker", "hollow")
    assert engine.cpus > 0
    assert engine.memory_bytes > 0


async def test_preparing_again_changes_nothing(world: World) -> None:
    assert await world.runtime.prepare() == await world.runtime.prepare()


# Images --------------------------------------------------------------------------------------------------------


async def test_an_image_is_found_by_name_and_by_id(world: World) -> None:
    by_name = await world.runtime.find_image(BUSYBOX_IMAGE)
    assert by_name is not None
    assert BUSYBOX_IMAGE in by_name.tags
    assert await world.runtime.find_image(by_name.id) == by_name
    assert by_name.id in [image.id for image in await world.runtime.list_images()]


async def test_an_image_that_is_not_here_is_not_found(world: World) -> None:
    assert await world.runtime.find_image("no-such-image:1") is None


async def test_a_name_that_can_never_work_is_called_so(world: World) -> None:
    with pytest.raises(InvalidImageName):
        await world.runtime.pull_image("no:such:name")


async def test_an_image_in_use_is_not_removed(world: World) -> None:
    container = await world.running()
    with pytest.raises(Conflict):
        await world.runtime.remove_image(container.image_id)
    await world.runtime.kill_container(container.id)
    await world.ended()
    with pytest.raises(Conflict):
        await world.runtime.remove_image(container.image_id)
    assert await world.runtime.find_image(BUSYBOX_IMAGE) is not None


async def test_removing_an_image_that_is_gone_is_success(world: World) -> None:
    await world.runtime.remove_image("sha256:" + "0" * 64)


# Life of a pod -------------------------------------------------------------------------------------------------


async def test_nothing_is_seen_of_a_pod_that_never_was(world: World) -> None:
    seen = await world.runtime.observe(world.uid)
    assert seen.is_empty
    assert seen.pod.uid == world.uid
    assert await world.runtime.list_pods() == ()


async def test_a_sandbox_has_an_address_of_its_own(world: World) -> None:
    first, second = await world.sandbox(), await runtimes.with_new_pod(world).sandbox()
    assert first.state is State.RUNNING
    assert first.ip
    assert first.ips[0] == first.ip
    assert first.ip != second.ip


async def test_a_sandbox_on_the_hosts_network_has_none(world: World) -> None:
    sandbox = await world.sandbox(SandboxSpec(pod=world.pod, host_network=True))
    assert sandbox.state is State.RUNNING
    assert sandbox.host_network
    assert (sandbox.ip, sandbox.ips) == ("", ())


async def test_what_was_asked_for_is_seen(world: World) -> None:
    sandbox = await world.sandbox(SandboxSpec(pod=world.pod, annotations={"grace": "30"}))
    spec = replace(world.spec(sandbox), annotations={"hash": 'a "b"\n'})
    started = await world.runtime.run_container(spec)
    seen = await world.runtime.observe(world.uid)
    assert seen.pod == world.pod
    assert seen.sandbox == sandbox
    assert seen.newest("app") == started
    assert sandbox.annotations == {"grace": "30"}
    assert started.annotations == {"hash": 'a "b"\n'}
    assert (started.name, started.attempt, started.sandbox_id) == ("app", 0, sandbox.id)
    assert (started.state, started.exit_code, started.finished_at) == (State.RUNNING, None, None)
    assert started.image_id == world.image
    assert started.started_at is not None
    assert started.created_at <= started.started_at
    assert await world.runtime.list_pods() == (seen,)


async def test_a_container_without_its_sandbox_is_refused(world: World) -> None:
    sandbox = await world.sandbox()
    await world.runtime.remove_sandbox(sandbox.id)
    with pytest.raises((NotFound, StartFailed)):
        await world.runtime.run_container(world.spec(sandbox))


async def test_a_container_without_its_image_is_refused(world: World) -> None:
    spec = replace(world.spec(await world.sandbox()), image="no-such-image:1")
    with pytest.raises(NotFound):
        await world.runtime.run_container(spec)
    assert (await world.runtime.observe(world.uid)).containers == ()


async def test_stopping_lets_a_container_end_well(world: World) -> None:
    container = await world.running()
    await runtimes.until_spoken(world.runtime, container.id)
    await world.runtime.stop_container(container.id, 30)
    ended = (await world.runtime.observe(world.uid)).newest("app")
    assert ended is not None
    assert (ended.id, ended.state, ended.exit_code) == (container.id, State.EXITED, 0)
    assert ended.finished_at is not None
    assert ended.started_at is not None
    assert ended.finished_at >= ended.started_at


async def test_killing_ends_it_with_137(world: World) -> None:
    container = await world.running()
    await world.runtime.kill_container(container.id)
    assert (await world.ended()).exit_code == 137


async def test_what_has_ended_stays_ended(world: World) -> None:
    container = await world.running()
    await world.runtime.kill_container(container.id)
    ended = await world.ended()
    again = await world.runtime.run_container(world.spec(await world.sandbox()))
    assert again == ended
    assert again.id == container.id


async def test_the_next_attempt_stands_beside_the_last(world: World) -> None:
    sandbox = await world.sandbox()
    first = await world.runtime.run_container(world.spec(sandbox))
    await world.runtime.kill_container(first.id)
    await world.ended()
    second = await world.runtime.run_container(world.spec(sandbox, attempt=1))
    seen = await world.runtime.observe(world.uid)
    assert [container.attempt for container in seen.containers] == [1, 0]
    assert seen.newest("app") == second
    assert second.state is State.RUNNING


async def test_a_pod_gets_a_new_sandbox_when_its_own_died(world: World) -> None:
    first = await world.sandbox()
    await world.runtime.kill_container(first.id)

    async def has_died() -> bool:
        sandbox = (await world.runtime.observe(world.uid)).sandbox
        return sandbox is not None and sandbox.state is State.EXITED

    await eventually(has_died, within=WITHIN)
    second = await world.sandbox(SandboxSpec(pod=world.pod, attempt=1))
    seen = await world.runtime.observe(world.uid)
    assert seen.sandbox == second
    assert [(sandbox.attempt, sandbox.state) for sandbox in seen.sandboxes] == [(1, State.RUNNING), (0, State.EXITED)]
    assert seen.sandboxes[1].ip == ""


async def test_removing_frees_everything(world: World) -> None:
    container = await world.running()
    await world.runtime.remove_container(container.id)
    await world.runtime.remove_sandbox(container.sandbox_id)
    assert (await world.runtime.observe(world.uid)).is_empty
    again = await world.running()
    assert again.state is State.RUNNING


async def test_already_gone_is_success(world: World) -> None:
    container = await world.running()
    for _ in range(2):
        await world.runtime.stop_container(container.id, 0)
    await world.runtime.kill_container(container.id)
    for _ in range(2):
        await world.runtime.remove_container(container.id)
        await world.runtime.remove_sandbox(container.sandbox_id)
    await world.runtime.stop_container(container.id, 0)
    await world.runtime.kill_container(container.id)


# Once ----------------------------------------------------------------------------------------------------------


async def test_the_same_start_twice_is_one_container(world: World) -> None:
    sandbox = await world.sandbox()
    spec = world.spec(sandbox)
    assert await world.sandbox() == sandbox
    assert await world.runtime.run_container(spec) == await world.runtime.run_container(spec)
    assert len((await world.runtime.observe(world.uid)).containers) == 1


async def test_two_agents_of_one_name_start_one_container(world: World) -> None:
    async with world.open(world.owner) as other:
        agents = [world.runtime, other] * 3
        sandbox_spec = SandboxSpec(pod=world.pod)
        sandboxes = await asyncio.gather(*(agent.run_sandbox(sandbox_spec) for agent in agents))
        spec = world.spec(sandboxes[0])
        containers = await asyncio.gather(*(agent.run_container(spec) for agent in agents))
        assert len({sandbox.id for sandbox in sandboxes}) == 1
        assert len({container.id for container in containers}) == 1
        assert await other.observe(world.uid) == await world.runtime.observe(world.uid)


async def test_agents_on_one_engine_do_not_see_each_other(world: World) -> None:
    container = await world.running()
    for stranger in (Owner(world.owner.cluster, "node-b"), Owner("another-cluster", world.owner.node)):
        async with world.open(stranger) as other:
            assert await other.list_pods() == ()
            assert (await other.observe(world.uid)).is_empty
    assert (await world.runtime.observe(world.uid)).newest("app") == container


async def test_a_new_agent_finds_what_the_last_one_left(world: World) -> None:
    await world.running()
    left = await world.runtime.observe(world.uid)
    async with world.open(world.owner) as successor:
        assert await successor.list_pods() == (left,)


# Wake-ups ------------------------------------------------------------------------------------------------------


async def test_events_begin_with_a_look_at_everything(world: World) -> None:
    async with aclosing(world.runtime.events()) as events:
        assert await anext(events) == Wake(None)


async def test_a_start_and_an_end_wake(world: World) -> None:
    async with aclosing(world.runtime.events()) as events:
        assert await anext(events) == Wake(None)
        container = await world.running()
        assert await _woken(events) == world.uid
        await world.runtime.kill_container(container.id)
        while (await world.runtime.observe(world.uid)).newest("app") != await world.ended():
            assert await _woken(events) == world.uid


async def test_what_is_seen_after_a_wake_is_the_new_state(world: World) -> None:
    """An implementation may remember what it saw, but not longer than it is true."""
    container = await world.running()
    async with aclosing(world.runtime.events()) as events:
        await anext(events)
        for _ in range(3):
            seen = (await world.runtime.observe(world.uid)).newest("app")
            assert seen is not None
            assert seen.state is State.RUNNING
        await world.runtime.kill_container(container.id)
        async with asyncio.timeout(WITHIN):
            async for _ in events:
                seen = (await world.runtime.observe(world.uid)).newest("app")
                assert seen is not None
                if seen.state is State.EXITED:
                    break
    assert (await world.ended()).exit_code == 137


async def test_nobody_is_woken_by_a_strangers_pod(world: World) -> None:
    async with world.open(Owner(world.owner.cluster, "node-b")) as stranger, aclosing(stranger.events()) as events:
        await anext(events)
        await world.running()
        own = runtimes.new_pod()
        await stranger.run_sandbox(SandboxSpec(pod=own))
        assert await _woken(events) == own.uid


# Inside --------------------------------------------------------------------------------------------------------


async def test_a_log_is_read_and_followed_to_its_end(world: World) -> None:
    container = await world.running()
    await runtimes.until_spoken(world.runtime, container.id)
    out, err = await runtimes.read_logs(world.runtime, container.id, LogOptions())
    assert out.endswith(b"\n")
    assert err == b""
    assert (await runtimes.read_logs(world.runtime, container.id, LogOptions(limit_bytes=3)))[0] == out[:3]
    assert (await runtimes.read_logs(world.runtime, container.id, LogOptions(tail_lines=0)))[0] == b""
    stamped, _ = await runtimes.read_logs(world.runtime, container.id, LogOptions(timestamps=True))
    assert stamped.partition(b" ")[2] == out
    async with asyncio.TaskGroup() as tasks:
        following = tasks.create_task(runtimes.read_logs(world.runtime, container.id, LogOptions(follow=True)))
        await world.runtime.kill_container(container.id)
    assert following.result()[0] == out


async def test_a_log_of_nobody_is_not_found(world: World) -> None:
    with pytest.raises(NotFound):
        await runtimes.read_logs(world.runtime, "0" * 64, LogOptions())


async def test_an_exec_ends_with_a_code(world: World) -> None:
    container = await world.running()
    async with world.runtime.exec(container.id, ("/bin/true",), StreamOptions()) as session:
        await runtimes.read_all(session)
        assert await session.exit_code() == 0


async def test_nothing_is_run_in_what_has_ended(world: World) -> None:
    container = await world.running()
    await world.runtime.kill_container(container.id)
    await world.ended()
    with pytest.raises(Conflict):
        async with world.runtime.exec(container.id, ("/bin/true",), StreamOptions()):
            pass
    with pytest.raises(Conflict):
        async with world.runtime.attach(container.id, StreamOptions()):
            pass
    with pytest.raises(NotFound):
        async with world.runtime.exec("0" * 64, ("/bin/true",), StreamOptions()):
            pass


async def test_an_attached_session_ends_with_the_container(world: World) -> None:
    container = await world.running()
    async with world.runtime.attach(container.id, StreamOptions()) as session:
        await world.runtime.kill_container(container.id)
        async with asyncio.timeout(WITHIN):
            await runtimes.read_all(session)
        assert await session.exit_code() == 137


async def test_nothing_listens_on_a_port_that_nobody_opened(world: World) -> None:
    sandbox = await world.sandbox()
    with pytest.raises(Unavailable):
        await world.runtime.connect(sandbox.id, 9)
    with pytest.raises(NotFound):
        await world.runtime.connect("0" * 64, 9)


async def test_figures_are_of_what_runs(world: World) -> None:
    container = await world.running()
    usage = await world.runtime.usage(container.id)
    assert usage is not None
    assert usage.memory_bytes > 0
    assert await world.runtime.usage(container.sandbox_id) is not None
    assert container.id in (await world.runtime.disk_use()).writable_bytes
    await world.runtime.kill_container(container.id)
    await world.ended()
    assert await world.runtime.usage(container.id) is None
    assert await world.runtime.usage("0" * 64) is None


async def _woken(events: AsyncIterator[Wake]) -> Uid | None:
    async with asyncio.timeout(WITHIN):
        return (await anext(events)).uid
