"""HorizontalPodAutoscalers: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.horizontalpodautoscaler import HORIZONTALPODAUTOSCALER
from steersman.api.autoscaling import HorizontalPodAutoscaler
from tests.unit.apiserver.registry.pods import DNS_LABEL
from tests.unit.apiserver.registry.tables import Patch, Row, Step, Subject, ids, row, step

SUBJECT = Subject(
    HorizontalPodAutoscaler,
    HORIZONTALPODAUTOSCALER,
    {
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "maxReplicas": 5},
    },
)
CPU = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}
UP = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
DOWN = {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}
POLICY = {"type": "Pods", "value": 1, "periodSeconds": 60}


def test_defaults() -> None:
    spec = SUBJECT.defaulted()["spec"]
    assert spec["minReplicas"] == 1
    assert spec["metrics"] == [
        {
            "type": "Resource",
            "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
        }
    ]
    assert "behavior" not in spec


BEHAVIORS: list[tuple[str, Patch, Patch]] = [
    ("said nothing", {}, {"scaleUp": UP, "scaleDown": DOWN}),
    (
        "said something",
        {"scaleDown": {"stabilizationWindowSeconds": 60, "tolerance": "50m"}},
        {"scaleUp": UP, "scaleDown": {**DOWN, "stabilizationWindowSeconds": 60, "tolerance": "50m"}},
    ),
    (
        "said everything",
        {"scaleUp": {"stabilizationWindowSeconds": 5, "selectPolicy": "Min", "policies": [POLICY]}},
        {
            "scaleUp": {"stabilizationWindowSeconds": 5, "selectPolicy": "Min", "policies": [POLICY]},
            "scaleDown": DOWN,
        },
    ),
]


@pytest.mark.parametrize(("given", "wanted"), [case[1:] for case in BEHAVIORS], ids=[case[0] for case in BEHAVIORS])
def test_defaults_of_behavior(given: Patch, wanted: Patch) -> None:
    patch = {"spec": {"behavior": given}}
    assert SUBJECT.defaulted(patch)["spec"]["behavior"] == wanted
    whole = SUBJECT.make(patch)
    assert HORIZONTALPODAUTOSCALER.default(whole) == whole


def metric(id: str, given: Patch, *complaints: str) -> Row:
    """Complaints begin behind `spec.metrics[0]`."""
    return row(id, {"spec": {"metrics": [given]}}, *(f"spec.metrics[0]{complaint}" for complaint in complaints))


def resource(id: str, target: Patch, *complaints: str) -> Row:
    """Complaints begin behind the target of a metric of resources."""
    whole = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    return metric(id, whole, *(f".resource.target{complaint}" for complaint in complaints))


def rules(id: str, given: Patch, *complaints: str) -> Row:
    """Complaints begin behind `spec.behavior.scaleUp`."""
    wanted = (f"spec.behavior.scaleUp{complaint}" for complaint in complaints)
    return row(id, {"spec": {"behavior": {"scaleUp": given}}}, *wanted)


BOUNDS = [
    row("as it should be", {}),
    row(
        "fewer than one",
        {"spec": {"minReplicas": 0}},
        "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
        "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero "
        "replicas",
    ),
    row(
        "no bound",
        {"spec": {"maxReplicas": None}},
        "spec.maxReplicas: Required value: must be set and greater than 0",
        "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
    ),
    row(
        "a negative bound",
        {"spec": {"maxReplicas": -1}},
        "spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1",
        "spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`",
    ),
    row(
        "crossed bounds",
        {"spec": {"minReplicas": 6}},
        "spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`",
    ),
    row(
        "nothing to scale",
        {"spec": {"scaleTargetRef": None}},
        "spec.scaleTargetRef.kind: Required value",
        "spec.scaleTargetRef.name: Required value",
        'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ),
    row(
        "names that no path carries",
        {"spec": {"scaleTargetRef": {"kind": "a/b", "name": "..", "apiVersion": "a/b/c"}}},
        "spec.scaleTargetRef.kind: Invalid value: \"a/b\": may not contain '/'",
        "spec.scaleTargetRef.name: Invalid value: \"..\": may not be '..'",
        'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ),
    row("the one without a group", {"spec": {"scaleTargetRef": {"kind": "ReplicationController", "apiVersion": "v1"}}}),
]
TARGETS = [
    resource("a share", {"type": "Utilization", "averageUtilization": 50}),
    resource("an amount", {"type": "AverageValue", "averageValue": "200m"}),
    resource(
        "no type",
        {"averageUtilization": 50},
        ".type: Required value: must specify a metric target type",
        '.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ),
    resource(
        "no such type",
        {"type": "Guess", "averageUtilization": 50},
        '.type: Invalid value: "Guess": must be either Utilization, Value, or AverageValue',
    ),
    resource(
        "nothing positive",
        {"type": "Utilization", "averageUtilization": 0, "value": "0"},
        '.value: Invalid value: "0": must be positive',
        ".averageUtilization: Invalid value: 0: must be greater than 0",
    ),
    resource(
        "a negative amount",
        {"type": "AverageValue", "averageValue": "-1"},
        '.averageValue: Invalid value: "-1": must be positive',
    ),
    resource(
        "no target",
        {"type": "Utilization"},
        ".averageUtilization: Required value: must set either a target raw value or a target utilization",
    ),
    resource(
        "two targets",
        {"type": "Utilization", "averageUtilization": 50, "averageValue": "1"},
        ".averageValue: Forbidden: may not set both a target raw value and a target utilization",
    ),
]
SUPPORTED = 'supported values: "ContainerResource", "External", "Object", "Pods", "Resource"'
VALUE = {"type": "Value", "value": "10"}
AVERAGE = {"type": "AverageValue", "averageValue": "10"}
METRICS = [
    metric(
        "no type",
        {"resource": CPU},
        ".type: Required value: must specify a metric source type",
        f'.type: Unsupported value: "": {SUPPORTED}',
    ),
    metric("no such type", {"type": "Oracle", "resource": CPU}, f'.type: Unsupported value: "Oracle": {SUPPORTED}'),
    metric(
        "nothing behind the type",
        {"type": "Pods"},
        ".pods: Required value: must populate information for the given metric source",
    ),
    metric(
        "something else behind the type",
        {"type": "Pods", "resource": CPU},
        ".pods: Required value: must populate information for the given metric source",
    ),
    metric(
        "too much behind the type",
        {"type": "Resource", "resource": CPU, "containerResource": {"name": "", "container": ""}},
        ".containerResource: Forbidden: must populate the given metric source only",
    ),
    metric(
        "a resource without a name",
        {"type": "Resource", "resource": {"target": CPU["target"]}},
        ".resource.name: Required value: must specify a resource name",
    ),
    metric(
        "a container's",
        {"type": "ContainerResource", "containerResource": {**CPU, "container": "app"}},
    ),
    metric(
        "nobody's",
        {"type": "ContainerResource", "containerResource": {"target": CPU["target"]}},
        ".containerResource.name: Required value: must specify a resource name",
        ".containerResource.container: Required value: must specify a container",
    ),
    metric(
        "a container's that cannot be",
        {"type": "ContainerResource", "containerResource": {**CPU, "name": "pods", "container": "A_B"}},
        '.containerResource.name: Invalid value: "pods": must be a standard resource for containers',
        f'.containerResource.container: Invalid value: "A_B": {DNS_LABEL}',
    ),
    metric("of pods", {"type": "Pods", "pods": {"metric": {"name": "rps"}, "target": AVERAGE}}),
    metric(
        "of pods, but not per pod",
        {"type": "Pods", "pods": {"metric": {"name": ""}, "target": VALUE}},
        ".pods.metric.name: Required value: must specify a metric name",
        ".pods.target.averageValue: Required value: must specify a positive target averageValue",
    ),
    metric(
        "of an object",
        {
            "type": "Object",
            "object": {"describedObject": {"kind": "Service", "name": "web"}, "metric": {"name": "r"}, "target": VALUE},
        },
    ),
    metric(
        "of no object",
        {"type": "Object", "object": {"metric": {"name": "a%b"}, "target": {"type": "Value"}}},
        ".object.describedObject.kind: Required value",
        ".object.describedObject.name: Required value",
        ".object.metric.name: Invalid value: \"a%b\": may not contain '%'",
        ".object.target.averageValue: Required value: must set either a target value or averageValue",
    ),
    metric("from outside", {"type": "External", "external": {"metric": {"name": "queue"}, "target": VALUE}}),
    metric(
        "from outside, no target",
        {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "Value"}}},
        ".external.target.averageValue: Required value: must set either a target value for metric or a per-pod target",
    ),
    metric(
        "from outside, two targets",
        {"type": "External", "external": {"metric": {"name": "queue"}, "target": {**VALUE, "averageValue": "1"}}},
        ".external.target.value: Forbidden: may not set both a target value for metric and a per-pod target",
    ),
]
RULES = [
    rules(
        "a window in the past",
        {"stabilizationWindowSeconds": -1},
        ".stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero",
    ),
    rules(
        "too long a window",
        {"stabilizationWindowSeconds": 3601},
        ".stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
    ),
    rules(
        "no such choice",
        {"selectPolicy": "Any"},
        '.selectPolicy: Unsupported value: "Any": supported values: "Disabled", "Max", "Min"',
    ),
    rules(
        "no such policy",
        {"policies": [{"type": "Some", "value": 0, "periodSeconds": 0}]},
        '.policies[0].type: Unsupported value: "Some": supported values: "Percent", "Pods"',
        ".policies[0].value: Invalid value: 0: must be greater than zero",
        ".policies[0].periodSeconds: Invalid value: 0: must be greater than zero",
    ),
    rules(
        "too long a period",
        {"policies": [{**POLICY, "periodSeconds": 1801}]},
        ".policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
    ),
    rules(
        "negative tolerance",
        {"tolerance": "-10m"},
        '.tolerance: Invalid value: "-10m": must be greater than or equal to 0',
    ),
]
ROWS = BOUNDS + TARGETS + METRICS + RULES


@pytest.mark.parametrize("case", ROWS, ids=[f"{index}-{each.id}" for index, each in enumerate(ROWS)])
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


STEPS = [
    step("another target", {"spec": {"scaleTargetRef": {"name": "other"}, "maxReplicas": 9}}),
    step(
        "negative counts",
        {"status": {"currentReplicas": -1, "desiredReplicas": -2}},
        "status.currentReplicas: Invalid value: -1: must be greater than or equal to 0",
        "status.desiredReplicas: Invalid value: -2: must be greater than or equal to 0",
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
