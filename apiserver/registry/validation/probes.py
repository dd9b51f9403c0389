"""Rules for what the agent asks of a container: probes, lifecycle hooks and the signal to stop."""

from __future__ import annotations

from collections.abc import Sequence

from apiserver.registry.validation import checks
from steersman.api import choices, fields, names
from steersman.api.core import Container, HTTPGetAction, Lifecycle, LifecycleHandler, Probe
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.part import IntOrString

_SCHEMES = ("HTTP", "HTTPS")
_SEVERAL_HANDLERS = "may not specify more than 1 handler type"
_WINDOWS_SIGNALS = ("SIGKILL", "SIGTERM")


def validate_probes(container: Container, grace_period_seconds: int | None, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if container.liveness_probe is not None:
        causes += _validate_watchdog(container.liveness_probe, grace_period_seconds, path.child("livenessProbe"))
    if container.readiness_probe is not None:
        where = path.child("readinessProbe")
        probe = container.readiness_probe
        causes += _validate_probe(probe, grace_period_seconds, where)
        if probe.termination_grace_period_seconds is not None:
            where = where.child("terminationGracePeriodSeconds")
            detail = "must not be set for readinessProbes"
            causes.append(fields.invalid(where, probe.termination_grace_period_seconds, detail))
    if container.startup_probe is not None:
        causes += _validate_watchdog(container.startup_probe, grace_period_seconds, path.child("startupProbe"))
    return causes


def validate_lifecycle(
    lifecycle: Lifecycle, grace_period_seconds: int | None, os_name: str | None, path: Path
) -> list[Cause]:
    """`os_name`: None where the pod does not say which system it is for."""
    causes: list[Cause] = []
    if lifecycle.post_start is not None:
        causes += _validate_handler(lifecycle.post_start, grace_period_seconds, path.child("postStart"))
    if lifecycle.pre_stop is not None:
        causes += _validate_handler(lifecycle.pre_stop, grace_period_seconds, path.child("preStop"))
    if lifecycle.stop_signal is not None:
        causes += _validate_signal(lifecycle.stop_signal, os_name, path.child("stopSignal"))
    return causes


def validate_port_reference(port: IntOrString, path: Path) -> list[Cause]:
    """A port by number, or by the name that a container port has."""
    if isinstance(port, str):
        return checks.name(port, path, names.port_name)
    return checks.port_number(port, path)


def _validate_watchdog(probe: Probe, grace_period_seconds: int | None, path: Path) -> list[Cause]:
    """Liveness and startup: one success is enough."""
    causes = _validate_probe(probe, grace_period_seconds, path)
    if probe.success_threshold != 1:
        causes.append(fields.invalid(path.child("successThreshold"), probe.success_threshold, "must be 1"))
    return causes


def _validate_probe(probe: Probe, grace_period_seconds: int | None, path: Path) -> list[Cause]:
    causes = _validate_handler(probe, grace_period_seconds, path)
    numbers = (
        probe.initial_delay_seconds,
        probe.timeout_seconds,
        probe.period_seconds,
        probe.success_threshold,
        probe.failure_threshold,
    )
    if min(numbers) < 0:
        for shown, number in zip(_PROBE_NUMBERS, numbers, strict=True):
            causes += checks.not_negative(number, path.child(shown))
    grace = probe.termination_grace_period_seconds
    if grace is not None and grace <= 0:
        where = path.child("terminationGracePeriodSeconds")
        causes.append(fields.invalid(where, grace, "must be greater than 0"))
    return causes


_PROBE_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def _validate_handler(handler: Probe | LifecycleHandler, grace_period_seconds: int | None, path: Path) -> list[Cause]:
    """Exactly one way to ask; the first one given is looked at, the others are too many."""
    causes: list[Cause] = []
    count = 0
    for attribute, shown in _PROBE_HANDLERS if isinstance(handler, Probe) else _HOOK_HANDLERS:
        action = getattr(handler, attribute)
        if action is None:
            continue
        count += 1
        if count > 1:
            causes.append(fields.forbidden(path.child(shown), _SEVERAL_HANDLERS))
        elif attribute == "exec":
            if not action.command:
                causes.append(fields.required(path.child("exec").child("command")))
        elif attribute == "http_get":
            causes += _validate_http_get(action, path.child("httpGet"))
        elif attribute == "sleep":
            causes += _validate_sleep(action.seconds, grace_period_seconds, path.child("sleep"))
        else:
            causes += validate_port_reference(action.port, path.child(shown).child("port"))
    if count == 0:
        causes.append(fields.required(path, "must specify a handler type"))
    return causes


_Handlers = Sequence[tuple[str, str]]
_PROBE_HANDLERS: _Handlers = (
    ("exec", "exec"),
    ("http_get", "httpGet"),
    ("tcp_socket", "tcpSocket"),
    ("grpc", "grpc"),
)
_HOOK_HANDLERS: _Handlers = (
    ("exec", "exec"),
    ("http_get", "httpGet"),
    ("tcp_socket", "tcpSocket"),
    ("sleep", "sleep"),
)


def _validate_http_get(action: HTTPGetAction, path: Path) -> list[Cause]:
    causes = [] if action.path else [fields.required(path.child("path"))]
    causes += validate_port_reference(action.port, path.child("port"))
    causes += checks.choice(action.scheme, path.child("scheme"), _SCHEMES)
    for header in action.http_headers:
        causes += checks.name(header.name, path.child("httpHeaders"), names.http_header_name)
    return causes


def _validate_sleep(seconds: int, grace_period_seconds: int | None, path: Path) -> list[Cause]:
    # Without a grace period something else is wrong, and is complained about elsewhere.
    if grace_period_seconds is None or 0 <= seconds <= grace_period_seconds:
        return []
    detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_period_seconds})"
    return [fields.invalid(path, seconds, detail)]


def _validate_signal(signal: str, os_name: str | None, path: Path) -> list[Cause]:
    if os_name is None:
        return [fields.forbidden(path, "may not be set for containers with empty `spec.os.name`")]
    if os_name == "windows":
        return checks.choice(signal, path, _WINDOWS_SIGNALS)
    return checks.choice(signal, path, choices.SIGNALS) if os_name == "linux" else []
