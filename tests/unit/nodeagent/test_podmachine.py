"""What to do next with a pod, case by case: starting and restarting."""

from __future__ import annotations

import pytest

from nodeagent import picture, podmachine
from nodeagent.picture import SANDBOX, Trouble
from nodeagent.podmachine import (
    RemoveContainer,
    RemoveSandbox,
    Stage,
    StartSandbox,
)
from nodeagent.probing import Health
from nodeagent.runtime.seen import State
from steersman.api.core import (
    ContainerRestartRule,
    ContainerRestartRuleOnExitCodes,
    EphemeralContainer,
    PodStatus,
    Probe,
)
from tests.unit.nodeagent.machinecases import Case, check, start, stop, two
from tests.unit.nodeagent.views import (
    ALWAYS,
    NEVER,
    NOTHING,
    NOW,
    ON_FAILURE,
    after,
    container,
    created,
    exited,
    pod,
    running,
    sandbox,
    seen,
    sidecar,
)

STARTING = [
    Case("a new pod gets its sandbox first", pod(), NOTHING, [StartSandbox(0)]),
    Case("a sandbox under way is waited for", pod(), seen(sandboxes=(), starting=frozenset({SANDBOX})), []),
    Case(
        "a sandbox that was only created is started",
        pod(),
        seen(sandboxes=(sandbox(0, State.CREATED),)),
        [StartSandbox(0)],
    ),
    Case(
        "a sandbox that failed is tried again later",
        pod(),
        seen(sandboxes=(), troubles={SANDBOX: Trouble("x", "", after(7))}),
        [],
        wakes=after(7),
    ),
    Case("all containers start together", pod(*two()), seen(), [start("a"), start("b")]),
    Case("one that runs is left alone", pod(*two()), seen(running("a")), [start("b")]),
    Case("one under way is not asked for twice", pod(*two()), seen(starting=frozenset({"a"})), [start("b")]),
    Case(
        "one that was only created is the one to start",
        pod(),
        seen(created(attempt=3, setbacks=2)),
        [start(attempt=3, setbacks=2)],
    ),
    Case(
        "one that was created in a sandbox that died is too late",
        pod(),
        seen(created(attempt=3, setbacks=2), sandboxes=(sandbox(1), sandbox(0, State.EXITED))),
        [RemoveSandbox("sandbox-0"), start(attempt=4, setbacks=2)],
    ),
    Case(
        "never while an earlier attempt lives",
        pod(),
        seen(created(attempt=3), running(attempt=1), stopping={"main-1": after(9)}),
        [],
    ),
    Case("everything runs", pod(), seen(running()), []),
    Case(
        "one that could not start waits for its time",
        pod(),
        seen(troubles={"main": Trouble("ErrImagePull", "", after(10))}),
        [],
        wakes=after(10),
    ),
    Case(
        "and is tried when that has come", pod(), seen(troubles={"main": Trouble("ErrImagePull", "", NOW)}), [start()]
    ),
    Case(
        "an ephemeral container starts beside the others",
        pod(ephemeral_containers=(EphemeralContainer(name="debug", image="busybox"),)),
        seen(running()),
        [start("debug")],
    ),
    Case(
        "and runs only once",
        pod(ephemeral_containers=(EphemeralContainer(name="debug", image="busybox"),)),
        seen(running(), exited("debug", 1)),
        [],
    ),
]

