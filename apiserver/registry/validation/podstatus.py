"""Rules for a pod's status: what the agent may report, and what it may not take back.

A container that ended for good stays ended, the class of service never changes, and addresses are addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from apiserver.registry.validation import addresses, checks, podclaims
from steersman.api import fields, names
from steersman.api.core import (
    Container,
    ContainerRestartRule,
    ContainerStatus,
    HostIP,
    LinuxContainerUser,
    Pod,
    PodCondition,
    PodIP,
    PodSpec,
    ResourceHealth,
    ResourceStatus,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

MAX_HEALTH_MESSAGE = 1024

_STATUS = Path("status")
_OWN_CONDITIONS = frozenset({"PodScheduled", "Ready", "Initialized"})
_HEALTHS = ("Healthy", "Unhealthy", "Unknown")
_NOT_NEGATIVE = "must be a non-negative integer"
_ENDED = "may not be transitioned to non-terminated state"


def validate_pod_status_update(new: Pod, old: Pod) -> list[Cause]:
    status, before = new.status, old.status
    causes = _validate_conditions(status.conditions, _STATUS.child("conditions"))
    causes += _validate_nomination(new, old)
    if status.observed_generation < 0:
        where = _STATUS.child("observedGeneration")
        causes.append(fields.invalid(where, status.observed_generation, _NOT_NEGATIVE))
    if status.qos_class != before.qos_class:
        causes.append(fields.invalid(_STATUS.child("qosClass"), status.qos_class, "field is immutable"))
    causes += _validate_transitions(new, old)
    claims = _STATUS.child("resourceClaimStatuses")
    causes += podclaims.validate_claims(status.resource_claim_statuses, new.spec.resource_claims, claims)
    extended = _STATUS.child("extendedResourceClaimStatus")
    causes += podclaims.validate_extended(status.extended_resource_claim_status, new.spec, extended)
    causes += _validate_addresses(new, old)
    for shown, statuses, containers in (
        ("containerStatuses", status.container_statuses, new.spec.containers),
        ("initContainerStatuses", status.init_container_statuses, new.spec.init_containers),
        ("ephemeralContainerStatuses", status.ephemeral_container_statuses, None),
    ):
        causes += _validate_users(statuses, new.spec, _STATUS.child(shown))
        causes += _validate_devices(statuses, containers, _STATUS.child(shown))
    return causes


def _validate_conditions(conditions: tuple[PodCondition, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, condition in enumerate(conditions):
        if condition.observed_generation < 0:
            where = path.index(index).child("observedGeneration")
            causes.append(fields.invalid(where, condition.observed_generation, _NOT_NEGATIVE))
        if condition.type not in _OWN_CONDITIONS:
            causes += checks.name(condition.type, path.index(index).child("Type"), names.qualified_name)
    return causes


def _validate_nomination(new: Pod, old: Pod) -> list[Cause]:
    nominated = new.status.nominated_node_name
    if not nominated or nominated == old.status.nominated_node_name:
        return []
    where = _STATUS.child("nominatedNodeName")
    causes = checks.name(nominated, where, names.dns_subdomain)
    if old.spec.node_name:
        causes.append(fields.forbidden(where, "may not be set on pods that are already bound to a node"))
    return causes


# --- Ended is ended


def _validate_transitions(new: Pod, old: Pod) -> list[Cause]:
    spec = old.spec
    causes: list[Cause] = []
    if not _may_all_restart(spec):
        for shown, now, before, containers in (
            ("containerStatuses", new.status.container_statuses, old.status.container_statuses, spec.containers),
            (
                "initContainerStatuses",
                new.status.init_container_statuses,
                old.status.init_container_statuses,
                spec.init_containers,
            ),
        ):
            by_name = {container.name: container for container in containers}
            causes += _validate_ended(now, before, _STATUS.child(shown), _restarts(by_name, spec.restart_policy))
    where = _STATUS.child("ephemeralContainerStatuses")
    now, before = new.status.ephemeral_container_statuses, old.status.ephemeral_container_statuses
    return causes + _validate_ended(now, before, where, lambda _name, _code: False)


def _validate_ended(
    new: Sequence[ContainerStatus],
    old: Sequence[ContainerStatus],
    path: Path,
    may_restart: Callable[[str, int], bool],
) -> list[Cause]:
    causes: list[Cause] = []
    alive = {status.name for status in new if status.state.terminated is None}
    for index, before in enumerate(old):
        if before.state.terminated is None:
            continue
        if before.name in alive and not may_restart(before.name, before.state.terminated.exit_code):
            causes.append(fields.forbidden(path.index(index).child("state"), _ENDED))
    return causes


def _restarts(containers: dict[str, Container], pod_policy: str) -> Callable[[str, int], bool]:
    def may_restart(name: str, exit_code: int) -> bool:
        container = containers.get(name)
        if container is None:
            return False
        policy = pod_policy
        if container.restart_policy is not None:
            if any(_matches(rule, exit_code) for rule in container.restart_policy_rules):
                return True
            policy = container.restart_policy
        return exit_code != 0 if policy == "OnFailure" else policy != "Never"

    return may_restart


def _matches(rule: ContainerRestartRule, exit_code: int) -> bool:
    if rule.exit_codes is None:
        return False
    listed = exit_code in rule.exit_codes.values
    return listed if rule.exit_codes.operator == "In" else not listed


def _may_all_restart(spec: PodSpec) -> bool:
    """Whether one container's rule may restart the whole pod, ended containers included."""
    return any(
        rule.action == "RestartAllContainers"
        for container in (*spec.init_containers, *spec.containers)
        for rule in container.restart_policy_rules
    )


