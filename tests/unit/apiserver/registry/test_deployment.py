"""Deployments: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.deployment import DEPLOYMENT
from steersman.api.apps import Deployment
from tests.unit.apiserver.registry.tables import (
    DEFAULTED_TEMPLATE_SPEC,
    TEMPLATE,
    Patch,
    Row,
    Step,
    Subject,
    ids,
    row,
    step,
)

SUBJECT = Subject(
    Deployment,
    DEPLOYMENT,
    {
        "metadata": {"name": "web", "namespace": "default", "generation": 3},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE},
    },
)
NOT_NEGATIVE = "must be greater than or equal to 0"
MISMATCH = "`selector` does not match template `labels`"
PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
    "regex used for validation is '[0-9]+%')"
)
ROLLING = "spec.strategy.rollingUpdate"


def test_defaults() -> None:
    assert SUBJECT.defaulted()["spec"] == {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": DEFAULTED_TEMPLATE_SPEC},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
    }


STRATEGIES: list[tuple[str, Patch, Patch]] = [
    ("recreate stays alone", {"type": "Recreate"}, {"type": "Recreate"}),
    (
        "half of a rolling update",
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0}},
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "25%"}},
    ),
    (
        "a rolling update without its type",
        {"rollingUpdate": {"maxUnavailable": 2}},
        {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2, "maxSurge": "25%"}},
    ),
    ("a type that does not exist", {"type": "Sideways"}, {"type": "Sideways"}),
]


@pytest.mark.parametrize(("given", "wanted"), [case[1:] for case in STRATEGIES], ids=[case[0] for case in STRATEGIES])
def test_defaults_of_the_strategy(given: Patch, wanted: Patch) -> None:
    assert SUBJECT.defaulted({"spec": {"strategy": given}})["spec"]["strategy"] == wanted


def test_what_is_given_stays() -> None:
    whole = SUBJECT.make({"spec": {"replicas": 0, "revisionHistoryLimit": 0, "progressDeadlineSeconds": 5}})
    assert (whole.spec.replicas, whole.spec.revision_history_limit, whole.spec.progress_deadline_seconds) == (0, 0, 5)
    assert DEPLOYMENT.default(whole) is whole


def rolling(id: str, given: Patch, *complaints: str) -> Row:
    """Complaints begin behind `spec.strategy.rollingUpdate`."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": given}
    return row(id, {"spec": {"strategy": strategy}}, *(f"{ROLLING}{complaint}" for complaint in complaints))


