"""DaemonSets: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.daemonset import DAEMONSET
from steersman.api.apps import DaemonSet
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
    DaemonSet,
    DAEMONSET,
    {
        "metadata": {"name": "agent", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE},
    },
)
COUNTER = "deprecated.daemonset.template.generation"
NOT_NEGATIVE = "must be greater than or equal to 0"
MISMATCH = "`selector` does not match template `labels`"
PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
    "regex used for validation is '[0-9]+%')"
)
ROLLING = "spec.updateStrategy.rollingUpdate"


def test_defaults() -> None:
    whole = SUBJECT.defaulted()
    assert whole["metadata"]["annotations"] == {COUNTER: "1"}
    assert whole["spec"] == {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": DEFAULTED_TEMPLATE_SPEC},
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
        "revisionHistoryLimit": 10,
    }


STRATEGIES: list[tuple[str, Patch, Patch]] = [
    ("on delete stays alone", {"type": "OnDelete"}, {"type": "OnDelete"}),
    (
        "surge only",
        {"rollingUpdate": {"maxSurge": "10%"}},
        {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": "10%"}},
    ),
]


@pytest.mark.parametrize(("given", "wanted"), [case[1:] for case in STRATEGIES], ids=[case[0] for case in STRATEGIES])
def test_defaults_of_the_strategy(given: Patch, wanted: Patch) -> None:
    assert SUBJECT.defaulted({"spec": {"updateStrategy": given}})["spec"]["updateStrategy"] == wanted


def test_what_is_given_stays() -> None:
    whole = SUBJECT.make({"spec": {"revisionHistoryLimit": 0}})
    assert whole.spec.revision_history_limit == 0
    assert DAEMONSET.default(whole) is whole


TEMPLATE_GENERATIONS: list[tuple[str, Patch, str]] = [
    ("nothing changes", {}, "7"),
    ("the template changes", {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}}, "8"),
    ("something else changes", {"spec": {"minReadySeconds": 5}}, "7"),
    ("the user sets it", {"metadata": {"annotations": {COUNTER: "3"}}}, "7"),
    ("the user leaves it out", {"metadata": {"annotations": {COUNTER: None}}}, "7"),
    ("the user spoils it", {"metadata": {"annotations": {COUNTER: "many"}}}, "7"),
]


@pytest.mark.parametrize(
    ("change", "wanted"),
    [case[1:] for case in TEMPLATE_GENERATIONS],
    ids=[case[0] for case in TEMPLATE_GENERATIONS],
)
def test_the_server_counts_templates(change: Patch, wanted: str) -> None:
    old = SUBJECT.make({"metadata": {"annotations": {COUNTER: "7"}}})
    new = DAEMONSET.prepare_update(SUBJECT.make(change), old)
    assert new.metadata.annotations[COUNTER] == wanted


def rolling(id: str, given: Patch, *complaints: str) -> Row:
    """Complaints begin behind `spec.updateStrategy.rollingUpdate`."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": given}
    return row(id, {"spec": {"updateStrategy": strategy}}, *(f"{ROLLING}{complaint}" for complaint in complaints))


ROWS = [
    row("as it should be", {}),
    row(
        "no selector",
        {"spec": {"selector": None}},
        f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {MISMATCH}',
    ),
    row(
        "selector of everything",
        {"spec": {"selector": {"matchLabels": None}}},
        "spec.selector: Invalid value: {}: empty selector is invalid for daemonset",
    ),
    row(
        "selector of others",
        {"spec": {"selector": {"matchLabels": {"app": "db"}}}},
        f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {MISMATCH}',
    ),
    row(
        "selector that makes no sense",
        {"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "Like"}]}}},
        'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    ),
    row(
        "pods that end",
        {"spec": {"template": {"spec": {"restartPolicy": "OnFailure", "activeDeadlineSeconds": 5}}}},
        'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
    ),
    row(
        "negative numbers",
        {"spec": {"minReadySeconds": -1, "revisionHistoryLimit": -3}},
        f"spec.minReadySeconds: Invalid value: -1: {NOT_NEGATIVE}",
        f"spec.revisionHistoryLimit: Invalid value: -3: {NOT_NEGATIVE}",
    ),
    row("on delete", {"spec": {"updateStrategy": {"type": "OnDelete"}}}),
    row(
        "no such strategy",
        {"spec": {"updateStrategy": {"type": "Sideways"}}},
        'spec.updateStrategy: Unsupported value: {"Type":"Sideways","RollingUpdate":null}: '
        'supported values: "RollingUpdate", "OnDelete"',
    ),
    row(
        "no such strategy, with parameters",
        {"spec": {"updateStrategy": {"type": "Sideways", "rollingUpdate": {"maxUnavailable": "5%"}}}},
        "spec.updateStrategy: Unsupported value: "
        '{"Type":"Sideways","RollingUpdate":{"MaxUnavailable":"5%","MaxSurge":0}}: '
        'supported values: "RollingUpdate", "OnDelete"',
    ),
    rolling("surge alone", {"maxUnavailable": 0, "maxSurge": "20%"}),
    rolling(
        "both at once",
        {"maxUnavailable": 1, "maxSurge": 2},
        ".maxSurge: Invalid value: 2: may not be set when maxUnavailable is non-zero",
    ),
    rolling(
        "neither",
        {"maxUnavailable": "0%", "maxSurge": 0},
        ".maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
    ),
    rolling(
        "more than all",
        {"maxUnavailable": "101%", "maxSurge": "200%"},
        '.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
        '.maxSurge: Invalid value: "200%": must not be greater than 100%',
        '.maxSurge: Invalid value: "200%": may not be set when maxUnavailable is non-zero',
    ),
    rolling(
        "neither number nor percent",
        {"maxUnavailable": "many"},
        f'.maxUnavailable: Invalid value: "many": {PERCENT}',
        ".maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
    ),
    rolling("negative", {"maxUnavailable": -1}, f".maxUnavailable: Invalid value: -1: {NOT_NEGATIVE}"),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


COUNTS = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)
STEPS = [
    step("another template", {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}}),
    step(
        "another selector",
        {"spec": {"selector": {"matchLabels": {"app": "db"}}}},
        'spec.selector: Invalid value: {"matchLabels":{"app":"db"}}: field is immutable',
    ),
    step(
        "negative counts",
        {"status": dict.fromkeys(COUNTS, -1)},
        *(f"status.{field}: Invalid value: -1: {NOT_NEGATIVE}" for field in COUNTS),
    ),
    step(
        "collisions forgotten",
        {"status": {"collisionCount": 1}},
        "status.collisionCount: Invalid value: 1: cannot be decremented",
        before={"status": {"collisionCount": 2}},
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
