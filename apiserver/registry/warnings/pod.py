"""Warnings about pods and templates of pods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from apiserver.registry.defaults.birth import APP_ARMOR_PREFIX, app_armor_profile
from apiserver.registry.validation import podannotations, walking
from apiserver.registry.warnings import addresses, amounts, nodelabels, podports, podvolumes
from steersman.api import names
from steersman.api.core import (
    Affinity,
    Container,
    EnvVar,
    EphemeralContainer,
    Pod,
    PodAffinityTerm,
    PodSpec,
    PodTemplateSpec,
    TopologySpreadConstraint,
)
from steersman.api.errors import quoted
from steersman.api.fields import Path
from steersman.api.meta import ObjectMeta

_ROOT: Final = Path("")
_BYTES: Final = ("memory", "ephemeral-storage")
_NO_POD: Final = "a null labelSelector results in matching no pod"
_SECCOMP: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
}


def of_pod(new: Pod, old: Pod | None) -> list[str]:
    """Only of a new one: of those that change every second nobody reads warnings."""
    if old is not None:
        return []
    return of_name(new.metadata.name, "the Pod's hostname") + _of(new.metadata, new.spec, _ROOT)


def of_status(new: Pod) -> list[str]:
    warnings: list[str] = []
    for index, pod_ip in enumerate(new.status.pod_ips):
        warnings += addresses.of_ip(pod_ip.ip, Path("status.podIPs").index(index).child("ip"))
    for index, host_ip in enumerate(new.status.host_ips):
        warnings += addresses.of_ip(host_ip.ip, Path("status.hostIPs").index(index).child("ip"))
    return warnings


def of_template(template: PodTemplateSpec | None, path: Path) -> list[str]:
    return [] if template is None else _of(template.metadata, template.spec, path)


def of_name(name: str, use: str = "Pod names and hostnames") -> list[str]:
    why = names.dns_label(name)
    if not why:
        return []
    told = f"this is used in {use}, which can result in surprising behavior; a DNS label is recommended"
    return [f"metadata.name: {told}: [{' '.join(why)}]"]


def _of(meta: ObjectMeta, spec: PodSpec, path: Path) -> list[str]:
    here = path.child("spec")
    containers = list(walking.every_container(spec, here))
    warnings = _of_placement(spec, here)
    if meta.annotations:
        warnings += _of_annotations(meta, path.child("metadata", "annotations"))
    warnings += podvolumes.of_volumes(spec.volumes, here.child("volumes"))
    if spec.host_aliases:
        warnings += _of_repeated("ip", [alias.ip for alias in spec.host_aliases], here.child("hostAliases"))
    if spec.image_pull_secrets:
        warnings += _of_pull_secrets([secret.name for secret in spec.image_pull_secrets], here)
    if spec.overhead:
        warnings += amounts.of_bytes(spec.overhead, _BYTES, here.child("overhead"))
    if meta.annotations:
        warnings += _of_profiles(meta, spec, containers, path)
    for container, where in containers:
        warnings += _of_container(container, where)
    warnings += podports.of_ports(containers)
    if (spec.termination_grace_period_seconds or 0) < 0:
        told = "must be >= 0; negative values are invalid and will be treated as 1"
        warnings.append(f"{here.child('terminationGracePeriodSeconds')}: {told}")
    if spec.affinity is not None:
        warnings += _of_affinity(spec.affinity, here.child("affinity"))
    return warnings + _of_addresses(spec, here) if spec.dns_config is not None or spec.host_aliases else warnings


# --- Where a pod may run


def _of_placement(spec: PodSpec, path: Path) -> list[str]:
    warnings = [
        f"{path.child('nodeSelector').key(key)}: {nodelabels.DEPRECATED[key]}"
        for key in spec.node_selector
        if key in nodelabels.DEPRECATED
    ]
    nodes = spec.affinity.node_affinity if spec.affinity is not None else None
    if nodes is not None:
        where = path.child("affinity", "nodeAffinity")
        if nodes.required_during_scheduling_ignored_during_execution is not None:
            terms = nodes.required_during_scheduling_ignored_during_execution.node_selector_terms
            there = where.child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
            for index, term in enumerate(terms):
                warnings += nodelabels.of_required(term, there.index(index))
        for index, preferred in enumerate(nodes.preferred_during_scheduling_ignored_during_execution):
            there = where.child("preferredDuringSchedulingIgnoredDuringExecution").index(index)
            warnings += nodelabels.of_preferred(preferred.preference, there.child("preference"))
    for index, constraint in enumerate(spec.topology_spread_constraints):
        warnings += _of_spread(constraint, path.child("topologySpreadConstraints").index(index))
    return warnings


def _of_spread(constraint: TopologySpreadConstraint, path: Path) -> list[str]:
    warnings: list[str] = []
    key = constraint.topology_key
    if key in nodelabels.DEPRECATED:
        warnings.append(f"{path.child('topologyKey')}: {key} is {nodelabels.DEPRECATED[key]}")
    if constraint.label_selector is None:
        warnings.append(f"{path.child('labelSelector')}: {_NO_POD}")
    return warnings


def _of_affinity(affinity: Affinity, path: Path) -> list[str]:
    warnings: list[str] = []
    for side, where in ((affinity.pod_affinity, "podAffinity"), (affinity.pod_anti_affinity, "podAntiAffinity")):
        if side is None:
            continue
        here = path.child(where)
        for index, required in enumerate(side.required_during_scheduling_ignored_during_execution):
            there = here.child("requiredDuringSchedulingIgnoredDuringExecution").index(index)
            warnings += _of_term(required, there)
        for index, preferred in enumerate(side.preferred_during_scheduling_ignored_during_execution):
            there = here.child("preferredDuringSchedulingIgnoredDuringExecution").index(index)
            warnings += _of_term(preferred.pod_affinity_term, there.child("podAffinityTerm"))
    return warnings


def _of_term(term: PodAffinityTerm, path: Path) -> list[str]:
    return [f"{path.child('labelSelector')}: {_NO_POD}"] if term.label_selector is None else []


# --- Annotations


def _of_annotations(meta: ObjectMeta, path: Path) -> list[str]:
    return [f"{path.key(key)}: {message}" for key, message in _ANNOTATIONS.items() if key in meta.annotations]


def _of_profiles(
    meta: ObjectMeta, spec: PodSpec, containers: Iterable[tuple[Container | EphemeralContainer, Path]], path: Path
) -> list[str]:
    """Profiles in annotations do nothing any longer, or will soon do nothing, where the field is not there too."""
    here, annotations = path.child("metadata", "annotations"), meta.annotations
    warnings: list[str] = []
    whole = spec.security_context
    if podannotations.SECCOMP_POD in annotations and (whole is None or whole.seccomp_profile is None):
        warnings.append(f"{here.key(podannotations.SECCOMP_POD)}: {_SECCOMP}")
    for container, _ in containers:
        own = container.security_context
        key = podannotations.SECCOMP_PREFIX + container.name
        if key in annotations and (own is None or own.seccomp_profile is None):
            warnings.append(f"{here.key(key)}: {_SECCOMP}")
        key = APP_ARMOR_PREFIX + container.name
        given = own.app_armor_profile if own is not None else None
        if key not in annotations:
            continue
        said = app_armor_profile(annotations[key])
        # A new pod has got the field from its annotation by now: that the two agree tells where it came from.
        copied = path == _ROOT and given is not None and given == said
        shared = whole.app_armor_profile if whole is not None else None
        if copied or (given is None and (path != _ROOT or said is None) and (shared is None or shared != said)):
            warnings.append(f'{here.key(key)}: deprecated since v1.30; use the "appArmorProfile" field instead')
    return warnings


# --- Containers


def _of_container(container: Container | EphemeralContainer, path: Path) -> list[str]:
    resources = container.resources
    warnings: list[str] = []
    if amounts.are_fractional(resources.limits, _BYTES) or amounts.are_fractional(resources.requests, _BYTES):
        where = path.child("resources")
        for name in _BYTES:
            warnings += amounts.of_bytes(resources.limits, (name,), where.child("limits"))
            warnings += amounts.of_bytes(resources.requests, (name,), where.child("requests"))
    return warnings + _of_environment(container.env, path.child("env")) if len(container.env) > 1 else warnings


def _of_environment(variables: Sequence[EnvVar], path: Path) -> list[str]:
    warnings: list[str] = []
    seen: set[str] = set()
    for index, variable in enumerate(variables):
        if variable.name in seen and not _builds_on(variable):
            told = f"hides previous definition of {quoted(variable.name)}, which may be dropped when using apply"
            warnings.append(f"{path.index(index)}: {told}")
        seen.add(variable.name)
    return warnings


def _builds_on(variable: EnvVar) -> bool:
    """Whether a later definition uses the former one of the same name, and adds to it."""
    before = f"$({variable.name})"
    return variable.value_from is None and before in variable.value and variable.value != before


def _of_pull_secrets(called: Sequence[str], path: Path) -> list[str]:
    where = path.child("imagePullSecrets")
    empty = [where.index(index).child("name") for index, name in enumerate(called) if not name]
    return _of_repeated("name", called, where) + [f'{place}: invalid empty name ""' for place in empty]


def _of_repeated(field: str, values: Iterable[str], path: Path) -> list[str]:
    warnings: list[str] = []
    seen: set[str] = set()
    for index, value in enumerate(values):
        if value in seen:
            warnings.append(f"{path.index(index).child(field)}: duplicate {field} {quoted(value)}")
        seen.add(value)
    return warnings


def _of_addresses(spec: PodSpec, path: Path) -> list[str]:
    warnings: list[str] = []
    if spec.dns_config is not None:
        for index, server in enumerate(spec.dns_config.nameservers):
            warnings += addresses.of_ip(server, path.child("dnsConfig", "nameservers").index(index))
    for index, alias in enumerate(spec.host_aliases):
        warnings += addresses.of_ip(alias.ip, path.child("hostAliases").index(index).child("ip"))
    return warnings
