"""The phase of a pod, exactly as Kubernetes computes it from its containers. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from nodeagent import restarts
from nodeagent.picture import Seen
from nodeagent.runtime.seen import SeenContainer, State
from steersman.api import podresources
from steersman.api.core import Container, Pod


class Phase(StrEnum):
    PENDING = "Pending"
    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"


FINISHED = frozenset({Phase.SUCCEEDED, Phase.FAILED})


@dataclass(slots=True)
class _Count:
    pending_init: int = 0
    pending_sidecars: int = 0
    failed_init: int = 0
    running: int = 0
    waiting: int = 0
    stopped: int = 0
    final: int = 0
    succeeded: int = 0


def of(pod: Pod, seen: Seen, *, is_over: bool = False) -> Phase:
    """`is_over`: nothing will be started again, whatever the restart policy says."""
    count = _Count()
    for container in pod.spec.init_containers:
        if podresources.is_sidecar(container):
            _count_sidecar(count, container, seen)
        else:
            _count_init(count, pod, container, seen)
    for container in pod.spec.containers:
        _count_regular(count, pod, container, seen)
    if count.failed_init:
        return Phase.FAILED
    initializing = count.pending_init or (count.pending_sidecars and not has_started(pod, seen))
    if initializing or count.waiting:
        return Phase.PENDING
    if count.running:
        return Phase.RUNNING
    if not count.stopped:
        return Phase.PENDING
    if not is_over and count.stopped != count.final:
        return Phase.RUNNING
    return Phase.SUCCEEDED if count.stopped == count.succeeded else Phase.FAILED


def has_started(pod: Pod, seen: Seen) -> bool:
    """Whether a regular container was started in the sandbox that runs: from then on the pod is initialized."""
    return any(
        found is not None and found.started_at is not None
        for found in (seen.here(container.name) for container in pod.spec.containers)
    )


def last_end(name: str, seen: Seen) -> SeenContainer | None:
    """The newest attempt that ended, if the newest of all does not run."""
    newest = seen.newest(name)
    if newest is None or newest.state is State.RUNNING:
        return None
    return next((each for each in seen.pod.containers if each.name == name and each.state is State.EXITED), None)


def _count_init(count: _Count, pod: Pod, container: Container, seen: Seen) -> None:
    ended = last_end(container.name, seen)
    if ended is None:
        count.pending_init += 1
    elif ended.exit_code:
        if not restarts.will_restart(pod, container, ended, seen, is_init=True):
            count.failed_init += 1
    elif seen.sandbox is not None and seen.here(container.name) is None and not has_started(pod, seen):
        count.pending_init += 1  # it has to run once more, in the new sandbox


def _count_sidecar(count: _Count, container: Container, seen: Seen) -> None:
    newest = seen.newest(container.name)
    if newest is not None and newest.state is State.RUNNING:
        count.running += 1
        if not seen.health_of(newest, container).started:
            count.pending_sidecars += 1
    elif last_end(container.name, seen) is None:
        count.pending_sidecars += 1
        count.waiting += 1


def _count_regular(count: _Count, pod: Pod, container: Container, seen: Seen) -> None:
    newest = seen.newest(container.name)
    if newest is not None and newest.state is State.RUNNING:
        count.running += 1
        return
    ended = last_end(container.name, seen)
    if ended is None:
        count.waiting += 1
        return
    count.stopped += 1
    if not restarts.will_restart(pod, container, ended, seen):
        count.final += 1
    if newest is not None and newest.state is State.EXITED and not ended.exit_code:
        count.succeeded += 1
