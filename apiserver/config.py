"""The API server's settings."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from pathlib import Path

from apiserver.admission.chain import PLUGINS, AdmissionSettings
from steersman.base import config
from steersman.base.log import Level, Style
from steersman.base.values import Address, Duration

about = config.about


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    data_dir: Path = field(
        default=Path(".steersman"), metadata=about("Where certificates and the embedded store live. Made when missing.")
    )
    grpc_address: Address = field(default=Address("127.0.0.1", 6444), metadata=about("Where gRPC clients connect."))
    rest_address: Address = field(
        default=Address("127.0.0.1", 6443),
        metadata=about("Where HTTP clients connect: kubectl, client libraries, health, metrics."),
    )
    advertise_names: tuple[str, ...] = field(
        default=(), metadata=about("Further host names and addresses that the server's certificate is valid for.")
    )

    etcd_endpoints: tuple[str, ...] = field(
        default=(), metadata=about("URLs of etcd members. Without any, the embedded store in the data dir is used.")
    )
    etcd_root: str = field(default="", metadata=about("A prefix for all keys in etcd, to share one etcd."))
    etcd_ca_file: Path | None = field(default=None, metadata=about("The CA that signed etcd's certificates."))
    etcd_cert_file: Path | None = field(default=None, metadata=about("Our client certificate for etcd."))
    etcd_key_file: Path | None = field(default=None, metadata=about("The key of that certificate."))

    insecure: bool = field(default=False, metadata=about("Serve without TLS and let everybody in. Loopback only."))
    tls_cert_file: Path | None = field(
        default=None, metadata=about("The server's certificate. Without one, a CA and certificates are made.")
    )
    tls_private_key_file: Path | None = field(default=None, metadata=about("The key of that certificate."))
    client_ca_file: Path | None = field(default=None, metadata=about("The CA that signs clients' certificates."))

    node_certificates: tuple[str, ...] = field(
        default=(), metadata=about("Names of nodes: their agents' certificates are made in the data dir too.")
    )

    node_client_certificate: Path | None = field(
        default=None,
        metadata=about("With certificates of your own: the one (CN system:apiserver) with which agents are called."),
    )
    node_client_key: Path | None = field(default=None, metadata=about("The key of that certificate."))

    max_requests_inflight: int = field(default=400, metadata=about("Reads in progress at once; more are refused."))
    max_mutating_requests_inflight: int = field(
        default=200, metadata=about("Writes in progress at once; more are refused.")
    )
    max_watches: int = field(default=10_000, metadata=about("Watches open at once; more are refused."))

    service_cluster_ip_range: str = field(
        default="10.96.0.0/12", metadata=about("The addresses that Services get, an IPv4 network.")
    )
    service_node_port_range: str = field(
        default="30000-32767", metadata=about("The ports that Services get on every node.")
    )
    advertise_address: str | None = field(
        default=None, metadata=about("The address at which pods reach this server. Without one, it is found out.")
    )

    event_ttl: Duration = field(
        default=Duration(3600.0), metadata=about("How long an Event is kept after it was last said.")
    )
    disable_admission_plugins: tuple[str, ...] = field(
        default=(), metadata=about(f"Admission checks to leave out, of: {', '.join(PLUGINS)}.")
    )
    default_not_ready_toleration_seconds: int = field(
        default=5, metadata=about("How long pods stay on a node that is not ready, unless they say otherwise.")
    )
    default_unreachable_toleration_seconds: int = field(
        default=5, metadata=about("How long pods stay on a node that cannot be reached, unless they say otherwise.")
    )

    log_level: Level = field(default=Level.INFO, metadata=about("debug, info, warning or error."))
    log_style: Style = field(default=Style.AUTO, metadata=about("console, json, or auto: console on a terminal."))
    otlp_endpoint: str | None = field(
        default=None, metadata=about("Where spans go, such as http://127.0.0.1:4317. Without it, tracing is off.")
    )
    trace_sample_ratio: float = field(default=1.0, metadata=about("The share of new traces that is kept, 0 to 1."))

    def __post_init__(self) -> None:
        if self.insecure:
            for address in (self.grpc_address, self.rest_address):
                if not _is_loopback(address.host):
                    raise ValueError(f"--insecure serves loopback addresses only, not {address}")
        given = [self.tls_cert_file, self.tls_private_key_file, self.client_ca_file]
        if any(given) and not all(given):
            raise ValueError("--tls-cert-file, --tls-private-key-file and --client-ca-file go together")
        if (self.node_client_certificate is None) != (self.node_client_key is None):
            raise ValueError("--node-client-certificate and --node-client-key go together")
        if min(self.max_requests_inflight, self.max_mutating_requests_inflight, self.max_watches) < 1:
            raise ValueError("limits are at least 1")
        if self.event_ttl < 1:
            raise ValueError("--event-ttl is at least 1s")
        unknown = [name for name in self.disable_admission_plugins if name not in PLUGINS]
        if unknown:
            raise ValueError(f"--disable-admission-plugins: unknown: {', '.join(unknown)}")
        _ = self.cluster_ips, self.node_ports  # complain now rather than later
        for endpoint in self.etcd_endpoints:
            if not endpoint.startswith(("http://", "https://")):
                raise ValueError(f"--etcd-endpoints: {endpoint!r} is not an http:// or https:// URL")

    @property
    def cluster_ips(self) -> IPv4Network:
        try:
            network = ipaddress.IPv4Network(self.service_cluster_ip_range)
        except ValueError as error:
            raise ValueError(f"--service-cluster-ip-range: {error}") from error
        if network.num_addresses < 8:
            raise ValueError(f"--service-cluster-ip-range: {network} has room for hardly any Service")
        return network

    @property
    def node_ports(self) -> range:
        first, _, last = self.service_node_port_range.partition("-")
        if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last) <= 65535):
            raise ValueError(f"--service-node-port-range: {self.service_node_port_range!r} is not FIRST-LAST")
        return range(int(first), int(last) + 1)


def admission_of(settings: Settings) -> AdmissionSettings:
    return AdmissionSettings(
        disabled=frozenset(settings.disable_admission_plugins),
        not_ready_toleration_seconds=settings.default_not_ready_toleration_seconds,
        unreachable_toleration_seconds=settings.default_unreachable_toleration_seconds,
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
