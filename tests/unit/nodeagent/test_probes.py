"""Probes over time: delays, periods, and which waits for which."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from prometheus_client import CollectorRegistry

from nodeagent import probing
from nodeagent.handlers import Target
from nodeagent.measures import Measures
from nodeagent.probes import RealProber
from nodeagent.probing import Health
from nodeagent.runtime.hollow import HollowEngine, HollowRuntime
from nodeagent.runtime.hollow.engine import as_meant
from nodeagent.runtime.interface import Output, Owner, Stdout, StreamOptions, TerminalSize
from steersman.api.core import Container, ExecAction, Probe
from tests.fakes.clock import FakeClock
from tests.unit.nodeagent.test_images import Notes
from tests.unit.nodeagent.views import container, pod


class Said:
    """A process that says one thing and ends."""

    def __init__(self, code: int) -> None:
        self._code = code
        self._outputs: list[Output] = [Stdout(b"because\n")]

    async def read(self) -> Output | None:
        return self._outputs.pop() if self._outputs else None

    async def write(self, data: bytes) -> None:
        return

    async def close_stdin(self) -> None:
        return

    async def resize(self, size: TerminalSize) -> None:
        return

    async def kill(self) -> bool:
        return True

    async def exit_code(self) -> int | None:
        return self._code


class Patient(HollowRuntime):
    """A runtime in which every command ends as `codes` says, and it is noted when it was asked."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(HollowEngine(clock, as_meant), Owner("cluster", "node"))
        self.codes: dict[str, int] = {}
        self.asked: list[tuple[str, float]] = []
        self._clock = clock

    @asynccontextmanager
    async def exec(self, container_id: str, command: tuple[str, ...], options: StreamOptions) -> AsyncIterator[Said]:
        self.asked.append((command[0], self._clock.monotonic()))
        yield Said(self.codes.get(command[0], 0))


class World:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.runtime = Patient(self.clock)
        self.notes = Notes()
        self.changes: list[Health] = []

    @asynccontextmanager
    async def watching(self, wanted: Container) -> AsyncIterator[None]:
        prober = RealProber(self.runtime, self.notes, self.clock, Measures(CollectorRegistry()))
        target, health = Target(wanted, "id", "10.0.0.7"), probing.initial_health(wanted)
        async with asyncio.TaskGroup() as tasks:
            watch = prober.watch(pod(wanted), target, self.clock.now(), health, self.changes.append)
            task = tasks.create_task(watch)
            yield
            task.cancel()

    def times(self, command: str) -> list[float]:
        return [moment for name, moment in self.runtime.asked if name == command]


def asking(command: str, **fields: Any) -> Probe:
    return Probe(exec=ExecAction(command=(command,)), **{"period_seconds": 5, "failure_threshold": 2, **fields})


async def test_readiness_comes_after_its_delay_and_goes_with_failures() -> None:
    world = World()
    async with world.watching(container(readiness_probe=asking("ready", initial_delay_seconds=3))):
        await world.clock.advance(12)
        assert world.times("ready") == [3, 8]
        assert world.changes == [Health()]
        world.runtime.codes["ready"] = 1
        await world.clock.advance(10)
        assert world.changes == [Health(), Health(ready=False)]
    assert ("Unhealthy", "Readiness probe failed: because") in world.notes.told


async def test_a_container_that_is_not_alive_is_asked_no_more() -> None:
    world = World()
    world.runtime.codes["alive"] = 1
    async with world.watching(container(liveness_probe=asking("alive"))):
        await world.clock.advance(60)
        assert world.times("alive") == [0, 5]
        assert world.changes == [Health(alive=False)]


async def test_the_others_wait_for_startup() -> None:
    world = World()
    world.runtime.codes["started"] = 1
    wanted = container(
        startup_probe=asking("started", failure_threshold=10),
        liveness_probe=asking("alive"),
        readiness_probe=asking("ready"),
    )
    async with world.watching(wanted):
        await world.clock.advance(12)
        assert {name for name, _ in world.runtime.asked} == {"started"}
        world.runtime.codes["started"] = 0
        await world.clock.advance(5)
        assert world.changes == [Health(ready=False), Health()]
        assert len(world.times("started")) == 4
        assert world.times("alive") == world.times("ready") == [15]


async def test_a_container_that_never_starts() -> None:
    world = World()
    world.runtime.codes["started"] = 1
    async with world.watching(container(startup_probe=asking("started"), liveness_probe=asking("alive"))):
        await world.clock.advance(60)
        assert [health.failed_startup for health in world.changes] == [True]
        assert world.times("alive") == []