INIT = [
    Case("init containers go first", pod(init=(container("i1"), container("i2"))), seen(), [start("i1")]),
    Case("one after the other", pod(init=(container("i1"), container("i2"))), seen(running("i1")), []),
    Case("the second after the first", pod(init=(container("i1"), container("i2"))), seen(exited("i1")), [start("i2")]),
    Case("then the containers", pod(init=(container("i1"),)), seen(exited("i1")), [start()]),
    Case(
        "one that failed is repeated at once", pod(init=(container("i1"),)), seen(exited("i1", 1)), [start("i1", 1, 1)]
    ),
    Case(
        "a second failure has to wait",
        pod(init=(container("i1"),)),
        seen(exited("i1", 1, attempt=1, setbacks=1)),
        [],
        wakes=after(9),
    ),
    Case(
        "OnFailure repeats them too",
        pod(init=(container("i1"),), policy=ON_FAILURE),
        seen(exited("i1", 1)),
        [start("i1", 1, 1)],
    ),
    Case(
        "Never does not: the pod has failed",
        pod(init=(container("i1"),), policy=NEVER),
        seen(exited("i1", 1)),
        [RemoveSandbox("sandbox-0")],
        stage=Stage.TERMINATING,
    ),
    Case("done is done, once a container exists", pod(init=(container("i1"),)), seen(running()), []),
    Case(
        "a new sandbox begins with them again",
        pod(init=(container("i1"),)),
        seen(exited("i1"), exited(code=137), sandboxes=(sandbox(1), sandbox(0, State.EXITED))),
        [RemoveSandbox("sandbox-0"), start("i1", 1, 1)],
    ),
]

SIDECARS = [
    Case("a sidecar starts in its turn", pod(init=(sidecar(), container("i1"))), seen(), [start("proxy")]),
    Case(
        "what follows waits until it has started",
        pod(init=(sidecar(startup_probe=Probe()),)),
        seen(running("proxy")),
        [],
    ),
    Case(
        "its startup probe lets the next begin",
        pod(init=(sidecar(startup_probe=Probe()), container("i1"))),
        seen(running("proxy"), health={"proxy-0": Health()}),
        [start("i1")],
    ),
    Case("without a probe it has started", pod(init=(sidecar(),)), seen(running("proxy")), [start()]),
    Case(
        "one that died comes back beside the others",
        pod(init=(sidecar(),)),
        seen(exited("proxy", 0), running()),
        [start("proxy", 1, 1)],
    ),
    Case(
        "one that died before its time holds up the rest",
        pod(init=(sidecar(), container("i1"))),
        seen(exited("proxy", 1)),
        [start("proxy", 1, 1)],
    ),
    Case(
        "they leave when the work is done, the last one first",
        pod(init=(sidecar("p1"), sidecar("p2")), policy=NEVER),
        seen(running("p1"), running("p2"), exited()),
        [stop("p2")],
    ),
    Case(
        "then the one before",
        pod(init=(sidecar("p1"), sidecar("p2")), policy=NEVER),
        seen(running("p1"), exited("p2", 143), exited()),
        [stop("p1")],
    ),
    Case(
        "and do not come back",
        pod(init=(sidecar("p1"), sidecar("p2")), policy=NEVER),
        seen(running("p1"), exited("p2", 143), exited(), stopping={"p1-0": after(30)}),
        [],
    ),
    Case(
        "with them gone the pod is finished",
        pod(init=(sidecar("p1"),), policy=NEVER),
        seen(exited("p1", 143), exited()),
        [RemoveSandbox("sandbox-0")],
        stage=Stage.TERMINATING,
    ),
]


def rule(operator: str, *codes: int) -> tuple[ContainerRestartRule, ...]:
    return (
        ContainerRestartRule(
            action="Restart", exit_codes=ContainerRestartRuleOnExitCodes(operator=operator, values=codes)
        ),
    )


