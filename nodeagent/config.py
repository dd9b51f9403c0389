"""The node agent's settings."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from nodeagent import pressure
from nodeagent.pressure import Threshold
from steersman.base import config, values
from steersman.base.log import Level, Style
from steersman.base.values import Address, Duration

about = config.about

PAGES = Address("127.0.0.1", 10255)
_NODE_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?", re.ASCII)


class RuntimeKind(StrEnum):
    DOCKER = "docker"
    HOLLOW = "hollow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    server: tuple[str, ...] = field(
        default=("127.0.0.1:6444",), metadata=about("The API servers' gRPC addresses, host:port.")
    )
    node_name: str = field(default="", metadata=about("This node's name. Without it, the machine's host name."))
    runtime: RuntimeKind = field(
        default=RuntimeKind.DOCKER, metadata=about("docker runs containers; hollow only plays that it does.")
    )
    nodes: int = field(
        default=1, metadata=about("How many hollow nodes this process plays: <node-name>-0, <node-name>-1, …")
    )
    data_dir: Path = field(
        default=Path(".steersman-node"),
        metadata=about("Where volumes and messages of pods live. The engine must see it under the same path."),
    )
    memory_dir: Path = field(
        default=Path("/dev/shm/steersman"),
        metadata=about("Where secrets and tokens of pods lie if it is in memory and the engine sees it; else on disk."),
    )
    host_root: Path = field(
        default=Path("/"),
        metadata=about("Where the machine's own files are, for an agent in a container: hostPath is looked at there."),
    )

    cluster_dir: Path = field(
        default=Path(".steersman"),
        metadata=about("The API server's data dir, if it is on this machine: our certificate is made there."),
    )
    certificate_authority: Path | None = field(
        default=None,
        metadata=about("The CA that signed the API servers' certificates. Without one: the cluster dir's."),
    )
    client_certificate: Path | None = field(default=None, metadata=about("The certificate that says who we are."))
    client_key: Path | None = field(default=None, metadata=about("The key of that certificate."))
    insecure: bool = field(default=False, metadata=about("Talk without TLS. Loopback only."))

    node_ip: tuple[str, ...] = field(default=(), metadata=about("The node's addresses. Without any, found out."))
    address: Address = field(
        default=Address("0.0.0.0", 10250), metadata=about("Where the API server fetches logs and exec streams.")
    )
    http_address: Address | None = field(
        default=None,
        metadata=about("Where metrics and health are shown. Without it, 127.0.0.1:10255; nowhere by hollow nodes."),
    )
    max_pods: int = field(default=110, metadata=about("How many pods may run here."))
    heartbeat_interval: Duration = field(default=Duration(3.0), metadata=about("How often the Lease is renewed."))
    shutdown_grace_period: Duration = field(
        default=Duration(0.0),
        metadata=about("When asked to stop, end the pods too, within this time. 0: they run on without their agent."),
    )
    shutdown_grace_period_critical_pods: Duration = field(
        default=Duration(0.0), metadata=about("How much of that time is kept for critical pods, which end last.")
    )
    static_pods: Path | None = field(
        default=None, metadata=about("A folder of manifests: their pods run here as long as their files exist.")
    )
    image_gc_high_threshold: int = field(
        default=85, metadata=about("Percent of the engine's disk at which unused images of pods go; 100: never.")
    )
    image_gc_low_threshold: int = field(default=80, metadata=about("Down to so many percent."))
    eviction_hard: tuple[str, ...] = field(
        default=pressure.DEFAULTS,
        metadata=about("What must be left of the machine, else pods are evicted. Empty: pods may take it all."),
    )
    cluster_dns: tuple[str, ...] = field(default=(), metadata=about("The cluster's name servers, given to pods."))
    cluster_domain: str = field(default="cluster.local", metadata=about("The cluster's DNS domain."))

    docker_url: str = field(
        default="unix:///var/run/docker.sock", metadata=about("The Docker engine: unix:///path or tcp://host:port.")
    )
    docker_network: str = field(default="steersman", metadata=about("The network that pods join; made when missing."))
    docker_network_subnet: str = field(default="", metadata=about("Its addresses. Without any, the engine chooses."))
    pause_image: str = field(default="", metadata=about("The image of pods' sandboxes. Without one, we make it."))

    log_level: Level = field(default=Level.INFO, metadata=about("debug, info, warning or error."))
    log_style: Style = field(default=Style.AUTO, metadata=about("console, json, or auto: console on a terminal."))
    otlp_endpoint: str | None = field(
        default=None, metadata=about("Where spans go, such as http://127.0.0.1:4317. Without it, tracing is off.")
    )
    trace_sample_ratio: float = field(default=1.0, metadata=about("The share of new traces that is kept, 0 to 1."))

    def __post_init__(self) -> None:
        if _NODE_NAME.fullmatch(self.name) is None:
            raise ValueError(f"--node-name: {self.name!r} is not a node name")
        if not self.server:
            raise ValueError("--server: at least one address is needed")
        for server in self.server:
            values.parse_address(server)
        if not 1 <= self.nodes <= 10_000:
            raise ValueError("--nodes: from 1 to 10000")
        if self.nodes > 1 and self.runtime is not RuntimeKind.HOLLOW:
            raise ValueError("--nodes: only hollow nodes come in numbers; start one agent per Docker node")
        given = [self.certificate_authority, self.client_certificate, self.client_key]
        if any(given) and not all(given):
            raise ValueError("--certificate-authority, --client-certificate and --client-key go together")
        if not 0 <= self.shutdown_grace_period_critical_pods <= self.shutdown_grace_period:
            raise ValueError("--shutdown-grace-period-critical-pods is a part of --shutdown-grace-period")
        if not 0 <= self.image_gc_low_threshold <= self.image_gc_high_threshold <= 100:
            raise ValueError("--image-gc-low-threshold and --image-gc-high-threshold: percent, the low one first")
        try:
            self.thresholds()
        except ValueError as error:
            raise ValueError(f"--eviction-hard: {error}") from error
        if self.max_pods < 1 or self.heartbeat_interval <= 0:
            raise ValueError("--max-pods and --heartbeat-interval are positive")

    @property
    def name(self) -> str:
        return self.node_name or socket.gethostname().lower()

    @property
    def node_names(self) -> tuple[str, ...]:
        if self.runtime is RuntimeKind.DOCKER:
            return (self.name,)
        base = self.node_name or "node"
        return tuple(f"{base}-{number}" for number in range(self.nodes))

    @property
    def nodes_address(self) -> Address:
        """Where we listen. Without TLS everybody who reaches it may run programs here, so only this machine does."""
        return Address("127.0.0.1", self.address.port) if self.insecure else self.address

    def thresholds(self) -> tuple[Threshold, ...]:
        """ValueError for what is none."""
        return tuple(map(pressure.parse, self.eviction_hard))

    @property
    def pages_address(self) -> Address | None:
        """Where metrics are shown; None: nowhere."""
        if self.http_address is None:
            return PAGES if self.runtime is RuntimeKind.DOCKER else None
        return Address("127.0.0.1", self.http_address.port) if self.insecure else self.http_address

    def credential_files(self) -> tuple[Path, Path, Path] | None:
        """Whom we trust, who we are, and the key to that; None: no TLS."""
        if self.insecure:
            return None
        if self.certificate_authority and self.client_certificate and self.client_key:
            return self.certificate_authority, self.client_certificate, self.client_key
        pki = self.cluster_dir / "pki"
        return pki / "ca.crt", pki / f"node-{self.name}.crt", pki / f"node-{self.name}.key"
