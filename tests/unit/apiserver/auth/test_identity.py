from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from apiserver.auth import identity, signing
from apiserver.auth.identity import ANONYMOUS, INSECURE, Caller

NOW = datetime(2030, 1, 1, tzinfo=UTC)
KEY = signing.load_key(signing.new_key())
OIDS = {"CN": NameOID.COMMON_NAME, "O": NameOID.ORGANIZATION_NAME, "C": NameOID.COUNTRY_NAME}


def certificate(*subject: tuple[str, str]) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(OIDS[kind], value) for kind, value in subject])
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(KEY.public_key())
        .serial_number(1)
        .not_valid_before(NOW)
        .not_valid_after(NOW + timedelta(days=1))
        .sign(KEY, hashes.SHA256())
    )


@pytest.mark.parametrize(
    ("subject", "user", "groups"),
    [
        pytest.param([("CN", "jane")], "jane", (), id="no groups"),
        pytest.param(
            [("O", "system:masters"), ("CN", "kubernetes-admin")], "kubernetes-admin", ("system:masters",), id="admin"
        ),
        pytest.param([("O", "b"), ("O", "a"), ("CN", "jane")], "jane", ("b", "a"), id="groups in their order"),
        pytest.param([("CN", "old"), ("CN", "new")], "new", (), id="the last common name counts"),
        pytest.param([("C", "NO"), ("CN", "jane ø")], "jane ø", (), id="the rest is ignored"),
    ],
)
def test_cn_is_the_user_and_each_o_a_group(subject: list[tuple[str, str]], user: str, groups: tuple[str, ...]) -> None:
    caller = identity.from_certificate(certificate(*subject).public_bytes(Encoding.DER))
    assert caller is not None
    assert (caller.user, caller.groups) == (user, (*groups, "system:authenticated"))
    assert caller.is_authenticated


def test_der_and_pem_name_the_same_caller() -> None:
    made = certificate(("O", "a"), ("CN", "jane"))
    caller = identity.from_certificate(made.public_bytes(Encoding.DER))
    assert caller == identity.from_certificate(made.public_bytes(Encoding.PEM))
    assert caller is not None
    credential = f"X509SHA256={made.fingerprint(hashes.SHA256()).hex()}"
    assert caller.extra == (("authentication.kubernetes.io/credential-id", (credential,)),)


def test_a_caller_is_remembered() -> None:
    encoded = certificate(("CN", "jane")).public_bytes(Encoding.DER)
    assert identity.from_certificate(encoded) is identity.from_certificate(bytes(bytearray(encoded)))


def test_a_certificate_without_a_common_name_names_nobody() -> None:
    assert identity.from_certificate(certificate(("O", "a")).public_bytes(Encoding.DER)) is None


@pytest.mark.parametrize("encoded", [b"", b"\x30\x00", b"-----BEGIN CERTIFICATE-----\n"])
def test_garbage_is_refused(encoded: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        identity.from_certificate(encoded)


@pytest.mark.parametrize(
    ("caller", "authenticated", "master"),
    [
        pytest.param(ANONYMOUS, False, False, id="anonymous"),
        pytest.param(INSECURE, True, True, id="loopback without TLS"),
        pytest.param(Caller("jane"), False, False, id="a name alone proves nothing"),
    ],
)
def test_well_known_callers(caller: Caller, authenticated: bool, master: bool) -> None:
    assert caller.is_authenticated is authenticated
    assert ("system:masters" in caller.groups) is master
