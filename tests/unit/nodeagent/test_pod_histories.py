"""Random histories of one pod: exits, kills, lost containers, crashes of the agent in the midst of anything.

Whatever happens, no container has two live copies, a finished pod stays as it ended, and once everything is quiet the
pod gets where its restart policy sends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from nodeagent import picture, podmachine, podstatus
from nodeagent.phase import FINISHED
from nodeagent.picture import IMAGE, SETBACKS, Seen
from nodeagent.podmachine import (
    Forget,
    RemoveContainer,
    RemoveSandbox,
    Stage,
    StartContainer,
    StartSandbox,
    StopContainer,
)
from nodeagent.podstatus import Host
from nodeagent.runtime.seen import SeenContainer, SeenPod, SeenSandbox, State
from steersman.api.core import Pod, PodStatus
from steersman.api.part import Time
from tests.unit.nodeagent.views import ALWAYS, IMAGE_NAME, NEVER, NOW, ON_FAILURE, REF, container, pod, sidecar

HOST = Host(("192.0.2.1",), "fake")


@dataclass
class Engine:
    """What exists, and the two rules of a real engine: a name exists once, and what has ended stays ended."""

    now: datetime = NOW
    sandboxes: dict[str, SeenSandbox] = field(default_factory=dict)
    containers: dict[str, SeenContainer] = field(default_factory=dict)

    def observe(self) -> SeenPod:
        return SeenPod(
            pod=REF,
            sandboxes=tuple(sorted(self.sandboxes.values(), key=lambda each: -each.attempt)),
            containers=tuple(sorted(self.containers.values(), key=lambda each: (each.name, -each.attempt))),
        )

    def start_sandbox(self, attempt: int) -> None:
        self.sandboxes.setdefault(
            f"s-{attempt}",
            SeenSandbox(
                id=f"s-{attempt}",
                attempt=attempt,
                state=State.RUNNING,
                ip="10.0.0.7",
                ips=("10.0.0.7",),
                host_network=False,
                created_at=self.now,
                started_at=self.now,
                finished_at=None,
                annotations={},
            ),
        )

    def create(self, action: StartContainer) -> str:
        sandbox = max(self.sandboxes.values(), key=lambda each: each.attempt, default=None)
        container_id = f"{action.name}-{action.attempt}"
        if sandbox is not None and sandbox.state is State.RUNNING and container_id not in self.containers:
            self.containers[container_id] = SeenContainer(
                id=container_id,
                name=action.name,
                attempt=action.attempt,
                sandbox_id=sandbox.id,
                state=State.CREATED,
                image_id="sha256:1",
                created_at=self.now,
                started_at=None,
                finished_at=None,
                exit_code=None,
                oom_killed=False,
                error="",
                annotations={IMAGE: IMAGE_NAME, SETBACKS: str(action.setbacks)},
            )
        return container_id

    def give_up(self) -> None:
        """Whoever asked for a start is gone, and so is the start."""
        for found in [each for each in self.containers.values() if each.state is State.CREATED]:
            failed = replace(found, state=State.EXITED, finished_at=self.now, exit_code=128, error="context canceled")
            self.containers[found.id] = failed

    def start(self, container_id: str) -> None:
        found = self.containers.get(container_id)
        if found is not None and found.state is State.CREATED:
            self.containers[container_id] = replace(found, state=State.RUNNING, started_at=self.now)
        alive = [each.name for each in self.containers.values() if each.state is State.RUNNING]
        assert len(alive) == len(set(alive)), f"two live copies: {sorted(alive)}"

    def end(self, container_id: str, code: int) -> None:
        found = self.containers.get(container_id)
        if found is not None and found.state is State.RUNNING:
            ended = replace(found, state=State.EXITED, finished_at=self.now, exit_code=code)
            self.containers[container_id] = ended


@dataclass
class Agent:
    """The worker's loop with everything that only it remembers; a new one is what a restart is."""

    stage: Stage = Stage.SYNC
    restarting: frozenset[str] = frozenset()
    since: datetime | None = None


