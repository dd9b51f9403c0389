"""PodTemplates: the rules of templates, under a path of their own."""

from __future__ import annotations

import pytest

from apiserver.registry.podtemplate import PODTEMPLATE
from steersman.api.core import PodTemplate
from tests.unit.apiserver.registry.tables import DEFAULTED_TEMPLATE_SPEC, TEMPLATE, Row, Subject, ids, row

SUBJECT = Subject(PodTemplate, PODTEMPLATE, {"metadata": {"name": "t", "namespace": "default"}, "template": TEMPLATE})


def test_defaults() -> None:
    assert SUBJECT.defaulted()["template"]["spec"] == DEFAULTED_TEMPLATE_SPEC
    whole = SUBJECT.make()
    assert PODTEMPLATE.default(whole) is whole


ROWS = [
    row("as it should be", {}),
    row("pods that end", {"template": {"spec": {"restartPolicy": "Never", "activeDeadlineSeconds": 5}}}),
    row("no containers", {"template": {"spec": {"containers": None}}}, "template.spec.containers: Required value"),
    row(
        "no such policy",
        {"template": {"spec": {"restartPolicy": "Sometimes"}}},
        'template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)
