"""Time in a hollow engine: what ends, and when. (The contract is in tests/contract/test_runtime.py.)"""

from __future__ import annotations

from dataclasses import replace

from nodeagent.runtime import hollow
from nodeagent.runtime.hollow import HollowRuntime, Part
from nodeagent.runtime.interface import Owner
from nodeagent.runtime.seen import SeenContainer, State
from nodeagent.runtime.specs import ContainerSpec, PodRef, SandboxSpec
from steersman.api.names import Uid
from tests.fakes.clock import START, FakeClock

POD = PodRef(Uid("uid"), "default", "web")
SPEC = ContainerSpec(pod=POD, sandbox_id="", name="app", attempt=0, image="app:1")


async def start(engine: hollow.HollowEngine, *specs: ContainerSpec) -> HollowRuntime:
    runtime = HollowRuntime(engine, Owner("cluster", "node-0"))
    await runtime.pull_image("app:1")
    sandbox = await runtime.run_sandbox(SandboxSpec(pod=POD))
    for spec in specs:
        await runtime.run_container(replace(spec, sandbox_id=sandbox.id))
    return runtime


async def newest(runtime: HollowRuntime, name: str = "app") -> SeenContainer:
    found = (await runtime.observe(POD.uid)).newest(name)
    assert found is not None
    return found


async def test_what_is_meant_to_end_ends_well_after_a_second() -> None:
    clock = FakeClock()
    async with hollow.open_engine(clock) as engine:
        runtime = await start(engine, replace(SPEC, ends=True))
        await clock.advance(0.9)
        assert (await newest(runtime)).state is State.RUNNING
        await clock.advance(0.2)
        ended = await newest(runtime)
        assert (ended.state, ended.exit_code) == (State.EXITED, 0)
        assert ended.finished_at is not None
        assert (ended.finished_at - START).total_seconds() == 1


async def test_a_server_runs_for_ever() -> None:
    clock = FakeClock()
    async with hollow.open_engine(clock) as engine:
        runtime = await start(engine, SPEC)
        await clock.advance(1_000_000)
        assert (await newest(runtime)).state is State.RUNNING


async def test_a_later_start_may_end_sooner() -> None:
    clock = FakeClock()
    lives = {"long": 100.0, "short": 1.0}
    async with hollow.open_engine(clock, lambda spec: Part(seconds=lives[spec.name], exit_code=3)) as engine:
        runtime = await start(engine, replace(SPEC, name="long"))
        await clock.advance(5)
        await start(engine, replace(SPEC, name="short"))
        await clock.advance(2)
        assert (await newest(runtime, "short")).exit_code == 3
        assert (await newest(runtime, "long")).state is State.RUNNING


async def test_what_was_removed_before_its_time_does_not_return() -> None:
    clock = FakeClock()
    async with hollow.open_engine(clock) as engine:
        runtime = await start(engine, replace(SPEC, ends=True))
        await runtime.remove_container((await newest(runtime)).id)
        await clock.advance(2)
        assert (await runtime.observe(POD.uid)).containers == ()


async def test_nodes_share_addresses_but_not_pods() -> None:
    async with hollow.open_engine(FakeClock()) as engine:
        nodes = [HollowRuntime(engine, Owner("cluster", f"node-{number}")) for number in range(3)]
        sandboxes = [await node.run_sandbox(SandboxSpec(pod=POD)) for node in nodes]
        assert len({sandbox.ip for sandbox in sandboxes}) == 3
        assert [len(await node.list_pods()) for node in nodes] == [1, 1, 1]
