"""RuntimeClasses: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.runtimeclass import RUNTIMECLASS
from steersman.api.node import RuntimeClass
from tests.unit.apiserver.registry.pods import DNS_LABEL, LABEL_VALUE
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

SUBJECT = Subject(RuntimeClass, RUNTIMECLASS, {"metadata": {"name": "gvisor"}, "handler": "runsc"})
TOLERATION = {"key": "gpu", "operator": "Exists", "effect": "NoExecute"}


def test_amounts_are_whole_thousandths() -> None:
    whole = SUBJECT.make({"overhead": {"podFixed": {"cpu": "100u"}}})
    assert whole.overhead.pod_fixed == {"cpu": "1m"}
    assert RUNTIMECLASS.default(whole) is whole


ROWS = [
    row("as it should be", {}),
    row(
        "all there is",
        {
            "overhead": {"podFixed": {"cpu": "250m", "memory": "120Mi"}},
            "scheduling": {"nodeSelector": {"a": "b"}, "tolerations": [TOLERATION]},
        },
    ),
    row("no handler", {"handler": None}, "handler: Required value"),
    row("a handler that cannot be", {"handler": "Run_SC"}, f'handler: Invalid value: "Run_SC": {DNS_LABEL}'),
    row(
        "a cost below zero",
        {"overhead": {"podFixed": {"cpu": "-1"}}},
        'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ),
    row(
        "a label that cannot be",
        {"scheduling": {"nodeSelector": {"a": "b c"}}},
        f'scheduling.nodeSelector: Invalid value: "b c": {LABEL_VALUE}',
    ),
    row(
        "a toleration twice",
        {"scheduling": {"tolerations": [TOLERATION, {**TOLERATION, "tolerationSeconds": 5}]}},
        'scheduling.tolerations[1]: Duplicate value: {"Key":"gpu","Operator":"Exists","Value":"","Effect":"NoExecute",'
        '"TolerationSeconds":5}',
    ),
    row(
        "a toleration that makes no sense",
        {"scheduling": {"tolerations": [{"key": "gpu", "operator": "Exists", "value": "x"}]}},
        "scheduling.tolerations[0].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


STEPS = [
    step("another cost", {"overhead": {"podFixed": {"cpu": "1"}}}),
    step("another handler", {"handler": "kata"}, 'handler: Invalid value: "kata": field is immutable'),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
