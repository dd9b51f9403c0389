"""Nodes: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.node import NODE
from steersman.api.core import Node
from tests.unit.apiserver.registry.pods import LABEL_VALUE, NAME_PART
from tests.unit.apiserver.registry.tables import Patch, Row, Step, Subject, ids, row, step

SUBJECT = Subject(Node, NODE, {"metadata": {"name": "node-1"}})
EFFECTS = 'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'
TAINTS = "scheduler.alpha.kubernetes.io/taints"
AVOID = "scheduler.alpha.kubernetes.io/preferAvoidPods"
CAMEL = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
    "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
)
ONE_EACH = "may specify no more than one CIDR for each IP family"


def taint(**fields: Any) -> Patch:
    return {"spec": {"taints": [{"key": "a", "effect": "NoSchedule", **fields}]}}


def annotated(key: str, value: str) -> Patch:
    return {"metadata": {"annotations": {key: value}}}


def ranges(*given: str) -> Patch:
    return {"spec": {"podCIDRs": list(given)}}


def features(*given: str) -> Patch:
    return {"status": {"declaredFeatures": list(given)}}


DEFAULTS = [
    ("what there is can be used", {"capacity": {"cpu": "2"}}, {"cpu": "2"}),
    ("unless said otherwise", {"capacity": {"cpu": "2"}, "allocatable": {"cpu": "1"}}, {"cpu": "1"}),
    ("amounts are rounded up", {"capacity": {"cpu": "1500u"}}, {"cpu": "2m"}),
]


@pytest.mark.parametrize(("status", "allocatable"), [case[1:] for case in DEFAULTS], ids=[case[0] for case in DEFAULTS])
def test_defaults(status: Patch, allocatable: Patch) -> None:
    assert SUBJECT.defaulted({"status": status})["status"]["allocatable"] == allocatable


RANGES = [
    ("the first of several", {"podCIDRs": ["10.0.0.0/24", "fd00::/64"]}, ("10.0.0.0/24", ("10.0.0.0/24", "fd00::/64"))),
    ("the only one", {"podCIDR": "10.0.0.0/24"}, ("10.0.0.0/24", ("10.0.0.0/24",))),
    (
        "the older field wins",
        {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.1.0.0/24"]},
        ("10.0.0.0/24", ("10.0.0.0/24",)),
    ),
]


@pytest.mark.parametrize(("spec", "wanted"), [case[1:] for case in RANGES], ids=[case[0] for case in RANGES])
def test_both_fields_for_ranges_agree(spec: Patch, wanted: tuple[str, tuple[str, ...]]) -> None:
    made = SUBJECT.make({"spec": spec}).spec
    assert (made.pod_cidr, made.pod_cidrs) == wanted


def test_configuration_sources_are_dropped() -> None:
    made = SUBJECT.make({"spec": {"configSource": {}}, "status": {"config": {"error": "x"}}})
    assert made.spec.config_source is None
    assert made.status.config is None


ROWS = [
    row("bare", {}),
    row("tainted", taint(value="b")),
    row("a bad taint key", taint(key="!"), f'metadata.taints[0].key: Invalid value: "!": {NAME_PART}'),
    row("a bad taint value", taint(value="!"), f'metadata.taints[0].value: Invalid value: "!": {LABEL_VALUE}'),
    row("no effect", taint(effect=None), "metadata.taints[0].effect: Required value"),
    row("a strange effect", taint(effect="Go"), f'metadata.taints[0].effect: Unsupported value: "Go": {EFFECTS}'),
    row(
        "a taint twice",
        {"spec": {"taints": [{"key": "a", "effect": "NoExecute"}, {"key": "a", "effect": "NoExecute", "value": "b"}]}},
        'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"b","Effect":"NoExecute","TimeAdded":null}: '
        "taints must be unique by key and effect pair",
    ),
    row(
        "a taint with two effects",
        {"spec": {"taints": [{"key": "a", "effect": effect} for effect in ("NoExecute", "NoSchedule")]}},
    ),
    row("taints in an annotation", annotated(TAINTS, '[{"key":"a","effect":"NoSchedule","more":1}]')),
    row(
        "bad taints in an annotation",
        annotated(TAINTS, '[{"key":"a"}]'),
        f"metadata.annotations.{TAINTS}[0].effect: Required value",
    ),
    row(
        "no taints in an annotation",
        annotated(TAINTS, "x"),
        f"metadata.annotations: Invalid value: \"{TAINTS}\": invalid character 'x' looking for beginning of value",
    ),
    row(
        "a word for taints in an annotation",
        annotated(TAINTS, '"x"'),
        f'metadata.annotations: Invalid value: "{TAINTS}": '
        "json: cannot unmarshal string into Go value of type []core.Taint",
    ),
    row(
        "pods to avoid",
        annotated(AVOID, '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":true}}}]}'),
    ),
    row(
        "whom to avoid is not said",
        annotated(AVOID, '{"preferAvoidPods":[{"podSignature":{}}]}'),
        f"metadata.annotations.{AVOID}[0].PodSignature: Required value",
    ),
    row(
        "whom to avoid is no controller",
        annotated(AVOID, '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":false}}}]}'),
        f"metadata.annotations.{AVOID}[0].PodSignature.PodController.Controller: Invalid value: false: "
        "must point to a controller",
    ),
    row(
        "nothing to avoid",
        annotated(AVOID, "["),
        f'metadata.annotations.AvoidPods: Invalid value: "{AVOID}": unexpected end of JSON input',
    ),
    row(
        "less than nothing",
        {"status": {"capacity": {"cpu": "-1"}, "allocatable": {"memory": "-1Gi"}}},
        'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
        'status.allocatable.memory: Invalid value: "-1Gi": must be greater than or equal to 0',
    ),
    row(
        "half a device",
        {"status": {"capacity": {"example.com/gpu": "500m"}}},
        'status.capacity.example.com/gpu: Invalid value: "500m": must be an integer',
        'status.allocatable.example.com/gpu: Invalid value: "500m": must be an integer',
    ),
    row(
        "no swap",
        {"status": {"nodeInfo": {"swap": {"capacity": 0}}}},
        "metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than zero",
    ),
    row("features", features("GuestAgent", "GuestAgent/fast")),
    row(
        "a badly spelled feature",
        features("guest"),
        f'status.declaredFeatures[0]: Invalid value: "guest": invalid feature name "guest": {CAMEL}',
    ),
    row(
        "a long feature",
        features("A" * 254),
        f'status.declaredFeatures[0]: Invalid value: "{"A" * 254}": invalid feature name "{"A" * 254}": '
        "must be no more than 253 characters",
    ),
    row("a feature twice", features("A", "A"), 'status.declaredFeatures[1]: Duplicate value: "A"'),
    row(
        "features in disorder",
        features("B", "A"),
        'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
    ),
    row("a range of each family", ranges("10.0.0.0/24", "fd00::/64")),
    row(
        "no range",
        ranges("x"),
        'spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ),
    row(
        "leading zeros",
        ranges("010.0.0.0/24"),
        'spec.podCIDRs[0]: Invalid value: "010.0.0.0/24": must not have leading 0s in IP or prefix length',
    ),
    row(
        "a mapped range",
        ranges("::ffff:10.0.0.0/120"),
        'spec.podCIDRs[0]: Invalid value: "::ffff:10.0.0.0/120": must not have an IPv4-mapped IPv6 address',
    ),
    row(
        "surplus bits",
        ranges("10.0.0.1/24"),
        'spec.podCIDRs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length',
    ),
    row(
        "two ranges of one family",
        ranges("10.0.0.0/24", "10.0.1.0/24"),
        f'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: {ONE_EACH}',
    ),
    row(
        "a range and nonsense",
        ranges("10.0.0.0/24", "x"),
        'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        "spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:"
        "invalid CIDR[1]: <nil> (invalid CIDR address: x)",
        f'spec.podCIDRs: Invalid value: ["10.0.0.0/24","x"]: {ONE_EACH}',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


SET_ONCE = 'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'
ADDRESS = {"type": "InternalIP", "address": "10.0.0.1"}
STEPS = [
    step("cordoned", {"spec": {"unschedulable": True}}),
    step("a first range", ranges("10.0.0.0/24")),
    step("another range", {"spec": {"podCIDR": "10.0.1.0/24"}}, SET_ONCE, before=ranges("10.0.0.0/24")),
    step("one range less", ranges("10.0.0.0/24"), SET_ONCE, before=ranges("10.0.0.0/24", "fd00::/64")),
    step("a first provider", {"spec": {"providerID": "a"}}),
    step(
        "another provider",
        {"spec": {"providerID": "b"}},
        'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
        before={"spec": {"providerID": "a"}},
    ),
    step("another external id", {"spec": {"externalID": "b"}}, "spec.externalID: Forbidden: may not be updated"),
    step(
        "an address twice",
        {"status": {"addresses": [ADDRESS, {**ADDRESS, "type": "Hostname"}, ADDRESS]}},
        'status.addresses[2]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}',
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