@dataclass
class World:
    pod: Pod
    engine: Engine = field(default_factory=Engine)
    agent: Agent = field(default_factory=Agent)
    is_forgotten: bool = False

    def turn(self, dies_after: int | None = None) -> None:
        """One pass of the agent, which may die after so many of the engine's steps."""
        if self.is_forgotten:
            return
        agent, now = self.agent, self.engine.now
        view = Seen(pod=self.engine.observe(), restarting=agent.restarting, terminating_since=agent.since)
        view = picture.completed(self.pod, picture.without_interrupted(view))
        step = podmachine.step(self.pod, agent.stage, view, now)
        agent.stage = step.stage
        self._report(podstatus.generate(self.pod, step.stage, view, HOST, now))
        for count, action in enumerate(step.actions):
            if dies_after is not None and count >= dies_after:
                self.agent = Agent()
                return
            self._act(action, half=dies_after is not None and count == dies_after - 1)

    def _act(self, action: podmachine.Action, *, half: bool) -> None:
        engine = self.engine
        match action:
            case StartSandbox():
                engine.start_sandbox(action.attempt)
            case StartContainer():
                container_id = engine.create(action)
                if not half:
                    engine.start(container_id)
            case StopContainer():
                if action.restart:
                    self.agent.restarting |= {action.id}
                engine.end(action.id, 137)
            case RemoveContainer():
                engine.containers.pop(action.id, None)
            case RemoveSandbox():
                engine.sandboxes.pop(action.id, None)
            case Forget():
                self.is_forgotten = True

    def _report(self, status: PodStatus) -> None:
        before = self.pod.status
        if before.phase in FINISHED:
            assert status.phase == before.phase
        counts = {each.name: each.restart_count for each in before.container_statuses}
        for each in status.container_statuses:
            assert each.restart_count >= counts.get(each.name, 0)
        self.pod = structs.replace(self.pod, status=status)


def _sandbox_dies(world: World) -> None:
    for sandbox in list(world.engine.sandboxes.values()):
        ended = replace(sandbox, state=State.EXITED, ip="", ips=(), finished_at=world.engine.now)
        world.engine.sandboxes[sandbox.id] = ended


def _deleted(world: World) -> None:
    meta = structs.replace(
        world.pod.metadata, deletion_timestamp=Time("2030-01-01T12:00:00Z"), deletion_grace_period_seconds=1
    )
    world.pod = structs.replace(world.pod, metadata=meta)


NAMES = ("init", "proxy", "a", "b")
EVENTS = st.one_of(
    st.tuples(st.just("turn")),
    st.tuples(st.just("die"), st.integers(0, 3)),
    st.tuples(st.just("exit"), st.sampled_from(NAMES), st.sampled_from((0, 1, 137))),
    st.tuples(st.just("lose"), st.sampled_from(NAMES)),
    st.tuples(st.just("sandbox dies")),
    st.tuples(st.just("wait"), st.sampled_from((1, 30, 700))),
    st.tuples(st.just("restart agent")),
    st.tuples(st.just("give up")),
    st.tuples(st.just("delete")),
)


def _happen(world: World, event: tuple[object, ...]) -> None:
    engine = world.engine
    match event:
        case ("turn",):
            world.turn()
        case ("die", int(steps)):
            world.turn(dies_after=steps)
        case ("exit", str(name), int(code)):
            for each in [each for each in engine.containers.values() if each.name == name]:
                engine.end(each.id, code)
        case ("lose", str(name)):
            for each in [each for each in engine.containers.values() if each.name == name]:
                del engine.containers[each.id]
        case ("sandbox dies",):
            _sandbox_dies(world)
        case ("wait", int(seconds)):
            engine.now += timedelta(seconds=seconds)
        case ("restart agent",):
            world.agent = Agent()
        case ("give up",):
            engine.give_up()
        case ("delete",):
            _deleted(world)


@settings(max_examples=150, deadline=None)
@given(policy=st.sampled_from((ALWAYS, ON_FAILURE, NEVER)), events=st.lists(EVENTS, max_size=40))
def test_no_history_makes_two_of_one_or_undoes_an_end(policy: str, events: list[tuple[object, ...]]) -> None:
    world = World(pod(container("a"), container("b"), init=(container("init"), sidecar("proxy")), policy=policy))
    for event in events:
        _happen(world, event)
    for _ in range(30):
        world.engine.now += timedelta(seconds=301)
        for each in [each for each in world.engine.containers.values() if each.name == "init"]:
            world.engine.end(each.id, 0)
        world.turn()
    if world.pod.metadata.deletion_timestamp is not None:
        assert world.is_forgotten
        assert not world.engine.containers
    elif world.pod.status.phase in FINISHED:
        assert not [each for each in world.engine.containers.values() if each.state is State.RUNNING]
        assert not [each for each in world.engine.sandboxes.values() if each.state is State.RUNNING]
    else:
        alive = {each.name for each in world.engine.containers.values() if each.state is State.RUNNING}
        assert alive
        assert alive == {"a", "b", "proxy"} or policy != ALWAYS
