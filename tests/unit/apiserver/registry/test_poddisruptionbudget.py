"""PodDisruptionBudgets: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.poddisruptionbudget import PODDISRUPTIONBUDGET
from steersman.api.policy import PodDisruptionBudget
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

SUBJECT = Subject(
    PodDisruptionBudget,
    PODDISRUPTIONBUDGET,
    {
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    },
)
NOT_NEGATIVE = "must be greater than or equal to 0"
PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
    "regex used for validation is '[0-9]+%')"
)

ROWS = [
    row("as it should be", {}),
    row("in percent", {"spec": {"minAvailable": "50%"}}),
    row("the other way round", {"spec": {"minAvailable": None, "maxUnavailable": 0}}),
    row("neither, for everything", {"spec": {"minAvailable": None, "selector": {"matchLabels": None}}}),
    row(
        "both",
        {"spec": {"maxUnavailable": "10%"}},
        'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"app":"web"}},"MaxUnavailable":"10%",'
        '"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ),
    row("negative", {"spec": {"minAvailable": -1}}, f"spec.minAvailable: Invalid value: -1: {NOT_NEGATIVE}"),
    row(
        "more than all",
        {"spec": {"minAvailable": None, "maxUnavailable": "101%"}},
        'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ),
    row(
        "neither number nor percent",
        {"spec": {"minAvailable": "half"}},
        f'spec.minAvailable: Invalid value: "half": {PERCENT}',
    ),
    row(
        "a selector that makes no sense",
        {"spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}},
        'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    ),
    row(
        "no such policy",
        {"spec": {"unhealthyPodEvictionPolicy": "Sometimes"}},
        'spec.unhealthyPodEvictionPolicy: Unsupported value: "Sometimes": '
        'supported values: "AlwaysAllow", "IfHealthyBudget"',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
STEPS = [
    step("another budget", {"spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "db"}}}}),
    step(
        "negative counts",
        {"status": dict.fromkeys(COUNTS, -1)},
        *(f"status.{field}: Invalid value: -1: {NOT_NEGATIVE}" for field in COUNTS),
    ),
    step(
        "a condition that says little",
        {"status": {"conditions": [{"type": "DisruptionAllowed", "status": "Maybe"}]}},
        'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
        "status.conditions[0].lastTransitionTime: Required value",
        "status.conditions[0].reason: Required value",
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
