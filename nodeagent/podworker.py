"""The life of one pod on this node: observe, decide, act, report; again when something happens or time has come.

The loop itself never waits for the engine to start or stop anything: that is under way beside it (`operations`), and
what is under way is part of what the next decision sees.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

from msgspec import structs

from nodeagent import blueprint, picture, podmachine, podstatus
from nodeagent.endings import Endings
from nodeagent.handlers import Target
from nodeagent.hooks import Hooks
from nodeagent.lastwords import LastWords
from nodeagent.launching import Launcher
from nodeagent.measures import Measures
from nodeagent.operations import Operations, Start
from nodeagent.picture import SANDBOX, Ousting, Seen
from nodeagent.podmachine import (
    Action,
    Forget,
    ReleaseVolumes,
    RemoveContainer,
    RemoveSandbox,
    Stage,
    StartContainer,
    StartSandbox,
    StopContainer,
)
from nodeagent.podstatus import Host
from nodeagent.podsync import PodSync
from nodeagent.probes import Prober
from nodeagent.recording import Recorder
from nodeagent.reporter import Reporter
from nodeagent.runtime.interface import ContainerRuntime
from nodeagent.runtime.seen import SeenPod, State
from nodeagent.volumes import Prepared, Volumes
from nodeagent.waiting import Reason, pod_label
from nodeagent.watchers import Watchers
from steersman.api.core import Container, Pod, PodStatus
from steersman.api.errors import ApiError
from steersman.api.names import Uid
from steersman.base import log
from steersman.base.clock import Clock

RETRY_SECONDS = 1.0
LEAST_STOP_SECONDS = 2.0
"""What a container gets to end after its preStop hook, even when that used up the grace period."""

_log = log.get("podworker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What all pod workers of a node work with."""

    host: Host
    runtime: ContainerRuntime
    launcher: Launcher
    volumes: Volumes
    prober: Prober
    hooks: Hooks
    endings: Endings
    last_words: LastWords
    reporter: Reporter
    recorder: Recorder
    measures: Measures
    clock: Clock


