"""PriorityClasses: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.priorityclass import PRIORITYCLASS
from steersman.api.scheduling import PriorityClass
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

SUBJECT = Subject(PriorityClass, PRIORITYCLASS, {"metadata": {"name": "high"}, "value": 1000})
RESERVED = (
    "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "
)
NODE = "system-node-critical"


def test_defaults() -> None:
    whole = SUBJECT.make()
    assert whole.preemption_policy == "PreemptLowerPriority"
    assert PRIORITYCLASS.default(whole) is whole
    assert SUBJECT.make({"preemptionPolicy": "Never"}).preemption_policy == "Never"


ROWS = [
    row("as it should be", {}),
    row("the highest of users", {"value": 1000000000}),
    row("below zero", {"value": -5}),
    row(
        "higher than users may",
        {"value": 1000000001},
        "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
    ),
    row("the system's own", {"metadata": {"name": NODE}, "value": 2000001000}),
    row("the system's other", {"metadata": {"name": "system-cluster-critical"}, "value": 2000000000}),
    row(
        "a name of the system",
        {"metadata": {"name": "system-mine"}},
        f"{RESERVED}system-mine is not a known system priority class",
    ),
    row(
        "the system's own with another value",
        {"metadata": {"name": NODE}, "value": 1},
        f"{RESERVED}value of {NODE} PriorityClass must be 2000001000",
    ),
    row(
        "the system's own as everybody's",
        {"metadata": {"name": NODE}, "value": 2000001000, "globalDefault": True},
        f"{RESERVED}globalDefault of {NODE} PriorityClass must be false",
    ),
    row("an empty policy", {"preemptionPolicy": ""}, "preemptionPolicy: Required value"),
    row(
        "no such policy",
        {"preemptionPolicy": "Always"},
        'preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


STEPS = [
    step("another description", {"description": "for the night", "globalDefault": True}),
    step("another value", {"value": 7}, "value: Forbidden: may not be changed in an update."),
    step(
        "another policy",
        {"preemptionPolicy": "Never"},
        'preemptionPolicy: Invalid value: "Never": field is immutable',
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
