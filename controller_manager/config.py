"""The controller manager's settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from steersman.base import config, values
from steersman.base.log import Level, Style
from steersman.base.values import Address, Duration

about = config.about

_CERTIFICATE = "controller-manager"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    server: tuple[str, ...] = field(
        default=("127.0.0.1:6444",), metadata=about("The API servers' gRPC addresses; the next when one is away.")
    )
    data_dir: Path = field(
        default=Path(".steersman"),
        metadata=about("The API server's data dir on this machine: it has made a certificate for us there."),
    )
    certificate_authority: Path | None = field(
        default=None, metadata=about("The CA that signed the API servers' certificates. Without one: the data dir's.")
    )
    client_certificate: Path | None = field(default=None, metadata=about("The certificate that says who we are."))
    client_key: Path | None = field(default=None, metadata=about("The key of that certificate."))
    insecure: bool = field(default=False, metadata=about("Talk without TLS. Loopback only."))

    controllers: tuple[str, ...] = field(
        default=("*",), metadata=about("Which to run: * for all, NAME for that one, -NAME for all but that one.")
    )
    root_ca_file: Path | None = field(
        default=None, metadata=about("The CA by which pods are to know the API server. Without one: the one we trust.")
    )
    terminated_pod_gc_threshold: int = field(
        default=12_500, metadata=about("How many finished pods are kept; 0: all of them.")
    )
    lease_duration: Duration = field(
        default=Duration(4.0),
        metadata=about("How long a standby sees a Lease unrenewed before it takes it; whole seconds."),
    )
    renew_interval: Duration = field(default=Duration(1.0), metadata=about("How often a leader renews its Lease."))
    retry_period: Duration = field(
        default=Duration(0.25), metadata=about("How soon a renewal that failed is tried again.")
    )

    node_monitor_grace_period: Duration = field(
        default=Duration(10.0), metadata=about("How long a node may be silent; longer beyond 900 nodes.")
    )
    node_startup_grace_period: Duration = field(
        default=Duration(60.0), metadata=about("How long a new node may take until it reports for the first time.")
    )
    node_eviction_rate: float = field(
        default=1.0, metadata=about("So many lost nodes a second have their pods moved, in each zone.")
    )
    secondary_node_eviction_rate: float = field(
        default=0.1, metadata=about("The same in a large zone in which most nodes are lost; in a small one it is 0.")
    )
    unhealthy_zone_threshold: float = field(
        default=0.55, metadata=about("The share of lost nodes that counts as most.")
    )
    large_cluster_size_threshold: int = field(default=50, metadata=about("A zone with more nodes than this is large."))

    http_address: Address = field(
        default=Address("127.0.0.1", 10257), metadata=about("Where health and metrics are served.")
    )
    log_level: Level = field(default=Level.INFO, metadata=about("debug, info, warning or error."))
    log_style: Style = field(default=Style.AUTO, metadata=about("console, json, or auto: console on a terminal."))
    otlp_endpoint: str | None = field(
        default=None, metadata=about("Where spans go, such as http://127.0.0.1:4317. Without it, tracing is off.")
    )
    trace_sample_ratio: float = field(default=1.0, metadata=about("The share of new traces that is kept, 0 to 1."))

    def __post_init__(self) -> None:
        if not self.server:
            raise ValueError("--server: at least one address is needed")
        for address in self.server:
            values.parse_address(address)
        given = [self.certificate_authority, self.client_certificate, self.client_key]
        if any(given) and not all(given):
            raise ValueError("--certificate-authority, --client-certificate and --client-key go together")
        if self.lease_duration < 1 or self.lease_duration % 1:
            raise ValueError("--lease-duration is a number of whole seconds, at least 1s")
        if not 0 < self.retry_period <= self.renew_interval < self.lease_duration:
            raise ValueError("--retry-period, --renew-interval and --lease-duration grow in that order")

    def credential_files(self) -> tuple[Path, Path, Path] | None:
        """Whom we trust, who we are, and the key to that; None: no TLS."""
        if self.insecure:
            return None
        if self.certificate_authority and self.client_certificate and self.client_key:
            return self.certificate_authority, self.client_certificate, self.client_key
        pki = self.data_dir / "pki"
        return pki / "ca.crt", pki / f"{_CERTIFICATE}.crt", pki / f"{_CERTIFICATE}.key"

    def root_ca(self) -> str:
        """What pods are given to know the API server by, in PEM; empty: it speaks no TLS, or nobody knows."""
        files = self.credential_files()
        path = self.root_ca_file or (files[0] if files is not None else None)
        return path.read_text() if path is not None else ""
