"""Rules for requests and certificates themselves: that they are what they claim, and are signed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from apiserver.registry.validation import pem
from steersman.api.errors import quoted

if TYPE_CHECKING:
    from cryptography.x509 import CertificateSigningRequest

REQUEST_BLOCK: Final = "CERTIFICATE REQUEST"
CERTIFICATE_BLOCK: Final = "CERTIFICATE"


def complain_of_request(text: bytes) -> str:
    """What is wrong with a PEM-encoded PKCS#10 request; empty when it is sound and signed with its own key."""
    found = pem.blocks(text)
    if not found or found[0].kind != REQUEST_BLOCK:
        return f"PEM block type must be {REQUEST_BLOCK}"
    # Heavy, and only needed where somebody asks for a certificate.
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        request = x509.load_der_x509_csr(found[0].data)
        is_signed = request.is_signature_valid
    except ValueError:
        return "asn1: structure error: malformed certificate request"
    except UnsupportedAlgorithm:
        return "x509: cannot verify signature: algorithm unimplemented"
    return "" if is_signed else _not_signed(request)


def complain_of_certificates(text: bytes) -> str:
    """What is wrong with an issued certificate and its chain; empty when all is well, or when there is none yet."""
    found = pem.blocks(text)
    if text and not found:
        return "must contain at least one CERTIFICATE PEM block"
    from cryptography import x509

    for block in found:
        if block.kind != CERTIFICATE_BLOCK:
            return f"only CERTIFICATE PEM blocks are allowed, found {quoted(block.kind)}"
        if block.has_headers:
            return "no PEM block headers are permitted"
        if not block.data:
            return "found CERTIFICATE PEM block containing 0 certificates"
        try:
            x509.load_der_x509_certificate(block.data)
        except ValueError:
            return "x509: malformed certificate"
    return ""


def _not_signed(request: CertificateSigningRequest) -> str:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    key = request.public_key()
    if isinstance(key, RSAPublicKey):
        return "crypto/rsa: verification error"
    return f"x509: {'ECDSA' if isinstance(key, EllipticCurvePublicKey) else 'Ed25519'} verification failure"
