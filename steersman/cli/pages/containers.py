"""The containers of a pod or of a template: image, ports, state, resources, probes, environment, mounts. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from steersman.api import quantity
from steersman.api.core import (
    Container,
    ContainerPort,
    ContainerState,
    ContainerStatus,
    EnvVar,
    EphemeralContainer,
    Pod,
    Probe,
    ResourceFieldSelector,
    ResourceRequirements,
)
from steersman.cli.pages import page as pages
from steersman.cli.pages.page import NONE, Page, flag

AnyContainer = Container | EphemeralContainer

_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")


def write(
    page: Page,
    label: str,
    containers: Sequence[AnyContainer],
    statuses: Sequence[ContainerStatus] = (),
    pod: Pod | None = None,
) -> None:
    """`pod` None: they are those of a template, which stand a little deeper."""
    indent, deeper = ("", "") if pod is not None else ("  ", " ")
    page.line(f"{indent}{label}:{'' if containers else f' {NONE}'}")
    by_name = {status.name: status for status in statuses}
    for container in containers:
        page.line(f"{deeper}{container.name}:", 1)
        _write_one(page, container, by_name.get(container.name), pod)


def _write_one(page: Page, container: AnyContainer, status: ContainerStatus | None, pod: Pod | None) -> None:
    if status is not None:
        page.pair("Container ID", status.container_id, 2)
    page.pair("Image", container.image, 2)
    if status is not None:
        page.pair("Image ID", status.image_id, 2)
    _write_ports(page, container.ports)
    for label, words in (("Command", container.command), ("Args", container.args)):
        if words:
            page.line(f"{label}:", 2)
            for line in "\n".join(words).split("\n"):
                page.line(line, 3)
    if status is not None:
        _write_state(page, "State", status.state)
        if status.last_state.terminated is not None:
            _write_state(page, "Last State", status.last_state)
        page.pair("Ready", str(status.ready), 2)
        page.pair("Restart Count", status.restart_count, 2)
    write_resources(page, container.resources, 2)
    probes = {"Liveness": container.liveness_probe, "Readiness": container.readiness_probe}
    for label, probe in {**probes, "Startup": container.startup_probe}.items():
        if probe is not None:
            page.pair(label, probe_text(probe), 2)
    _write_environment(page, container, pod)
    _write_mounts(page, container)


def _write_ports(page: Page, ports: Sequence[ContainerPort]) -> None:
    def told(number: int, port: ContainerPort) -> str:
        return f"{number}/{port.protocol}" + (f" ({port.name})" if port.name else "")

    many = "s" if len(ports) > 1 else ""
    page.pair(f"Port{many}", ", ".join(told(port.container_port, port) for port in ports) or NONE, 2)
    page.pair(f"Host Port{many}", ", ".join(told(port.host_port, port) for port in ports) or NONE, 2)


def _write_state(page: Page, label: str, state: ContainerState) -> None:
    if state.running is not None:
        page.pair(label, "Running", 2)
        page.pair("Started", pages.when(state.running.started_at), 3)
    elif state.terminated is not None:
        ended = state.terminated
        page.pair(label, "Terminated", 2)
        page.pairs({"Reason": ended.reason, "Message": ended.message}, 3)
        page.pair("Exit Code", ended.exit_code, 3)
        page.pairs({"Signal": ended.signal or None}, 3)
        page.pair("Started", pages.when(ended.started_at), 3)
        page.pair("Finished", pages.when(ended.finished_at), 3)
    else:
        page.pair(label, "Waiting", 2)
        page.pairs({"Reason": state.waiting.reason if state.waiting is not None else ""}, 3)


def write_resources(page: Page, resources: ResourceRequirements, level: int) -> None:
    for label, amounts in (("Limits", resources.limits), ("Requests", resources.requests)):
        if amounts:
            page.line(f"{label}:", level)
            for name, amount in sorted(amounts.items()):
                page.pair(name, amount, level + 1)


def probe_text(probe: Probe) -> str:
    timing = (
        f"delay={probe.initial_delay_seconds}s timeout={probe.timeout_seconds}s period={probe.period_seconds}s"
        f" successThreshold={probe.success_threshold} failureThreshold={probe.failure_threshold}"
    )
    if probe.exec is not None:
        return f"exec [{' '.join(probe.exec.command)}] {timing}"
    if probe.http_get is not None:
        asked = probe.http_get
        host = f"[{asked.host}]" if ":" in asked.host else asked.host
        path = asked.path if not asked.path or asked.path.startswith("/") else f"/{asked.path}"
        return f"http-get {asked.scheme.lower()}://{host}:{asked.port}{path} {timing}"
    if probe.tcp_socket is not None:
        return f"tcp-socket {probe.tcp_socket.host}:{probe.tcp_socket.port} {timing}"
    if probe.grpc is not None:
        return f"grpc <pod>:{probe.grpc.port} {probe.grpc.service or ''} {timing}"
    return f"unknown {timing}"


def _write_environment(page: Page, container: AnyContainer, pod: Pod | None) -> None:
    if container.env_from:
        page.line("Environment Variables from:", 2)
        for source in container.env_from:
            sort, ref = ("ConfigMap", source.config_map_ref) if source.config_map_ref else ("Secret", source.secret_ref)
            behind = f" with prefix '{source.prefix}'" if source.prefix else ""
            if ref is not None:
                page.row([ref.name, f"{sort}{behind}", f"Optional: {flag(ref.optional)}"], 3)
    page.line("Environment:" if container.env else f"Environment:\t{NONE}", 2)
    for variable in container.env:
        first, *others = environment_value(variable, container, pod).split("\n")
        page.pair(variable.name, first, 3)
        for line in others:
            page.line(f"\t{line}", 3)


def environment_value(variable: EnvVar, container: AnyContainer, pod: Pod | None) -> str:
    """What it is, or where it is to come from."""
    source = variable.value_from
    if source is None:
        return variable.value
    if source.field_ref is not None:
        ref = source.field_ref
        return f"{_field(pod, ref.field_path)} ({ref.api_version}:{ref.field_path})"
    if source.resource_field_ref is not None:
        resource = source.resource_field_ref.resource
        amount = _amount(container.resources, source.resource_field_ref)
        if amount == "0" and resource in ("limits.cpu", "limits.memory"):
            amount = "node allocatable"
        return f"{amount} ({resource})"
    if source.secret_key_ref is not None:
        key = source.secret_key_ref
        return f"<set to the key '{key.key}' in secret '{key.name}'>\tOptional: {flag(key.optional)}"
    if source.config_map_key_ref is not None:
        entry = source.config_map_key_ref
        return f"<set to the key '{entry.key}' of config map '{entry.name}'>\tOptional: {flag(entry.optional)}"
    return ""


def _field(pod: Pod | None, path: str) -> str:
    """Fields of metadata alone: what the node decides is not known here."""
    if pod is None:
        return ""
    meta = pod.metadata
    subscript = _SUBSCRIPT.fullmatch(path)
    if subscript is not None:
        held: Mapping[str, str] = meta.labels if subscript[1] == "labels" else meta.annotations
        return held.get(subscript[2], "")
    return {"metadata.name": meta.name, "metadata.namespace": meta.namespace, "metadata.uid": meta.uid}.get(path, "")


def _amount(resources: ResourceRequirements, ref: ResourceFieldSelector) -> str:
    side, _, name = ref.resource.partition(".")
    amounts = resources.limits if side == "limits" else resources.requests
    divisor = quantity.value(ref.divisor) or 1
    return str(math.ceil(quantity.value(amounts.get(name, "0")) / divisor))


def _write_mounts(page: Page, container: AnyContainer) -> None:
    page.line("Mounts:" if container.volume_mounts else f"Mounts:\t{NONE}", 2)
    for mount in sorted(container.volume_mounts, key=lambda mount: mount.mount_path):
        part = f',path="{mount.sub_path}"' if mount.sub_path else ""
        page.line(f"{mount.mount_path} from {mount.name} ({'ro' if mount.read_only else 'rw'}{part})", 3)
    if container.volume_devices:
        page.line("Devices:", 2)
        for device in sorted(container.volume_devices, key=lambda device: device.device_path):
            page.line(f"{device.device_path} from {device.name}", 3)