# --- Addresses


def _validate_addresses(new: Pod, old: Pod) -> list[Cause]:
    where = _STATUS.child("podIPs")
    causes = _validate_ips(new.status.pod_ips, {entry.ip for entry in old.status.pod_ips}, where)
    where = _STATUS.child("hostIPs")
    entries = new.status.host_ips
    if entries and entries[0].ip != new.status.host_ip:
        causes.append(fields.invalid(where.index(0).child("ip"), entries[0].ip, "must be equal to `hostIP`"))
    return causes + _validate_ips(entries, {entry.ip for entry in old.status.host_ips}, where)


def _validate_ips(entries: Sequence[PodIP | HostIP], known: Collection[str], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, entry in enumerate(entries):
        causes += addresses.validate_ip(entry.ip, path.index(index), known)
    if len(entries) < 2:
        return causes
    parsed = [addresses.parse(addresses.without_leading_zeros(entry.ip)) for entry in entries]
    for address, entry in zip(parsed, entries, strict=True):
        if address is None:
            why = f"failed to check for dual stack with error:invalid IP: {entry.ip}"
            causes.append(fields.internal(path, why))
            break
    families = {address.version for address in parsed if address is not None}
    if None in parsed or len(families) < 2 or len(entries) > 2:
        shown = [{"IP": entry.ip} for entry in entries]
        causes.append(fields.invalid(path, shown, "may specify no more than one IP for each IP family"))
    return causes


# --- Users and devices of containers


def _validate_users(statuses: tuple[ContainerStatus, ...], spec: PodSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, status in enumerate(statuses):
        if status.user is None or status.user.linux is None:
            continue
        where = path.index(index).child("user").child("linux")
        if spec.os is not None and spec.os.name == "windows":
            causes.append(fields.forbidden(where, "cannot be set for a windows pod"))
        else:
            causes += _validate_linux_user(status.user.linux, where)
    return causes


def _validate_linux_user(user: LinuxContainerUser, path: Path) -> list[Cause]:
    causes = checks.user_or_group_id(user.uid, path.child("uid"))
    causes += checks.user_or_group_id(user.gid, path.child("gid"))
    for index, group in enumerate(user.supplemental_groups):
        causes += checks.user_or_group_id(group, path.child("supplementalGroups").index(index))
    return causes


def _validate_devices(
    statuses: tuple[ContainerStatus, ...], containers: tuple[Container, ...] | None, path: Path
) -> list[Cause]:
    """`containers`: None for ephemeral ones, which have no devices."""
    causes: list[Cause] = []
    by_name = {container.name: container for container in containers or ()}
    for index, status in enumerate(statuses):
        if not status.allocated_resources_status:
            continue
        where = path.index(index).child("allocatedResourcesStatus")
        if containers is None:
            causes.append(fields.forbidden(where, "must not be specified in container status"))
            continue
        container = by_name.get(status.name)
        for position, resource in enumerate(status.allocated_resources_status):
            if container is not None:
                causes += _validate_was_asked_for(resource, container, where.index(position).child("name"))
            causes += _validate_health(resource.resources, where.index(position).child("resources"))
    return causes


def _validate_was_asked_for(resource: ResourceStatus, container: Container, path: Path) -> list[Cause]:
    if not resource.name.startswith("claim:"):
        detail = "must match one of the container's resource requests"
        return [] if resource.name in container.resources.requests else [fields.invalid(path, resource.name, detail)]
    claims = {
        f"claim:{claim.name}/{claim.request}" if claim.request else f"claim:{claim.name}"
        for claim in container.resources.claims
    }
    detail = (
        "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' "
        "or 'claim:<claimName>' if request is empty"
    )
    return [] if resource.name in claims else [fields.invalid(path, resource.name, detail)]


def _validate_health(resources: tuple[ResourceHealth, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, resource in enumerate(resources):
        where = path.index(index)
        causes += checks.choice(resource.health, where.child("health"), _HEALTHS)
        if resource.message == "":
            causes.append(fields.required(where.child("message"), "must be non-empty if specified"))
        elif resource.message is not None and len(resource.message.encode()) > MAX_HEALTH_MESSAGE:
            causes.append(fields.too_long(where.child("message"), MAX_HEALTH_MESSAGE))
        if resource.resource_id in seen:
            causes.append(fields.duplicate(where.child("resourceID"), resource.resource_id))
        seen.add(resource.resource_id)
    return causes
