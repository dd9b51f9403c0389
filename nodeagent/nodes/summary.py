"""The figures of a node and its pods in the form of Kubernetes' /stats/summary. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from nodeagent.runtime.seen import Usage
from steersman.api import times


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Of one container, a sandbox or the whole machine. `nanocores` is the rate since the reading before it."""

    usage: Usage
    nanocores: int = 0
    started_at: datetime | None = None
    written_bytes: int | None = None
    """To its own layer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodReading:
    name: str
    namespace: str
    uid: str
    sandbox: Reading | None
    containers: Sequence[tuple[str, Reading]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReading:
    """`image_bytes` None: not known. `memory_bytes`: all that the machine has."""

    name: str
    at: datetime
    machine: Reading | None
    memory_bytes: int
    pods: Sequence[PodReading]
    image_bytes: int | None = None


def nanocores(before: Usage | None, now: Usage) -> int:
    """The CPU that was used between two readings; 0 when there is only one, or the counter began anew."""
    if before is None or now.at <= before.at or now.cpu_nanoseconds < before.cpu_nanoseconds:
        return 0
    return round((now.cpu_nanoseconds - before.cpu_nanoseconds) / (now.at - before.at).total_seconds())


def encode(node: NodeReading) -> bytes:
    whole = node.machine or _sum(node.at, [each for pod in node.pods for each in _all(pod)])
    told: dict[str, Any] = {
        "nodeName": node.name,
        **({"startTime": _time(whole.started_at)} if whole.started_at else {}),
        "cpu": _cpu(whole),
        "memory": {
            **_memory(whole),
            "availableBytes": max(node.memory_bytes - whole.usage.working_set_bytes, 0),
        },
        "network": _network(whole),
    }
    if node.image_bytes is not None:
        told["runtime"] = {"imageFs": {"time": _time(node.at), "usedBytes": node.image_bytes}}
    return msgspec.json.encode({"node": told, "pods": [_pod(node.at, pod) for pod in node.pods]})


def _pod(at: datetime, pod: PodReading) -> dict[str, Any]:
    parts = _all(pod)
    whole = _sum(at, parts)
    started = min((each.started_at for each in parts if each.started_at), default=at)
    return {
        "podRef": {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid},
        "startTime": _time(started),
        "containers": [_container(name, reading) for name, reading in pod.containers],
        "cpu": _cpu(whole),
        "memory": _memory(whole),
        # The figures of the network are those of the sandbox, in which all containers share it.
        "network": _network(pod.sandbox or whole),
        "process_stats": {"process_count": whole.usage.pids},
    }


def _container(name: str, reading: Reading) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": name,
        "startTime": _time(reading.started_at or reading.usage.at),
        "cpu": _cpu(reading),
        "memory": _memory(reading),
    }
    if reading.written_bytes is not None:
        told["rootfs"] = {"time": _time(reading.usage.at), "usedBytes": reading.written_bytes}
    return told


def _all(pod: PodReading) -> list[Reading]:
    inside = [reading for _, reading in pod.containers]
    return inside if pod.sandbox is None else [pod.sandbox, *inside]


def _sum(at: datetime, readings: Sequence[Reading]) -> Reading:
    usages = [each.usage for each in readings]
    return Reading(
        usage=Usage(
            at=at,
            cpu_nanoseconds=sum(each.cpu_nanoseconds for each in usages),
            memory_bytes=sum(each.memory_bytes for each in usages),
            working_set_bytes=sum(each.working_set_bytes for each in usages),
            pids=sum(each.pids for each in usages),
        ),
        nanocores=sum(each.nanocores for each in readings),
    )


def _cpu(reading: Reading) -> dict[str, Any]:
    return {
        "time": _time(reading.usage.at),
        "usageNanoCores": reading.nanocores,
        "usageCoreNanoSeconds": reading.usage.cpu_nanoseconds,
    }


def _memory(reading: Reading) -> dict[str, Any]:
    usage = reading.usage
    return {"time": _time(usage.at), "usageBytes": usage.memory_bytes, "workingSetBytes": usage.working_set_bytes}


def _network(reading: Reading) -> dict[str, Any]:
    usage = reading.usage
    figures = {"name": "eth0", "rxBytes": usage.received_bytes, "txBytes": usage.sent_bytes}
    return {"time": _time(usage.at), **figures, "interfaces": [figures]}


def _time(moment: datetime) -> str:
    return str(times.from_datetime(moment))
