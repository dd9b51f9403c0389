"""The phase of a pod, as Kubernetes computes it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from nodeagent import phase
from nodeagent.phase import Phase
from nodeagent.picture import Seen
from nodeagent.probing import Health
from nodeagent.runtime.seen import State
from steersman.api.core import Pod, Probe
from tests.unit.nodeagent.views import (
    NEVER,
    NOTHING,
    ON_FAILURE,
    container,
    created,
    exited,
    pod,
    running,
    sandbox,
    seen,
    sidecar,
)

PENDING, RUNNING, SUCCEEDED, FAILED = Phase.PENDING, Phase.RUNNING, Phase.SUCCEEDED, Phase.FAILED
A, B = container("a"), container("b")
I1, I2 = container("i1"), container("i2")
SLOW = sidecar(startup_probe=Probe())


@dataclass(frozen=True)
class Case:
    id: str
    pod: Pod
    seen: Seen
    phase: Phase
    is_over: bool = False


CASES = [
    Case("nothing yet", pod(), NOTHING, PENDING),
    Case("a sandbox alone", pod(), seen(), PENDING),
    Case("created, not started", pod(), seen(created()), PENDING),
    Case("one of two runs", pod(A, B), seen(running("a")), PENDING),
    Case("both run", pod(A, B), seen(running("a"), running("b")), RUNNING),
    Case("one runs, one has ended well", pod(A, B, policy=NEVER), seen(running("a"), exited("b")), RUNNING),
    Case("one runs, one has failed", pod(A, B, policy=NEVER), seen(running("a"), exited("b", 1)), RUNNING),
    Case("Always: ended well", pod(), seen(exited()), RUNNING),
    Case("Always: failed", pod(), seen(exited(code=1)), RUNNING),
    Case("OnFailure: ended well", pod(policy=ON_FAILURE), seen(exited()), SUCCEEDED),
    Case("OnFailure: failed", pod(policy=ON_FAILURE), seen(exited(code=1)), RUNNING),
    Case("OnFailure: one each", pod(A, B, policy=ON_FAILURE), seen(exited("a"), exited("b", 1)), RUNNING),
    Case("Never: ended well", pod(policy=NEVER), seen(exited()), SUCCEEDED),
    Case("Never: failed", pod(policy=NEVER), seen(exited(code=1)), FAILED),
    Case("Never: one each", pod(A, B, policy=NEVER), seen(exited("a"), exited("b", 1)), FAILED),
    Case("restart created", pod(), seen(exited(code=1), created(attempt=1)), RUNNING),
    Case("over: Always, ended well", pod(), seen(exited()), SUCCEEDED, is_over=True),
    Case("over: Always, killed", pod(), seen(exited(code=137)), FAILED, is_over=True),
    Case("over: still running", pod(), seen(running()), RUNNING, is_over=True),
    Case("init runs", pod(init=(I1,)), seen(running("i1")), PENDING),
    Case("init done", pod(init=(I1,)), seen(exited("i1")), PENDING),
    Case("init done, container runs", pod(init=(I1,)), seen(exited("i1"), running()), RUNNING),
    Case("init failed, Always", pod(init=(I1,)), seen(exited("i1", 1)), PENDING),
    Case("init failed, OnFailure", pod(init=(I1,), policy=ON_FAILURE), seen(exited("i1", 1)), PENDING),
    Case("init failed, Never", pod(init=(I1,), policy=NEVER), seen(exited("i1", 1)), FAILED),
    Case("second init to come", pod(init=(I1, I2)), seen(exited("i1")), PENDING),
    Case("sidecar has not started", pod(init=(SLOW,)), seen(running("proxy")), PENDING),
    Case("sidecar started, container runs", pod(init=(sidecar(),)), seen(running("proxy"), running()), RUNNING),
    Case("sidecar restarts beside", pod(init=(sidecar(),)), seen(exited("proxy", 1), running()), RUNNING),
    Case(
        "sidecar starts anew beside",
        pod(init=(SLOW,)),
        seen(running("proxy", 1), running(), health={"proxy-1": Health(started=False)}),
        RUNNING,
    ),
    Case("sidecar outlives the work", pod(init=(sidecar(),), policy=NEVER), seen(running("proxy"), exited()), RUNNING),
    Case(
        "sidecar's end does not count",
        pod(init=(sidecar(),), policy=NEVER),
        seen(exited("proxy", 1), exited()),
        SUCCEEDED,
    ),
    Case(
        "init runs again in a new sandbox",
        pod(init=(I1,)),
        seen(exited("i1"), exited(code=137), sandboxes=(sandbox(1), sandbox(0, State.EXITED))),
        PENDING,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_phase(case: Case) -> None:
    assert phase.of(case.pod, case.seen, is_over=case.is_over) is case.phase