RESTARTS = [
    Case("the first restart comes at once", pod(), seen(exited(code=1)), [start(attempt=1, setbacks=1)]),
    Case("also after success", pod(), seen(exited(code=0)), [start(attempt=1, setbacks=1)]),
    Case("the second after 10 s", pod(), seen(exited(code=1, attempt=1, setbacks=1)), [], wakes=after(9)),
    Case("the third after 20 s", pod(), seen(exited(code=1, attempt=2, setbacks=2)), [], wakes=after(19)),
    Case("never more than 5 min", pod(), seen(exited(code=1, attempt=40, setbacks=40)), [], wakes=after(299)),
    Case(
        "when its time has come",
        pod(),
        seen(exited(code=1, attempt=2, setbacks=2, ago=20)),
        [start(attempt=3, setbacks=3)],
    ),
    Case(
        "ten good minutes are forgiven everything",
        pod(),
        seen(exited(code=1, attempt=9, setbacks=9, started_at=after(-700))),
        [start(attempt=10, setbacks=1)],
    ),
    Case("without a note the attempt counts", pod(), seen(exited(code=1, attempt=2)), [], wakes=after(19)),
    Case(
        "OnFailure restarts a failure",
        pod(*two(), policy=ON_FAILURE),
        seen(exited("a", 1), running("b")),
        [start("a", 1, 1)],
    ),
    Case("OnFailure leaves a success", pod(*two(), policy=ON_FAILURE), seen(exited("a"), running("b")), []),
    Case("Never leaves a failure", pod(*two(), policy=NEVER), seen(exited("a", 1), running("b")), []),
    Case(
        "the container's own policy goes before the pod's",
        pod(container("a", restart_policy="OnFailure"), container("b"), policy=NEVER),
        seen(exited("a", 1), running("b")),
        [start("a", 1, 1)],
    ),
    Case(
        "and its rules before that",
        pod(container("a", restart_policy="Never", restart_policy_rules=rule("In", 42)), container("b"), policy=NEVER),
        seen(exited("a", 42), running("b")),
        [start("a", 1, 1)],
    ),
    Case(
        "a rule for other codes does not apply",
        pod(
            container("a", restart_policy="Never", restart_policy_rules=rule("NotIn", 42)), container("b"), policy=NEVER
        ),
        seen(exited("a", 42), running("b")),
        [],
    ),
    Case(
        "one that the engine lost is a failure that happened",
        pod(policy=NEVER, status=PodStatus(phase="Running")),
        seen(exited(code=137)),
        [RemoveSandbox("sandbox-0")],
        stage=Stage.TERMINATING,
    ),
    Case(
        "attempts that nobody will ask for are removed",
        pod(),
        seen(running(attempt=3), exited(attempt=2), exited(attempt=1), exited(attempt=0)),
        [RemoveContainer("main-1"), RemoveContainer("main-0")],
    ),
]


@pytest.mark.parametrize("case", [*STARTING, *INIT, *SIDECARS, *RESTARTS], ids=lambda case: case.id)
def test_step(case: Case) -> None:
    check(case)


FAILED_START = exited(code=128, error="context canceled", started_at=None)


@pytest.mark.parametrize("policy", [ALWAYS, ON_FAILURE, NEVER])
def test_a_start_that_died_with_its_agent_is_made_anew(policy: str) -> None:
    """Found by killing agents: the engine gives a start up when the caller goes, and a Never pod failed of it."""
    view = picture.without_interrupted(seen(FAILED_START))
    step = podmachine.step(pod(policy=policy), Stage.SYNC, view, NOW)
    assert list(step.actions) == [RemoveContainer("main-0"), start()]


def test_a_start_whose_failure_was_witnessed_has_failed() -> None:
    view = seen(FAILED_START, troubles={"main": Trouble("RunContainerError", "no", NOW, is_refusal=True)})
    assert picture.without_interrupted(view) is view
    under_way = seen(FAILED_START, starting=frozenset({"main"}))
    assert picture.without_interrupted(under_way) is under_way


@pytest.mark.parametrize("policy", [ALWAYS, ON_FAILURE, NEVER])
def test_asking_twice_gives_the_same_answer(policy: str) -> None:
    view = seen(exited(code=1))
    assert podmachine.step(pod(policy=policy), Stage.SYNC, view, NOW) == podmachine.step(
        pod(policy=policy), Stage.SYNC, view, NOW
    )
