"""Whether a certificate and a private key belong together, and what Go says when they do not."""

from __future__ import annotations

from collections.abc import Sequence

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_der_private_key

from apiserver.registry.validation import pem

_CERTIFICATE, _KEY = "CERTIFICATE", "PRIVATE KEY"
_SWITCHED = (
    "failed to find certificate PEM data in certificate input, but did find a private key; "
    "PEM inputs may have been switched"
)


def complain_of(certificates: bytes, key: bytes) -> str:
    """Empty when a server could use the pair."""
    given, kept = pem.blocks(certificates), pem.blocks(key)
    chain = [block for block in given if block.kind == _CERTIFICATE]
    keys = [block for block in kept if block.kind.endswith(_KEY)]
    if not chain:
        return f"tls: {_without_certificate([block.kind for block in given])}"
    if not keys:
        return f"tls: {_without_key([block.kind for block in kept])}"
    try:
        certificate = x509.load_der_x509_certificate(chain[0].data)
        public = certificate.public_key()
    except (ValueError, UnsupportedAlgorithm):
        return "x509: malformed certificate"
    try:
        private = load_der_private_key(keys[0].data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return "tls: failed to parse private key"
    if type(private.public_key()) is not type(public):
        return "tls: private key type does not match public key type"
    return "" if private.public_key() == public else "tls: private key does not match public key"


def _without_certificate(found: Sequence[str]) -> str:
    if not found:
        return "failed to find any PEM data in certificate input"
    if len(found) == 1 and found[0].endswith(_KEY):
        return _SWITCHED
    skipped = f"after skipping PEM blocks of the following types: [{' '.join(found)}]"
    return f'failed to find "{_CERTIFICATE}" PEM block in certificate input {skipped}'


def _without_key(found: Sequence[str]) -> str:
    if not found:
        return "failed to find any PEM data in key input"
    if list(found) == [_CERTIFICATE]:
        return "found a certificate rather than a key in the PEM for the private key"
    skipped = f"after skipping PEM blocks of the following types: [{' '.join(found)}]"
    return f'failed to find PEM block with type ending in "{_KEY}" in key input {skipped}'
