"""What a pod's row is made from, and nothing else of it.

Pods are listed by the thousand, and to read one whole takes longer than to make its row. The names are those of `Pod`.
"""

from __future__ import annotations

from typing import dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class _Part(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Fields that are not named are passed over."""


class Metadata(_Part):
    name: str = ""
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None


class Container(_Part):
    name: str = ""
    restart_policy: str | None = None


class ReadinessGate(_Part):
    condition_type: str = ""


class Spec(_Part):
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_name: str = ""
    readiness_gates: tuple[ReadinessGate, ...] = ()


class Waiting(_Part):
    reason: str = ""


class Running(_Part):
    """That it does."""


class Terminated(_Part):
    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    finished_at: str | None = None


class State(_Part):
    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


class ContainerStatus(_Part):
    name: str = ""
    state: State = State()
    last_state: State = State()
    ready: bool = False
    restart_count: int = 0
    started: bool | None = None


class Condition(_Part):
    type: str = ""
    status: str = ""
    reason: str = ""


class Address(_Part):
    ip: str = ""


class Status(_Part):
    phase: str = ""
    reason: str = ""
    nominated_node_name: str = ""
    conditions: tuple[Condition, ...] = ()
    pod_ips: tuple[Address, ...] = msgspec.field(default=(), name="podIPs")
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()


class PodGlimpse(_Part):
    metadata: Metadata = Metadata()
    spec: Spec = Spec()
    status: Status = Status()
