"""One object in two versions: nothing is lost on the way there and back that Kubernetes would not lose."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from steersman.api import autoscalers, codec, conversion, core, events, kinds
from steersman.api.autoscaling import (
    CrossVersionObjectReference,
    ExternalMetricSource,
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerBehavior,
    HorizontalPodAutoscalerSpec,
    HorizontalPodAutoscalerV1,
    HPAScalingRules,
    MetricIdentifier,
    MetricSpec,
    MetricStatus,
    MetricTarget,
    MetricValueStatus,
    ObjectMetricSource,
    ObjectMetricStatus,
    PodsMetricSource,
    PodsMetricStatus,
    ResourceMetricSource,
    ResourceMetricStatus,
)
from steersman.api.meta import ObjectMeta
from steersman.api.part import Part, Quantity
from tests.unit.api import anyobject

SEEDS = st.integers(0, 2**32)


def plain(value: Part) -> Any:
    return msgspec.json.decode(codec.encode(value))


def test_every_kind_that_is_stored_as_another_can_be_converted() -> None:
    elsewhere = {kind.struct for kind in kinds.ALL if kind.stored_as}
    assert elsewhere == set(conversion.CONVERSIONS)
    for kind in kinds.ALL:
        assert kind.storage.storage is kind.storage
        assert (kind.storage is kind) is not bool(kind.stored_as)


# -- Events


def test_an_event_under_its_new_names() -> None:
    stored = codec.decode(
        core.Event,
        b'{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p"},'
        b'"message":"m","source":{"component":"c","host":"h"},"firstTimestamp":"2026-11-18T07:00:00Z",'
        b'"lastTimestamp":"2026-11-18T07:00:01Z","count":2,"type":"Normal","reason":"r","reportingComponent":"rc",'
        b'"reportingInstance":"ri","series":{"count":3,"lastObservedTime":"2026-11-18T07:00:01.000002Z"}}',
    )[0]
    assert plain(conversion.event_from_core(stored)) == {
        "metadata": {"name": "e"},
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "eventTime": None,
        "series": {"count": 3, "lastObservedTime": "2026-11-18T07:00:01.000002Z"},
        "reportingController": "rc",
        "reportingInstance": "ri",
        "reason": "r",
        "regarding": {"kind": "Pod", "name": "p"},
        "note": "m",
        "type": "Normal",
        "deprecatedSource": {"component": "c", "host": "h"},
        "deprecatedFirstTimestamp": "2026-11-18T07:00:00Z",
        "deprecatedLastTimestamp": "2026-11-18T07:00:01Z",
        "deprecatedCount": 2,
    }


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_events_lose_nothing(seed: int) -> None:
    new = replace(anyobject.draw(events.Event, Random(seed)), api_version="events.k8s.io/v1", kind="Event")
    assert conversion.event_from_core(conversion.event_to_core(new)) == new
    old = replace(anyobject.draw(core.Event, Random(seed)), api_version="v1", kind="Event")
    assert conversion.event_to_core(conversion.event_from_core(old)) == old


# -- Autoscalers


def cpu(percentage: int | None) -> MetricSpec:
    target = MetricTarget(type="Utilization", average_utilization=percentage)
    return MetricSpec(type="Resource", resource=ResourceMetricSource(name="cpu", target=target))


MEMORY = MetricSpec(
    type="Resource",
    resource=ResourceMetricSource(
        name="memory", target=MetricTarget(type="AverageValue", average_value=Quantity("100Mi"))
    ),
)


def stored(*metrics: MetricSpec, **spec: Any) -> HorizontalPodAutoscaler:
    return HorizontalPodAutoscaler(
        api_version="autoscaling/v2",
        kind="HorizontalPodAutoscaler",
        metadata=ObjectMeta(name="web", annotations={"own": "x"}),
        spec=HorizontalPodAutoscalerSpec(max_replicas=4, metrics=metrics, **spec),
    )


def test_cpu_is_a_field_and_the_rest_an_annotation() -> None:
    shown = autoscalers.to_v1(stored(MEMORY, cpu(70)))
    assert shown.api_version == "autoscaling/v1"
    assert shown.spec.target_cpu_utilization_percentage == 70
    assert shown.metadata.annotations["own"] == "x"
    assert json.loads(shown.metadata.annotations[autoscalers.METRICS]) == [
        {"type": "Resource", "resource": {"name": "memory", "targetAverageValue": "100Mi"}}
    ]
    assert autoscalers.to_v2(shown) == stored(MEMORY, cpu(70))


def test_behavior_is_kept_under_gos_names() -> None:
    before = stored(
        cpu(50), behavior=HorizontalPodAutoscalerBehavior(scale_up=HPAScalingRules(stabilization_window_seconds=0))
    )
    shown = autoscalers.to_v1(before)
    assert shown.metadata.annotations[autoscalers.BEHAVIOR] == (
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":null,"Policies":null,"Tolerance":null},'
        '"ScaleDown":null}'
    )
    assert autoscalers.to_v2(shown) == before


def test_an_autoscaler_without_a_target_gets_the_old_default() -> None:
    converted = autoscalers.to_v2(HorizontalPodAutoscalerV1())
    assert converted.spec.metrics == (cpu(80),)


@pytest.mark.parametrize("text", ["", "abc", "{}", "[1]", "null", "[", "[]", '[{"type":5}]', "[" * 100_000])
def test_annotations_that_do_not_read_are_dropped(text: str) -> None:
    names = (autoscalers.METRICS, autoscalers.CURRENT_METRICS, autoscalers.BEHAVIOR, autoscalers.CONDITIONS)
    asked = HorizontalPodAutoscalerV1(metadata=ObjectMeta(annotations={**dict.fromkeys(names, text), "own": "x"}))
    converted = autoscalers.to_v2(asked)
    assert converted.metadata.annotations == {"own": "x"}
    assert converted.spec == HorizontalPodAutoscalerSpec(metrics=(cpu(80),))
    assert (converted.status.conditions, converted.status.current_metrics) == ((), None)


def test_a_users_own_annotations_under_these_names_are_never_shown() -> None:
    kept = stored(cpu(50))
    kept = replace(kept, metadata=replace(kept.metadata, annotations={autoscalers.METRICS: "mine"}))
    assert autoscalers.to_v1(kept).metadata.annotations == {}


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_version_1_comes_back(seed: int) -> None:
    asked = anyobject.draw(HorizontalPodAutoscalerV1, Random(seed))
    status = replace(asked.status, current_cpu_utilization_percentage=None)
    asked = replace(
        asked,
        api_version="autoscaling/v1",
        kind="HorizontalPodAutoscaler",
        spec=replace(asked.spec, target_cpu_utilization_percentage=seed % 100),
        status=status,
    )
    assert autoscalers.to_v1(autoscalers.to_v2(asked)) == asked


@settings(max_examples=200, deadline=None)
@given(SEEDS)
def test_version_2_comes_back(seed: int) -> None:
    random = Random(seed)
    before = anyobject.draw(HorizontalPodAutoscaler, random)
    metrics = tuple(speakable(metric, random) for metric in before.spec.metrics)
    measured = tuple(speakable_status(metric) for metric in before.status.current_metrics or ()) or None
    behavior = before.spec.behavior
    if behavior == HorizontalPodAutoscalerBehavior():
        behavior = None
    before = replace(
        before,
        api_version="autoscaling/v2",
        kind="HorizontalPodAutoscaler",
        spec=replace(before.spec, metrics=(*metrics, cpu(60)), behavior=behavior),
        status=replace(before.status, current_metrics=measured),
    )
    assert autoscalers.to_v2(autoscalers.to_v1(before)) == before


def speakable(metric: MetricSpec, random: Random) -> MetricSpec:
    """The metric as version 1's annotations can say it: targets whose type follows from what they hold."""
    some = Quantity("5")
    average, utilization = random.choice((None, some)), random.choice((None, 7))
    on, pods, own, inside, far = metric.object, metric.pods, metric.resource, metric.container_resource, metric.external
    resource_target = MetricTarget(
        type="AverageValue" if utilization is None else "Utilization",
        average_value=average,
        average_utilization=utilization,
    )
    return MetricSpec(
        type="Pods" if metric.type == "Resource" else metric.type,
        object=None
        if on is None
        else ObjectMetricSource(
            described_object=on.described_object,
            metric=on.metric,
            target=MetricTarget(type="Value" if average is None else "AverageValue", value=some, average_value=average),
        ),
        pods=None
        if pods is None
        else PodsMetricSource(metric=pods.metric, target=MetricTarget(type="AverageValue", average_value=some)),
        resource=None if own is None else replace(own, target=resource_target),
        container_resource=None if inside is None else replace(inside, target=resource_target),
        external=None
        if far is None
        else ExternalMetricSource(
            metric=far.metric,
            target=MetricTarget(type="AverageValue" if average is None else "Value", value=average, average_value=some),
        ),
    )


