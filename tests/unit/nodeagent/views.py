"""Pods and what is seen of them, for tests: short to write, and only what matters is named."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from nodeagent.picture import IMAGE, SETBACKS, Seen
from nodeagent.runtime.seen import SeenContainer, SeenPod, SeenSandbox, State
from nodeagent.runtime.specs import PodRef
from steersman.api.core import Container, Pod, PodSpec, PodStatus
from steersman.api.meta import ObjectMeta
from steersman.api.names import Uid
from steersman.api.part import Time

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
REF = PodRef(Uid("uid-1"), "default", "web")
IMAGE_NAME = "nginx:1.25"
ALWAYS, ON_FAILURE, NEVER = "Always", "OnFailure", "Never"


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def container(name: str = "main", **fields: Any) -> Container:
    return Container(name=name, **{"image": IMAGE_NAME, **fields})


def sidecar(name: str = "proxy", **fields: Any) -> Container:
    return container(name, restart_policy="Always", **fields)


def pod(
    *containers: Container,
    init: tuple[Container, ...] = (),
    policy: str = ALWAYS,
    status: PodStatus | None = None,
    deleted: bool = False,
    grace: int | None = None,
    **spec: Any,
) -> Pod:
    return Pod(
        metadata=ObjectMeta(
            name="web",
            namespace="default",
            uid="uid-1",
            generation=1,
            deletion_timestamp=Time("2030-01-01T12:00:30Z") if deleted else None,
            deletion_grace_period_seconds=grace if grace is not None else (30 if deleted else None),
        ),
        spec=PodSpec(
            containers=containers or (container(),),
            init_containers=init,
            restart_policy=policy,
            node_name="node-1",
            **spec,
        ),
        status=status or PodStatus(phase="Pending"),
    )


def sandbox(attempt: int = 0, state: State = State.RUNNING) -> SeenSandbox:
    return SeenSandbox(
        id=f"sandbox-{attempt}",
        attempt=attempt,
        state=state,
        ip="10.0.0.7" if state is State.RUNNING else "",
        ips=("10.0.0.7",) if state is State.RUNNING else (),
        host_network=False,
        created_at=after(-3600),
        started_at=after(-3600),
        finished_at=None if state is State.RUNNING else after(-5),
        annotations={},
    )


def _attempt(name: str, attempt: int, state: State, sandbox_attempt: int, **fields: Any) -> SeenContainer:
    notes: dict[str, str] = {IMAGE: fields.pop("image", IMAGE_NAME)}
    if (setbacks := fields.pop("setbacks", None)) is not None:
        notes[SETBACKS] = str(setbacks)
    return SeenContainer(
        id=f"{name}-{attempt}",
        name=name,
        attempt=attempt,
        sandbox_id=f"sandbox-{sandbox_attempt}",
        state=state,
        image_id="sha256:1",
        annotations=notes,
        **{
            "created_at": after(-60),
            "started_at": None,
            "finished_at": None,
            "exit_code": None,
            "oom_killed": False,
            "error": "",
            **fields,
        },
    )


def created(name: str = "main", attempt: int = 0, *, of: int = 0, **fields: Any) -> SeenContainer:
    return _attempt(name, attempt, State.CREATED, of, **fields)


def running(name: str = "main", attempt: int = 0, *, of: int = 0, **fields: Any) -> SeenContainer:
    return _attempt(name, attempt, State.RUNNING, of, **{"started_at": after(-60), **fields})


def exited(name: str = "main", code: int = 0, attempt: int = 0, *, of: int = 0, ago: float = 1.0, **fields: Any) -> Any:
    times = {"started_at": after(-ago - 30), "finished_at": after(-ago)}
    return _attempt(name, attempt, State.EXITED, of, **{**times, "exit_code": code, **fields})


def seen(*containers: SeenContainer, sandboxes: tuple[SeenSandbox, ...] | None = None, **fields: Any) -> Seen:
    """In a sandbox that runs, unless said otherwise."""
    ordered = tuple(sorted(containers, key=lambda each: (each.name, -each.attempt)))
    return Seen(
        pod=SeenPod(pod=REF, sandboxes=(sandbox(),) if sandboxes is None else sandboxes, containers=ordered), **fields
    )


NOTHING = seen(sandboxes=())
DEAD = (sandbox(state=State.EXITED),)
