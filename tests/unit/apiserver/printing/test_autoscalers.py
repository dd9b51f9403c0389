"""Autoscalers in a table."""

from __future__ import annotations

from typing import Any

import pytest

from steersman.api.autoscaling import HorizontalPodAutoscaler
from tests.unit.apiserver.printing.rows import shown


def metric(kind: str, **source: Any) -> dict[str, Any]:
    return {"type": kind, kind[0].lower() + kind[1:]: source}


def cpu(**target: Any) -> dict[str, Any]:
    return metric("Resource", name="cpu", target={"type": "Utilization", **target})


def seen_cpu(**current: Any) -> dict[str, Any]:
    return metric("Resource", name="cpu", current=current)


HITS: dict[str, Any] = {"metric": {"name": "hits"}}
THING: dict[str, Any] = {"metric": {"name": "m"}, "describedObject": {"kind": "K", "name": "n"}}
EXTERNAL_EACH = metric("External", **HITS, target={"type": "AverageValue", "averageValue": "10"})
EXTERNAL = metric("External", **HITS, target={"type": "Value", "value": "10"})
PODS = metric("Pods", **HITS, target={"type": "AverageValue", "averageValue": "5"})
OBJECT = metric("Object", **THING, target={"type": "Value", "value": "7"})
OBJECT_EACH = metric("Object", **THING, target={"type": "AverageValue", "averageValue": "7"})


@pytest.mark.parametrize(
    ("specs", "statuses", "text"),
    [
        pytest.param([], [], "<none>", id="none"),
        pytest.param([cpu(averageUtilization=50)], [], "cpu: <unknown>/50%", id="not measured"),
        pytest.param(
            [cpu(averageUtilization=50)],
            [seen_cpu(averageUtilization=30, averageValue="1")],
            "cpu: 30%/50%",
            id="utilization",
        ),
        pytest.param([cpu()], [seen_cpu(averageValue="1")], "cpu: <unknown>/<auto>", id="no target"),
        pytest.param([cpu(averageValue="200m")], [seen_cpu(averageValue="100m")], "cpu: 100m/200m", id="amount"),
        pytest.param(
            [
                metric(
                    "ContainerResource",
                    name="memory",
                    container="c",
                    target={"type": "Utilization", "averageUtilization": 9},
                )
            ],
            [metric("ContainerResource", name="memory", container="c", current={"averageUtilization": 4})],
            "memory: 4%/9%",
            id="of one container",
        ),
        pytest.param([PODS], [], "<unknown>/5", id="pods, not measured"),
        pytest.param([PODS], [metric("Pods", **HITS, current={"averageValue": "4"})], "4/5", id="pods"),
        pytest.param([EXTERNAL], [metric("External", **HITS, current={"value": "3"})], "3/10", id="external"),
        pytest.param([EXTERNAL_EACH], [], "<unknown>/10 (avg)", id="external, not measured"),
        pytest.param(
            [EXTERNAL_EACH],
            [metric("External", **HITS, current={"averageValue": "3"})],
            "3/10 (avg)",
            id="external, each",
        ),
        pytest.param([OBJECT], [metric("Object", **THING, current={"value": "6"})], "6/7", id="object"),
        pytest.param(
            [OBJECT_EACH], [metric("Object", **THING, current={"averageValue": "6"})], "6/7 (avg)", id="object, each"
        ),
        pytest.param([{"type": "New"}], [], "<unknown type>", id="of a type to come"),
        pytest.param([PODS, EXTERNAL], [], "<unknown>/5, <unknown>/10", id="two"),
        pytest.param([PODS, EXTERNAL, OBJECT], [], "<unknown>/5, <unknown>/10 + 1 more...", id="three"),
    ],
)
def test_targets(specs: list[Any], statuses: list[Any], text: str) -> None:
    made = shown(HorizontalPodAutoscaler, spec={"metrics": specs}, status={"currentMetrics": statuses})
    assert made["Targets"] == text


def test_the_rest() -> None:
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 5}
    made = shown(HorizontalPodAutoscaler, spec=spec, status={"currentReplicas": 2})
    assert list(made.values()) == ["x", "Deployment/web", "<none>", "<unset>", 5, 2, "5m"]
    assert shown(HorizontalPodAutoscaler, spec={**spec, "minReplicas": 1})["MinPods"] == "1"
