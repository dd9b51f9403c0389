"""What to do next with one pod. Pure: the same arguments give the same answer, so it is safe to ask after a crash.

                  deleted, gone, finished,
                  ousted or out of time                   nothing runs
      SYNC ─────────────────────────▶ TERMINATING ─────────────────────▶ TERMINATED
       │ sandbox, init containers and      │ containers at once,            │ volumes released; once the pod is
       │ sidecars in order, containers,    │ then sidecars backwards,       │ deleted, its containers removed too
       │ restarts after a delay            │ then the sandbox               │

Never back. What is under way is part of what is seen, and nothing is asked for twice; a stop may be asked for again
with an earlier deadline. A container gets its next attempt only when no earlier one can still be alive.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from nodeagent import phase, restarts
from nodeagent.phase import FINISHED, Phase
from nodeagent.picture import IMAGE, SANDBOX, Seen
from nodeagent.runtime.seen import SeenContainer, State
from steersman.api import podresources, times
from steersman.api.core import Container, Pod

DEFAULT_GRACE_SECONDS = 30
LEAST_GRACE_SECONDS = 2
"""What a sidecar gets even when its pod's grace period is over."""


class Stage(StrEnum):
    SYNC = "sync"
    TERMINATING = "terminating"
    TERMINATED = "terminated"


@dataclass(frozen=True, slots=True)
class StartSandbox:
    attempt: int


@dataclass(frozen=True, slots=True)
class StartContainer:
    name: str
    attempt: int
    setbacks: int


class Cause(StrEnum):
    """Why a container is stopped, in the kubelet's words. `{}` is its name."""

    POD = "Stopping container {}"
    SANDBOX = "Stopping container {}: its sandbox has ended"
    SUPERSEDED = "Stopping container {}: a newer attempt has taken its place"
    CHANGED = "Container {} definition changed, will be restarted"
    LIVENESS = "Container {} failed liveness probe"
    STARTUP = "Container {} failed startup probe"


@dataclass(frozen=True, slots=True)
class StopContainer:
    """Ask it to end, and kill it at the deadline. `restart`: only to start it anew, whatever its exit code."""

    id: str
    name: str
    deadline: datetime
    cause: Cause
    restart: bool = False


@dataclass(frozen=True, slots=True)
class RemoveContainer:
    id: str


@dataclass(frozen=True, slots=True)
class RemoveSandbox:
    id: str


@dataclass(frozen=True, slots=True)
class ReleaseVolumes:
    """Nothing of the pod runs any more."""


@dataclass(frozen=True, slots=True)
class Forget:
    """The last word: tell the API that the pod is gone."""


Action = StartSandbox | StartContainer | StopContainer | RemoveContainer | RemoveSandbox | ReleaseVolumes | Forget


@dataclass(frozen=True, slots=True)
class Step:
    stage: Stage
    actions: tuple[Action, ...] = ()
    wake_at: datetime | None = None
    """When time alone will change the answer."""


def step(pod: Pod, stage: Stage, seen: Seen, now: datetime) -> Step:
    stage = advance(pod, stage, seen, now)
    match stage:
        case Stage.SYNC:
            stops = to_stop(pod, seen, now)
            starts, retries = ((), ()) if stops else to_start(pod, seen, now)
            waits = [moment for moment in (*retries, deadline_of(pod)) if moment is not None and moment > now]
            return Step(stage, (*to_prune(seen), *stops, *starts), min(waits, default=None))
        case Stage.TERMINATING:
            return Step(stage, tuple(to_kill(pod, seen, now)))
        case Stage.TERMINATED:
            return Step(stage, tuple(to_clean(pod, seen)))


def advance(pod: Pod, stage: Stage, seen: Seen, now: datetime) -> Stage:
    if stage is Stage.SYNC and must_end(pod, seen, now):
        stage = Stage.TERMINATING
    if stage is Stage.TERMINATING and is_quiet(seen):
        stage = Stage.TERMINATED
    return stage


def must_end(pod: Pod, seen: Seen, now: datetime) -> bool:
    if seen.gone or seen.ousting is not None or is_deleted(pod) or pod.status.phase in FINISHED:
        return True
    deadline = deadline_of(pod)
    return (deadline is not None and now >= deadline) or phase.of(pod, seen) in FINISHED


def is_deleted(pod: Pod) -> bool:
    return pod.metadata.deletion_timestamp is not None


def is_quiet(seen: Seen) -> bool:
    """Nothing runs, and nothing is on its way to run."""
    return seen.sandbox is None and not seen.running() and not seen.starting


def deadline_of(pod: Pod) -> datetime | None:
    """When `activeDeadlineSeconds` are over."""
    if pod.spec.active_deadline_seconds is None or pod.status.start_time is None:
        return None
    return times.to_datetime(pod.status.start_time) + timedelta(seconds=pod.spec.active_deadline_seconds)


# --- Stopping in the midst of life