ROWS = [
    row("as it should be", {}),
    row("none wanted", {"spec": {"replicas": 0}}),
    row("negative replicas", {"spec": {"replicas": -1}}, f"spec.replicas: Invalid value: -1: {NOT_NEGATIVE}"),
    row(
        "no selector",
        {"spec": {"selector": None}},
        "spec.selector: Required value",
        f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {MISMATCH}',
    ),
    row(
        "selector of everything",
        {"spec": {"selector": {"matchLabels": None}}},
        "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
    ),
    row(
        "selector of others",
        {"spec": {"template": {"metadata": {"labels": {"app": "b"}}}}},
        f'spec.template.metadata.labels: Invalid value: {{"app":"b"}}: {MISMATCH}',
    ),
    row(
        "pods that end",
        {"spec": {"template": {"spec": {"restartPolicy": "Never"}}}},
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ),
    row("recreate", {"spec": {"strategy": {"type": "Recreate"}}}),
    row(
        "recreate with a rolling update",
        {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": {}}}},
        f"{ROLLING}: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ),
    row(
        "no such strategy",
        {"spec": {"strategy": {"type": "Sideways"}}},
        'spec.strategy: Unsupported value: {"Type":"Sideways","RollingUpdate":null}: '
        'supported values: "Recreate", "RollingUpdate"',
    ),
    row(
        "no such strategy, with parameters",
        {"spec": {"strategy": {"type": "Sideways", "rollingUpdate": {"maxSurge": "5%"}}}},
        'spec.strategy: Unsupported value: {"Type":"Sideways","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":"5%"}}: '
        'supported values: "Recreate", "RollingUpdate"',
    ),
    rolling("numbers", {"maxUnavailable": 0, "maxSurge": 3}),
    rolling("all at once", {"maxUnavailable": "100%", "maxSurge": "300%"}),
    rolling(
        "no room to move",
        {"maxUnavailable": 0, "maxSurge": 0},
        ".maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
    ),
    rolling(
        "no room to move, in percent",
        {"maxUnavailable": "0%", "maxSurge": "0%"},
        '.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0',
    ),
    rolling(
        "more than all",
        {"maxUnavailable": "101%"},
        '.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ),
    rolling(
        "far more than all",
        {"maxUnavailable": "9" * 5000 + "%"},
        f'.maxUnavailable: Invalid value: "{"9" * 5000}%": must not be greater than 100%',
    ),
    rolling(
        "negative numbers",
        {"maxUnavailable": -1, "maxSurge": -2},
        f".maxUnavailable: Invalid value: -1: {NOT_NEGATIVE}",
        f".maxSurge: Invalid value: -2: {NOT_NEGATIVE}",
    ),
    rolling(
        "neither number nor percent",
        {"maxUnavailable": "5", "maxSurge": ""},
        f'.maxUnavailable: Invalid value: "5": {PERCENT}',
        f'.maxSurge: Invalid value: "": {PERCENT}',
    ),
    row(
        "negative seconds and limits",
        {"spec": {"minReadySeconds": -1, "revisionHistoryLimit": -3}},
        f"spec.minReadySeconds: Invalid value: -1: {NOT_NEGATIVE}",
        f"spec.revisionHistoryLimit: Invalid value: -3: {NOT_NEGATIVE}",
    ),
    row(
        "negative deadline",
        {"spec": {"progressDeadlineSeconds": -1}},
        f"spec.progressDeadlineSeconds: Invalid value: -1: {NOT_NEGATIVE}",
        "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds",
    ),
    row(
        "deadline too early",
        {"spec": {"minReadySeconds": 600}},
        "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


GREATER = "cannot be greater than status.replicas"
COUNTS = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
)
STEPS = [
    step("nothing changes", {}),
    step(
        "scale, pause, another template",
        {"spec": {"replicas": 2, "paused": True, "template": {"metadata": {"annotations": {"a": "b"}}}}},
    ),
    step(
        "another selector",
        {"spec": {"selector": {"matchLabels": {"tier": "x"}}}},
        'spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable',
    ),
    step(
        "negative counts",
        {"status": dict.fromkeys(COUNTS, -1)},
        *(f"status.{field}: Invalid value: -1: {NOT_NEGATIVE}" for field in COUNTS),
    ),
    step(
        "more than there are",
        {"status": {"replicas": 1, "updatedReplicas": 2, "readyReplicas": 3, "availableReplicas": 4}},
        f"status.updatedReplicas: Invalid value: 2: {GREATER}",
        f"status.readyReplicas: Invalid value: 3: {GREATER}",
        f"status.availableReplicas: Invalid value: 4: {GREATER}",
        "status.availableReplicas: Invalid value: 4: cannot be greater than readyReplicas",
    ),
    step("collisions counted", {"status": {"collisionCount": 2}}, before={"status": {"collisionCount": 1}}),
    step(
        "collisions forgotten",
        {"status": {"collisionCount": 1}},
        "status.collisionCount: Invalid value: 1: cannot be decremented",
        before={"status": {"collisionCount": 2}},
    ),
    step(
        "collisions left out",
        {"status": {"collisionCount": None}},
        "status.collisionCount: Invalid value: 0: cannot be decremented",
        before={"status": {"collisionCount": 2}},
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)


GENERATIONS: list[tuple[str, Patch, int]] = [
    ("nothing", {}, 3),
    ("an annotation", {"metadata": {"annotations": {"note": "new"}}}, 4),
    ("a label", {"metadata": {"labels": {"app": "web"}}}, 3),
    ("only a trace", {"metadata": {"annotations": {"tracing.k8s.io/traceparent": "00-0-0-01"}}}, 3),
]


@pytest.mark.parametrize(
    ("change", "wanted"), [case[1:] for case in GENERATIONS], ids=[case[0] for case in GENERATIONS]
)
def test_generation_counts_annotations(change: Patch, wanted: int) -> None:
    assert DEPLOYMENT.prepare_update(SUBJECT.make(change), SUBJECT.make()).metadata.generation == wanted
