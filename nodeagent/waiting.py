"""Why a container does not run yet, in the words of its `waiting` state. Pure."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from nodeagent import restarts
from nodeagent.picture import Seen
from nodeagent.runtime.seen import SeenContainer
from steersman.api.core import ContainerStateWaiting, Pod


class Reason(StrEnum):
    CREATING = "ContainerCreating"
    INITIALIZING = "PodInitializing"
    CRASH_LOOP = "CrashLoopBackOff"
    PULL_FAILED = "ErrImagePull"
    PULL_BACK_OFF = "ImagePullBackOff"
    NEVER_PULL = "ErrImageNeverPull"
    INVALID_IMAGE = "InvalidImageName"
    CONFIG = "CreateContainerConfigError"
    CREATE = "CreateContainerError"
    RUN = "RunContainerError"
    POST_START = "PostStartHookError"


def for_the_first_time(pod: Pod, name: str, seen: Seen) -> ContainerStateWaiting:
    """Of a container that never ran."""
    trouble = seen.troubles.get(name)
    if trouble is not None:
        return ContainerStateWaiting(reason=trouble.reason, message=trouble.message)
    waits_for_others = bool(pod.spec.init_containers)
    return ContainerStateWaiting(reason=Reason.INITIALIZING if waits_for_others else Reason.CREATING)


def to_restart(pod: Pod, ended: SeenContainer, seen: Seen, now: datetime) -> ContainerStateWaiting | None:
    """Of a container that ended and will run again. None: it is on its way."""
    trouble = seen.troubles.get(ended.name)
    is_backing_off = ended.id not in seen.restarting and restarts.at(ended) > now
    if trouble is not None and (trouble.retry_at > now or not is_backing_off):
        return ContainerStateWaiting(reason=trouble.reason, message=trouble.message)
    if not is_backing_off:
        return None
    return ContainerStateWaiting(reason=Reason.CRASH_LOOP, message=back_off_message(pod, ended))


def back_off_message(pod: Pod, ended: SeenContainer) -> str:
    delay = duration(restarts.delay_seconds(ended))
    return f"back-off {delay} restarting failed container={ended.name} pod={pod_label(pod)}"


def pod_label(pod: Pod) -> str:
    meta = pod.metadata
    return f"{meta.name}_{meta.namespace}({meta.uid})"


def duration(seconds: float) -> str:
    """As Go writes whole seconds: 10s, 1m20s, 5m0s."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def milliseconds(seconds: float) -> str:
    """As Go writes it to the millisecond: 870ms, 1.25s, 1m3.5s."""
    if seconds < 1:
        return f"{round(seconds * 1000)}ms"
    minutes, rest = divmod(round(seconds, 3), 60)
    shown = f"{round(rest, 3):g}s"
    return f"{int(minutes)}m{shown}" if minutes else shown
