from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from apiserver.auth import signing
from apiserver.auth.signing import Authority, Holder, Purpose

NOW = datetime(2030, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
SERVER = Holder("kube-apiserver", names=("localhost", "127.0.0.1"), purpose=Purpose.SERVE)
ADMIN = Holder("kubernetes-admin", ("system:masters",))

KEY = signing.load_key(signing.new_key())
OTHER_KEY = signing.load_key(signing.new_key())
AUTHORITY = Authority(signing.sign_authority(KEY, NOW), KEY)
OTHER_AUTHORITY = Authority(signing.sign_authority(OTHER_KEY, NOW), OTHER_KEY)
LEAF_KEY = signing.load_key(signing.new_key())


def usages(certificate: x509.Certificate) -> set[x509.ObjectIdentifier]:
    return set(certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value)


@pytest.mark.parametrize(
    ("purpose", "expected"),
    [
        pytest.param(Purpose.CALL, {ExtendedKeyUsageOID.CLIENT_AUTH}, id="a caller"),
        pytest.param(Purpose.SERVE, {ExtendedKeyUsageOID.SERVER_AUTH}, id="a server"),
        pytest.param(
            Purpose.CALL | Purpose.SERVE,
            {ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH},
            id="a node agent is both",
        ),
    ],
)
def test_a_certificate_is_good_only_for_its_purpose(purpose: Purpose, expected: set[x509.ObjectIdentifier]) -> None:
    assert usages(signing.sign(AUTHORITY, replace(SERVER, purpose=purpose), LEAF_KEY, NOW)) == expected


def test_a_certificate_names_its_holder() -> None:
    certificate = signing.sign(AUTHORITY, ADMIN, LEAF_KEY, NOW)
    assert certificate.subject.rfc4514_string() == "CN=kubernetes-admin,O=system:masters"
    assert certificate.issuer == AUTHORITY.certificate.subject
    assert signing.names_in(certificate) == set()
    assert signing.names_in(signing.sign(AUTHORITY, SERVER, LEAF_KEY, NOW)) == {"localhost", "127.0.0.1"}


def test_validity_allows_for_clocks_behind_and_ends_with_the_authority() -> None:
    certificate = signing.sign(AUTHORITY, ADMIN, LEAF_KEY, NOW)
    assert certificate.not_valid_before_utc < NOW - timedelta(minutes=4)
    assert certificate.not_valid_after_utc == NOW + 365 * DAY
    late = AUTHORITY.certificate.not_valid_after_utc - DAY
    assert signing.sign(AUTHORITY, ADMIN, LEAF_KEY, late).not_valid_after_utc == late + DAY


GOOD = signing.sign(AUTHORITY, SERVER, LEAF_KEY, NOW)


@pytest.mark.parametrize(
    ("key", "authority", "holder", "now", "expected"),
    [
        pytest.param(LEAF_KEY, AUTHORITY, SERVER, NOW, None, id="fresh"),
        pytest.param(LEAF_KEY, AUTHORITY, SERVER, NOW + 334 * DAY, None, id="not yet due"),
        pytest.param(LEAF_KEY, AUTHORITY, SERVER, NOW + 335 * DAY, "it expires soon", id="due"),
        pytest.param(LEAF_KEY, AUTHORITY, SERVER, NOW + 999 * DAY, "it expires soon", id="expired"),
        pytest.param(OTHER_KEY, AUTHORITY, SERVER, NOW, "it belongs to another key", id="key lost and made anew"),
        pytest.param(LEAF_KEY, AUTHORITY, ADMIN, NOW, "it names another holder", id="another holder"),
        pytest.param(LEAF_KEY, OTHER_AUTHORITY, SERVER, NOW, "another authority signed it", id="another authority"),
        pytest.param(
            LEAF_KEY,
            AUTHORITY,
            replace(SERVER, names=("localhost", "10.0.0.7", "host")),
            NOW,
            "it does not cover 10.0.0.7, host",
            id="the machine has a new name",
        ),
        pytest.param(
            LEAF_KEY, AUTHORITY, replace(SERVER, names=("localhost",)), NOW, None, id="more names than needed"
        ),
    ],
)
def test_flaw(
    key: signing.PrivateKey, authority: Authority, holder: Holder, now: datetime, expected: str | None
) -> None:
    assert signing.flaw(GOOD, key, authority, holder, now) == expected


@pytest.mark.parametrize(
    ("key", "now", "expected"),
    [
        pytest.param(KEY, NOW, None, id="fresh"),
        pytest.param(KEY, NOW + 3254 * DAY, None, id="outlives all it signs"),
        pytest.param(KEY, NOW + 3255 * DAY, "it expires soon", id="no longer"),
        pytest.param(OTHER_KEY, NOW, "it belongs to another key", id="another key"),
    ],
)
def test_authority_flaw(key: signing.PrivateKey, now: datetime, expected: str | None) -> None:
    assert signing.authority_flaw(AUTHORITY.certificate, key, now) == expected


def test_what_an_authority_signed_stays_good_when_it_is_renewed() -> None:
    renewed = Authority(signing.sign_authority(KEY, NOW + DAY), KEY)
    assert signing.flaw(GOOD, LEAF_KEY, renewed, SERVER, NOW + DAY) is None


def test_names_are_brought_into_one_form() -> None:
    names = ["localhost", "::1", "0:0:0:0:0:0:0:1", "localhost", "", "münchen", "10.0.0.7"]
    assert signing.canonical_names(names) == ("localhost", "::1", "10.0.0.7")


@pytest.mark.parametrize("pem", [b"", b"hello", b"-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"])
def test_garbage_is_no_certificate_and_no_key(pem: bytes) -> None:
    assert signing.load_certificate(pem) is None
    with pytest.raises(signing.UnreadableKey):
        signing.load_key(pem)
