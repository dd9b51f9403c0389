"""What an object waits for, and a trace as a tree."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from steersman.api import codec
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.core import Pod
from steersman.cli import reasons, spans
from steersman.cli.reasons import Link
from steersman.cli.spans import Span

NOW = datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


def pod(spec: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **metadata: Any) -> Pod:
    manifest = {"metadata": {"name": "web", **metadata}, "spec": spec or {"nodeName": "n0"}, "status": status or {}}
    return codec.load(Pod, msgspec.json.encode(manifest))


def container(state: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"phase": "Running", "containerStatuses": [{"name": "c", "state": state, **more}]}


ENDED = {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2026-01-01T00:00:50Z"}}
CRASH = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 20s restarting failed container=c pod=web"}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(
            pod(
                {"schedulerName": "s"},
                {"conditions": [{"type": "PodScheduled", "status": "False", "message": "0/2 nodes"}]},
            ),
            ["a node: 0/2 nodes"],
            id="no-node-fits",
        ),
        pytest.param(pod({"schedulingGates": [{"name": "g"}]}), ["scheduling gates: g"], id="gated"),
        pytest.param(pod(), ["the agent of n0 has not reported on it yet: is that node Ready?"], id="silent-agent"),
        pytest.param(
            pod(status=container({"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}})),
            ["container c: ImagePullBackOff: no such image"],
            id="image",
        ),
        pytest.param(
            pod(status=container(CRASH, lastState=ENDED, restartCount=3)),
            [
                "container c: CrashLoopBackOff: back-off 20s restarting failed container=c pod=web;"
                " it ended with exit code 1, 3 restarts so far; next try in 10s"
            ],
            id="crash-loop-with-its-next-try",
        ),
        pytest.param(
            pod(status=container({"running": {}}, ready=False, started=True)),
            ["container c: its readiness probe does not succeed yet"],
            id="not-ready",
        ),
        pytest.param(pod(status=container({"running": {}}, ready=True, started=True)), [], id="well"),
        pytest.param(pod(status={"phase": "Succeeded"}), [], id="done"),
        pytest.param(
            pod(deletionTimestamp="2026-01-01T00:01:30Z", finalizers=["a/b"]),
            ["it is being deleted: its containers have 30s to end, held by a/b"],
            id="leaving",
        ),
    ],
)
def test_pods(value: Pod, expected: list[str]) -> None:
    assert reasons.of_pod(value, NOW)[1] == expected


def test_a_deployment_tells_its_bad_conditions_and_whether_it_was_seen() -> None:
    condition = {"type": "Available", "status": "False", "reason": "R", "message": "m"}
    manifest = {"metadata": {"generation": 2}, "status": {"observedGeneration": 1, "conditions": [condition]}}
    state, found = reasons.of_deployment(codec.load(Deployment, msgspec.json.encode(manifest)))
    assert state == "0 of 1 available, 0 up to date"
    assert found[0].startswith("its controller has not seen the last change yet")
    assert found[1] == "Available is False: R: m"


def test_a_replicaset_tells_why_its_pods_cannot_be_made() -> None:
    condition = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "quota"}
    manifest = {"spec": {"replicas": 2}, "status": {"conditions": [condition]}}
    _, found = reasons.of_replicaset(codec.load(ReplicaSet, msgspec.json.encode(manifest)))
    assert found == ["2 of its pods are not made yet", "its pods cannot be made: FailedCreate: quota"]


def test_the_verdict_names_the_lowest_cause_once() -> None:
    below = tuple(Link(f"pod/{name}", "Pending", ("a node",)) for name in "ab")
    chain = Link("deployment.apps/web", "0 of 2", ("Available is False",), below=below)
    assert reasons.verdict(chain) == "deployment.apps/web waits for: a node"
    assert reasons.drawn(chain) == [
        "deployment.apps/web  0 of 2",
        "│  → Available is False",
        "├─ pod/a  Pending",
        "│     → a node",
        "└─ pod/b  Pending",
        "      → a node",
    ]


def test_who_is_well_waits_for_nothing() -> None:
    assert reasons.verdict(Link("pod/a", "Running")) == "pod/a waits for nothing"


def span(name: str, parent: str, begins: int, *, failed: bool = False) -> dict[str, Any]:
    return {
        "spanId": name,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(begins * 1_000_000),
        "endTimeUnixNano": str((begins + 5) * 1_000_000),
        "attributes": [{"key": "key", "value": {"stringValue": "default/web"}}],
        "status": {"code": 2} if failed else {},
    }


def test_a_trace_is_read_from_otlp_and_drawn_in_order_below_its_parents() -> None:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "steersman-apiserver"}}]}
    made = [
        span("late", "root", 30, failed=True),
        span("root", "", 10),
        span("early", "root", 20),
        span("lost", "gone", 40),
    ]
    found = spans.of_otlp({"result": {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": made}]}]}})
    assert found[0] == Span(
        "root", "", "steersman-apiserver", "root", 10_000_000, 15_000_000, False, {"key": "default/web"}
    )
    assert [line.split("apiserver")[1].strip() for line in spans.drawn(found)] == [
        "root default/web",
        "├─ early default/web",
        "└─ late default/web  FAILED",
        "lost default/web",
    ]
    assert spans.drawn(found)[2].startswith("     20.0 ms       5.0 ms")


def test_no_trace_is_nothing() -> None:
    assert spans.drawn(spans.of_otlp({})) == []
