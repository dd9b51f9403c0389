"""Rules for the metrics that a HorizontalPodAutoscaler looks at, and for what it scales."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from apiserver.registry.validation import checks, pathsegments, resources
from steersman.api import fields, names, quantity
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
from steersman.api.errors import Cause
from steersman.api.fields import Path

CONTAINER_RESOURCE = "ContainerResource"
EXTERNAL = "External"
OBJECT = "Object"
PODS = "Pods"
RESOURCE = "Resource"
SOURCE_TYPES = (CONTAINER_RESOURCE, EXTERNAL, OBJECT, PODS, RESOURCE)
TARGET_TYPES = ("Utilization", "Value", "AverageValue")

_OWN_FIELDS = {
    OBJECT: "object",
    EXTERNAL: "external",
    PODS: "pods",
    RESOURCE: "resource",
    CONTAINER_RESOURCE: "containerResource",
}


def validate_metrics(metrics: Sequence[MetricSpec], path: Path) -> list[Cause]:
    return [cause for index, metric in enumerate(metrics) for cause in _validate_metric(metric, path.index(index))]


def validate_reference(reference: CrossVersionObjectReference, path: Path, *, needs_group: bool) -> list[Cause]:
    causes = pathsegments.validate_required(reference.kind, path.child("kind"))
    causes += pathsegments.validate_required(reference.name, path.child("name"))
    version, where = reference.api_version, path.child("apiVersion")
    if version.count("/") > 1:
        causes.append(fields.invalid(where, version, f"unexpected GroupVersion string: {version}"))
    elif needs_group and not version.rpartition("/")[0]:
        causes.append(fields.invalid(where, version, "apiVersion must specify API group"))
    return causes


def _validate_metric(metric: MetricSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not metric.type:
        causes.append(fields.required(path.child("type"), "must specify a metric source type"))
    causes += checks.choice(metric.type, path.child("type"), SOURCE_TYPES)
    given = _given_sources(metric)
    if given:
        # The first is looked at, the others are too many anyhow.
        field, source, validate_source = given[0]
        causes += validate_source(source, path.child(field))
    own = _OWN_FIELDS.get(metric.type, "")
    present = [field for field, _, _ in given]
    if own and own not in present:
        causes.append(fields.required(path.child(own), "must populate information for the given metric source"))
    if len(present) > 1:
        detail = "must populate the given metric source only"
        causes += [fields.forbidden(path.child(field), detail) for field in present if field != own]
    return causes


def _given_sources(metric: MetricSpec) -> list[tuple[str, Any, Callable[[Any, Path], list[Cause]]]]:
    known: tuple[tuple[str, Any, Callable[[Any, Path], list[Cause]]], ...] = (
        ("object", metric.object, _validate_object),
        ("external", metric.external, _validate_external),
        ("pods", metric.pods, _validate_pods),
        ("resource", metric.resource, _validate_resource),
        ("containerResource", metric.container_resource, _validate_container_resource),
    )
    return [entry for entry in known if entry[1] is not None]


# --- Sources


def _validate_object(source: ObjectMetricSource, path: Path) -> list[Cause]:
    causes = validate_reference(source.described_object, path.child("describedObject"), needs_group=False)
    causes += _validate_identifier(source.metric, path.child("metric"))
    target, where = source.target, path.child("target")
    causes += _validate_target(target, where)
    if target.value is None and target.average_value is None:
        detail = "must set either a target value or averageValue"
        causes.append(fields.required(where.child("averageValue"), detail))
    return causes


def _validate_external(source: ExternalMetricSource, path: Path) -> list[Cause]:
    causes = _validate_identifier(source.metric, path.child("metric"))
    target, where = source.target, path.child("target")
    causes += _validate_target(target, where)
    if target.value is None and target.average_value is None:
        detail = "must set either a target value for metric or a per-pod target"
        causes.append(fields.required(where.child("averageValue"), detail))
    if target.value is not None and target.average_value is not None:
        detail = "may not set both a target value for metric and a per-pod target"
        causes.append(fields.forbidden(where.child("value"), detail))
    return causes


def _validate_pods(source: PodsMetricSource, path: Path) -> list[Cause]:
    causes = _validate_identifier(source.metric, path.child("metric"))
    where = path.child("target")
    causes += _validate_target(source.target, where)
    if source.target.average_value is None:
        causes.append(fields.required(where.child("averageValue"), "must specify a positive target averageValue"))
    return causes


def _validate_resource(source: ResourceMetricSource, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not source.name:
        causes.append(fields.required(path.child("name"), "must specify a resource name"))
    return causes + _validate_resource_target(source.target, path.child("target"))


def _validate_container_resource(source: ContainerResourceMetricSource, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not source.name:
        causes.append(fields.required(path.child("name"), "must specify a resource name"))
    else:
        causes += resources.validate_container_name(source.name, path.child("name"))
    if not source.container:
        causes.append(fields.required(path.child("container"), "must specify a container"))
    else:
        causes += checks.name(source.container, path.child("container"), names.dns_label)
    return causes + _validate_resource_target(source.target, path.child("target"))


# --- Parts of sources


def _validate_identifier(metric: MetricIdentifier, path: Path) -> list[Cause]:
    if not metric.name:
        return [fields.required(path.child("name"), "must specify a metric name")]
    return pathsegments.validate(metric.name, path.child("name"))


def _validate_resource_target(target: MetricTarget, path: Path) -> list[Cause]:
    causes = _validate_target(target, path)
    if target.average_utilization is None and target.average_value is None:
        detail = "must set either a target raw value or a target utilization"
        causes.append(fields.required(path.child("averageUtilization"), detail))
    if target.average_utilization is not None and target.average_value is not None:
        detail = "may not set both a target raw value and a target utilization"
        causes.append(fields.forbidden(path.child("averageValue"), detail))
    return causes


def _validate_target(target: MetricTarget, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    where = path.child("type")
    if not target.type:
        causes.append(fields.required(where, "must specify a metric target type"))
    if target.type not in TARGET_TYPES:
        causes.append(fields.invalid(where, target.type, "must be either Utilization, Value, or AverageValue"))
    for amount, field in ((target.value, "value"), (target.average_value, "averageValue")):
        if amount is not None and quantity.value(amount) <= 0:
            causes.append(fields.invalid(path.child(field), amount, "must be positive"))
    if target.average_utilization is not None and target.average_utilization < 1:
        where = path.child("averageUtilization")
        causes.append(fields.invalid(where, target.average_utilization, "must be greater than 0"))
    return causes
