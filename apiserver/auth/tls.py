"""What the fronts show and ask for in a TLS handshake; replaced as a whole when certificates are renewed."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from apiserver.auth.certificates import Pki


@dataclass(frozen=True, slots=True)
class Identity:
    """The server's certificate with its key, and the CA whose certificates name callers."""

    certificate_file: Path
    key_file: Path
    client_ca_file: Path


def of_pki(pki: Pki) -> Identity:
    return Identity(pki.server.certificate_file, pki.server.key_file, pki.authority.certificate_file)


class ServerTls:
    """The identity in use. Connections that are open keep the one they began with."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.http = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.http.verify_mode = ssl.CERT_OPTIONAL  # health and version are open to all
        self.grpc = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.grpc.verify_mode = ssl.CERT_REQUIRED
        self.grpc.set_alpn_protocols(["h2"])
        self.take_into_use(identity)

    def take_into_use(self, identity: Identity) -> None:
        for context in (self.http, self.grpc):
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.load_cert_chain(identity.certificate_file, identity.key_file)
            context.load_verify_locations(identity.client_ca_file)
        self.identity = identity
