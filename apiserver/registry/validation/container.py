"""Rules for one container of whatever sort: name, image, ports, restart and resize policies, and all that it holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from apiserver.registry.validation import checks, environment, mounts, resources, security
from steersman.api import fields, names
from steersman.api.core import (
    Container,
    ContainerPort,
    ContainerResizePolicy,
    ContainerRestartRule,
    EphemeralContainer,
    PodSpec,
    Volume,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

PROTOCOLS = ("SCTP", "TCP", "UDP")
PULL_POLICIES = ("Always", "IfNotPresent", "Never")
RESTART_POLICIES = ("Always", "Never", "OnFailure")
MAX_RESTART_RULES = 20
MAX_EXIT_CODES = 255
PADDED_IMAGE = "must not have leading or trailing whitespace"
RULES_NEED_POLICY = "must specify restartPolicy when restart rules are used"

_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_RESIZABLE = ("cpu", "memory")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_RESTART_ACTIONS = ("Restart", "RestartAllContainers")
_EXIT_CODE_OPERATORS = ("In", "NotIn")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the rules of a container must know about its pod. `volumes` are the valid ones, by name."""

    spec: PodSpec
    volumes: Mapping[str, Volume]
    claim_names: Collection[str]

    @property
    def host_users(self) -> bool:
        return self.spec.host_users is not False

    @property
    def os_name(self) -> str | None:
        return None if self.spec.os is None else self.spec.os.name


def validate_container(
    container: Container | EphemeralContainer, surroundings: Surroundings, path: Path
) -> list[Cause]:
    """What holds for every sort of container."""
    causes: list[Cause] = []
    if not container.name:
        causes.append(fields.required(path.child("name")))
    elif complaints := checks.complaints(names.dns_label, container.name):
        causes += [fields.invalid(path.child("name"), container.name, complaint) for complaint in complaints]
    if not container.image:
        causes.append(fields.required(path.child("image")))
    if container.termination_message_policy not in _MESSAGE_POLICIES:
        where = path.child("terminationMessagePolicy")
        causes += checks.required_choice(container.termination_message_policy, where, _MESSAGE_POLICIES)
    if container.ports:
        causes += _validate_ports(container.ports, path.child("ports"))
    if container.env:
        causes += environment.validate_environment(container.env, path.child("env"))
    if container.env_from:
        causes += environment.validate_environment_sources(container.env_from, path.child("envFrom"))
    if container.volume_mounts:
        causes += mounts.validate_mounts(container, surroundings.volumes, path.child("volumeMounts"))
    if container.volume_devices:
        causes += mounts.validate_devices(container, surroundings.volumes, path.child("volumeDevices"))
    if container.image_pull_policy not in PULL_POLICIES:
        where = path.child("imagePullPolicy")
        causes += checks.required_choice(container.image_pull_policy, where, PULL_POLICIES)
    if not resources.is_ordinary(container.resources):
        where = path.child("resources")
        causes += resources.validate_container_resources(container.resources, surroundings.claim_names, where)
    if container.resize_policy:
        where = path.child("resizePolicy")
        causes += _validate_resize_policies(container.resize_policy, surroundings.spec.restart_policy, where)
    if container.security_context is not None:
        where = path.child("securityContext")
        host_users = surroundings.host_users
        causes += security.validate_container_context(container.security_context, where, host_users=host_users)
    return causes


def validate_images_of_pod(containers: Iterable[Container | EphemeralContainer], path: Path) -> list[Cause]:
    """Templates may carry padding, as some tools use a blank image for "to be filled in"; pods may not."""
    return [
        fields.invalid(path.index(index).child("image"), container.image, PADDED_IMAGE)
        for index, container in enumerate(containers)
        if container.image != container.image.strip()
    ]


def validate_restart_policy(policy: str | None, rules: tuple[ContainerRestartRule, ...], path: Path) -> list[Cause]:
    if policy is None:
        causes = [fields.required(path.child("restartPolicy"), RULES_NEED_POLICY)] if rules else []
    else:
        causes = checks.choice(policy, path.child("restartPolicy"), RESTART_POLICIES)
    where = path.child("restartPolicyRules")
    if len(rules) > MAX_RESTART_RULES:
        causes.append(fields.too_many(where, len(rules), MAX_RESTART_RULES))
    for index, rule in enumerate(rules):
        causes += _validate_restart_rule(rule, where.index(index))
    return causes


def validate_host_ports(containers: Collection[Container], path: Path) -> list[Cause]:
    """No port of the host is wanted twice."""
    causes: list[Cause] = []
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for position, port in enumerate(container.ports):
            if port.host_port == 0:
                continue
            address = f"{port.protocol}/{port.host_ip}/{port.host_port}"
            if address in taken:
                where = path.index(index).child("ports").index(position).child("hostPort")
                causes.append(fields.duplicate(where, address))
            taken.add(address)
    return causes


def _validate_ports(ports: tuple[ContainerPort, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    taken: set[str] = set()
    for index, port in enumerate(ports):
        if port.name:
            if complaints := checks.complaints(names.port_name, port.name):
                where = path.index(index).child("name")
                causes += [fields.invalid(where, port.name, complaint) for complaint in complaints]
            elif port.name in taken:
                causes.append(fields.duplicate(path.index(index).child("name"), port.name))
            else:
                taken.add(port.name)
        if port.container_port == 0:
            causes.append(fields.required(path.index(index).child("containerPort")))
        elif not 0 < port.container_port < 65536:
            causes += checks.port_number(port.container_port, path.index(index).child("containerPort"))
        if port.host_port:
            causes += checks.port_number(port.host_port, path.index(index).child("hostPort"))
        if port.protocol not in PROTOCOLS:
            causes += checks.required_choice(port.protocol, path.index(index).child("protocol"), PROTOCOLS)
    return causes


def _validate_resize_policies(
    policies: tuple[ContainerResizePolicy, ...], restart_policy: str, path: Path
) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        if policy.resource_name in seen:
            causes.append(fields.duplicate(path.index(index), policy.resource_name))
        seen.add(policy.resource_name)
        # Kubernetes names the list, not the item, from here on.
        causes += checks.required_choice(policy.resource_name, path, _RESIZABLE)
        causes += checks.required_choice(policy.restart_policy, path, _RESIZE_POLICIES)
        if restart_policy == "Never" and policy.restart_policy != "NotRequired":
            detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            causes.append(fields.invalid(path, policy.restart_policy, detail))
    return causes


def _validate_restart_rule(rule: ContainerRestartRule, path: Path) -> list[Cause]:
    causes = checks.choice(rule.action, path.child("action"), _RESTART_ACTIONS)
    where = path.child("exitCodes")
    if rule.exit_codes is None:
        return [*causes, fields.required(where, "must be specified")]
    causes += checks.choice(rule.exit_codes.operator, where.child("operator"), _EXIT_CODE_OPERATORS)
    if len(rule.exit_codes.values) > MAX_EXIT_CODES:
        causes.append(fields.too_many(where.child("values"), len(rule.exit_codes.values), MAX_EXIT_CODES))
    return causes
