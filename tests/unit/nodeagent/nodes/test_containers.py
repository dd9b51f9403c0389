"""Which run of a container is meant, and why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from nodeagent.nodes import containers
from nodeagent.runtime.seen import SeenContainer, SeenPod, SeenSandbox, State
from nodeagent.runtime.specs import PodRef
from steersman.api.core import (
    Container,
    ContainerState,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    Pod,
    PodSpec,
    PodStatus,
)
from steersman.api.errors import BadRequest, NotFound
from steersman.api.meta import ObjectMeta
from steersman.api.names import Uid

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def seen(*states: State) -> SeenPod:
    """Runs of "main", the newest first."""
    runs = [_run(state, len(states) - 1 - position) for position, state in enumerate(states)]
    return SeenPod(pod=PodRef(Uid("u1"), "default", "web"), containers=tuple(runs))


def _run(state: State, attempt: int) -> SeenContainer:
    return SeenContainer(
        id=f"run-{attempt}",
        name="main",
        attempt=attempt,
        sandbox_id="s",
        state=state,
        image_id="",
        created_at=NOW,
        started_at=NOW,
        finished_at=NOW,
        exit_code=None,
        oom_killed=False,
        error="",
        annotations={},
    )


def pod(state: ContainerState | None = None, *, stdin_once: bool = False) -> Pod:
    statuses: Sequence[ContainerStatus] = () if state is None else (ContainerStatus(name="main", state=state),)
    return Pod(
        metadata=ObjectMeta(name="web", namespace="default", uid="u1"),
        spec=PodSpec(containers=(Container(name="main", stdin_once=stdin_once),)),
        status=PodStatus(container_statuses=tuple(statuses)),
    )


def waiting(reason: str) -> ContainerState:
    return ContainerState(waiting=ContainerStateWaiting(reason=reason))


R, E, C = State.RUNNING, State.EXITED, State.CREATED


@pytest.mark.parametrize(
    ("states", "state", "previous", "found"),
    [
        pytest.param((R,), None, False, "run-0", id="it runs"),
        pytest.param((E,), waiting("CrashLoopBackOff"), False, "run-0", id="it ended"),
        pytest.param((C, E), None, False, "run-0", id="the next is about to start"),
        pytest.param((R, E), None, True, "run-0", id="before this run"),
        pytest.param((E, E), waiting("CrashLoopBackOff"), True, "run-1", id="between runs the last is the previous"),
        pytest.param(
            (E, E),
            ContainerState(terminated=ContainerStateTerminated(exit_code=1)),
            True,
            "run-0",
            id="it ended for good",
        ),
    ],
)
def test_the_run_whose_log_is_meant(
    states: tuple[State, ...], state: ContainerState | None, previous: bool, found: str
) -> None:
    assert containers.to_read(pod(state), seen(*states), "main", previous=previous).id == found


@pytest.mark.parametrize(
    ("state", "why"),
    [
        pytest.param(waiting("ContainerCreating"), "is waiting to start: ContainerCreating", id="creating"),
        pytest.param(waiting("ErrImagePull"), "is waiting to start: image can't be pulled", id="no image"),
        pytest.param(
            waiting("ImagePullBackOff"), "is waiting to start: trying and failing to pull image", id="still no image"
        ),
        pytest.param(None, "is not available", id="nothing is known"),
        pytest.param(
            ContainerState(terminated=ContainerStateTerminated(exit_code=1)), "is terminated", id="its log is gone"
        ),
        pytest.param(ContainerState(), "is waiting to start - no logs yet", id="no state"),
    ],
)
def test_why_there_is_no_log(state: ContainerState | None, why: str) -> None:
    with pytest.raises(BadRequest) as caught:
        containers.to_read(pod(state), seen(C), "main", previous=False)
    assert caught.value.message == f'container "main" in pod "web" {why}'


def test_there_is_no_previous_run() -> None:
    with pytest.raises(BadRequest, match='previous terminated container "main" in pod "web" not found'):
        containers.to_read(pod(), seen(R), "main", previous=True)


def test_only_what_runs_is_entered() -> None:
    assert containers.to_enter(seen(R, E), "main").id == "run-1"
    for states in ((), (E,), (C,)):
        with pytest.raises(NotFound, match=r'container not found \("main"\)'):
            containers.to_enter(seen(*states), "main")


def test_ports_are_those_of_a_sandbox_that_runs() -> None:
    with pytest.raises(NotFound, match=r'pod not found \("web_default"\)'):
        containers.sandbox(pod(), seen())
    up = SeenSandbox(
        id="s",
        attempt=0,
        state=R,
        ip="",
        ips=(),
        host_network=True,
        created_at=NOW,
        started_at=NOW,
        finished_at=None,
        annotations={},
    )
    whole = SeenPod(pod=PodRef(Uid("u1"), "default", "web"), sandboxes=(up,))
    assert containers.sandbox(pod(), whole).id == "s"


def test_stdin_is_closed_where_the_container_wants_it_once() -> None:
    assert containers.closes_stdin(pod(stdin_once=True), "main")
    assert not containers.closes_stdin(pod(), "main")
