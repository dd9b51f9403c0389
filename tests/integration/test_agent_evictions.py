"""What an agent finds on a real disk and a real machine before it evicts a pod; and what it writes down of an end."""

from __future__ import annotations

import asyncio
import os
import shutil
import uuid
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
from prometheus_client import CollectorRegistry

from nodeagent import pressure, storagelimits, volumes
from nodeagent.endings import Endings
from nodeagent.handlers import Target
from nodeagent.hooks import Hooks
from nodeagent.measures import Measures
from nodeagent.nodepressure import NodePressure
from nodeagent.podworker import Equipment, PodWorker
from nodeagent.runtime import hollow
from nodeagent.runtime.hollow import HollowEngine, HollowRuntime
from nodeagent.runtime.hollow.sessions import HollowExec
from nodeagent.runtime.interface import Owner, Session, StreamOptions
from nodeagent.storagelimits import StorageLimits
from nodeagent.volumes import memoryplace
from steersman.api.core import (
    Container,
    EmptyDirVolumeSource,
    ExecAction,
    Lifecycle,
    LifecycleHandler,
    Pod,
    PodSpec,
    Volume,
)
from steersman.api.meta import ObjectMeta
from steersman.api.names import Uid
from steersman.api.part import Quantity
from steersman.base.clock import SystemClock
from tests import runtimes
from tests.eventually import eventually
from tests.runtimes import World
from tests.unit.nodeagent.test_images import Notes

WITHIN = 30.0
NOW = datetime(2030, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)


