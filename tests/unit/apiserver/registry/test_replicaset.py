"""ReplicaSets: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.replicaset import REPLICASET
from steersman.api.apps import ReplicaSet
from tests.unit.apiserver.registry.pods import LABEL_VALUE, NAME_PART
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
    ReplicaSet,
    REPLICASET,
    {
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE},
    },
)
NOT_NEGATIVE = "must be greater than or equal to 0"
MISMATCH = "`selector` does not match template `labels`"
WRONG_VALUE = (
    f'spec.selector.matchExpressions[0].values[0]: Invalid value: "a b": {LABEL_VALUE}',
    'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":'
    '[{"key":"app","operator":"In","values":["a b"]}]}: invalid label selector',
)


def test_defaults() -> None:
    assert SUBJECT.defaulted()["spec"] == {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": DEFAULTED_TEMPLATE_SPEC},
    }


def test_what_is_given_stays() -> None:
    whole = SUBJECT.make({"spec": {"replicas": 0}})
    assert whole.spec.replicas == 0
    assert REPLICASET.default(whole) is whole


def expressions(*given: dict[str, object]) -> dict[str, object]:
    return {"spec": {"selector": {"matchExpressions": list(given)}}}


ROWS = [
    row("as it should be", {}),
    row("none wanted", {"spec": {"replicas": 0}}),
    row("negative replicas", {"spec": {"replicas": -1}}, f"spec.replicas: Invalid value: -1: {NOT_NEGATIVE}"),
    row(
        "negative readiness",
        {"spec": {"minReadySeconds": -2}},
        f"spec.minReadySeconds: Invalid value: -2: {NOT_NEGATIVE}",
    ),
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
        {"spec": {"selector": {"matchLabels": {"app": "db"}}}},
        f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {MISMATCH}',
    ),
    row(
        "template without labels",
        {"spec": {"template": {"metadata": None}}},
        f"spec.template.metadata.labels: Invalid value: null: {MISMATCH}",
    ),
    row("expression that holds", expressions({"key": "app", "operator": "In", "values": ["web", "db"]})),
    row(
        "expression with a wrong value", expressions({"key": "app", "operator": "In", "values": ["a b"]}), *WRONG_VALUE
    ),
    row(
        "expression without values",
        expressions({"key": "app", "operator": "NotIn"}),
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or "
        "'NotIn'",
        'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":'
        '[{"key":"app","operator":"NotIn"}]}: invalid label selector',
    ),
    row(
        "expression with needless values",
        expressions({"key": "app", "operator": "Exists", "values": ["x"]}),
        "spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or "
        "'DoesNotExist'",
        'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":'
        '[{"key":"app","operator":"Exists","values":["x"]}]}: invalid label selector',
    ),
    row(
        "expression of no known kind",
        expressions({"key": "a b", "operator": "Like"}),
        'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
        f'spec.selector.matchExpressions[0].key: Invalid value: "a b": {NAME_PART}',
        'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":'
        '[{"key":"a b","operator":"Like"}]}: invalid label selector',
    ),
    row(
        "pods that end",
        {"spec": {"template": {"spec": {"restartPolicy": "OnFailure", "activeDeadlineSeconds": 5}}}},
        'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported",
    ),
    row(
        "template without containers",
        {"spec": {"template": {"spec": {"containers": None}}}},
        "spec.template.spec.containers: Required value",
    ),
    row(
        "several faults at once, in field order",
        {"spec": {"replicas": -1, "minReadySeconds": -1, "selector": {"matchLabels": {"app": "db"}}}},
        f"spec.replicas: Invalid value: -1: {NOT_NEGATIVE}",
        f"spec.minReadySeconds: Invalid value: -1: {NOT_NEGATIVE}",
        f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {MISMATCH}',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


GREATER = "cannot be greater than status.replicas"
STEPS = [
    step("nothing changes", {}),
    step("scale", {"spec": {"replicas": 7}}),
    step("another template", {"spec": {"template": {"spec": {"containers": [{"name": "d", "image": "e"}]}}}}),
    step(
        "another selector",
        {"spec": {"selector": {"matchLabels": {"app": "db"}}}},
        'spec.selector: Invalid value: {"matchLabels":{"app":"db"}}: field is immutable',
    ),
    step("a sound status", {"status": {"replicas": 2, "readyReplicas": 2, "availableReplicas": 1}}),
    step(
        "negative counts",
        {
            "status": {
                "replicas": -1,
                "fullyLabeledReplicas": -1,
                "readyReplicas": -1,
                "availableReplicas": -1,
                "observedGeneration": -1,
                "terminatingReplicas": -1,
            }
        },
        *(
            f"status.{field}: Invalid value: -1: {NOT_NEGATIVE}"
            for field in (
                "replicas",
                "fullyLabeledReplicas",
                "readyReplicas",
                "availableReplicas",
                "observedGeneration",
                "terminatingReplicas",
            )
        ),
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