def to_stop(pod: Pod, seen: Seen, now: datetime) -> list[StopContainer]:
    """Containers whose sandbox died, whose image changed, that failed a probe; and sidecars that have no work left.

    That an older attempt runs beside a newer one takes a second agent that slept for long and woke up in the midst of
    a start. It is undone as soon as it is seen.
    """
    sandbox, deadline = seen.sandbox, now + timedelta(seconds=grace_seconds(pod))
    orphans = [each for each in seen.running() if sandbox is None or each.sandbox_id != sandbox.id]
    if orphans:
        return _stops(seen, orphans, deadline, Cause.SANDBOX)
    strays = [each for each in seen.running() if each is not seen.newest(each.name)]
    if strays:
        return _stops(seen, strays, deadline, Cause.SUPERSEDED)
    sidecars = [each for each in pod.spec.init_containers if podresources.is_sidecar(each)]
    found: list[StopContainer] = []
    for container in (*sidecars, *pod.spec.containers):
        running = seen.newest(container.name)
        if running is not None and running.state is State.RUNNING:
            found += _stop_if_bad(pod, container, running, seen, now)
    if not found and sidecars and work_is_done(pod, seen):
        found = _stop_backwards(sidecars, seen, deadline)
    return found


def _stop_if_bad(
    pod: Pod, container: Container, running: SeenContainer, seen: Seen, now: datetime
) -> list[StopContainer]:
    grace, health = grace_seconds(pod), seen.health_of(running, container)
    if running.annotations.get(IMAGE, container.image) != container.image:
        deadline = now + timedelta(seconds=grace)
        return _stops(seen, [running], deadline, Cause.CHANGED, restart=True)
    if health.alive:
        return []
    failed_startup = health.failed_startup and container.startup_probe is not None
    probe = container.startup_probe if failed_startup else container.liveness_probe
    if probe is not None and probe.termination_grace_period_seconds is not None:
        grace = probe.termination_grace_period_seconds
    deadline = now + timedelta(seconds=grace)
    cause = Cause.STARTUP if failed_startup else Cause.LIVENESS
    return _stops(seen, [running], deadline, cause, restart=restarts.policy_of(pod, container) != "Never")


def work_is_done(pod: Pod, seen: Seen) -> bool:
    """Every regular container has ended for good."""
    for container in pod.spec.containers:
        newest = seen.newest(container.name)
        if newest is None or newest.state is not State.EXITED:
            return False
        if restarts.will_restart(pod, container, newest, seen):
            return False
    return True


def _stops(
    seen: Seen, targets: Iterable[SeenContainer], deadline: datetime, cause: Cause, *, restart: bool = False
) -> list[StopContainer]:
    """Not what is being stopped already, unless it is to go sooner."""
    return [
        StopContainer(each.id, each.name, deadline, cause, restart)
        for each in targets
        if each.id not in seen.stopping or deadline < seen.stopping[each.id]
    ]


def _stop_backwards(sidecars: Sequence[Container], seen: Seen, deadline: datetime) -> list[StopContainer]:
    """The last one that still runs; those before it wait for it."""
    running = {each.name: each for each in seen.running()}
    last = next((running[each.name] for each in reversed(sidecars) if each.name in running), None)
    return [] if last is None else _stops(seen, [last], deadline, Cause.POD)


# --- Starting


def to_start(pod: Pod, seen: Seen, now: datetime) -> tuple[list[Action], list[datetime]]:
    """What can start now, and the moments at which more can."""
    if work_is_done(pod, seen):
        return [], []  # the sidecars are on their way out and must not come back
    if seen.sandbox is None:
        return _start_sandbox(seen, now)
    actions: list[Action] = []
    retries: list[datetime] = []
    alive = {each.name for each in seen.running()}
    for name in _names_to_start(pod, seen):
        newest = seen.newest(name)
        if name in seen.starting or name in alive or (newest is not None and newest.id in seen.stopping):
            continue
        ready_at = _ready_at(name, newest, seen)
        if ready_at is not None and ready_at > now:
            retries.append(ready_at)
        else:
            attempt = restarts.next_attempt(newest, is_here=seen.here(name) is not None)
            actions.append(StartContainer(name, attempt, restarts.next_setbacks(newest)))
    return actions, retries


def _names_to_start(pod: Pod, seen: Seen) -> list[str]:
    """Ephemeral containers run once, and need not wait for anybody."""
    wanted, initialized = _init_to_start(pod, seen)
    if initialized:
        wanted += [each for each in pod.spec.containers if _is_wanted(pod, each, seen)]
    names = [each.name for each in wanted]
    for ephemeral in pod.spec.ephemeral_containers:
        newest = seen.newest(ephemeral.name)
        if newest is None or newest.state is State.CREATED:
            names.append(ephemeral.name)
    return names


def _start_sandbox(seen: Seen, now: datetime) -> tuple[list[Action], list[datetime]]:
    """Only when nothing of the last one runs: its containers would live on beside their successors."""
    if SANDBOX in seen.starting or seen.running() or seen.starting:
        return [], []
    trouble = seen.troubles.get(SANDBOX)
    if trouble is not None and trouble.retry_at > now:
        return [], [trouble.retry_at]
    newest = seen.pod.sandbox
    if newest is None:
        return [StartSandbox(0)], []
    return [StartSandbox(newest.attempt if newest.state is State.CREATED else newest.attempt + 1)], []


