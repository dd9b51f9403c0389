"""Which container of a pod is meant, and why there is none, in the kubelet's words. Pure."""

from __future__ import annotations

from nodeagent import staticpods
from nodeagent.runtime.seen import SeenContainer, SeenPod, SeenSandbox, State
from nodeagent.waiting import Reason
from steersman.api.core import ContainerStatus, Pod
from steersman.api.errors import BadRequest, NotFound, quoted
from steersman.api.names import Uid

_PLAIN_WORDS = {
    Reason.PULL_FAILED.value: "image can't be pulled",
    Reason.PULL_BACK_OFF.value: "trying and failing to pull image",
}


def uid_here(pod: Pod) -> Uid:
    """Under which its containers run: what the API shows of a static pod is a mirror, with a uid of its own."""
    meta = pod.metadata
    return Uid(meta.annotations.get(staticpods.MIRROR) or meta.uid)


def to_read(pod: Pod, seen: SeenPod, name: str, *, previous: bool) -> SeenContainer:
    """Whose log is wanted: that of the newest run, or of the one before. BadRequest when there is none."""
    runs = [each for each in seen.containers if each.name == name and each.state is not State.CREATED]
    if not previous:
        if runs:
            return runs[0]
        raise BadRequest(_why_not_yet(pod, name))
    # Between two runs the one that ended last is already the previous one.
    is_between = bool(runs) and runs[0].state is State.EXITED and _is_waiting(_status(pod, name))
    ended = [each for each in (runs if is_between else runs[1:]) if each.state is State.EXITED]
    if not ended:
        raise BadRequest(f"previous terminated container {quoted(name)} in pod {quoted(pod.metadata.name)} not found")
    return ended[0]


def to_enter(seen: SeenPod, name: str) -> SeenContainer:
    """The one that runs. NotFound when none does."""
    newest = seen.newest(name)
    if newest is None or newest.state is not State.RUNNING:
        raise NotFound(f"container not found ({quoted(name)})")
    return newest


def closes_stdin(pod: Pod, name: str) -> bool:
    """Whether the main process reads end-of-file when the first client that is attached to it has said everything."""
    spec = pod.spec
    ephemeral = any(each.stdin_once for each in spec.ephemeral_containers if each.name == name)
    return ephemeral or any(each.stdin_once for each in (*spec.init_containers, *spec.containers) if each.name == name)


def sandbox(pod: Pod, seen: SeenPod) -> SeenSandbox:
    """The one that runs. NotFound when none does."""
    newest = seen.sandbox
    if newest is None or newest.state is not State.RUNNING:
        meta = pod.metadata
        raise NotFound(f"pod not found ({quoted(f'{meta.name}_{meta.namespace}')})")
    return newest


def _why_not_yet(pod: Pod, name: str) -> str:
    status, subject = _status(pod, name), f"container {quoted(name)} in pod {quoted(pod.metadata.name)}"
    if status is None:
        return f"{subject} is not available"
    if status.state.waiting is not None:
        reason = status.state.waiting.reason
        return f"{subject} is waiting to start: {_PLAIN_WORDS.get(reason, reason)}"
    if status.state.terminated is not None:
        return f"{subject} is terminated"
    return f"{subject} is waiting to start - no logs yet"


def _status(pod: Pod, name: str) -> ContainerStatus | None:
    status = pod.status
    every = (*status.container_statuses, *status.init_container_statuses, *status.ephemeral_container_statuses)
    return next((each for each in every if each.name == name), None)


def _is_waiting(status: ContainerStatus | None) -> bool:
    return status is not None and status.state.waiting is not None