class PodWorker:
    def __init__(self, pod: Pod, equipment: Equipment) -> None:
        self.uid = Uid(pod.metadata.uid)
        self._pod = pod
        self._with = equipment
        self._stage = Stage.SYNC
        self._status: PodStatus | None = None
        self._must_tell = False
        self._woken = asyncio.Event()
        self._prepared: Prepared | None = None
        self._restarting: frozenset[str] = frozenset()
        self._messages: dict[str, str] = {}
        self._terminating_since: datetime | None = None
        self._ousting: Ousting | None = None
        self._is_gone = False
        self._is_released = False
        self._sync = PodSync()
        self.ended = asyncio.Event()
        """Set once nothing of the pod runs any more, and the reporter knows."""

    @property
    def pod(self) -> Pod:
        """As the API has it."""
        return self._pod

    @property
    def stage(self) -> Stage:
        return self._stage

    @property
    def is_leaving(self) -> bool:
        """Deleted, and nothing of it runs any more: that it vanishes from the API is our own doing."""
        return self._stage is Stage.TERMINATED and podmachine.is_deleted(self._pod)

    def update(self, pod: Pod) -> None:
        self._pod = pod
        self._woken.set()

    def vanish(self) -> None:
        """The pod is no longer in the API: end it, and tell nobody."""
        self._is_gone = True
        self._woken.set()

    def oust(self, ousting: Ousting) -> None:
        """End the pod although nobody has deleted it. The first reason is the one that is told."""
        if self._ousting is None:
            self._ousting = ousting
            self._woken.set()

    def retell(self) -> None:
        """Whoever is told how the pod fares has forgotten it."""
        self._must_tell = True
        self._woken.set()

    def wake(self) -> None:
        self._woken.set()

    async def run(self) -> None:
        """Until the pod is gone."""
        try:
            self._terminating_since = await self._with.endings.began_at(self.uid)
            async with asyncio.TaskGroup() as tasks:
                operations = Operations(tasks, self._with.clock, self.wake, self._with.measures)
                watchers = Watchers(tasks, self._with.prober, self.wake)
                await self._live(operations, watchers)
                watchers.end()
            self.ended.set()
        finally:
            self._sync.end()

    async def _live(self, operations: Operations, watchers: Watchers) -> None:
        is_over = False
        while not is_over:
            self._woken.clear()
            try:
                is_over, wake_at = await self._turn(operations, watchers)
            except ApiError as error:
                _log.warning("engine trouble", pod=pod_label(self._pod), error=error.reason, reason=error.message)
                await self._with.clock.sleep(RETRY_SECONDS)
                continue
            if not is_over:
                await self._rest(wake_at)

    async def _turn(self, operations: Operations, watchers: Watchers) -> tuple[bool, datetime | None]:
        """One pass. Whether it was the last, and when time alone asks for the next."""
        starting, stopping = operations.starting, operations.stopping  # before observing: an end in between is seen
        observed = await self._with.runtime.observe(self.uid)
        pod = self._known()
        await self._hear_last_words(pod, observed)
        seen = Seen(
            pod=observed,
            health=watchers.health,
            troubles=operations.troubles,
            starting=starting,
            stopping=stopping,
            restarting=self._restarting,
            messages=self._messages,
            terminating_since=self._terminating_since,
            ousting=self._ousting,
            gone=self._is_gone,
        )
        seen = picture.completed(pod, picture.without_interrupted(seen))
        now = self._with.clock.now()
        step = podmachine.step(pod, self._stage, seen, now)
        await self._enter(step.stage, operations, now)
        if self._stage is Stage.SYNC:
            watchers.follow(pod, seen, self._address(seen))
        else:
            watchers.end()
        if not self._is_gone:
            self._report(podstatus.generate(pod, self._stage, seen, self._with.host, now))
            if self._stage is Stage.TERMINATED:
                self.ended.set()
        is_over = False
        for action in step.actions:
            is_over = await self._act(action, pod, seen, operations)
        if not (starting or stopping or operations.starting or operations.stopping):
            self._sync.end()
        return is_over, step.wake_at

    def _known(self) -> Pod:
        """The pod with the newest status known: what we reported may not have come back yet."""
        if self._status is None:
            return self._pod
        merged = podstatus.merge(self._status, self._pod.status, self._with.clock.now())
        return structs.replace(self._pod, status=merged)

    async def _enter(self, stage: Stage, operations: Operations, now: datetime) -> None:
        if stage is not self._stage:
            _log.info("pod", pod=pod_label(self._pod), stage=stage.value)
            self._stage = stage
        if stage is not Stage.SYNC:
            operations.call_off_starts()
        elif self._terminating_since is not None:
            self._terminating_since = None
            await self._with.endings.take_back(self.uid)
        if stage is Stage.TERMINATING and self._terminating_since is None:
            self._terminating_since = now
            await self._with.endings.begin(self.uid, now)

    async def _rest(self, wake_at: datetime | None) -> None:
        seconds = None
        if wake_at is not None:
            seconds = max((wake_at - self._with.clock.now()).total_seconds(), 0.0)
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return

    # --- Acting

    async def _act(self, action: Action, pod: Pod, seen: Seen, operations: Operations) -> bool:
        """Whether that was the end of it all."""
        if not isinstance(action, ReleaseVolumes):  # which is asked for at every look at a pod that has ended
            self._sync.begin(self._pod)
        match action:
            case StartSandbox():
                operations.start(SANDBOX, lambda start: self._start_sandbox(start, action))
            case StartContainer():
                operations.start(action.name, lambda start: self._start_container(start, action, seen))
            case StopContainer():
                if action.restart:
                    self._restarting |= {action.id}
                operations.stop(action.id, action.deadline, lambda: self._stop(action, pod, seen))
            case RemoveContainer():
                await self._with.runtime.remove_container(action.id)
            case RemoveSandbox():
                await self._with.runtime.remove_sandbox(action.id)
                self.wake()
            case ReleaseVolumes():
                await self._release()
            case Forget():
                if not self._is_gone:
                    with self._sync.part("remove pod"):
                        await self._with.reporter.forget(self._pod)
                return True
        return False

    async def _start_sandbox(self, start: Start, action: StartSandbox) -> None:
        with self._sync.part("start sandbox", attempt=action.attempt):
            prepared = await self._volumes()
            start.commit()
            await self._with.launcher.start_sandbox(self._pod, action, prepared)

    async def _start_container(self, start: Start, action: StartContainer, seen: Seen) -> None:
        container, sandbox = find_container(self._pod, action.name), seen.sandbox
        if container is None or sandbox is None:
            return
        launcher = self._with.launcher
        with self._sync.part("start container", container=action.name, attempt=action.attempt):
            made_of = await launcher.ingredients(self._pod, container, action, sandbox, await self._volumes())
            start.commit()
            await launcher.start_container(self._pod, container, made_of, self._address(seen))

    async def _volumes(self) -> Prepared:
        if self._prepared is None:
            self._prepared = await self._with.launcher.prepare_volumes(self._pod)
        return self._prepared

    async def _stop(self, action: StopContainer, pod: Pod, seen: Seen) -> None:
        clock, container = self._with.clock, find_container(pod, action.name)
        if not self._is_gone:
            told = action.cause.format(action.name)
            suffix = ", will be restarted" if action.restart and "restarted" not in told else ""
            self._with.recorder.normal(pod, "Killing", told + suffix)
        if container is not None:
            remaining = (action.deadline - clock.now()).total_seconds()
            await self._with.hooks.before_stop(pod, Target(container, action.id, self._address(seen)), remaining)
        remaining = (action.deadline - clock.now()).total_seconds()
        await self._with.runtime.stop_container(action.id, max(remaining, LEAST_STOP_SECONDS))

    async def _release(self) -> None:
        if not self._is_released:
            await self._with.volumes.release(self.uid)
            self._is_released, self._prepared = True, None

    # --- Reporting

    def _report(self, status: PodStatus) -> None:
        before, self._status = self._status, status
        if before == status and not self._must_tell:
            return
        self._must_tell = False
        self._sync.begin(self._pod)
        self._with.reporter.offer(self._pod, status, cause=self._sync.context)
        loops_before = _crash_loops(before) if before is not None else set()
        for name, _ in _crash_loops(status) - loops_before:
            message = f"Back-off restarting failed container {name} in pod {pod_label(self._pod)}"
            self._with.recorder.warning(self._pod, "BackOff", message)

    async def _hear_last_words(self, pod: Pod, observed: SeenPod) -> None:
        for ended in observed.containers:
            if ended.state is not State.EXITED or ended.id in self._messages:
                continue
            container = find_container(pod, ended.name)
            if container is not None:
                self._messages[ended.id] = await self._with.last_words.read(pod, container, ended)
        present = {each.id for each in observed.containers}
        self._messages = {known: message for known, message in self._messages.items() if known in present}

    def _address(self, seen: Seen) -> str:
        sandbox = seen.sandbox
        if sandbox is not None and sandbox.ip:
            return sandbox.ip
        return self._with.host.ips[0] if self._with.host.ips else ""


def find_container(pod: Pod, name: str) -> Container | None:
    for container in (*pod.spec.containers, *pod.spec.init_containers):
        if container.name == name:
            return container
    for ephemeral in pod.spec.ephemeral_containers:
        if ephemeral.name == name:
            return blueprint.as_container(ephemeral)
    return None


def _crash_loops(status: PodStatus) -> set[tuple[str, int]]:
    """Who waits to be restarted, and how often that has been."""
    return {
        (each.name, each.restart_count)
        for each in (*status.container_statuses, *status.init_container_statuses)
        if each.state.waiting is not None and each.state.waiting.reason == Reason.CRASH_LOOP
    }
