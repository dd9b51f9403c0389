"""Warnings about ports of a pod's containers that are in each other's way."""

from __future__ import annotations

from collections.abc import Sequence

from steersman.api.core import Container, ContainerPort, EphemeralContainer
from steersman.api.errors import quoted
from steersman.api.fields import Path

Containers = Sequence[tuple[Container | EphemeralContainer, Path]]


def of_ports(containers: Containers) -> list[str]:
    placed = [
        (port, path.child("ports").index(index))
        for container, path in containers
        for index, port in enumerate(container.ports)
    ]
    return _of_numbers(placed) + _of_names(placed) if placed else []


def _of_numbers(placed: Sequence[tuple[ContainerPort, Path]]) -> list[str]:
    warnings: list[str] = []
    taken: dict[tuple[int, str], list[tuple[ContainerPort, Path]]] = {}
    for port, path in placed:
        if port.host_ip and not port.host_port:
            warnings.append(f"{path}: hostIP set without hostPort: {_shown(port)}")
        others = taken.setdefault((port.container_port, port.protocol), [])
        for other, where in others:
            relation = _relation(port, other)
            if relation:
                warnings.append(f"{path}: {relation} port definition with {where}")
        others.append((port, path))
    return warnings


def _relation(port: ContainerPort, other: ContainerPort) -> str:
    """How the second of two equal container ports stands to the first; empty if they do no harm."""
    if (port.host_ip, port.host_port) == (other.host_ip, other.host_port):
        return "duplicate"
    if not port.host_port or not other.host_port:
        return "overlapping"
    if port.host_port == other.host_port and bool(port.host_ip) != bool(other.host_ip):
        return "dangerously ambiguous"
    return ""


def _of_names(placed: Sequence[tuple[ContainerPort, Path]]) -> list[str]:
    warnings: list[str] = []
    first: dict[str, Path] = {}
    for port, path in placed:
        if not port.name:
            continue
        other = first.setdefault(port.name, path)
        if other is not path:
            use = f"services and probes that select ports by name will use {other}"
            warnings.append(f"{path}: duplicate port name {quoted(port.name)} with {other}, {use}")
    return warnings


def _shown(port: ContainerPort) -> str:
    """As Go prints the record that it holds."""
    numbers = f"HostPort:{port.host_port} ContainerPort:{port.container_port}"
    return f"{{Name:{port.name} {numbers} Protocol:{port.protocol} HostIP:{port.host_ip}}}"
