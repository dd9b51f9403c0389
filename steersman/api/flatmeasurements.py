"""The form in which an annotation keeps what an autoscaler has measured.

Older than version 2 of autoscaling, and flat: the value that every measurement has stands beside its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec import field

from steersman.api.autoscaling import (
    ContainerResourceMetricStatus,
    CrossVersionObjectReference,
    ExternalMetricStatus,
    MetricIdentifier,
    MetricStatus,
    MetricValueStatus,
    ObjectMetricStatus,
    PodsMetricStatus,
    ResourceMetricStatus,
)
from steersman.api.meta import LabelSelector
from steersman.api.part import Int32, Part, Quantity, zero

S = TypeVar("S")
T = TypeVar("T")


class ObjectMeasured(Part):
    target: CrossVersionObjectReference = field(default_factory=CrossVersionObjectReference)
    metric_name: str = field(default_factory=str)
    current_value: Quantity = field(default_factory=zero)
    selector: LabelSelector | None = None
    average_value: Quantity | None = None

    @classmethod
    def of(cls, status: ObjectMetricStatus) -> ObjectMeasured:
        return cls(
            target=status.described_object,
            metric_name=status.metric.name,
            current_value=status.current.value or zero(),
            selector=status.metric.selector,
            average_value=status.current.average_value,
        )

    def full(self) -> ObjectMetricStatus:
        return ObjectMetricStatus(
            metric=MetricIdentifier(name=self.metric_name, selector=self.selector),
            current=MetricValueStatus(value=self.current_value, average_value=self.average_value),
            described_object=self.target,
        )


class PodsMeasured(Part):
    metric_name: str = field(default_factory=str)
    current_average_value: Quantity = field(default_factory=zero)
    selector: LabelSelector | None = None

    @classmethod
    def of(cls, status: PodsMetricStatus) -> PodsMeasured:
        average = status.current.average_value or zero()
        return cls(metric_name=status.metric.name, current_average_value=average, selector=status.metric.selector)

    def full(self) -> PodsMetricStatus:
        return PodsMetricStatus(
            metric=MetricIdentifier(name=self.metric_name, selector=self.selector),
            current=MetricValueStatus(average_value=self.current_average_value),
        )


class ResourceMeasured(Part):
    name: str = field(default_factory=str)
    current_average_utilization: Int32 | None = None
    current_average_value: Quantity = field(default_factory=zero)

    @classmethod
    def of(cls, status: ResourceMetricStatus) -> ResourceMeasured:
        return cls(
            name=status.name,
            current_average_utilization=status.current.average_utilization,
            current_average_value=status.current.average_value or zero(),
        )

    def full(self) -> ResourceMetricStatus:
        return ResourceMetricStatus(name=self.name, current=_resource_value(self))


class ContainerResourceMeasured(Part):
    name: str = field(default_factory=str)
    current_average_utilization: Int32 | None = None
    current_average_value: Quantity = field(default_factory=zero)
    container: str = field(default_factory=str)

    @classmethod
    def of(cls, status: ContainerResourceMetricStatus) -> ContainerResourceMeasured:
        return cls(
            name=status.name,
            current_average_utilization=status.current.average_utilization,
            current_average_value=status.current.average_value or zero(),
            container=status.container,
        )

    def full(self) -> ContainerResourceMetricStatus:
        return ContainerResourceMetricStatus(name=self.name, current=_resource_value(self), container=self.container)


def _resource_value(flat: ResourceMeasured | ContainerResourceMeasured) -> MetricValueStatus:
    return MetricValueStatus(
        average_value=flat.current_average_value, average_utilization=flat.current_average_utilization
    )


class ExternalMeasured(Part):
    metric_name: str = field(default_factory=str)
    metric_selector: LabelSelector | None = None
    current_value: Quantity = field(default_factory=zero)
    current_average_value: Quantity | None = None

    @classmethod
    def of(cls, status: ExternalMetricStatus) -> ExternalMeasured:
        return cls(
            metric_name=status.metric.name,
            metric_selector=status.metric.selector,
            current_value=status.current.value or zero(),
            current_average_value=status.current.average_value,
        )

    def full(self) -> ExternalMetricStatus:
        return ExternalMetricStatus(
            metric=MetricIdentifier(name=self.metric_name, selector=self.metric_selector),
            current=MetricValueStatus(value=self.current_value, average_value=self.current_average_value),
        )


class Measured(Part):
    """One measurement: `type` says which of the others is set."""

    type: str = field(default_factory=str)
    object: ObjectMeasured | None = None
    pods: PodsMeasured | None = None
    resource: ResourceMeasured | None = None
    container_resource: ContainerResourceMeasured | None = None
    external: ExternalMeasured | None = None

    @classmethod
    def of(cls, status: MetricStatus) -> Measured:
        return cls(
            type=status.type,
            object=_mapped(ObjectMeasured.of, status.object),
            pods=_mapped(PodsMeasured.of, status.pods),
            resource=_mapped(ResourceMeasured.of, status.resource),
            container_resource=_mapped(ContainerResourceMeasured.of, status.container_resource),
            external=_mapped(ExternalMeasured.of, status.external),
        )

    def full(self) -> MetricStatus:
        return MetricStatus(
            type=self.type,
            object=_mapped(ObjectMeasured.full, self.object),
            pods=_mapped(PodsMeasured.full, self.pods),
            resource=_mapped(ResourceMeasured.full, self.resource),
            container_resource=_mapped(ContainerResourceMeasured.full, self.container_resource),
            external=_mapped(ExternalMeasured.full, self.external),
        )


def _mapped(convert: Callable[[S], T], value: S | None) -> T | None:
    return None if value is None else convert(value)
