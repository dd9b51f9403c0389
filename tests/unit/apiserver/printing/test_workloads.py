"""What keeps pods running, and jobs, in a table."""

from __future__ import annotations

from typing import Any

import pytest

from steersman.api.apps import ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet
from steersman.api.autoscaling import Scale
from steersman.api.batch import CronJob, Job
from steersman.api.core import ReplicationController
from steersman.api.meta import Object
from tests.unit.apiserver.printing.rows import shown

TEMPLATE = {"spec": {"containers": [{"name": "a", "image": "i:1"}, {"name": "b", "image": "j"}]}}
SELECTOR = {
    "matchLabels": {"b": "2", "a": "1"},
    "matchExpressions": [{"key": "c", "operator": "In", "values": ["y", "x"]}],
}
SPEC = {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE}
SELECTED = "a=1,b=2,c in (x,y)"


@pytest.mark.parametrize(
    ("struct", "fields", "expected"),
    [
        pytest.param(
            Deployment,
            {"spec": SPEC, "status": {"readyReplicas": 1, "updatedReplicas": 2, "availableReplicas": 1}},
            ["x", "1/3", 2, 1, "5m", "a,b", "i:1,j", SELECTED],
            id="Deployment",
        ),
        pytest.param(Deployment, {}, ["x", "0/0", 0, 0, "5m", "", "", ""], id="bare Deployment"),
        pytest.param(
            ReplicaSet,
            {"spec": SPEC, "status": {"replicas": 3, "readyReplicas": 2}},
            ["x", 3, 3, 2, "5m", "a,b", "i:1,j", SELECTED],
            id="ReplicaSet",
        ),
        pytest.param(ReplicaSet, {}, ["x", 0, 0, 0, "5m", "", "", "<none>"], id="bare ReplicaSet"),
        pytest.param(
            ReplicationController,
            {"spec": {"replicas": 1, "selector": {"a": "1"}, "template": TEMPLATE}, "status": {"replicas": 1}},
            ["x", 1, 1, 0, "5m", "a,b", "i:1,j", "a=1"],
            id="ReplicationController",
        ),
        pytest.param(
            ReplicationController, {}, ["x", 0, 0, 0, "5m", "", "", "<none>"], id="bare ReplicationController"
        ),
        pytest.param(
            StatefulSet,
            {"spec": SPEC, "status": {"readyReplicas": 2}},
            ["x", "2/3", "5m", "a,b", "i:1,j"],
            id="StatefulSet",
        ),
        pytest.param(
            DaemonSet,
            {
                "spec": {"selector": {"matchLabels": {"a": "1"}}, "template": TEMPLATE},
                "status": {
                    "desiredNumberScheduled": 5,
                    "currentNumberScheduled": 4,
                    "numberReady": 3,
                    "updatedNumberScheduled": 2,
                    "numberAvailable": 1,
                },
            },
            ["x", 5, 4, 3, 2, 1, "<none>", "5m", "a,b", "i:1,j", "a=1"],
            id="DaemonSet",
        ),
        pytest.param(Scale, {"spec": {"replicas": 3}, "status": {"replicas": 2}}, ["x", 3, 2, "5m"], id="Scale"),
    ],
)
def test_replicas(struct: type[Object], fields: dict[str, Any], expected: list[Any]) -> None:
    assert list(shown(struct, **fields).values()) == expected


@pytest.mark.parametrize(
    ("owner", "text"),
    [
        pytest.param([], "<none>", id="nobody's"),
        pytest.param(
            [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}], "<none>", id="owned, not controlled"
        ),
        pytest.param(
            [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "u", "controller": True}],
            "statefulset.apps/db",
            id="controlled",
        ),
        pytest.param(
            [{"apiVersion": "v1", "kind": "Thing", "name": "t", "uid": "u", "controller": True}], "thing/t", id="core"
        ),
    ],
)
def test_controller_revisions(owner: list[dict[str, Any]], text: str) -> None:
    made = shown(ControllerRevision, metadata={"ownerReferences": owner}, revision=4)
    assert made == {"Name": "x", "Controller": text, "Revision": 4, "Age": "5m"}


def holding(*conditions: str, status: str = "True") -> dict[str, Any]:
    return {"conditions": [{"type": condition, "status": status} for condition in conditions]}


@pytest.mark.parametrize(
    ("status", "deletion", "text"),
    [
        ({}, None, "Running"),
        (holding("Complete"), None, "Complete"),
        (holding("SuccessCriteriaMet", "Complete"), None, "Complete"),
        (holding("Failed"), "2026-11-18T12:00:00Z", "Failed"),
        (holding("Suspended"), "2026-11-18T12:00:00Z", "Terminating"),
        (holding("Suspended"), None, "Suspended"),
        (holding("FailureTarget"), None, "FailureTarget"),
        (holding("SuccessCriteriaMet"), None, "SuccessCriteriaMet"),
        (holding("Complete", status="False"), None, "Running"),
    ],
)
def test_how_far_a_job_has_come(status: dict[str, Any], deletion: str | None, text: str) -> None:
    metadata = {"deletionTimestamp": deletion} if deletion else {}
    assert shown(Job, metadata=metadata, status=status)["Status"] == text


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"completions": 3}, "1/3"),
        ({}, "1/1"),
        ({"parallelism": 1}, "1/1"),
        ({"parallelism": 4}, "1/1 of 4"),
    ],
)
def test_completions(spec: dict[str, Any], text: str) -> None:
    assert shown(Job, spec=spec, status={"succeeded": 1})["Completions"] == text


@pytest.mark.parametrize(
    ("status", "text"),
    [
        pytest.param({}, "", id="not begun"),
        pytest.param({"startTime": "2026-11-18T11:59:00Z"}, "60s", id="at work"),
        pytest.param({"startTime": "2026-11-18T11:00:00Z", "completionTime": "2026-11-18T11:00:07Z"}, "7s", id="done"),
    ],
)
def test_duration(status: dict[str, Any], text: str) -> None:
    assert shown(Job, status=status)["Duration"] == text


def test_cron_jobs() -> None:
    job = {"spec": {"template": TEMPLATE}}
    bare = shown(CronJob, spec={"schedule": "* * * * *", "jobTemplate": job})
    wide = ["a,b", "i:1,j", "<none>"]
    assert list(bare.values()) == ["x", "* * * * *", "<none>", "<unset>", 0, "<none>", "5m", *wide]
    made = shown(
        CronJob,
        spec={"schedule": "@daily", "timeZone": "Europe/Bern", "suspend": False, "jobTemplate": job},
        status={"active": [{"name": "j"}], "lastScheduleTime": "2026-11-18T11:59:00Z"},
    )
    assert list(made.values()) == ["x", "@daily", "Europe/Bern", "False", 1, "60s", "5m", *wide]
