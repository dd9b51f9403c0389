"""What a runtime reports: pods as they are on this machine, images, figures. Facts only, no judgement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from nodeagent.runtime.specs import PodRef
from steersman.api.names import Uid


class State(StrEnum):
    CREATED = "created"
    """It exists but was never started: the agent died between two calls, or is about to make the second."""
    RUNNING = "running"
    EXITED = "exited"
    """It ran and ended, or could not be started (then `error` says why). It never runs again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSandbox:
    """`ip` is empty unless it runs, and on the host's network. `ips` has the IPv6 address too, where there is one."""

    id: str
    attempt: int
    state: State
    ip: str
    ips: tuple[str, ...]
    host_network: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    annotations: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenContainer:
    """`exit_code` is None until it has ended. Ended by signal n: 128 + n."""

    id: str
    name: str
    attempt: int
    sandbox_id: str
    state: State
    image_id: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    exit_code: int | None
    oom_killed: bool
    error: str
    """The engine's own words when it could not be started."""
    annotations: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPod:
    """Everything of one pod that exists here, the newest attempt first (containers: by name, then attempt)."""

    pod: PodRef
    sandboxes: tuple[SeenSandbox, ...] = ()
    containers: tuple[SeenContainer, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.sandboxes and not self.containers

    @property
    def sandbox(self) -> SeenSandbox | None:
        """The newest one, in whatever state."""
        return self.sandboxes[0] if self.sandboxes else None

    def newest(self, container: str) -> SeenContainer | None:
        """The newest attempt at the container of that name."""
        return next((seen for seen in self.containers if seen.name == container), None)


@dataclass(frozen=True, slots=True)
class Wake:
    """Something happened to a pod. `uid` None: events may have been missed, so look at all of them."""

    uid: Uid | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """`user` is the one that the image asks for ("" is root): what runAsNonRoot is judged by.

    A list of images does not know it (None).
    """

    id: str
    tags: tuple[str, ...]
    digests: tuple[str, ...]
    """`repository@sha256:…`; the first is what `imageID` of a container status says, else `id`."""
    size_bytes: int
    user: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """`name` and `version` make `containerRuntimeVersion`: docker://28.2.2."""

    name: str
    version: str
    operating_system: str
    os_type: str
    architecture: str
    kernel: str
    cpus: int
    memory_bytes: int
    data_root: str


@dataclass(frozen=True, slots=True)
class PodNetwork:
    """Where pods get their addresses."""

    name: str
    subnet: str
    gateway: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Of one container, or of a sandbox, at `at`. The network figures are those of the whole pod."""

    at: datetime
    cpu_nanoseconds: int
    """Since it started; a rate is the difference of two readings."""
    memory_bytes: int
    working_set_bytes: int
    received_bytes: int = 0
    sent_bytes: int = 0
    pids: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskUse:
    """`writable_bytes`: by container id, what it has written to its own layer."""

    image_bytes: int
    writable_bytes: Mapping[str, int]
