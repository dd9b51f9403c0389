"""ResourceQuotas: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.resourcequota import RESOURCE_QUOTA
from steersman.api.core import ResourceQuota
from tests.unit.apiserver.registry.pods import NAME_PART
from tests.unit.apiserver.registry.tables import Patch, Row, Step, Subject, ids, row, step

SUBJECT = Subject(
    ResourceQuota,
    RESOURCE_QUOTA,
    {"metadata": {"name": "all", "namespace": "default"}, "spec": {"hard": {"pods": "10"}}},
)
SELECTOR = "spec.scopeSelector.matchExpressions"


def hard(**amounts: str) -> Patch:
    return {"spec": {"hard": {name.replace("__", "/"): amount for name, amount in amounts.items()}}}


def selected(*scopes: dict[str, Any], **hard: str | None) -> Patch:
    return {"spec": {"hard": hard, "scopeSelector": {"matchExpressions": list(scopes)}}}


def scope(name: str, operator: str = "Exists", *values: str) -> dict[str, Any]:
    return {"scopeName": name, "operator": operator, **({"values": list(values)} if values else {})}


def test_amounts_are_rounded_up() -> None:
    assert SUBJECT.defaulted(hard(cpu="1500u"))["spec"]["hard"] == {"pods": "10", "cpu": "2m"}


EXISTS = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)
ROWS = [
    row("bare", {"spec": None}),
    row(
        "plenty",
        hard(**{"requests.cpu": "1", "limits.memory": "1Gi", "hugepages-2Mi": "2Mi", "count__jobs.batch": "3"}),
    ),
    row(
        "a bad name",
        hard(**{"!": "1"}),
        f'spec.hard[!]: Invalid value: "!": {NAME_PART}',
        'spec.hard[!]: Invalid value: "!": must be a standard resource for quota',
    ),
    row(
        "an unknown name",
        hard(bananas="1"),
        'spec.hard[bananas]: Invalid value: "bananas": must be a standard resource type or fully qualified',
        'spec.hard[bananas]: Invalid value: "bananas": must be a standard resource for quota',
    ),
    row(
        "a resource that quotas do not know",
        hard(storage="1"),
        'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
    ),
    row("less than nothing", hard(cpu="-1"), 'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0'),
    row("half a pod", hard(pods="500m"), 'spec.hard[pods]: Invalid value: "500m": must be an integer'),
    row(
        "bad usage",
        {"status": {"hard": {"cpu": "-1"}, "used": {"bananas": "1"}}},
        'status.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'status.used[bananas]: Invalid value: "bananas": must be a standard resource type or fully qualified',
        'status.used[bananas]: Invalid value: "bananas": must be a standard resource for quota',
    ),
    row("a scope", {"spec": {"scopes": ["BestEffort"]}}),
    row("an unknown scope", {"spec": {"scopes": ["Odd"]}}, 'spec.scopes: Invalid value: ["Odd"]: unsupported scope'),
    row(
        "a scope that does not fit",
        {"spec": {"scopes": ["BestEffort"], "hard": {"cpu": "1"}}},
        'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ),
    row(
        "storage of a class",
        selected(scope("VolumeAttributesClass", "In", "gold"), **{"pods": None, "requests.storage": "1"}),
    ),
    row(
        "conflicting scopes",
        {"spec": {"scopes": ["Terminating", "NotTerminating"]}},
        'spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes',
    ),
    row("a selector", selected(scope("PriorityClass", "In", "high"))),
    row(
        "an unknown scope in a selector",
        selected(scope("Odd")),
        f'{SELECTOR}.scopeName: Invalid value: "Odd": unsupported scope',
    ),
    row(
        "a selector that does not fit",
        selected(scope("BestEffort"), cpu="1"),
        f"{SELECTOR}: Invalid value: "
        '{"MatchExpressions":[{"ScopeName":"BestEffort","Operator":"Exists","Values":null}]}: '
        "unsupported scope applied to resource",
    ),
    row(
        "an operator that does not fit",
        selected(scope("BestEffort", "In", "a")),
        f'{SELECTOR}.operator: Invalid value: "In": {EXISTS}',
    ),
    row(
        "no values",
        selected(scope("PriorityClass", "In")),
        f"{SELECTOR}.values: Required value: "
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ),
    row(
        "values for nothing",
        selected(scope("PriorityClass", "Exists", "a")),
        f'{SELECTOR}.values: Invalid value: ["a"]: '
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    ),
    row(
        "a strange operator",
        selected(scope("PriorityClass", "Like")),
        f'{SELECTOR}.operator: Invalid value: "Like": not a valid selector operator',
    ),
    row(
        "conflicting scopes in a selector",
        selected(scope("BestEffort"), scope("NotBestEffort")),
        f"{SELECTOR}: Invalid value: null: conflicting scopes",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


STEPS = [
    step("other amounts", hard(pods="20")),
    step(
        "scopes in another order",
        {"spec": {"scopes": ["PriorityClass", "Terminating"]}},
        before={"spec": {"scopes": ["Terminating", "PriorityClass"]}},
    ),
    step(
        "another scope",
        {"spec": {"scopes": ["Terminating"]}},
        'spec.scopes: Invalid value: ["Terminating"]: field is immutable',
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
