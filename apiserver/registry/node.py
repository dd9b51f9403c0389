"""Nodes: taints, amounts and address ranges that make sense, and an identity that does not change.

A node may be created with its status: the agent that registers it knows it. The ranges for pods and the provider's id
are set once. `configSource` belongs to a feature that Kubernetes has removed; writing it has no effect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults import resources as amounts
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import cidrs, internalform, resources, taints
from apiserver.registry.warnings import network as warned
from steersman.api import fields, names
from steersman.api.core import Node, NodeSpec, NodeStatus
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

_SPEC, _STATUS = Path("spec"), Path("status")
_POD_CIDRS = _SPEC.child("podCIDRs")
_FEATURE = re.compile("[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*")


def default(new: Node) -> Node:
    return replace(new, spec=_default_spec(new.spec), status=_default_status(new.status))


def _default_spec(spec: NodeSpec) -> NodeSpec:
    """One range or several: the older field says the same as the first of the newer one, and wins where they differ."""
    changes: dict[str, Any] = {}
    first = spec.pod_cidrs[0] if spec.pod_cidrs else ""
    if spec.pod_cidr and spec.pod_cidr != first:
        changes["pod_cidrs"] = (spec.pod_cidr,)
    elif first and not spec.pod_cidr:
        changes["pod_cidr"] = first
    if spec.config_source is not None:
        changes["config_source"] = None
    return replace(spec, **changes) if changes else spec


def _default_status(status: NodeStatus) -> NodeStatus:
    changes: dict[str, Any] = {}
    capacity = amounts.rounded(status.capacity)
    allocatable = amounts.rounded(status.allocatable) if status.allocatable else capacity
    if capacity is not status.capacity:
        changes["capacity"] = capacity
    if allocatable is not status.allocatable and allocatable:
        changes["allocatable"] = allocatable
    if status.config is not None:
        changes["config"] = None
    return replace(status, **changes) if changes else status


def validate(new: Node) -> list[Cause]:
    causes = taints.validate_annotations(new.metadata.annotations, Path("metadata").child("annotations"))
    # Kubernetes looks for taints below metadata; clients see its path, so ours is the same.
    causes += taints.validate_taints(new.spec.taints, Path("metadata").child("taints"))
    for name, amount in new.status.capacity.items():
        causes += resources.validate_amount(name, amount, _STATUS.child("capacity", name))
    for name, amount in new.status.allocatable.items():
        causes += resources.validate_amount(name, amount, _STATUS.child("allocatable", name))
    causes += _validate_swap(new.status)
    causes += _validate_features(new.status.declared_features, _STATUS.child("declaredFeatures"))
    return causes + _validate_pod_cidrs(new.spec.pod_cidrs)


def validate_update(new: Node, old: Node) -> list[Cause]:
    causes: list[Cause] = []
    for index, address in enumerate(new.status.addresses):
        if address in new.status.addresses[:index]:
            path = _STATUS.child("addresses").index(index)
            causes.append(fields.duplicate(path, internalform.shown(address)))
    causes += _validate_same_pod_cidrs(new.spec.pod_cidrs, old.spec.pod_cidrs)
    if old.spec.provider_id and new.spec.provider_id != old.spec.provider_id:
        detail = 'node updates may not change providerID except from "" to valid'
        causes.append(fields.forbidden(_SPEC.child("providerID"), detail))
    if new.spec.external_id != old.spec.external_id:
        causes.append(fields.forbidden(_SPEC.child("externalID"), "may not be updated"))
    return causes


def _validate_same_pod_cidrs(new: Sequence[str], old: Sequence[str]) -> list[Cause]:
    if not old:
        return []
    refusal = fields.forbidden(_POD_CIDRS, 'node updates may not change podCIDR except from "" to valid')
    if len(new) != len(old):
        return [refusal]
    return [refusal for before, after in zip(old, new, strict=True) if before != after]


def _validate_swap(status: NodeStatus) -> list[Cause]:
    swap = status.node_info.swap
    if swap is None or swap.capacity is None or swap.capacity > 0:
        return []
    path = Path("metadata").child("nodeSwapStatus", "capacity")
    return [fields.invalid(path, swap.capacity, "must be greater than zero")]


def _validate_features(features: Sequence[str], path: Path) -> list[Cause]:
    """Sorted, each once, in the spelling of feature gates."""
    causes: list[Cause] = []
    for index, feature in enumerate(features):
        complaint = _feature_name(feature)
        if complaint:
            where = path.index(index)
            causes.append(fields.invalid(where, feature, f"invalid feature name {quoted(feature)}: {complaint}"))
        if index + 1 < len(features):
            following, where = features[index + 1], path.index(index + 1)
            if following == feature:
                causes.append(fields.duplicate(where, following))
            elif following < feature:
                causes.append(fields.invalid(where, following, "list must be sorted alphabetically"))
    return causes


def _feature_name(feature: str) -> str:
    if len(feature.encode()) > names.SUBDOMAIN_LENGTH:
        return f"must be no more than {names.SUBDOMAIN_LENGTH} characters"
    if _FEATURE.fullmatch(feature):
        return ""
    return (
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
        "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
    )


def _validate_pod_cidrs(ranges: Sequence[str]) -> list[Cause]:
    causes: list[Cause] = []
    for index, text in enumerate(ranges):
        causes += cidrs.validate_cidr(text, _POD_CIDRS.index(index))
    if len(ranges) < 2:
        return causes
    parsed = [cidrs.parse(text) for text in ranges]
    if None in parsed:
        first = parsed.index(None)
        why = f"invalid CIDR[{first}]: <nil> (invalid CIDR address: {ranges[first]})"
        causes.append(
            fields.internal(_POD_CIDRS, f"invalid PodCIDRs. failed to check with dual stack with error:{why}")
        )
    families = {network.version for network in parsed if network is not None}
    if None in parsed or len(families) < 2 or len(ranges) > 2:
        causes.append(fields.invalid(_POD_CIDRS, ranges, "may specify no more than one CIDR for each IP family"))
    return causes


NODE = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    keeps_status_on_create=True,
    warn=warned.of_node,
)
