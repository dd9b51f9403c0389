"""Rules for a pod's lists of containers: regular, init and ephemeral ones, and names that are unique among all."""

from __future__ import annotations

from apiserver.registry.validation import container as single
from apiserver.registry.validation import probes
from apiserver.registry.validation.container import Surroundings
from steersman.api import fields, podresources
from steersman.api.core import Container, EphemeralContainer
from steersman.api.errors import Cause
from steersman.api.fields import Path

_NOT_FOR_INIT = "may not be set for init containers without restartPolicy=Always"
_NOT_FOR_EPHEMERAL = "cannot be set for an Ephemeral Container"
_LIFE = (
    ("lifecycle", "lifecycle"),
    ("liveness_probe", "livenessProbe"),
    ("readiness_probe", "readinessProbe"),
    ("startup_probe", "startupProbe"),
)
_SERVING = (
    ("ports", "ports"),
    ("resources", "resources"),
    ("resize_policy", "resizePolicy"),
    ("restart_policy", "restartPolicy"),
    ("restart_policy_rules", "restartPolicyRules"),
    ("liveness_probe", "livenessProbe"),
    ("readiness_probe", "readinessProbe"),
    ("startup_probe", "startupProbe"),
    ("lifecycle", "lifecycle"),
)
"""What a container has that serves; an ephemeral one only looks around."""

_UNSET = Container()


def validate_containers(surroundings: Surroundings, path: Path) -> list[Cause]:
    containers = surroundings.spec.containers
    if not containers:
        return [fields.required(path)]
    causes: list[Cause] = []
    taken: set[str] = set()
    for index, container in enumerate(containers):
        where = path.index(index)
        causes += single.validate_container(container, surroundings, where)
        if container.name in taken:
            causes.append(fields.duplicate(where.child("name"), container.name))
        taken.add(container.name)
        causes += _validate_life(container, surroundings, where)
        if container.restart_policy is not None or container.restart_policy_rules:
            policy, rules = container.restart_policy, container.restart_policy_rules
            causes += single.validate_restart_policy(policy, rules, where)
    return causes + single.validate_host_ports(containers, path)


def validate_init_containers(surroundings: Surroundings, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    taken = {container.name for container in surroundings.spec.containers}
    for index, container in enumerate(surroundings.spec.init_containers):
        where = path.index(index)
        causes += single.validate_container(container, surroundings, where)
        if container.restart_policy is not None:
            policy, rules = container.restart_policy, container.restart_policy_rules
            causes += single.validate_restart_policy(policy, rules, where)
        elif container.restart_policy_rules:
            causes.append(fields.required(where.child("restartPolicy"), single.RULES_NEED_POLICY))
        if container.name in taken:
            causes.append(fields.duplicate(where.child("name"), container.name))
        elif container.name:
            taken.add(container.name)
        # Init containers run one by one; each is alone with its ports. Kubernetes counts from zero for each.
        causes += single.validate_host_ports((container,), path)
        if podresources.is_sidecar(container):
            causes += _validate_life(container, surroundings, where)
        else:
            causes += _validate_passing(container, where)
    return causes


def validate_ephemeral_containers(surroundings: Surroundings, path: Path) -> list[Cause]:
    spec = surroundings.spec
    causes: list[Cause] = []
    targets = {container.name for container in (*spec.containers, *spec.init_containers)}
    taken = set(targets)
    for index, container in enumerate(spec.ephemeral_containers):
        where = path.index(index)
        causes += single.validate_container(container, surroundings, where)
        if container.image != container.image.strip():
            causes.append(fields.invalid(where.child("image"), container.image, single.PADDED_IMAGE))
        if container.name in taken:
            causes.append(fields.duplicate(where.child("name"), container.name))
        taken.add(container.name)
        if container.target_container_name and container.target_container_name not in targets:
            causes.append(fields.not_found(where.child("targetContainerName"), container.target_container_name))
        causes += _validate_only_looking(container, where)
    return causes


def _validate_life(container: Container, surroundings: Surroundings, path: Path) -> list[Cause]:
    grace = surroundings.spec.termination_grace_period_seconds
    causes: list[Cause] = []
    if container.lifecycle is not None:
        where = path.child("lifecycle")
        causes += probes.validate_lifecycle(container.lifecycle, grace, surroundings.os_name, where)
    return causes + probes.validate_probes(container, grace, path)


def _validate_passing(container: Container, path: Path) -> list[Cause]:
    """An init container that ends has nothing to be probed for, and nothing to restart when resized."""
    causes = [
        fields.forbidden(path.child(shown), _NOT_FOR_INIT)
        for attribute, shown in _LIFE
        if getattr(container, attribute) is not None
    ]
    for index, policy in enumerate(container.resize_policy):
        if policy.restart_policy == "RestartContainer":
            where = path.child("resizePolicy").index(index).child("restartPolicy")
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            causes.append(fields.invalid(where, policy.restart_policy, detail))
    return causes


def _validate_only_looking(container: EphemeralContainer, path: Path) -> list[Cause]:
    causes = [
        fields.forbidden(path.child(shown), _NOT_FOR_EPHEMERAL)
        for attribute, shown in _SERVING
        if getattr(container, attribute) != getattr(_UNSET, attribute)
    ]
    for index, mount in enumerate(container.volume_mounts):
        where = path.child("volumeMounts").index(index)
        if mount.sub_path:
            causes.append(fields.forbidden(where.child("subPath"), _NOT_FOR_EPHEMERAL))
        if mount.sub_path_expr:
            causes.append(fields.forbidden(where.child("subPathExpr"), _NOT_FOR_EPHEMERAL))
    return causes
