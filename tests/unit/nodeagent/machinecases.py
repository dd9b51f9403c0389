"""Cases for the pod machine: what there is, what is seen, and what is to be done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nodeagent import podmachine
from nodeagent.picture import Seen
from nodeagent.podmachine import Action, Cause, Stage, StartContainer, StopContainer
from steersman.api.core import Container, Pod
from tests.unit.nodeagent.views import NOW, after, container


@dataclass(frozen=True)
class Case:
    id: str
    pod: Pod
    seen: Seen
    does: list[Action]
    stage: Stage = Stage.SYNC
    begins: Stage = Stage.SYNC
    wakes: datetime | None = None


def start(name: str = "main", attempt: int = 0, setbacks: int = 0) -> StartContainer:
    return StartContainer(name, attempt, setbacks)


def stop(name: str = "main", attempt: int = 0, *, within: float = 30, cause: Cause = Cause.POD, **fields: Any) -> Any:
    return StopContainer(f"{name}-{attempt}", name, after(within), cause, **fields)


def two() -> tuple[Container, Container]:
    return container("a"), container("b")


def check(case: Case) -> None:
    step = podmachine.step(case.pod, case.begins, case.seen, NOW)
    assert list(step.actions) == case.does
    assert step.stage is case.stage
    assert step.wake_at == case.wakes
