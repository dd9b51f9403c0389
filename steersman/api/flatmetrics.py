"""The form in which an annotation keeps the metrics that an autoscaler is to look at.

Older than version 2 of autoscaling, and flat: there is no type of target, which shows in the values that are set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec import field

from steersman.api.autoscaling import (
    ContainerResourceMetricSource,
    CrossVersionObjectReference,
    ExternalMetricSource,
    MetricIdentifier,
    MetricSpec,
    MetricTarget,
    ObjectMetricSource,
    PodsMetricSource,
    ResourceMetricSource,
)
from steersman.api.meta import LabelSelector
from steersman.api.part import Int32, Part, Quantity, zero

S = TypeVar("S")
T = TypeVar("T")


class ObjectSource(Part):
    target: CrossVersionObjectReference = field(default_factory=CrossVersionObjectReference)
    metric_name: str = field(default_factory=str)
    target_value: Quantity = field(default_factory=zero)
    selector: LabelSelector | None = None
    average_value: Quantity | None = None

    @classmethod
    def of(cls, source: ObjectMetricSource) -> ObjectSource:
        return cls(
            target=source.described_object,
            metric_name=source.metric.name,
            target_value=source.target.value or zero(),
            selector=source.metric.selector,
            average_value=source.target.average_value,
        )

    def full(self) -> ObjectMetricSource:
        type_ = "Value" if self.average_value is None else "AverageValue"
        # This form cannot leave the value out: beside an average, zero means that there is none.
        value = None if self.average_value is not None and self.target_value == zero() else self.target_value
        return ObjectMetricSource(
            described_object=self.target,
            target=MetricTarget(type=type_, value=value, average_value=self.average_value),
            metric=MetricIdentifier(name=self.metric_name, selector=self.selector),
        )


class PodsSource(Part):
    metric_name: str = field(default_factory=str)
    target_average_value: Quantity = field(default_factory=zero)
    selector: LabelSelector | None = None

    @classmethod
    def of(cls, source: PodsMetricSource) -> PodsSource:
        average = source.target.average_value or zero()
        return cls(metric_name=source.metric.name, target_average_value=average, selector=source.metric.selector)

    def full(self) -> PodsMetricSource:
        return PodsMetricSource(
            metric=MetricIdentifier(name=self.metric_name, selector=self.selector),
            target=MetricTarget(type="AverageValue", average_value=self.target_average_value),
        )


class ResourceSource(Part):
    name: str = field(default_factory=str)
    target_average_utilization: Int32 | None = None
    target_average_value: Quantity | None = None

    @classmethod
    def of(cls, source: ResourceMetricSource) -> ResourceSource:
        return cls(
            name=source.name,
            target_average_utilization=source.target.average_utilization,
            target_average_value=source.target.average_value,
        )

    def full(self) -> ResourceMetricSource:
        return ResourceMetricSource(name=self.name, target=_resource_target(self))


class ContainerResourceSource(Part):
    name: str = field(default_factory=str)
    target_average_utilization: Int32 | None = None
    target_average_value: Quantity | None = None
    container: str = field(default_factory=str)

    @classmethod
    def of(cls, source: ContainerResourceMetricSource) -> ContainerResourceSource:
        return cls(
            name=source.name,
            target_average_utilization=source.target.average_utilization,
            target_average_value=source.target.average_value,
            container=source.container,
        )

    def full(self) -> ContainerResourceMetricSource:
        return ContainerResourceMetricSource(name=self.name, target=_resource_target(self), container=self.container)


def _resource_target(flat: ResourceSource | ContainerResourceSource) -> MetricTarget:
    return MetricTarget(
        type="AverageValue" if flat.target_average_utilization is None else "Utilization",
        average_value=flat.target_average_value,
        average_utilization=flat.target_average_utilization,
    )


class ExternalSource(Part):
    metric_name: str = field(default_factory=str)
    metric_selector: LabelSelector | None = None
    target_value: Quantity | None = None
    target_average_value: Quantity | None = None

    @classmethod
    def of(cls, source: ExternalMetricSource) -> ExternalSource:
        return cls(
            metric_name=source.metric.name,
            metric_selector=source.metric.selector,
            target_value=source.target.value,
            target_average_value=source.target.average_value,
        )

    def full(self) -> ExternalMetricSource:
        type_ = "AverageValue" if self.target_value is None else "Value"
        return ExternalMetricSource(
            metric=MetricIdentifier(name=self.metric_name, selector=self.metric_selector),
            target=MetricTarget(type=type_, value=self.target_value, average_value=self.target_average_value),
        )


class Metric(Part):
    """One metric: `type` says which of the others is set."""

    type: str = field(default_factory=str)
    object: ObjectSource | None = None
    pods: PodsSource | None = None
    resource: ResourceSource | None = None
    container_resource: ContainerResourceSource | None = None
    external: ExternalSource | None = None

    @classmethod
    def of(cls, metric: MetricSpec) -> Metric:
        return cls(
            type=metric.type,
            object=_mapped(ObjectSource.of, metric.object),
            pods=_mapped(PodsSource.of, metric.pods),
            resource=_mapped(ResourceSource.of, metric.resource),
            container_resource=_mapped(ContainerResourceSource.of, metric.container_resource),
            external=_mapped(ExternalSource.of, metric.external),
        )

    def full(self) -> MetricSpec:
        return MetricSpec(
            type=self.type,
            object=_mapped(ObjectSource.full, self.object),
            pods=_mapped(PodsSource.full, self.pods),
            resource=_mapped(ResourceSource.full, self.resource),
            container_resource=_mapped(ContainerResourceSource.full, self.container_resource),
            external=_mapped(ExternalSource.full, self.external),
        )


def _mapped(convert: Callable[[S], T], value: S | None) -> T | None:
    return None if value is None else convert(value)
