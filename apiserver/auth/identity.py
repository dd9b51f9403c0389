"""Who is asking: a user and groups, read from the certificate that the TLS handshake has already verified."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography import x509

AUTHENTICATED = "system:authenticated"
MASTERS = "system:masters"
CREDENTIAL_ID = "authentication.kubernetes.io/credential-id"
# A connection presents the same certificate with every request; this many distinct holders are remembered.
REMEMBERED_CERTIFICATES = 4096


@dataclass(frozen=True, slots=True)
class Caller:
    """`extra` is what else the credential says, as Kubernetes shows it in a SelfSubjectReview."""

    user: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def is_authenticated(self) -> bool:
        return AUTHENTICATED in self.groups


ANONYMOUS = Caller("system:anonymous", ("system:unauthenticated",))
# Without TLS nobody can prove anything; whoever reaches the loopback interface owns the machine anyway.
INSECURE = Caller("system:insecure", (MASTERS, AUTHENTICATED))


@lru_cache(maxsize=REMEMBERED_CERTIFICATES)
def from_certificate(encoded: bytes) -> Caller | None:
    """The holder of a certificate (DER or PEM): CN the user, each O a group. None when it names no user.

    Trust and validity are the handshake's part; nothing is checked here.
    """
    from cryptography import x509  # heavy, and not needed by a server without TLS
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.x509.oid import NameOID

    is_pem = encoded.lstrip().startswith(b"-----BEGIN")
    certificate = x509.load_pem_x509_certificate(encoded) if is_pem else x509.load_der_x509_certificate(encoded)
    # Of several common names Kubernetes takes the last.
    users = _texts(certificate.subject, NameOID.COMMON_NAME)
    if not users or not users[-1]:
        return None
    fingerprint = hashlib.sha256(certificate.public_bytes(Encoding.DER)).hexdigest()
    groups = (*_texts(certificate.subject, NameOID.ORGANIZATION_NAME), AUTHENTICATED)
    return Caller(users[-1], groups, extra=((CREDENTIAL_ID, (f"X509SHA256={fingerprint}",)),))


def _texts(subject: x509.Name, attribute: x509.ObjectIdentifier) -> tuple[str, ...]:
    return tuple(str(each.value) for each in subject.get_attributes_for_oid(attribute))