class _ImpatientClock(SystemClock):
    """Seconds pass in no time."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.05))


def worker(name: str, *, priority: int = 0, volume: Volume | None = None) -> PodWorker:
    """One that nobody runs: it is told to end its pod, and that is noted."""
    spec = PodSpec(containers=(Container(name="app"),), priority=priority, volumes=() if volume is None else (volume,))
    made = PodWorker(Pod(metadata=ObjectMeta(name=name, uid=name), spec=spec), cast("Equipment", None))
    made.ended.set()
    return made


@asynccontextmanager
async def running(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(work)
        yield
        task.cancel()


async def test_an_overfull_volume_costs_its_pod_the_place(tmp_path: Path) -> None:
    volume = Volume(name="scratch", empty_dir=EmptyDirVolumeSource(size_limit=Quantity("1Mi")))
    notes, crowd = Notes(), [worker("greedy", volume=volume), worker("modest", volume=volume)]
    for each, size in zip(crowd, (2 << 20, 1 << 10), strict=True):
        folder = volumes.empty_dir_folder(tmp_path, each.uid, "scratch")
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(os.urandom(size))
    limits = StorageLimits(tmp_path, notes, Measures(CollectorRegistry()), _ImpatientClock())
    told = ("Evicted", 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ')
    async with running(limits.run(lambda: crowd)):
        await eventually(lambda: told in notes.told, within=WITHIN)
    assert {*notes.told} == {told}


async def test_a_machine_without_memory_ends_the_pod_that_matters_least(tmp_path: Path) -> None:
    async with runtimes.hollow_world() as world:
        crowd = [await _tenant(world, priority) for priority in (7, 3, 5)]
        notes = Notes()
        thresholds = [pressure.parse("memory.available<1000Ti")]
        measures = Measures(CollectorRegistry())
        watch = NodePressure(thresholds, world.runtime, tmp_path, notes, measures, _ImpatientClock())
        assert watch.conditions() == {"MemoryPressure"}
        async with running(watch.run(lambda: crowd)):
            await eventually(lambda: notes.told, within=WITHIN)
        reason, message = notes.told[0]
        assert reason == "Evicted"
        assert message.startswith("The node was low on resource: memory. Threshold quantity: 1000Ti, available: ")
        assert message.endswith("Container app was using 1Mi, request is 0, has larger consumption of memory. ")
        assert notes.about[0] == crowd[1].uid


async def _tenant(world: World, priority: int) -> PodWorker:
    """A pod that runs, with its worker."""
    own = runtimes.with_new_pod(world)
    await own.running()
    return worker(own.uid, priority=priority)


def test_room_on_the_disk(tmp_path: Path) -> None:
    folder = tmp_path / "volume"
    (folder / "deep").mkdir(parents=True)
    empty = storagelimits.used_bytes(folder)
    (folder / "deep/file").write_bytes(os.urandom(1 << 20))
    once = storagelimits.used_bytes(folder)
    assert (1 << 20) <= once - empty < (2 << 20)
    os.link(folder / "deep/file", folder / "twin")
    (folder / "link").symlink_to("/usr")
    assert storagelimits.used_bytes(folder) - once < (1 << 20)
    assert storagelimits.used_bytes(tmp_path / "absent") == 0


async def test_the_next_agent_knows_how_far_an_end_has_come(tmp_path: Path) -> None:
    uid = Uid("uid-1")
    assert await Endings(tmp_path).began_at(uid) is None
    await Endings(tmp_path).begin(uid, NOW)
    assert await Endings(tmp_path).began_at(uid) == NOW
    assert not await Endings(tmp_path).has_run_hook(uid, "container-1")
    await Endings(tmp_path).note_hook(uid, "container-1", NOW)
    assert await Endings(tmp_path).has_run_hook(uid, "container-1")
    await Endings(tmp_path).take_back(uid)
    assert await Endings(tmp_path).began_at(uid) is None


class _Busy(HollowRuntime):
    """Notes the programs that it was asked to run."""

    def __init__(self, engine: HollowEngine) -> None:
        super().__init__(engine, Owner("cluster", "node"))
        self.ran: list[str] = []

    def exec(
        self, container_id: str, command: tuple[str, ...], options: StreamOptions
    ) -> AbstractAsyncContextManager[Session]:
        self.ran.append(f"{command[0]} in {container_id}")
        return self._note()

    @asynccontextmanager
    async def _note(self) -> AsyncIterator[Session]:
        yield HollowExec()


async def test_a_hook_that_has_run_is_not_run_by_the_next_agent(tmp_path: Path) -> None:
    pod = Pod(metadata=ObjectMeta(name="web", uid="uid-1"))
    lifecycle = Lifecycle(pre_stop=LifecycleHandler(exec=ExecAction(command=("farewell",))))
    ending = Container(name="app", lifecycle=lifecycle)
    async with hollow.open_engine() as engine:
        runtime = _Busy(engine)
        for attempt in ("container-1", "container-1", "container-2"):
            agent = Hooks(runtime, Notes(), Endings(tmp_path), SystemClock())
            await agent.before_stop(pod, Target(ending, attempt, "127.0.0.1"), WITHIN)
        assert runtime.ran == ["farewell in container-1", "farewell in container-2"]


async def test_nothing_is_written_down_of_what_does_not_really_run() -> None:
    uid, endings = Uid("uid-1"), Endings(None)
    await endings.begin(uid, NOW)
    await endings.note_hook(uid, "container-1", NOW)
    await endings.take_back(uid)
    assert await endings.began_at(uid) is None
    assert not await endings.has_run_hook(uid, "container-1")


@pytest.fixture
def in_memory() -> Iterator[Path]:
    wanted = Path("/dev/shm") / f"steersman-test-{uuid.uuid4()}"
    if not memoryplace.is_in_memory(wanted, Path("/proc/self/mountinfo").read_text()):
        pytest.skip("this machine has no file system in memory at /dev/shm")
    yield wanted
    shutil.rmtree(wanted)


def test_a_place_in_memory_is_nobody_elses(in_memory: Path, tmp_path: Path) -> None:
    found = memoryplace.find(in_memory, "cluster", "node", tmp_path)
    assert found == in_memory / "cluster" / "node"
    assert memoryplace.find(in_memory, "cluster", "node", tmp_path) == found
    in_memory.chmod(0o755)
    assert memoryplace.find(in_memory, "cluster", "node", tmp_path) is None


def test_a_place_in_memory_goes_after_its_data_dir(in_memory: Path, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        folder.mkdir()
    memoryplace.find(in_memory, "gone", "node", theirs)
    memoryplace.find(in_memory, "stays", "node", ours)
    assert {each.name for each in in_memory.iterdir()} == {"gone", "stays"}
    theirs.rmdir()
    memoryplace.find(in_memory, "stays", "node", ours)
    assert {each.name for each in in_memory.iterdir()} == {"stays"}


def test_a_place_on_disk_is_not_one_in_memory(tmp_path: Path) -> None:
    if memoryplace.is_in_memory(tmp_path, Path("/proc/self/mountinfo").read_text()):
        pytest.skip("this machine has its temporary files in memory")
    assert memoryplace.find(tmp_path / "x", "cluster", "node", tmp_path) is None
    assert not (tmp_path / "x").exists()
