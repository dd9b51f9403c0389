"""What the agent asks a runtime for: sandboxes and containers, completely decided.

Everything is literal here: `$(VAR)` is expanded, ConfigMaps are read, volumes are folders on this machine, the image is
an id. A runtime adds nothing of its own but the labels that say whose container it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from steersman.api.names import Uid


@dataclass(frozen=True, slots=True)
class PodRef:
    """The pod that something belongs to. The uid identifies; the names are for people who read `docker ps`."""

    uid: Uid
    namespace: str
    name: str


class Protocol(StrEnum):
    TCP = "tcp"
    UDP = "udp"
    SCTP = "sctp"


@dataclass(frozen=True, slots=True)
class HostPort:
    """`host_ip` empty: on every address of the machine."""

    host_port: int
    container_port: int
    protocol: Protocol = Protocol.TCP
    host_ip: str = ""


@dataclass(frozen=True, slots=True)
class Dns:
    """What /etc/resolv.conf says. Empty `nameservers`: the engine's own choice."""

    nameservers: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """As in the file: `ndots:5`."""


@dataclass(frozen=True, slots=True)
class HostAlias:
    """A line of /etc/hosts."""

    ip: str
    hostname: str


@dataclass(frozen=True, slots=True)
class MemoryVolume:
    """A tmpfs of the pod (`emptyDir` with medium Memory). It lives as long as the sandbox, not the containers."""

    name: str
    size_bytes: int = 0
    """0: whatever the kernel allows."""
    group: int | None = None
    """Whose it is (`fsGroup`), and what is made in it. None: root's; everybody may write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSpec:
    """The pause container: it holds the pod's network namespace, address, host name, IPC and (shared) PIDs.

    `attempt` counts the sandboxes of one pod, from 0: a pod whose pause container died gets the next.
    """

    pod: PodRef
    attempt: int = 0
    hostname: str = ""
    host_network: bool = False
    host_pid: bool = False
    host_ipc: bool = False
    ports: tuple[HostPort, ...] = ()
    dns: Dns = Dns()
    host_aliases: tuple[HostAlias, ...] = ()
    sysctls: Mapping[str, str] = field(default_factory=dict)
    shm_bytes: int = 64 << 20
    memory_volumes: tuple[MemoryVolume, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)
    """The agent's own notes; `observe` gives them back."""


class Propagation(StrEnum):
    PRIVATE = "rprivate"
    HOST_TO_CONTAINER = "rslave"
    BIDIRECTIONAL = "rshared"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostMount:
    """A file or folder of this machine, which must exist, at `target`."""

    source: str
    target: str
    read_only: bool = False
    recursive_read_only: bool = False
    """Also what is mounted below it is read-only; else only the folder itself."""
    propagation: Propagation = Propagation.PRIVATE


@dataclass(frozen=True, slots=True, kw_only=True)
class PartMount:
    """What is at `part` in the volume called `volume`, a folder of this machine, at `target`.

    The engine itself looks for it, within the volume: a symbolic link that leads out is refused, whoever puts it there
    and whenever.
    """

    volume: str
    source: str
    part: str
    target: str
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryMount:
    """The sandbox's memory volume called `volume`, at `target`."""

    volume: str
    target: str
    read_only: bool = False


Mount = HostMount | PartMount | MemoryMount


class Profile(StrEnum):
    """Which seccomp or AppArmor rules hold. Any other rules are given as text (see `Security`)."""

    RUNTIME_DEFAULT = "runtime/default"
    UNCONFINED = "unconfined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Security:
    """`user`: "" (the image's), "1000", "1000:3000", ":3000". `seccomp`: a Profile, or the JSON of a profile.

    `apparmor`: a Profile, or the name of a profile that is loaded on this machine. Capabilities without "CAP_"; "ALL"
    may stand for all.
    """

    user: str = ""
    supplemental_groups: tuple[int, ...] = ()
    privileged: bool = False
    add_capabilities: tuple[str, ...] = ()
    drop_capabilities: tuple[str, ...] = ()
    read_only_root: bool = False
    no_new_privileges: bool = False
    seccomp: str = Profile.RUNTIME_DEFAULT
    apparmor: str = Profile.RUNTIME_DEFAULT
    unmasked_proc: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """cgroup limits. 0 means none (for `cpu_shares`: the kernel's default)."""

    cpu_shares: int = 0
    cpu_quota_microseconds: int = 0
    cpu_period_microseconds: int = 100_000
    memory_bytes: int = 0
    pids: int = 0
    oom_score_adjustment: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """`stdin_once`: the first attached session that closes its stdin closes the container's."""

    tty: bool = False
    stdin: bool = False
    stdin_once: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerSpec:
    """One container in a running sandbox. `attempt` counts the containers of this name in this pod, from 0.

    (cluster, pod uid, name, attempt) is the identity: the engine lets it exist once.
    """

    pod: PodRef
    sandbox_id: str
    name: str
    attempt: int
    image: str
    """What to run, by id or reference; it must be present. Prefer `Image.id`: a reference may move."""
    command: tuple[str, ...] = ()
    """Empty: the image's entrypoint."""
    args: tuple[str, ...] = ()
    """Empty: the image's arguments, unless `command` is given."""
    env: tuple[tuple[str, str], ...] = ()
    working_dir: str = ""
    mounts: tuple[Mount, ...] = ()
    security: Security = Security()
    resources: Resources = Resources()
    terminal: Terminal = Terminal()
    share_process_namespace: bool = False
    host_pid: bool = False
    host_ipc: bool = False
    stop_signal: str = ""
    """Empty: the image's, else SIGTERM."""
    ends: bool = False
    """Restart policy Never or OnFailure, or an init container: a simulated runtime lets it end. Docker ignores it."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """The agent's own notes (a hash of the spec, the grace period); `observe` gives them back."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """For one registry; `identity_token` replaces user and password."""

    username: str = ""
    password: str = ""
    server: str = ""
    identity_token: str = ""
