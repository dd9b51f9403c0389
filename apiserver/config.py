"""The API server's settings."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from steersman.base import config
from steersman.base.log import Level, Style
from steersman.base.values import Address

about = config.about


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    data_dir: Path = field(
        default=Path(".steersman"), metadata=about("Where certificates and the embedded store live. Made when missing.")
    )
    grpc_address: Address = field(default=Address("127.0.0.1", 6444), metadata=about("Where gRPC clients connect."))
    rest_address: Address = field(
        default=Address("127.0.0.1", 6443), metadata=about("Where HTTP clients connect: health, metrics, version.")
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

    max_requests_inflight: int = field(default=400, metadata=about("Reads in progress at once; more are refused."))
    max_mutating_requests_inflight: int = field(
        default=200, metadata=about("Writes in progress at once; more are refused.")
    )
    max_watches: int = field(default=10_000, metadata=about("Watches open at once; more are refused."))

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
        if min(self.max_requests_inflight, self.max_mutating_requests_inflight, self.max_watches) < 1:
            raise ValueError("limits are at least 1")
        for endpoint in self.etcd_endpoints:
            if not endpoint.startswith(("http://", "https://")):
                raise ValueError(f"--etcd-endpoints: {endpoint!r} is not an http:// or https:// URL")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
