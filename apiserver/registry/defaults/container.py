"""Defaults of containers of every sort: pull policy, termination message, ports, environment, probes, resources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from apiserver.registry.defaults import image, resources
from steersman.api.core import (
    Container,
    ContainerPort,
    EnvVar,
    EphemeralContainer,
    HTTPGetAction,
    Lifecycle,
    LifecycleHandler,
    ObjectFieldSelector,
    Probe,
)
from steersman.api.part import Part

TERMINATION_MESSAGE_PATH = "/dev/termination-log"

AnyContainer = TypeVar("AnyContainer", Container, EphemeralContainer)
_Struct = TypeVar("_Struct", bound=Part)


def default_container(container: AnyContainer) -> AnyContainer:
    changes: dict[str, Any] = {}
    if not container.image_pull_policy:
        changes["image_pull_policy"] = image.pull_policy(container.image)
    if not container.termination_message_path:
        changes["termination_message_path"] = TERMINATION_MESSAGE_PATH
    if not container.termination_message_policy:
        changes["termination_message_policy"] = "File"
    if container.ports:
        note(changes, "ports", container.ports, each(container.ports, _default_port))
    if container.env:
        note(changes, "env", container.env, each(container.env, _default_variable))
    note(changes, "resources", container.resources, resources.rounded_requirements(container.resources))
    if container.liveness_probe is not None:
        note(changes, "liveness_probe", container.liveness_probe, _default_probe(container.liveness_probe))
    if container.readiness_probe is not None:
        note(changes, "readiness_probe", container.readiness_probe, _default_probe(container.readiness_probe))
    if container.startup_probe is not None:
        note(changes, "startup_probe", container.startup_probe, _default_probe(container.startup_probe))
    if container.lifecycle is not None:
        note(changes, "lifecycle", container.lifecycle, _default_lifecycle(container.lifecycle))
    return replace(container, **changes) if changes else container


def default_field_selector(selector: ObjectFieldSelector) -> ObjectFieldSelector:
    return selector if selector.api_version else replace(selector, api_version="v1")


def each(items: tuple[_Struct, ...], default: Callable[[_Struct], _Struct]) -> tuple[_Struct, ...]:
    """Every item with its defaults; the same tuple if no item lacked any, so that callers can tell by identity."""
    defaulted = tuple(map(default, items))
    return items if all(map(_same, items, defaulted)) else defaulted


def note(changes: dict[str, Any], name: str, before: object, after: object) -> None:
    """Remember a field that defaulting changed."""
    if after is not before:
        changes[name] = after


def _same(before: object, after: object) -> bool:
    return before is after


def _default_port(port: ContainerPort) -> ContainerPort:
    return port if port.protocol else replace(port, protocol="TCP")


def _default_variable(variable: EnvVar) -> EnvVar:
    source = variable.value_from
    if source is None:
        return variable
    changes: dict[str, Any] = {}
    if source.field_ref is not None:
        note(changes, "field_ref", source.field_ref, default_field_selector(source.field_ref))
    if source.file_key_ref is not None and source.file_key_ref.optional is None:
        changes["file_key_ref"] = replace(source.file_key_ref, optional=False)
    return replace(variable, value_from=replace(source, **changes)) if changes else variable


def _default_probe(probe: Probe) -> Probe:
    changes: dict[str, Any] = {}
    if probe.timeout_seconds == 0:
        changes["timeout_seconds"] = 1
    if probe.period_seconds == 0:
        changes["period_seconds"] = 10
    if probe.success_threshold == 0:
        changes["success_threshold"] = 1
    if probe.failure_threshold == 0:
        changes["failure_threshold"] = 3
    if probe.http_get is not None:
        note(changes, "http_get", probe.http_get, _default_http_get(probe.http_get))
    if probe.grpc is not None and probe.grpc.service is None:
        changes["grpc"] = replace(probe.grpc, service="")
    return replace(probe, **changes) if changes else probe


def _default_http_get(action: HTTPGetAction) -> HTTPGetAction:
    if action.path and action.scheme:
        return action
    return replace(action, path=action.path or "/", scheme=action.scheme or "HTTP")


def _default_lifecycle(lifecycle: Lifecycle) -> Lifecycle:
    changes: dict[str, Any] = {}
    if lifecycle.post_start is not None:
        note(changes, "post_start", lifecycle.post_start, _default_handler(lifecycle.post_start))
    if lifecycle.pre_stop is not None:
        note(changes, "pre_stop", lifecycle.pre_stop, _default_handler(lifecycle.pre_stop))
    return replace(lifecycle, **changes) if changes else lifecycle


def _default_handler(handler: LifecycleHandler) -> LifecycleHandler:
    action = handler.http_get
    if action is None:
        return handler
    defaulted = _default_http_get(action)
    return handler if defaulted is action else replace(handler, http_get=defaulted)
