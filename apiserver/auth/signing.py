"""X.509 in memory: keys, an authority, certificates signed by it, and whether one is still good. No files.

Elliptic keys (P-256): making and signing take well under a millisecond. A certificate names its holder as Kubernetes
reads it: CN is the user, each O a group.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Flag, auto

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PrivateKey = ec.EllipticCurvePrivateKey

AUTHORITY_NAME = "steersman"
LEAF_LIFETIME = timedelta(days=365)
AUTHORITY_LIFETIME = timedelta(days=3650)
RENEW_LEAF_BEFORE = timedelta(days=30)
# An authority is renewed while it still outlives every certificate that it signs.
RENEW_AUTHORITY_BEFORE = LEAF_LIFETIME + RENEW_LEAF_BEFORE
# Machines whose clocks are a little behind ours must accept a certificate made just now.
CLOCK_SKEW = timedelta(minutes=5)


class Purpose(Flag):
    CALL = auto()
    SERVE = auto()


_USAGES = {Purpose.CALL: ExtendedKeyUsageOID.CLIENT_AUTH, Purpose.SERVE: ExtendedKeyUsageOID.SERVER_AUTH}


@dataclass(frozen=True, slots=True)
class Holder:
    """Whom a certificate names, under which DNS names and addresses it serves, and what it may be used for."""

    user: str
    groups: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    purpose: Purpose = Purpose.CALL


@dataclass(frozen=True, slots=True)
class Authority:
    certificate: x509.Certificate
    key: PrivateKey


class UnreadableKey(ValueError):
    """Not a private key of the kind that we make."""


def new_key() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def load_key(pem: bytes) -> PrivateKey:
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError) as error:
        raise UnreadableKey(str(error)) from error
    if not isinstance(key, PrivateKey):
        raise UnreadableKey("not an elliptic curve key")
    return key


def load_certificate(pem: bytes) -> x509.Certificate | None:
    """None when it cannot be read: it is then as good as missing."""
    try:
        return x509.load_pem_x509_certificate(pem)
    except ValueError:
        return None


def to_pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def sign_authority(key: PrivateKey, now: datetime) -> x509.Certificate:
    name = _name(Holder(AUTHORITY_NAME))
    return (
        _unsigned(name, name, key.public_key(), now, now + AUTHORITY_LIFETIME)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .sign(key, hashes.SHA256())
    )


def sign(authority: Authority, holder: Holder, key: PrivateKey, now: datetime) -> x509.Certificate:
    issuer = authority.certificate
    until = min(now + LEAF_LIFETIME, issuer.not_valid_after_utc)
    usages = [usage for purpose, usage in _USAGES.items() if purpose in holder.purpose]
    unsigned = (
        _unsigned(_name(holder), issuer.subject, key.public_key(), now, until)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()), critical=False)
    )
    if holder.names:
        names = x509.SubjectAlternativeName([_general_name(name) for name in holder.names])
        unsigned = unsigned.add_extension(names, critical=False)
    return unsigned.sign(authority.key, hashes.SHA256())


def authority_flaw(certificate: x509.Certificate, key: PrivateKey, now: datetime) -> str | None:
    """Why an authority's certificate has to be made anew (with the same key, so what it signed stays good)."""
    if certificate.public_key() != key.public_key():
        return "it belongs to another key"
    if now >= renewal_of_authority(certificate):
        return "it expires soon"
    return None


def flaw(
    certificate: x509.Certificate,
    key: PrivateKey,
    authority: Authority,
    holder: Holder,
    now: datetime,
) -> str | None:
    """Why a certificate has to be made anew; None while it is good."""
    if certificate.public_key() != key.public_key():
        return "it belongs to another key"
    if certificate.subject != _name(holder):
        return "it names another holder"
    if now >= renewal_of_leaf(certificate):
        return "it expires soon"
    if missing := set(holder.names) - names_in(certificate):
        return f"it does not cover {', '.join(sorted(missing))}"
    try:
        certificate.verify_directly_issued_by(authority.certificate)
    except (ValueError, TypeError, InvalidSignature):
        return "another authority signed it"
    return None


def renewal_of_leaf(certificate: x509.Certificate) -> datetime:
    return certificate.not_valid_after_utc - RENEW_LEAF_BEFORE


def renewal_of_authority(certificate: x509.Certificate) -> datetime:
    return certificate.not_valid_after_utc - RENEW_AUTHORITY_BEFORE


def names_in(certificate: x509.Certificate) -> set[str]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    return {str(name.value) for name in names}


def canonical_names(names: Iterable[str]) -> tuple[str, ...]:
    """Without repetition, addresses in their shortest form, and without what no certificate can hold."""
    return tuple(dict.fromkeys(str(_general_name(name).value) for name in names if name and name.isascii()))


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _name(holder: Holder) -> x509.Name:
    groups = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in holder.groups]
    return x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, holder.user)])


def _unsigned(
    subject: x509.Name, issuer: x509.Name, public_key: ec.EllipticCurvePublicKey, now: datetime, until: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(until)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    )


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