def _init_to_start(pod: Pod, seen: Seen) -> tuple[list[Container], bool]:
    """The init containers to start, and whether the pod is past them.

    Each waits for the one before it: for its success, or that a sidecar has started. Once a regular container has been
    created in this sandbox, only the sidecars are kept going.
    """
    is_past = any(seen.here(each.name) is not None for each in pod.spec.containers)
    wanted: list[Container] = []
    for container in pod.spec.init_containers:
        is_sidecar = podresources.is_sidecar(container)
        if is_past and not is_sidecar:
            continue
        newest = seen.here(container.name)
        is_running = newest is not None and newest.state is State.RUNNING
        if not is_running and (is_sidecar or not _has_succeeded(newest)):
            wanted.append(container)
        if not is_past and not _is_passed(container, newest, seen):
            return wanted, False
    return wanted, True


def _has_succeeded(newest: SeenContainer | None) -> bool:
    return newest is not None and newest.state is State.EXITED and newest.exit_code == 0


def _is_passed(container: Container, newest: SeenContainer | None, seen: Seen) -> bool:
    if not podresources.is_sidecar(container):
        return _has_succeeded(newest)
    return newest is not None and newest.state is State.RUNNING and seen.health_of(newest, container).started


def _is_wanted(pod: Pod, container: Container, seen: Seen) -> bool:
    newest = seen.newest(container.name)
    if newest is None or newest.state is State.CREATED:
        return True
    return newest.state is State.EXITED and restarts.will_restart(pod, container, newest, seen)


def _ready_at(name: str, newest: SeenContainer | None, seen: Seen) -> datetime | None:
    """When it may be tried: after the last failure to start it, and after the delay that its last end earned."""
    moments = []
    if name in seen.troubles:
        moments.append(seen.troubles[name].retry_at)
    if newest is not None and newest.state is State.EXITED and newest.id not in seen.restarting:
        moments.append(restarts.at(newest))
    return max(moments, default=None)


# --- The end


def grace_seconds(pod: Pod) -> int:
    """What was said at the deletion, else in the spec. At least a second: even force lets a process say goodbye."""
    said = pod.metadata.deletion_grace_period_seconds if is_deleted(pod) else None
    if said is None:
        said = pod.spec.termination_grace_period_seconds
    return max(said if said is not None else DEFAULT_GRACE_SECONDS, 1)


def to_kill(pod: Pod, seen: Seen, now: datetime) -> list[Action]:
    """All containers but the sidecars at once, then the sidecars from the last to the first, then the sandbox."""
    deadline = (seen.terminating_since or now) + timedelta(seconds=grace_seconds(pod))
    if seen.ousting is not None:
        deadline = min(deadline, seen.ousting.until)
    sidecars = [each for each in pod.spec.init_containers if podresources.is_sidecar(each)]
    names = {each.name for each in sidecars}
    others = [each for each in seen.running() if each.name not in names]
    if others:
        return [*_stops(seen, others, deadline, Cause.POD)]
    if seen.running():
        least = now + timedelta(seconds=LEAST_GRACE_SECONDS)
        return [*_stop_backwards(sidecars, seen, max(deadline, least))]
    sandbox = seen.pod.sandbox
    if sandbox is not None and sandbox.state is State.RUNNING and not seen.starting:
        return [RemoveSandbox(sandbox.id)]
    return []


def to_clean(pod: Pod, seen: Seen) -> list[Action]:
    """A finished pod keeps its containers, for their logs, until somebody deletes it."""
    if not seen.gone and not is_deleted(pod):
        return [ReleaseVolumes()]
    removals: list[Action] = [RemoveContainer(each) for each in seen.interrupted]
    removals += [RemoveContainer(each.id) for each in seen.pod.containers]
    removals += [RemoveSandbox(each.id) for each in seen.pod.sandboxes]
    return [*removals, ReleaseVolumes(), Forget()]


KEPT_ATTEMPTS = 2
"""The newest attempt, and the one before it for `lastState` and `logs --previous`."""


def to_prune(seen: Seen) -> list[Action]:
    """What is to be made anew, dead attempts that nobody will ask for, and dead sandboxes that nothing refers to."""
    kept: dict[str, int] = {}
    removals: list[Action] = [RemoveContainer(each) for each in seen.interrupted]
    for container in seen.pod.containers:
        kept[container.name] = kept.get(container.name, 0) + 1
        if kept[container.name] > KEPT_ATTEMPTS and container.state is not State.RUNNING:
            removals.append(RemoveContainer(container.id))
    removals += [RemoveSandbox(each.id) for each in seen.pod.sandboxes[1:] if not seen.running() or seen.sandbox]
    return removals


def final_phase(reached: Phase) -> Phase:
    """A pod that ended before its containers could is a failure."""
    return reached if reached in FINISHED else Phase.FAILED
