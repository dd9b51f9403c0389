"""What to do next with a pod, case by case: stopping and ending."""

from __future__ import annotations

import pytest

from nodeagent.picture import Ousting
from nodeagent.podmachine import (
    Cause,
    Forget,
    ReleaseVolumes,
    RemoveContainer,
    RemoveSandbox,
    Stage,
    StartSandbox,
)
from nodeagent.probing import Health
from steersman.api.core import (
    PodStatus,
    Probe,
)
from steersman.api.part import Time
from tests.unit.nodeagent.machinecases import Case, check, start, stop, two
from tests.unit.nodeagent.views import (
    DEAD,
    NEVER,
    NOTHING,
    ON_FAILURE,
    after,
    container,
    exited,
    pod,
    running,
    seen,
    sidecar,
)

LIVE = Probe(failure_threshold=3)
STOPS = [
    Case(
        "a failed liveness probe",
        pod(container(liveness_probe=LIVE), termination_grace_period_seconds=10),
        seen(running(), health={"main-0": Health(alive=False)}),
        [stop(within=10, cause=Cause.LIVENESS, restart=True)],
    ),
    Case(
        "with a grace period of its own",
        pod(container(liveness_probe=Probe(termination_grace_period_seconds=3))),
        seen(running(), health={"main-0": Health(alive=False)}),
        [stop(within=3, cause=Cause.LIVENESS, restart=True)],
    ),
    Case(
        "under Never it does not come back",
        pod(container(liveness_probe=LIVE), policy=NEVER),
        seen(running(), health={"main-0": Health(alive=False)}),
        [stop(cause=Cause.LIVENESS, restart=False)],
    ),
    Case(
        "a failed startup probe",
        pod(container(startup_probe=LIVE)),
        seen(running(), health={"main-0": Health(started=False, ready=False, alive=False)}),
        [stop(cause=Cause.STARTUP, restart=True)],
    ),
    Case(
        "a stop under way is not repeated",
        pod(container(liveness_probe=LIVE)),
        seen(running(), health={"main-0": Health(alive=False)}, stopping={"main-0": after(20)}),
        [],
    ),
    Case(
        "stopped only to be restarted: at once, whatever its exit code",
        pod(policy=ON_FAILURE),
        seen(exited(code=0, attempt=4, setbacks=4), restarting=frozenset({"main-4"})),
        [start(attempt=5, setbacks=5)],
    ),
    Case(
        "an older attempt beside a newer one",
        pod(),
        seen(running(attempt=1), running(attempt=4)),
        [stop(attempt=1, cause=Cause.SUPERSEDED)],
    ),
    Case(
        "a changed image",
        pod(container(image="nginx:1.26")),
        seen(running()),
        [stop(cause=Cause.CHANGED, restart=True)],
    ),
    Case(
        "a dead sandbox takes its containers along",
        pod(*two()),
        seen(running("a"), running("b"), sandboxes=DEAD),
        [stop("a", cause=Cause.SANDBOX), stop("b", cause=Cause.SANDBOX)],
    ),
    Case("nothing new before they are gone", pod(), seen(running(), sandboxes=DEAD, stopping={"main-0": after(9)}), []),
    Case("then a new sandbox", pod(), seen(exited(code=137), sandboxes=DEAD), [StartSandbox(1)]),
    Case(
        "Never ends with its sandbox",
        pod(policy=NEVER),
        seen(exited(code=137), sandboxes=DEAD),
        [ReleaseVolumes()],
        stage=Stage.TERMINATED,
    ),
    Case(
        "OnFailure goes on for those that have not succeeded",
        pod(*two(), policy=ON_FAILURE),
        seen(exited("a"), exited("b", 137), sandboxes=DEAD),
        [StartSandbox(1)],
    ),
]

