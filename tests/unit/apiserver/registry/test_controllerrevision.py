"""ControllerRevisions: a state that is an object and never changes."""

from __future__ import annotations

import pytest

from apiserver.registry.controllerrevision import CONTROLLERREVISION
from steersman.api.apps import ControllerRevision
from tests.unit.apiserver.registry.pods import decode, shown
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

SUBJECT = Subject(
    ControllerRevision,
    CONTROLLERREVISION,
    {"metadata": {"name": "db-1", "namespace": "default"}, "data": {"spec": {"a": 1}}, "revision": 1},
)

ROWS = [
    row("as it should be", {}),
    row(
        "a negative number",
        {"revision": -1},
        "revision: Invalid value: -1: must be greater than or equal to 0",
    ),
    row("no data", {"data": None}, "data: Required value: data is mandatory"),
    row("data that is no object", {"data": [1]}, "data: Required value: data must be a valid JSON object"),
    row("data that is a text", {"data": "{}"}, "data: Required value: data must be a valid JSON object"),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


STEPS = [
    step("another number", {"revision": 2}),
    step(
        "other data",
        {"data": {"spec": {"a": 2}}},
        'data: Invalid value: {"spec":{"a":2}}: field is immutable',
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)


def test_the_same_data_in_another_order_is_no_change() -> None:
    old = decode(ControllerRevision, {"data": {"a": 1, "b": 2}})
    new = decode(ControllerRevision, {"data": {"b": 2, "a": 1}})
    assert shown(CONTROLLERREVISION.validate_update(new, old)) == []
