"""One word for the state of a pod, and what else stands in its row."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.printing import pods
from apiserver.printing.columns import Outcome
from apiserver.printing.podglimpse import PodGlimpse, Status
from steersman.api.core import Pod, PodTemplate
from tests.unit.apiserver.printing.rows import shown

RUNNING = {"running": {"startedAt": "2026-11-18T11:56:00Z"}}
GOING = {"deletionTimestamp": "2026-11-18T12:00:00Z"}
READY = {"type": "Ready", "status": "True"}
INITIALIZED = {"type": "Initialized", "status": "True"}


def waiting(reason: str) -> dict[str, Any]:
    return {"waiting": {"reason": reason}}


def ended(code: int, reason: str = "", signal: int = 0) -> dict[str, Any]:
    return {"terminated": {"exitCode": code, "reason": reason, "signal": signal}}


def container(name: str, state: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {"name": name, "state": state or {}, **fields}


def running(name: str, **fields: Any) -> dict[str, Any]:
    return container(name, RUNNING, ready=True, **fields)


def row(
    *containers: dict[str, Any],
    init: tuple[dict[str, Any], ...] = (),
    sidecars: tuple[str, ...] = (),
    phase: str = "Running",
    metadata: dict[str, Any] | None = None,
    **status: Any,
) -> dict[str, Any]:
    """A pod with these container statuses, and as many containers as there are statuses."""
    spec = {
        "containers": [{"name": each["name"], "image": "i"} for each in containers] or [{"name": "a", "image": "i"}],
        "initContainers": [
            {"name": each["name"], "image": "i", **({"restartPolicy": "Always"} if each["name"] in sidecars else {})}
            for each in init
        ],
    }
    told = {"phase": phase, "containerStatuses": list(containers), "initContainerStatuses": list(init), **status}
    return shown(Pod, metadata=metadata, spec=spec, status=told)


@pytest.mark.parametrize(
    ("status", "ready", "made"),
    [
        pytest.param("Pending", "0/1", row(phase="Pending"), id="nothing known of its containers"),
        pytest.param("Running", "1/1", row(running("a")), id="running"),
        pytest.param("Running", "1/2", row(running("a"), container("b", RUNNING)), id="one not ready"),
        pytest.param("Evicted", "0/1", row(phase="Failed", reason="Evicted"), id="a reason of its own"),
        pytest.param(
            "SchedulingGated",
            "0/1",
            row(phase="Pending", conditions=[{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]),
            id="gated",
        ),
        pytest.param(
            "ContainerCreating", "0/1", row(container("a", waiting("ContainerCreating")), phase="Pending"), id="waiting"
        ),
        pytest.param("CrashLoopBackOff", "0/1", row(container("a", waiting("CrashLoopBackOff"))), id="crash loop"),
        pytest.param(
            "ErrImagePull",
            "0/2",
            row(container("a", waiting("ErrImagePull")), container("b", waiting("CrashLoopBackOff"))),
            id="the first container has the last word",
        ),
        pytest.param("Running", "0/1", row(container("a", waiting(""))), id="waiting for no reason"),
        pytest.param("Completed", "0/1", row(container("a", ended(0, "Completed")), phase="Succeeded"), id="completed"),
        pytest.param("Error", "0/1", row(container("a", ended(1, "Error")), phase="Failed"), id="failed"),
        pytest.param("OOMKilled", "0/1", row(container("a", ended(137, "OOMKilled"))), id="out of memory"),
        pytest.param("Signal:9", "0/1", row(container("a", ended(137, signal=9))), id="killed by a signal"),
        pytest.param("ExitCode:3", "0/1", row(container("a", ended(3))), id="an exit code and no more"),
        pytest.param(
            "Running",
            "1/2",
            row(container("a", ended(0, "Completed")), running("b"), conditions=[READY]),
            id="one has completed, the pod is ready",
        ),
        pytest.param(
            "NotReady",
            "1/2",
            row(container("a", ended(0, "Completed")), running("b")),
            id="one has completed, the pod is not ready",
        ),
        pytest.param(
            "Error",
            "0/2",
            row(container("a", ended(0, "Completed")), container("b", ended(1, "Error"))),
            id="one has completed, another failed",
        ),
        pytest.param("Terminating", "1/1", row(running("a"), metadata=GOING), id="on its way out"),
        pytest.param("Unknown", "1/1", row(running("a"), metadata=GOING, reason="NodeLost"), id="its node is lost"),
        pytest.param(
            "Completed",
            "0/1",
            row(container("a", ended(0, "Completed")), metadata=GOING, phase="Succeeded"),
            id="finished and on its way out",
        ),
    ],
)
def test_the_word_for_its_state(status: str, ready: str, made: dict[str, Any]) -> None:
    assert (made["Status"], made["Ready"]) == (status, ready)


def pending(*init: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return row(container("a", waiting("PodInitializing")), init=init, phase="Pending", **fields)


@pytest.mark.parametrize(
    ("status", "ready", "made"),
    [
        pytest.param("Init:0/2", "0/1", pending(container("i", RUNNING), container("j")), id="the first runs"),
        pytest.param("Init:1/2", "0/1", pending(container("i", ended(0)), container("j", RUNNING)), id="the second"),
        pytest.param("Init:0/1", "0/1", pending(container("i", waiting("PodInitializing"))), id="not begun"),
        pytest.param(
            "Init:CrashLoopBackOff", "0/1", pending(container("i", waiting("CrashLoopBackOff"))), id="crash loop"
        ),
        pytest.param("Init:Error", "0/1", pending(container("i", ended(1, "Error"))), id="failed"),
        pytest.param("Init:ExitCode:2", "0/1", pending(container("i", ended(2))), id="an exit code"),
        pytest.param("Init:Signal:15", "0/1", pending(container("i", ended(143, signal=15))), id="a signal"),
        pytest.param("PodInitializing", "0/1", pending(container("i", ended(0))), id="all done"),
        pytest.param(
            "Init:0/1", "0/2", pending(container("s", RUNNING), sidecars=("s",)), id="a sidecar that has not started"
        ),
        pytest.param(
            "PodInitializing",
            "1/2",
            pending(running("s", started=True), sidecars=("s",)),
            id="a sidecar that has started",
        ),
        pytest.param(
            "Running",
            "2/2",
            row(running("a"), init=(running("s", started=True),), sidecars=("s",)),
            id="a sidecar beside a container",
        ),
        pytest.param(
            "Running",
            "1/2",
            row(running("a"), init=(container("s", RUNNING, started=True),), sidecars=("s",)),
            id="a sidecar that is not ready",
        ),
        pytest.param(
            "Init:Error",
            "1/2",
            row(running("a"), init=(container("s", ended(1, "Error")),), sidecars=("s",), conditions=[INITIALIZED]),
            id="a sidecar that fails later does not hide the containers",
        ),
    ],
)
def test_init_containers(status: str, ready: str, made: dict[str, Any]) -> None:
    assert (made["Status"], made["Ready"]) == (status, ready)


def restarted(name: str, count: int, at: str = "", **fields: Any) -> dict[str, Any]:
    last = {"terminated": {"exitCode": 1, "finishedAt": f"2026-11-18T{at}Z"}} if at else {}
    return running(name, restartCount=count, lastState=last, **fields)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        pytest.param("0", row(running("a")), id="none"),
        pytest.param("3", row(restarted("a", 3)), id="nobody knows when"),
        pytest.param("3 (2m ago)", row(restarted("a", 3, "11:58:00")), id="and when"),
        pytest.param(
            "5 (60s ago)", row(restarted("a", 3, "11:58:00"), restarted("b", 2, "11:59:00")), id="the last of several"
        ),
        pytest.param("0", row(restarted("a", 0, "11:58:00")), id="an end is no restart"),
        pytest.param(
            "2 (2m ago)",
            pending(restarted("i", 2, "11:58:00")),
            id="of init containers while they run",
        ),
        pytest.param(
            "1 (60s ago)",
            row(
                restarted("a", 1, "11:59:00"),
                init=({**restarted("i", 4, "11:59:30"), "state": ended(0)},),
            ),
            id="not of init containers that are done",
        ),
        pytest.param(
            "3 (30s ago)",
            row(
                restarted("a", 1, "11:59:00"),
                init=(restarted("s", 2, "11:59:30", started=True),),
                sidecars=("s",),
            ),
            id="of sidecars always",
        ),
    ],
)
def test_restarts(text: str, made: dict[str, Any]) -> None:
    assert made["Restarts"] == text


def test_wide_columns() -> None:
    bare = row(running("a"))
    assert [bare[name] for name in ("IP", "Node", "Nominated Node", "Readiness Gates")] == ["<none>"] * 4
    made = shown(
        Pod,
        spec={"nodeName": "n", "readinessGates": [{"conditionType": "a"}, {"conditionType": "b"}]},
        status={
            "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}],
            "nominatedNodeName": "m",
            "conditions": [{"type": "a", "status": "True"}, {"type": "b", "status": "False"}],
        },
    )
    assert [made[name] for name in ("IP", "Node", "Nominated Node", "Readiness Gates")] == ["10.0.0.1", "n", "m", "1/2"]
    assert (made["Name"], made["Age"]) == ("x", "5m")


@pytest.mark.parametrize(
    ("phase", "outcome"), [("Running", None), ("Succeeded", Outcome.SUCCEEDED), ("Failed", Outcome.FAILED)]
)
def test_outcome(phase: str, outcome: Outcome | None) -> None:
    assert pods.outcome(PodGlimpse(status=Status(phase=phase))) is outcome


def test_templates() -> None:
    containers = [{"name": "a", "image": "i:1"}, {"name": "b", "image": "j"}]
    made = shown(
        PodTemplate, template={"metadata": {"labels": {"b": "2", "a": "1"}}, "spec": {"containers": containers}}
    )
    assert made == {"Name": "x", "Containers": "a,b", "Images": "i:1,j", "Pod Labels": "a=1,b=2"}
