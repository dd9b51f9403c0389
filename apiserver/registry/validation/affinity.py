"""Rules for affinity: demands on nodes, and on pods near which a pod wants to be, or not to be."""

from __future__ import annotations

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.core import (
    Affinity,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodAffinity,
    PodAffinityTerm,
    PodAntiAffinity,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import LabelSelector

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

_NOT_AN_OPERATOR = "not a valid selector operator"


def validate_affinity(affinity: Affinity | None, path: Path) -> list[Cause]:
    if affinity is None:
        return []
    causes: list[Cause] = []
    if affinity.node_affinity is not None:
        causes += _validate_node_affinity(affinity.node_affinity, path.child("nodeAffinity"))
    if affinity.pod_affinity is not None:
        causes += _validate_pod_affinity(affinity.pod_affinity, path.child("podAffinity"))
    if affinity.pod_anti_affinity is not None:
        causes += _validate_pod_affinity(affinity.pod_anti_affinity, path.child("podAntiAffinity"))
    return causes


def validate_node_selector(selector: NodeSelector, path: Path) -> list[Cause]:
    where = path.child("nodeSelectorTerms")
    if not selector.node_selector_terms:
        return [fields.required(where, "must have at least one node selector term")]
    causes: list[Cause] = []
    for index, term in enumerate(selector.node_selector_terms):
        causes += _validate_term(term, where.index(index), strict_values=True)
    return causes


def validate_label_keys(
    path: Path, match: tuple[str, ...], mismatch: tuple[str, ...], selector: LabelSelector | None
) -> list[Cause]:
    """Keys whose values come from the pod itself. They must be free in the selector, into which they are written."""
    causes = _validate_keys(match, selector, path.child("matchLabelKeys"))
    causes += _validate_keys(mismatch, selector, path.child("mismatchLabelKeys"))
    if selector is not None and match:
        last = {key: index for index, key in enumerate(match)}
        used = set(selector.match_labels)
        for requirement in selector.match_expressions:
            key = requirement.key
            if key in last and key in used:
                where = path.index(last[key])
                causes.append(fields.invalid(where, key, "exists in both matchLabelKeys and labelSelector"))
            used.add(key)
    mismatched = set(mismatch)
    for index, key in enumerate(match):
        if key in mismatched:
            where = path.child("matchLabelKeys").index(index)
            causes.append(fields.invalid(where, key, "exists in both matchLabelKeys and mismatchLabelKeys"))
    return causes


def _validate_keys(keys: tuple[str, ...], selector: LabelSelector | None, path: Path) -> list[Cause]:
    if not keys:
        return []
    if selector is None:
        return [fields.forbidden(path, "must not be specified when labelSelector is not set")]
    causes: list[Cause] = []
    for index, key in enumerate(keys):
        causes += checks.name(key, path.index(index), names.qualified_name)
    return causes


# --- Nodes


def _validate_node_affinity(affinity: NodeAffinity, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    required = affinity.required_during_scheduling_ignored_during_execution
    if required is not None:
        causes += validate_node_selector(required, path.child(REQUIRED))
    for index, preferred in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        where = path.child(PREFERRED).index(index)
        causes += _validate_weight(preferred.weight, where)
        # A wish that no label can fulfil does no harm, and old objects have such.
        causes += _validate_term(preferred.preference, where.child("preference"), strict_values=False)
    return causes


def _validate_term(term: NodeSelectorTerm, path: Path, *, strict_values: bool) -> list[Cause]:
    causes: list[Cause] = []
    for index, requirement in enumerate(term.match_expressions):
        where = path.child("matchExpressions").index(index)
        causes += _validate_expression(requirement, where)
        if strict_values:
            for position, value in enumerate(requirement.values):
                causes += checks.name(value, where.child("values").index(position), names.label_value)
    for index, requirement in enumerate(term.match_fields):
        causes += _validate_field(requirement, path.child("matchFields").index(index))
    return causes


def _validate_expression(requirement: NodeSelectorRequirement, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    values = path.child("values")
    match requirement.operator:
        case "In" | "NotIn":
            if not requirement.values:
                causes.append(fields.required(values, "must be specified when `operator` is 'In' or 'NotIn'"))
        case "Exists" | "DoesNotExist":
            if requirement.values:
                detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                causes.append(fields.forbidden(values, detail))
        case "Gt" | "Lt":
            if len(requirement.values) != 1:
                detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
                causes.append(fields.required(values, detail))
        case operator:
            causes.append(fields.invalid(path.child("operator"), operator, _NOT_AN_OPERATOR))
    return causes + checks.name(requirement.key, path.child("key"), names.qualified_name)


def _validate_field(requirement: NodeSelectorRequirement, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if requirement.operator not in ("In", "NotIn"):
        causes.append(fields.invalid(path.child("operator"), requirement.operator, _NOT_AN_OPERATOR))
    elif len(requirement.values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        causes.append(fields.required(path.child("values"), detail))
    if requirement.key != "metadata.name":
        causes.append(fields.invalid(path.child("key"), requirement.key, "not a valid field selector key"))
        return causes
    for index, value in enumerate(requirement.values):
        causes += checks.name(value, path.child("values").index(index), names.dns_subdomain)
    return causes


# --- Pods


def _validate_pod_affinity(affinity: PodAffinity | PodAntiAffinity, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, term in enumerate(affinity.required_during_scheduling_ignored_during_execution):
        causes += _validate_pod_term(term, path.child(REQUIRED).index(index))
    for index, weighted in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        where = path.child(PREFERRED).index(index)
        causes += _validate_weight(weighted.weight, where)
        causes += _validate_pod_term(weighted.pod_affinity_term, where.child("podAffinityTerm"))
    return causes


def _validate_pod_term(term: PodAffinityTerm, path: Path) -> list[Cause]:
    causes = checks.validate_label_selector(term.label_selector, path.child("labelSelector"))
    causes += checks.validate_label_selector(term.namespace_selector, path.child("namespaceSelector"))
    for namespace in term.namespaces:
        causes += checks.name(namespace, path.child("namespace"), names.dns_label)
    causes += validate_label_keys(path, term.match_label_keys, term.mismatch_label_keys, term.label_selector)
    where = path.child("topologyKey")
    if not term.topology_key:
        causes.append(fields.required(where, "can not be empty"))
    return causes + checks.name(term.topology_key, where, names.qualified_name)


def _validate_weight(weight: int, path: Path) -> list[Cause]:
    if 1 <= weight <= 100:
        return []
    return [fields.invalid(path.child("weight"), weight, "must be in the range 1-100")]
