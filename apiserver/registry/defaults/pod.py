"""Defaults of pods and of the templates that workloads make pods from.

The two differ: a template stays close to what the user wrote, a pod says everything. Only pods get requests copied from
limits, host ports of the host's network and `enableServiceLinks`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults import birth, resources
from apiserver.registry.defaults.container import default_container, each, note
from apiserver.registry.defaults.volume import default_volume
from steersman.api.core import (
    Container,
    ContainerPort,
    Pod,
    PodSecurityContext,
    PodSpec,
    PodTemplateSpec,
)

TERMINATION_GRACE_PERIOD_SECONDS = 30
SCHEDULER = "default-scheduler"

_NO_SECURITY_CONTEXT = PodSecurityContext()


def default_pod(pod: Pod) -> Pod:
    """A pod with everything the user left out; a pod without any status is new and gets its first one."""
    given = pod.spec
    changes = _changes(given, _of_pod_on_host_network if given.host_network else _of_pod)
    if given.enable_service_links is None:
        changes["enable_service_links"] = True
    spec = replace(given, **changes) if changes else given
    if spec.resources is not None:
        whole = resources.of_whole_pod(spec)
        if whole is not spec.resources:
            spec = replace(spec, resources=whole)
    if spec is not given:
        pod = replace(pod, spec=spec)
    return birth.first_state(pod) if birth.is_newborn(pod) else pod


def default_pod_template(template: PodTemplateSpec) -> PodTemplateSpec:
    spec = default_pod_spec(template.spec)
    return template if spec is template.spec else replace(template, spec=spec)


def default_pod_spec(spec: PodSpec) -> PodSpec:
    """The spec of a template with its defaults."""
    changes = _changes(spec, default_container)
    return replace(spec, **changes) if changes else spec


def _changes(spec: PodSpec, of_container: Callable[[Container], Container]) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if spec.volumes:
        note(changes, "volumes", spec.volumes, each(spec.volumes, default_volume))
    if spec.init_containers:
        note(changes, "init_containers", spec.init_containers, each(spec.init_containers, of_container))
    note(changes, "containers", spec.containers, each(spec.containers, of_container))
    if spec.ephemeral_containers:
        ephemeral = each(spec.ephemeral_containers, default_container)
        note(changes, "ephemeral_containers", spec.ephemeral_containers, ephemeral)
    if not spec.restart_policy:
        changes["restart_policy"] = "Always"
    if spec.termination_grace_period_seconds is None:
        changes["termination_grace_period_seconds"] = TERMINATION_GRACE_PERIOD_SECONDS
    if not spec.dns_policy:
        changes["dns_policy"] = "ClusterFirst"
    if spec.security_context is None:
        changes["security_context"] = _NO_SECURITY_CONTEXT
    if not spec.scheduler_name:
        changes["scheduler_name"] = SCHEDULER
    # Two spellings of one field; the newer wins, and both are written.
    account = spec.service_account_name or spec.service_account
    if account != spec.service_account_name:
        changes["service_account_name"] = account
    if account != spec.service_account:
        changes["service_account"] = account
    if spec.overhead:
        note(changes, "overhead", spec.overhead, resources.rounded(spec.overhead))
    if spec.resources is not None:
        note(changes, "resources", spec.resources, resources.rounded_requirements(spec.resources))
    return changes


def _of_pod(container: Container) -> Container:
    container = default_container(container)
    if not container.resources.limits:
        return container
    wanted = resources.with_requests_from_limits(container.resources)
    return container if wanted is container.resources else replace(container, resources=wanted)


def _of_pod_on_host_network(container: Container) -> Container:
    container = _of_pod(container)
    ports = each(container.ports, _port_of_host)
    return container if ports is container.ports else replace(container, ports=ports)


def _port_of_host(port: ContainerPort) -> ContainerPort:
    return replace(port, host_port=port.container_port) if port.host_port == 0 else port
