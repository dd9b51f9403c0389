"""The autoscaling group, v2 and v1: HorizontalPodAutoscaler in both forms, and the Scale subresource."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import LabelSelector, Object
from steersman.api.part import At, Int32, Int64, Part, Quantity, Some, Time, atomic, keyed, null, whole

# --- Version 2


class CrossVersionObjectReference(Part):
    kind: Annotated[str, At(1)] = field(default_factory=str)
    name: Annotated[str, At(2)] = field(default_factory=str)
    api_version: Annotated[str, At(3)] = ""


class MetricTarget(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    value: Annotated[Quantity | None, At(2)] = None
    average_value: Annotated[Quantity | None, At(3)] = None
    average_utilization: Annotated[Int32 | None, At(4)] = None


class ContainerResourceMetricSource(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    target: Annotated[MetricTarget, At(2, required=True)] = field(default_factory=MetricTarget)
    container: Annotated[str, At(3)] = field(default_factory=str)


class MetricIdentifier(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    selector: Annotated[LabelSelector | None, At(2)] = None


class ExternalMetricSource(Part):
    metric: Annotated[MetricIdentifier, At(1, required=True)] = field(default_factory=MetricIdentifier)
    target: Annotated[MetricTarget, At(2, required=True)] = field(default_factory=MetricTarget)


class ObjectMetricSource(Part):
    described_object: Annotated[CrossVersionObjectReference, At(1, required=True)] = field(
        default_factory=CrossVersionObjectReference
    )
    target: Annotated[MetricTarget, At(2, required=True)] = field(default_factory=MetricTarget)
    metric: Annotated[MetricIdentifier, At(3, required=True)] = field(default_factory=MetricIdentifier)


class PodsMetricSource(Part):
    metric: Annotated[MetricIdentifier, At(1, required=True)] = field(default_factory=MetricIdentifier)
    target: Annotated[MetricTarget, At(2, required=True)] = field(default_factory=MetricTarget)


class ResourceMetricSource(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    target: Annotated[MetricTarget, At(2, required=True)] = field(default_factory=MetricTarget)


class MetricSpec(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    object: Annotated[ObjectMetricSource | None, At(2)] = None
    pods: Annotated[PodsMetricSource | None, At(3)] = None
    resource: Annotated[ResourceMetricSource | None, At(4)] = None
    container_resource: Annotated[ContainerResourceMetricSource | None, At(7)] = None
    external: Annotated[ExternalMetricSource | None, At(5)] = None


class MetricValueStatus(Part):
    value: Annotated[Quantity | None, At(1)] = None
    average_value: Annotated[Quantity | None, At(2)] = None
    average_utilization: Annotated[Int32 | None, At(3)] = None


class ContainerResourceMetricStatus(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    current: Annotated[MetricValueStatus, At(2, required=True)] = field(default_factory=MetricValueStatus)
    container: Annotated[str, At(3)] = field(default_factory=str)


class ExternalMetricStatus(Part):
    metric: Annotated[MetricIdentifier, At(1, required=True)] = field(default_factory=MetricIdentifier)
    current: Annotated[MetricValueStatus, At(2, required=True)] = field(default_factory=MetricValueStatus)


class ObjectMetricStatus(Part):
    metric: Annotated[MetricIdentifier, At(1, required=True)] = field(default_factory=MetricIdentifier)
    current: Annotated[MetricValueStatus, At(2, required=True)] = field(default_factory=MetricValueStatus)
    described_object: Annotated[CrossVersionObjectReference, At(3, required=True)] = field(
        default_factory=CrossVersionObjectReference
    )


class PodsMetricStatus(Part):
    metric: Annotated[MetricIdentifier, At(1, required=True)] = field(default_factory=MetricIdentifier)
    current: Annotated[MetricValueStatus, At(2, required=True)] = field(default_factory=MetricValueStatus)


class ResourceMetricStatus(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    current: Annotated[MetricValueStatus, At(2, required=True)] = field(default_factory=MetricValueStatus)


class MetricStatus(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    object: Annotated[ObjectMetricStatus | None, At(2)] = None
    pods: Annotated[PodsMetricStatus | None, At(3)] = None
    resource: Annotated[ResourceMetricStatus | None, At(4)] = None
    container_resource: Annotated[ContainerResourceMetricStatus | None, At(7)] = None
    external: Annotated[ExternalMetricStatus | None, At(5)] = None


class HPAScalingPolicy(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    value: Annotated[Int32, At(2)] = field(default_factory=int)
    period_seconds: Annotated[Int32, At(3)] = field(default_factory=int)


class HPAScalingRules(Part):
    stabilization_window_seconds: Annotated[Int32 | None, At(3)] = None
    select_policy: Annotated[str | None, At(1)] = None
    policies: Annotated[tuple[HPAScalingPolicy, ...], atomic(2)] = ()
    tolerance: Annotated[Quantity | None, At(4)] = None


class HorizontalPodAutoscalerBehavior(Part):
    scale_up: Annotated[HPAScalingRules | None, At(1)] = None
    scale_down: Annotated[HPAScalingRules | None, At(2)] = None


class HorizontalPodAutoscalerSpec(Part):
    scale_target_ref: Annotated[CrossVersionObjectReference, At(1, required=True)] = field(
        default_factory=CrossVersionObjectReference
    )
    min_replicas: Annotated[Int32 | None, At(2)] = None
    max_replicas: Annotated[Int32, At(3)] = field(default_factory=int)
    metrics: Annotated[tuple[MetricSpec, ...], atomic(4)] = ()
    behavior: Annotated[HorizontalPodAutoscalerBehavior | None, At(5)] = None


class HorizontalPodAutoscalerCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""
    observed_generation: Annotated[Int64 | None, At(6)] = None


class HorizontalPodAutoscalerStatus(Part):
    observed_generation: Annotated[Int64 | None, At(1)] = None
    last_scale_time: Annotated[Time | None, At(2)] = None
    current_replicas: Annotated[Int32, At(3)] = 0
    desired_replicas: Annotated[Int32, At(4)] = field(default_factory=int)
    current_metrics: Annotated[Some[MetricStatus] | None, atomic(5, required=False)] = field(default_factory=null)
    conditions: Annotated[tuple[HorizontalPodAutoscalerCondition, ...], keyed(6, "type")] = ()


class HorizontalPodAutoscaler(Object):
    """Sets the number of replicas by what metrics say."""

    spec: Annotated[HorizontalPodAutoscalerSpec, At(2, required=True)] = field(
        default_factory=HorizontalPodAutoscalerSpec
    )
    status: Annotated[HorizontalPodAutoscalerStatus, At(3)] = field(default_factory=HorizontalPodAutoscalerStatus)


# --- Version 1


@whole
class CrossVersionObjectReferenceV1(Part):
    kind: Annotated[str, At(1)] = field(default_factory=str)
    name: Annotated[str, At(2)] = field(default_factory=str)
    api_version: Annotated[str, At(3)] = ""


class HorizontalPodAutoscalerSpecV1(Part):
    scale_target_ref: Annotated[CrossVersionObjectReferenceV1, At(1, required=True)] = field(
        default_factory=CrossVersionObjectReferenceV1
    )
    min_replicas: Annotated[Int32 | None, At(2)] = None
    max_replicas: Annotated[Int32, At(3)] = field(default_factory=int)
    target_cpu_utilization_percentage: Annotated[Int32 | None, At(4)] = field(
        default=None, name="targetCPUUtilizationPercentage"
    )


class HorizontalPodAutoscalerStatusV1(Part):
    observed_generation: Annotated[Int64 | None, At(1)] = None
    last_scale_time: Annotated[Time | None, At(2)] = None
    current_replicas: Annotated[Int32, At(3)] = field(default_factory=int)
    desired_replicas: Annotated[Int32, At(4)] = field(default_factory=int)
    current_cpu_utilization_percentage: Annotated[Int32 | None, At(5)] = field(
        default=None, name="currentCPUUtilizationPercentage"
    )


class HorizontalPodAutoscalerV1(Object):
    """The older form of HorizontalPodAutoscaler, which knows CPU only."""

    spec: Annotated[HorizontalPodAutoscalerSpecV1, At(2, required=True)] = field(
        default_factory=HorizontalPodAutoscalerSpecV1
    )
    status: Annotated[HorizontalPodAutoscalerStatusV1, At(3)] = field(default_factory=HorizontalPodAutoscalerStatusV1)


class ScaleSpec(Part):
    replicas: Annotated[Int32, At(1)] = 0


class ScaleStatus(Part):
    replicas: Annotated[Int32, At(1)] = field(default_factory=int)
    selector: Annotated[str, At(2)] = ""


class Scale(Object):
    """The number of replicas of anything that can be scaled: a subresource."""

    spec: Annotated[ScaleSpec, At(2)] = field(default_factory=ScaleSpec)
    status: Annotated[ScaleStatus, At(3)] = field(default_factory=ScaleStatus)
