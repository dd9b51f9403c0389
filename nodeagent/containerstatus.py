"""What a pod's status says of each container. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from msgspec import structs

from nodeagent import phase, picture, restarts, waiting
from nodeagent.picture import IMAGE, IMAGE_ID, Seen
from nodeagent.runtime.seen import SeenContainer, State
from steersman.api import podresources, times
from steersman.api.core import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStatus,
    EphemeralContainer,
    Pod,
    ResourceRequirements,
    VolumeMount,
    VolumeMountStatus,
)
from steersman.api.part import Time

Statuses = tuple[ContainerStatus, ...]


class Lists(NamedTuple):
    """The three lists of a pod's status."""

    init: Statuses
    regular: Statuses
    ephemeral: Statuses


def of_all(pod: Pod, seen: Seen, engine: str, restarting_at: datetime | None) -> Lists:
    """`engine` is what container ids begin with; `restarting_at` is now, or None when nothing will start again."""
    by_name = sorted(pod.spec.containers, key=lambda each: each.name)
    return Lists(
        tuple(_init(pod, container, seen, engine, restarting_at) for container in pod.spec.init_containers),
        tuple(_regular(pod, container, seen, engine, restarting_at) for container in by_name),
        tuple(_status(pod, container, seen, engine) for container in pod.spec.ephemeral_containers),
    )


def _regular(
    pod: Pod, container: Container, seen: Seen, engine: str, restarting_at: datetime | None
) -> ContainerStatus:
    newest = seen.newest(container.name)
    status = _status(pod, container, seen, engine)
    if newest is not None and newest.state is State.EXITED and restarts.will_restart(pod, container, newest, seen):
        status = _awaiting_restart(pod, newest, status, seen, restarting_at)
    return _with_health(container, newest, status, seen)


def _init(pod: Pod, container: Container, seen: Seen, engine: str, restarting_at: datetime | None) -> ContainerStatus:
    newest = seen.newest(container.name)
    status = _status(pod, container, seen, engine)
    is_sidecar = podresources.is_sidecar(container)
    if newest is not None and newest.state is State.EXITED:
        again = restarts.will_restart(pod, container, newest, seen, is_init=True)
        if again and (is_sidecar or newest.exit_code):
            status = _awaiting_restart(pod, newest, status, seen, restarting_at)
    status = _with_health(container, newest, status, seen)
    if is_sidecar:
        return status
    ended = status.state.terminated
    return structs.replace(status, ready=ended is not None and ended.exit_code == 0)


def _with_health(
    container: Container, newest: SeenContainer | None, status: ContainerStatus, seen: Seen
) -> ContainerStatus:
    if newest is None or newest.state is not State.RUNNING:
        return structs.replace(status, started=False, ready=False)
    health = seen.health_of(newest, container)
    return structs.replace(status, started=health.started, ready=health.started and health.ready)


def _awaiting_restart(
    pod: Pod, ended: SeenContainer, status: ContainerStatus, seen: Seen, restarting_at: datetime | None
) -> ContainerStatus:
    wait = waiting.to_restart(pod, ended, seen, restarting_at) if restarting_at is not None else None
    if wait is None:
        return status
    return structs.replace(status, state=ContainerState(waiting=wait), last_state=status.state)


def _status(pod: Pod, container: Container | EphemeralContainer, seen: Seen, engine: str) -> ContainerStatus:
    newest = seen.newest(container.name)
    common: dict[str, Any] = {"name": container.name, "volume_mounts": tuple(map(_mounted, container.volume_mounts))}
    if newest is None or (newest.state is State.CREATED and newest.attempt == 0):
        wait = waiting.for_the_first_time(pod, container.name, seen)
        return ContainerStatus(state=ContainerState(waiting=wait), image=container.image, **common)
    ended = phase.last_end(container.name, seen) if newest.state is State.CREATED else None
    shown = ended or newest
    previous = _previous(shown, seen)
    return ContainerStatus(
        state=_state(shown, seen, engine),
        last_state=ContainerState() if previous is None else _state(previous, seen, engine),
        restart_count=shown.attempt,
        image=shown.annotations.get(IMAGE, container.image),
        image_id=shown.annotations.get(IMAGE_ID, "") or shown.image_id,
        container_id=f"{engine}://{shown.id}",
        allocated_resources=container.resources.requests,
        resources=ResourceRequirements(
            limits=container.resources.limits,
            requests=container.resources.requests,
            claims=container.resources.claims,
        ),
        **common,
    )


def _previous(shown: SeenContainer, seen: Seen) -> SeenContainer | None:
    older = (each for each in seen.pod.containers if each.name == shown.name and each.attempt < shown.attempt)
    return next((each for each in older if each.state is State.EXITED), None)


def _state(container: SeenContainer, seen: Seen, engine: str) -> ContainerState:
    if container.state is State.RUNNING:
        return ContainerState(running=ContainerStateRunning(started_at=_time(container.started_at)))
    return ContainerState(
        terminated=ContainerStateTerminated(
            exit_code=container.exit_code or 0,
            reason=picture.end_reason(container),
            message=picture.end_message(container, seen.messages),
            started_at=_time(container.started_at),
            finished_at=_time(container.finished_at),
            container_id=f"{engine}://{container.id}",
        )
    )


def _time(moment: datetime | None) -> Time | None:
    return None if moment is None else times.from_datetime(moment)


def _mounted(mount: VolumeMount) -> VolumeMountStatus:
    return VolumeMountStatus(
        name=mount.name,
        mount_path=mount.mount_path,
        read_only=mount.read_only,
        recursive_read_only="Disabled" if mount.read_only else None,
    )
