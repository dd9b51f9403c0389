"""ReplicationControllers: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.replicationcontroller import REPLICATIONCONTROLLER
from steersman.api.core import ReplicationController
from tests.unit.apiserver.registry.tables import (
    DEFAULTED_TEMPLATE_SPEC,
    TEMPLATE,
    Row,
    Step,
    Subject,
    ids,
    row,
    step,
)

SUBJECT = Subject(
    ReplicationController,
    REPLICATIONCONTROLLER,
    {"metadata": {"name": "web", "namespace": "default"}, "spec": {"template": TEMPLATE}},
)
NOT_NEGATIVE = "must be greater than or equal to 0"
MISMATCH = "`selector` does not match template `labels`"


def test_selector_and_labels_come_from_the_template() -> None:
    whole = SUBJECT.defaulted()
    assert whole["metadata"]["labels"] == {"app": "web"}
    assert whole["spec"] == {
        "replicas": 1,
        "selector": {"app": "web"},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": DEFAULTED_TEMPLATE_SPEC},
    }


def test_what_is_given_stays() -> None:
    whole = SUBJECT.make({"metadata": {"labels": {"a": "b"}}, "spec": {"replicas": 0, "selector": {"app": "web"}}})
    assert whole.metadata.labels == {"a": "b"}
    assert whole.spec.replicas == 0
    assert REPLICATIONCONTROLLER.default(whole) is whole


ROWS = [
    row("as it should be", {}),
    row(
        "negative numbers",
        {"spec": {"replicas": -1, "minReadySeconds": -2}},
        f"spec.minReadySeconds: Invalid value: -2: {NOT_NEGATIVE}",
        f"spec.replicas: Invalid value: -1: {NOT_NEGATIVE}",
    ),
    row("nothing to select by", {"spec": {"template": {"metadata": None}}}, "spec.selector: Required value"),
    row(
        "no template",
        {"spec": {"template": None}},
        "spec.selector: Required value",
        "spec.template: Required value",
    ),
    row(
        "selector of others",
        {"spec": {"selector": {"app": "db"}}},
        f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {MISMATCH}',
    ),
    row(
        "pods that end",
        {"spec": {"template": {"spec": {"restartPolicy": "Never", "activeDeadlineSeconds": 5}}}},
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not "
        "Supported",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


GREATER = "cannot be greater than status.replicas"
COUNTS = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration")
STEPS = [
    step("another selector is fine", {"spec": {"selector": {"app": "web", "tier": "x"}}}),
    step(
        "negative counts",
        {"status": dict.fromkeys(COUNTS, -1)},
        *(f"status.{field}: Invalid value: -1: {NOT_NEGATIVE}" for field in COUNTS),
    ),
    step(
        "more than there are",
        {"status": {"replicas": 1, "fullyLabeledReplicas": 2, "readyReplicas": 3, "availableReplicas": 4}},
        f"status.fullyLabeledReplicas: Invalid value: 2: {GREATER}",
        f"status.readyReplicas: Invalid value: 3: {GREATER}",
        f"status.availableReplicas: Invalid value: 4: {GREATER}",
        "status.availableReplicas: Invalid value: 4: cannot be greater than readyReplicas",
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