ENDS = [
    Case("a deleted pod", pod(deleted=True), seen(running()), [stop()], stage=Stage.TERMINATING),
    Case(
        "with the grace that was said",
        pod(deleted=True, grace=5),
        seen(running()),
        [stop(within=5)],
        stage=Stage.TERMINATING,
    ),
    Case(
        "counted from when it was seen",
        pod(deleted=True),
        seen(running(), terminating_since=after(-10)),
        [stop(within=20)],
        stage=Stage.TERMINATING,
        begins=Stage.TERMINATING,
    ),
    Case(
        "ousted by its node, which has less time",
        pod(),
        seen(running(), ousting=Ousting("Terminated", "the node goes down", after(3))),
        [stop(within=3)],
        stage=Stage.TERMINATING,
    ),
    Case(
        "ousted with more time than it needs",
        pod(termination_grace_period_seconds=5),
        seen(running(), ousting=Ousting("Terminated", "the node goes down", after(20))),
        [stop(within=5)],
        stage=Stage.TERMINATING,
    ),
    Case(
        "ousted: its containers stay for their logs",
        pod(),
        seen(exited(), sandboxes=(), ousting=Ousting("Evicted", "too much", after(1))),
        [ReleaseVolumes()],
        stage=Stage.TERMINATED,
    ),
    Case(
        "not told twice",
        pod(deleted=True),
        seen(running(), stopping={"main-0": after(30)}),
        [],
        stage=Stage.TERMINATING,
    ),
    Case(
        "but hurried up",
        pod(deleted=True, grace=1),
        seen(running(), stopping={"main-0": after(30)}),
        [stop(within=1)],
        stage=Stage.TERMINATING,
    ),
    Case(
        "sidecars wait for the others",
        pod(init=(sidecar(),), deleted=True),
        seen(running("proxy"), running()),
        [stop()],
        stage=Stage.TERMINATING,
    ),
    Case(
        "and get two seconds when time is up",
        pod(init=(sidecar(),), deleted=True),
        seen(running("proxy"), exited(), terminating_since=after(-60)),
        [stop("proxy", within=2)],
        stage=Stage.TERMINATING,
        begins=Stage.TERMINATING,
    ),
    Case("then the sandbox", pod(deleted=True), seen(exited()), [RemoveSandbox("sandbox-0")], stage=Stage.TERMINATING),
    Case(
        "a start under way is waited for",
        pod(deleted=True),
        seen(starting=frozenset({"main"})),
        [],
        stage=Stage.TERMINATING,
    ),
    Case(
        "then everything goes",
        pod(deleted=True),
        seen(exited(), sandboxes=DEAD),
        [RemoveContainer("main-0"), RemoveSandbox("sandbox-0"), ReleaseVolumes(), Forget()],
        stage=Stage.TERMINATED,
    ),
    Case(
        "deleted before anything began",
        pod(deleted=True),
        NOTHING,
        [ReleaseVolumes(), Forget()],
        stage=Stage.TERMINATED,
    ),
    Case("vanished from the API", pod(), seen(running(), gone=True), [stop()], stage=Stage.TERMINATING),
    Case(
        "a finished pod keeps its containers",
        pod(policy=NEVER),
        seen(exited(), sandboxes=()),
        [ReleaseVolumes()],
        stage=Stage.TERMINATED,
    ),
    Case(
        "as the API says",
        pod(status=PodStatus(phase="Succeeded")),
        seen(exited(), sandboxes=()),
        [ReleaseVolumes()],
        stage=Stage.TERMINATED,
    ),
    Case(
        "out of time",
        pod(active_deadline_seconds=60, status=PodStatus(phase="Running", start_time=Time("2030-01-01T11:59:00Z"))),
        seen(running()),
        [stop()],
        stage=Stage.TERMINATING,
    ),
    Case(
        "time left",
        pod(active_deadline_seconds=90, status=PodStatus(phase="Running", start_time=Time("2030-01-01T11:59:00Z"))),
        seen(running()),
        [],
        wakes=after(30),
    ),
    Case("never back", pod(), seen(running()), [stop()], begins=Stage.TERMINATING, stage=Stage.TERMINATING),
]


@pytest.mark.parametrize("case", [*STOPS, *ENDS], ids=lambda case: case.id)
def test_step(case: Case) -> None:
    check(case)
