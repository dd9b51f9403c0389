"""What a pod is given once, at its creation: its first status, and what follows from its labels and annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults.container import note
from steersman.api import podresources
from steersman.api.core import (
    Affinity,
    AppArmorProfile,
    Container,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodAntiAffinity,
    PodCondition,
    PodSpec,
    PodStatus,
    SecurityContext,
    TopologySpreadConstraint,
)
from steersman.api.meta import LabelSelector, LabelSelectorRequirement

APP_ARMOR_PREFIX = "container.apparmor.security.beta.kubernetes.io/"
_LOCALHOST = "localhost/"
_NO_STATUS = PodStatus()


def is_newborn(pod: Pod) -> bool:
    return not pod.status.phase and pod.status == _NO_STATUS


def first_state(pod: Pod) -> Pod:
    """Pending, with its class of service, and with the labels it has now written into its own selectors."""
    labels = pod.metadata.labels
    spec = pod.spec
    changes: dict[str, Any] = {}
    if spec.affinity is not None:
        note(changes, "affinity", spec.affinity, _with_label_keys(spec.affinity, labels))
    if spec.topology_spread_constraints:
        changes["topology_spread_constraints"] = tuple(
            _spread_with_label_keys(constraint, labels) for constraint in spec.topology_spread_constraints
        )
    if pod.metadata.annotations:
        changes |= _profiles_from_annotations(spec, pod.metadata.annotations)
    if changes:
        spec = replace(spec, **changes)
        pod = replace(pod, spec=spec)
    conditions = (_gated(pod),) if spec.scheduling_gates else ()
    status = PodStatus(phase="Pending", qos_class=str(podresources.qos_class(pod)), conditions=conditions)
    return replace(pod, status=status)


def _gated(pod: Pod) -> PodCondition:
    return PodCondition(
        type="PodScheduled",
        status="False",
        reason="SchedulingGated",
        message="Scheduling is blocked due to non-empty scheduling gates",
        last_transition_time=pod.metadata.creation_timestamp,
    )


# --- matchLabelKeys: "pods with the same value as mine", settled when the pod's own value is known


def _with_label_keys(affinity: Affinity, labels: Mapping[str, str]) -> Affinity:
    changes: dict[str, Any] = {}
    if affinity.pod_affinity is not None:
        changes["pod_affinity"] = _side_with_label_keys(affinity.pod_affinity, labels)
    if affinity.pod_anti_affinity is not None:
        changes["pod_anti_affinity"] = _side_with_label_keys(affinity.pod_anti_affinity, labels)
    return replace(affinity, **changes) if changes else affinity


def _side_with_label_keys(
    side: PodAffinity | PodAntiAffinity, labels: Mapping[str, str]
) -> PodAffinity | PodAntiAffinity:
    required = tuple(
        _term_with_label_keys(term, labels) for term in side.required_during_scheduling_ignored_during_execution
    )
    preferred = tuple(
        replace(weighted, pod_affinity_term=_term_with_label_keys(weighted.pod_affinity_term, labels))
        for weighted in side.preferred_during_scheduling_ignored_during_execution
    )
    return replace(
        side,
        required_during_scheduling_ignored_during_execution=required,
        preferred_during_scheduling_ignored_during_execution=preferred,
    )


def _term_with_label_keys(term: PodAffinityTerm, labels: Mapping[str, str]) -> PodAffinityTerm:
    selector = term.label_selector
    if selector is None or not (term.match_label_keys or term.mismatch_label_keys):
        return term
    selector = _selector_with(selector, term.match_label_keys, "In", labels)
    return replace(term, label_selector=_selector_with(selector, term.mismatch_label_keys, "NotIn", labels))


def _spread_with_label_keys(
    constraint: TopologySpreadConstraint, labels: Mapping[str, str]
) -> TopologySpreadConstraint:
    selector = constraint.label_selector
    if selector is None or not constraint.match_label_keys:
        return constraint
    return replace(constraint, label_selector=_selector_with(selector, constraint.match_label_keys, "In", labels))


def _selector_with(
    selector: LabelSelector, keys: Sequence[str], operator: str, labels: Mapping[str, str]
) -> LabelSelector:
    """Kept as it is where the demand is there already, so that an object sent back does not grow."""
    demands = (LabelSelectorRequirement(key=k, operator=operator, values=(labels[k],)) for k in keys if k in labels)
    added = tuple(demand for demand in demands if demand not in selector.match_expressions)
    return replace(selector, match_expressions=selector.match_expressions + added) if added else selector


# --- AppArmor, which used to be annotations


def _profiles_from_annotations(spec: PodSpec, annotations: Mapping[str, str]) -> dict[str, Any]:
    if not any(key.startswith(APP_ARMOR_PREFIX) for key in annotations):
        return {}
    if spec.os is not None and spec.os.name == "windows":
        return {}
    whole_pod = spec.security_context.app_armor_profile if spec.security_context is not None else None
    return {
        name: tuple(_with_profile(container, annotations, whole_pod) for container in getattr(spec, name))
        for name in ("containers", "init_containers", "ephemeral_containers")
        if getattr(spec, name)
    }


def _with_profile(container: Container, annotations: Mapping[str, str], whole_pod: AppArmorProfile | None) -> Container:
    context = container.security_context
    if context is not None and context.app_armor_profile is not None:
        return container
    profile = app_armor_profile(annotations.get(APP_ARMOR_PREFIX + container.name, ""))
    if profile is None or profile == whole_pod:
        return container
    return replace(container, security_context=replace(context or SecurityContext(), app_armor_profile=profile))


def app_armor_profile(annotation: str) -> AppArmorProfile | None:
    """The profile that an annotation means; None where it means none that is valid."""
    if annotation == "unconfined":
        return AppArmorProfile(type="Unconfined")
    if annotation == "runtime/default":
        return AppArmorProfile(type="RuntimeDefault")
    name = annotation.removeprefix(_LOCALHOST)
    if name != annotation and name and name == name.strip():
        return AppArmorProfile(type="Localhost", localhost_profile=name)
    return None
