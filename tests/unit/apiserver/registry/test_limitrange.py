"""LimitRanges: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.limitrange import LIMIT_RANGE
from steersman.api.core import LimitRange
from tests.unit.apiserver.registry.pods import NAME_PART
from tests.unit.apiserver.registry.tables import Patch, Row, Subject, ids, row

SUBJECT = Subject(LimitRange, LIMIT_RANGE, {"metadata": {"name": "all", "namespace": "default", "uid": "u-1"}})
ONE = "spec.limits[0]"


def limits(*items: dict[str, Any]) -> Patch:
    return {"spec": {"limits": list(items)}}


def container(**fields: dict[str, str]) -> Patch:
    return limits({"type": "Container", **fields})


def pod(**fields: dict[str, str]) -> Patch:
    return limits({"type": "Pod", **fields})


def claim(**fields: dict[str, str]) -> Patch:
    return limits({"type": "PersistentVolumeClaim", **fields})


DEFAULTS = [
    ("from max", {"max": {"cpu": "2"}}, {"cpu": "2"}, {"cpu": "2"}),
    ("from min", {"min": {"cpu": "1"}}, None, {"cpu": "1"}),
    ("from the limit", {"default": {"cpu": "2"}, "min": {"cpu": "1"}}, {"cpu": "2"}, {"cpu": "2"}),
    (
        "said",
        {"max": {"cpu": "3"}, "default": {"cpu": "2"}, "defaultRequest": {"cpu": "1"}},
        {"cpu": "2"},
        {"cpu": "1"},
    ),
]


@pytest.mark.parametrize(
    ("item", "limit", "request_"), [case[1:] for case in DEFAULTS], ids=[case[0] for case in DEFAULTS]
)
def test_defaults_of_containers(item: Patch, limit: Patch | None, request_: Patch) -> None:
    made = SUBJECT.make(container(**item)).spec.limits[0]
    assert made.default == (limit or {})
    assert made.default_request == request_


def test_defaults_of_others() -> None:
    assert SUBJECT.defaulted(pod(max={"cpu": "1500u"}))["spec"]["limits"][0].items() >= {"max": {"cpu": "2m"}}.items()


def test_the_uid_will_do_for_a_name() -> None:
    assert SUBJECT.make({"metadata": {"name": None}}).metadata.name == "u-1"


ROWS = [
    row("bare", {}),
    row("of a type of one's own", limits({"type": "example.com/Thing", "max": {"storage": "1"}})),
    row("a bad type", limits({"type": "!"}), f'{ONE}.type: Invalid value: "!": {NAME_PART}'),
    row(
        "an unknown type",
        limits({"type": "Thing"}),
        f'{ONE}.type: Invalid value: "Thing": must be a standard limit type or fully qualified',
    ),
    row("a type twice", limits({"type": "Pod"}, {"type": "Pod"}), 'spec.limits[1].type: Duplicate value: "Pod"'),
    row(
        "a resource that pods do not have",
        pod(max={"storage": "1"}, min={"storage": "1"}),
        f'{ONE}.max[storage]: Invalid value: "storage": must be a standard resource for containers',
        f'{ONE}.min[storage]: Invalid value: "storage": must be a standard resource for containers',
    ),
    row(
        "a resource that nobody has",
        limits({"type": "PersistentVolumeClaim", "max": {"storage": "1", "bananas": "1"}}),
        f'{ONE}.max[bananas]: Invalid value: "bananas": must be a standard resource type or fully qualified',
    ),
    row(
        "defaults for whole pods",
        pod(default={"cpu": "1"}, defaultRequest={"cpu": "1"}),
        f"{ONE}.default: Forbidden: may not be specified when `type` is 'Pod'",
        f"{ONE}.defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
    ),
    row(
        "claims without storage",
        claim(),
        f"{ONE}.limits: Required value: either minimum or maximum storage value is required, but neither was provided",
    ),
    row("claims with storage", claim(min={"storage": "1Gi"})),
    row(
        "min above max",
        pod(min={"cpu": "2"}, max={"cpu": "1"}),
        f'{ONE}.min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    ),
    row(
        "default request below min",
        container(min={"cpu": "2"}, default={"cpu": "3"}, defaultRequest={"cpu": "1"}),
        f'{ONE}.defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
    ),
    row(
        "default request above all",
        container(max={"cpu": "1"}, defaultRequest={"cpu": "2"}),
        f'{ONE}.defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than max value 1',
        f'{ONE}.defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1',
    ),
    row(
        "default below min",
        container(min={"cpu": "2"}, default={"cpu": "1"}, defaultRequest={"cpu": "2"}),
        f'{ONE}.defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1',
        f'{ONE}.default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
    ),
    row(
        "default above max",
        container(max={"cpu": "1"}, default={"cpu": "2"}, defaultRequest={"cpu": "1"}),
        f'{ONE}.default[cpu]: Invalid value: "1": default value 2 is greater than max value 1',
    ),
    row(
        "a ratio below one",
        pod(maxLimitRequestRatio={"cpu": "800m"}),
        f'{ONE}.maxLimitRequestRatio[cpu]: Invalid value: "800m": ratio 800m is less than 1',
    ),
    row(
        "a ratio that cannot be",
        pod(min={"cpu": "1"}, max={"cpu": "2"}, maxLimitRequestRatio={"cpu": "10"}),
        f'{ONE}.maxLimitRequestRatio[cpu]: Invalid value: "10": ratio 10 is greater than max/min = 2.000000',
    ),
    row("a ratio above nothing", pod(min={"cpu": "0"}, max={"cpu": "2"}, maxLimitRequestRatio={"cpu": "10"})),
    row(
        "devices by halves",
        container(default={"example.com/gpu": "2"}, defaultRequest={"example.com/gpu": "1"}),
        f'{ONE}.defaultRequest[example.com/gpu]: Invalid value: "1": '
        "default value 2 must equal to defaultRequest value 1 in example.com/gpu",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)
