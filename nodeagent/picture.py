"""All that a decision about a pod is made from: what the engine shows, and what only this agent knows. Pure.

The engine is the memory that survives an agent; what is beside it here (health, troubles, what is under way) is found
out again after a restart. Containers that the engine has lost are filled in from what the pod's status says of them,
so that a container that ran is never taken for one that did not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from nodeagent import probing
from nodeagent.probing import Health
from nodeagent.runtime.seen import SeenContainer, SeenPod, SeenSandbox, State
from steersman.api import times
from steersman.api.core import Container, ContainerStatus, Pod
from steersman.api.part import Time

SANDBOX = ""
"""The name under which the sandbox stands among the containers."""
LOST_EXIT_CODE = 137
LOST_MESSAGE = "The container could not be located when the pod was terminated"

# The agent's notes on what it creates.
IMAGE = "image"
IMAGE_ID = "image-id"
SETBACKS = "setbacks"
GRACE = "grace-seconds"

_REASON = "reason"
_MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why something could not be started, in the words of a waiting status, and when it is worth another try.

    `is_refusal`: the engine itself said that what it made cannot be started.
    """

    reason: str
    message: str
    retry_at: datetime
    is_refusal: bool = False


@dataclass(frozen=True, slots=True)
class Ousting:
    """Why the node itself ends a pod that nobody has deleted, in the words of the pod's status, and by when.

    `is_disruption`: it is also told as a condition, for those who count the pods that were disturbed.
    """

    reason: str
    message: str
    until: datetime
    is_disruption: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """`health` and `stopping` (until when) go by container id, `troubles` and `starting` by name.

    `restarting` are the ids of containers that we stop, or have stopped, only to start them anew. `messages` are the
    last words of containers that ended, by id. `interrupted` are the ids of containers that never ran and are to be
    made anew. `gone`: the pod is no longer in the API.
    """

    pod: SeenPod
    health: Mapping[str, Health] = field(default_factory=dict)
    troubles: Mapping[str, Trouble] = field(default_factory=dict)
    starting: frozenset[str] = frozenset()
    stopping: Mapping[str, datetime] = field(default_factory=dict)
    restarting: frozenset[str] = frozenset()
    messages: Mapping[str, str] = field(default_factory=dict)
    interrupted: tuple[str, ...] = ()
    terminating_since: datetime | None = None
    ousting: Ousting | None = None
    gone: bool = False

    @property
    def sandbox(self) -> SeenSandbox | None:
        """The one that runs."""
        newest = self.pod.sandbox
        return newest if newest is not None and newest.state is State.RUNNING else None

    def newest(self, name: str) -> SeenContainer | None:
        return self.pod.newest(name)

    def here(self, name: str) -> SeenContainer | None:
        """The newest attempt, if it was made in the sandbox that runs."""
        found, sandbox = self.newest(name), self.sandbox
        return found if found is not None and sandbox is not None and found.sandbox_id == sandbox.id else None

    def running(self) -> list[SeenContainer]:
        return [each for each in self.pod.containers if each.state is State.RUNNING]

    def health_of(self, running: SeenContainer, container: Container) -> Health:
        found = self.health.get(running.id)
        return found if found is not None else probing.initial_health(container)


def setbacks(container: SeenContainer) -> int:
    """How many runs in a row, before this one, were short. What carries no note is judged by its attempt."""
    note = container.annotations.get(SETBACKS, "")
    return int(note) if note.isdecimal() else container.attempt


def end_reason(container: SeenContainer) -> str:
    """The one word for how it ended."""
    if _REASON in container.annotations:
        return container.annotations[_REASON]
    if container.error:
        return "StartError"
    if container.oom_killed:
        return "OOMKilled"
    return "Completed" if container.exit_code == 0 else "Error"


def end_message(container: SeenContainer, messages: Mapping[str, str]) -> str:
    return messages.get(container.id, "") or container.annotations.get(_MESSAGE, "") or container.error


# --- What the engine shows and should not, and what it no longer has


def without_interrupted(seen: Seen) -> Seen:
    """`seen` without the containers whose start failed under another agent's hands.

    An agent that is killed in the midst of a start takes the start with it: the engine gives up, and what is left looks
    like a container that cannot be started. Only who has witnessed the failure knows better. It has never run, so
    making it anew under the same attempt costs nothing.
    """
    doubtful = {each.id for each in seen.pod.containers if _is_doubtful(each, seen)}
    if not doubtful:
        return seen
    kept = tuple(each for each in seen.pod.containers if each.id not in doubtful)
    return replace(seen, pod=replace(seen.pod, containers=kept), interrupted=tuple(sorted(doubtful)))


def _is_doubtful(container: SeenContainer, seen: Seen) -> bool:
    never_ran = container.state is State.EXITED and container.started_at is None and bool(container.error)
    trouble, newest = seen.troubles.get(container.name), seen.newest(container.name)
    is_witnessed = container.name in seen.starting or (trouble is not None and trouble.is_refusal)
    return never_ran and not is_witnessed and newest is not None and newest.id == container.id


def completed(pod: Pod, seen: Seen) -> Seen:
    """`seen` with the containers that only the pod's status still knows."""
    statuses = (*pod.status.init_container_statuses, *pod.status.container_statuses)
    lost = [found for status in statuses if (found := _lost(status, seen)) is not None]
    if not lost:
        return seen
    containers = sorted((*lost, *seen.pod.containers), key=lambda each: (each.name, -each.attempt))
    return replace(seen, pod=replace(seen.pod, containers=tuple(containers)))


def _lost(status: ContainerStatus, seen: Seen) -> SeenContainer | None:
    """None: the status speaks of a container that is here, or that never was."""
    newest = seen.newest(status.name)
    if newest is not None and newest.attempt >= status.restart_count:
        return None
    if newest is not None and bare_id(status.container_id) == newest.id:
        return None
    ended = status.state.terminated or status.last_state.terminated
    if status.state.running is not None:
        started, finished = _moment(status.state.running.started_at), None
        exit_code, notes = LOST_EXIT_CODE, {_REASON: "ContainerStatusUnknown", _MESSAGE: LOST_MESSAGE}
    elif ended is not None:
        started, finished = _moment(ended.started_at), _moment(ended.finished_at)
        exit_code, notes = ended.exit_code, {_REASON: ended.reason, _MESSAGE: ended.message}
    else:
        return None
    sandbox = seen.sandbox
    is_of_this_sandbox = sandbox is not None and started is not None and started >= _floor(sandbox.created_at)
    beginning = started or _EARLIEST
    return SeenContainer(
        id=bare_id(status.container_id) or f"lost-{status.name}-{status.restart_count}",
        name=status.name,
        attempt=status.restart_count,
        sandbox_id=sandbox.id if sandbox is not None and is_of_this_sandbox else "",
        state=State.EXITED,
        image_id=status.image_id,
        created_at=beginning,
        started_at=started,
        finished_at=finished or beginning,
        exit_code=exit_code,
        oom_killed=False,
        error="",
        annotations={IMAGE: status.image, IMAGE_ID: status.image_id, **notes},
    )


_EARLIEST = times.to_datetime("1970-01-01T00:00:00Z")


def bare_id(container_id: str) -> str:
    return container_id.rpartition("//")[2]


def _moment(text: Time | None) -> datetime | None:
    return times.to_datetime(text) if text else None


def _floor(moment: datetime) -> datetime:
    """Times in a status have no fractions of a second."""
    return moment.replace(microsecond=0)