def speakable_status(metric: MetricStatus) -> MetricStatus:
    """The measurement with the values that version 1's annotations always hold, and no others."""
    some, both = Quantity("5"), MetricValueStatus(value=Quantity("5"), average_value=Quantity("6"))
    own, inside = metric.resource, metric.container_resource
    average = MetricValueStatus(average_value=some, average_utilization=9)
    return MetricStatus(
        type=metric.type,
        object=ObjectMetricStatus(described_object=CrossVersionObjectReference(name="x"), current=both),
        pods=None if metric.pods is None else PodsMetricStatus(current=MetricValueStatus(average_value=some)),
        resource=None if own is None else ResourceMetricStatus(name=own.name, current=average),
        container_resource=None if inside is None else replace(inside, current=average),
        external=None if metric.external is None else replace(metric.external, current=both),
    )


def test_an_average_of_an_object_comes_back_without_a_value() -> None:
    target = MetricTarget(type="AverageValue", average_value=Quantity("5"))
    source = ObjectMetricSource(
        described_object=CrossVersionObjectReference(kind="Service", name="web"),
        metric=MetricIdentifier(name="hits"),
        target=target,
    )
    stored = HorizontalPodAutoscaler(
        metadata=ObjectMeta(name="web"),
        spec=HorizontalPodAutoscalerSpec(metrics=(MetricSpec(type="Object", object=source),)),
    )
    assert autoscalers.to_v2(autoscalers.to_v1(stored)).spec.metrics == stored.spec.metrics
