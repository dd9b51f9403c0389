"""CertificateSigningRequests: who asks, what is asked for, and what each of the three doors may change."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from msgspec.structs import replace

from apiserver.auth.identity import Caller
from apiserver.registry import certificatesigningrequest as doors
from apiserver.registry.certificatesigningrequest import CERTIFICATE_SIGNING_REQUEST
from steersman.api.certificates import CertificateSigningRequest, CertificateSigningRequestStatus
from tests.unit.apiserver.registry.pods import shown
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

NOW = datetime(2026, 11, 18, 7, tzinfo=UTC)
KEY = ec.generate_private_key(ec.SECP256R1())
NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "jane")])
DER = (
    x509.CertificateSigningRequestBuilder()
    .subject_name(NAME)
    .sign(KEY, hashes.SHA256())
    .public_bytes(serialization.Encoding.DER)
)


def wrapped(kind: str, der: bytes) -> bytes:
    body = base64.encodebytes(der).decode()
    return f"-----BEGIN {kind}-----\n{body}-----END {kind}-----\n".encode()


def encoded(text: bytes) -> str:
    return base64.b64encode(text).decode()


REQUEST = wrapped("CERTIFICATE REQUEST", DER)
FORGED = wrapped("CERTIFICATE REQUEST", DER[:-1] + bytes([DER[-1] ^ 1]))
BROKEN = wrapped("CERTIFICATE REQUEST", b"nothing of the kind")
KEY_TEXT = wrapped("PRIVATE KEY", b"secret")
CERTIFICATE = (
    x509.CertificateBuilder()
    .subject_name(NAME)
    .issuer_name(NAME)
    .public_key(KEY.public_key())
    .serial_number(1)
    .not_valid_before(NOW)
    .not_valid_after(NOW + timedelta(days=1))
    .sign(KEY, hashes.SHA256())
    .public_bytes(serialization.Encoding.PEM)
)
SUBJECT = Subject(
    CertificateSigningRequest,
    CERTIFICATE_SIGNING_REQUEST,
    {
        "metadata": {"name": "jane"},
        "spec": {
            "request": encoded(REQUEST),
            "signerName": "kubernetes.io/kube-apiserver-client",
            "usages": ["client auth"],
        },
    },
)
NOT_A_REQUEST = "PEM block type must be CERTIFICATE REQUEST"


def spec(**given: Any) -> dict[str, Any]:
    return {"spec": given}


def test_nobody_says_who_he_is() -> None:
    made = SUBJECT.make(spec(username="root", uid="0", groups=["system:masters"], extra={"a": ["b"]}))
    assert made == SUBJECT.make()
    noted = doors.requested_by(made, Caller("jane", ("devs",), "7", (("a", ("b",)),)))
    assert (noted.spec.username, noted.spec.uid, noted.spec.groups) == ("jane", "7", ("devs",))
    assert noted.spec.extra == {"a": ("b",)}


ROWS = [
    row("as it should be", {}),
    row("something before it", spec(request=encoded(b"my request:\n" + REQUEST))),
    row("an hour", spec(expirationSeconds=3600)),
    row("nothing", spec(request=None), f"spec.request: Invalid value: null: {NOT_A_REQUEST}"),
    row(
        "a key", spec(request=encoded(KEY_TEXT)), f'spec.request: Invalid value: "{encoded(KEY_TEXT)}": {NOT_A_REQUEST}'
    ),
    row(
        "broken",
        spec(request=encoded(BROKEN)),
        f'spec.request: Invalid value: "{encoded(BROKEN)}": asn1: structure error: malformed certificate request',
    ),
    row(
        "forged",
        spec(request=encoded(FORGED)),
        f'spec.request: Invalid value: "{encoded(FORGED)}": x509: ECDSA verification failure',
    ),
    row("for nothing", spec(usages=[]), "spec.usages: Required value"),
    row(
        "for nonsense",
        spec(usages=["signing", "signing", "fun"]),
        'spec.usages[2]: Unsupported value: "fun": supported values: '
        + ", ".join(f'"{usage}"' for usage in sorted(doors.USAGES)),
        'spec.usages[1]: Duplicate value: "signing"',
    ),
    row("signed by nobody", spec(signerName=""), "spec.signerName: Required value"),
    row(
        "signed the old way",
        spec(signerName="kubernetes.io/legacy-unknown"),
        'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": '
        "the legacy signerName is not allowed via this API version",
    ),
    row(
        "signed by somebody odd",
        spec(signerName="me"),
        'spec.signerName: Invalid value: "me": '
        "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    ),
    row(
        "for a moment",
        spec(expirationSeconds=599),
        "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


def test_any_name_will_do() -> None:
    assert not CERTIFICATE_SIGNING_REQUEST.name_rule("Any/thing at all")


def conditions(*given: tuple[str, str], certificate: bytes = b"") -> dict[str, Any]:
    stated = [{"type": kind, "status": status} for kind, status in given]
    return {"status": {"conditions": stated, **({"certificate": encoded(certificate)} if certificate else {})}}


APPROVED = ("Approved", "True")
STEPS = [
    step("nothing changes what is asked for", spec(usages=["server auth"])),
    step("issued", conditions(APPROVED, certificate=CERTIFICATE), before=conditions(APPROVED)),
    step("failed", conditions(("Failed", "True"))),
    step(
        "approved at the wrong door",
        conditions(APPROVED),
        'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ),
    step(
        "no longer approved or failed",
        conditions(),
        'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
        'status.conditions: Forbidden: updates may not remove a condition of type "Failed"',
        before=conditions(APPROVED, ("Failed", "True")),
    ),
    step(
        "another certificate",
        conditions(certificate=CERTIFICATE + b"\n"),
        "status.certificate: Forbidden: updates may not modify existing certificate content",
        before=conditions(certificate=CERTIFICATE),
    ),
    step(
        "no certificate",
        conditions(certificate=b"x"),
        'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
    ),
    step(
        "a key with the certificate",
        conditions(certificate=CERTIFICATE + KEY_TEXT),
        'status.certificate: Invalid value: "<certificate data>": '
        'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
    ),
    step(
        "a talkative certificate",
        conditions(certificate=b"-----BEGIN CERTIFICATE-----\nA: b\n\nAAAA\n-----END CERTIFICATE-----\n"),
        'status.certificate: Invalid value: "<certificate data>": no PEM block headers are permitted',
    ),
    step(
        "an empty certificate",
        conditions(certificate=b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"),
        'status.certificate: Invalid value: "<certificate data>": '
        "found CERTIFICATE PEM block containing 0 certificates",
    ),
    step(
        "a broken certificate",
        conditions(certificate=wrapped("CERTIFICATE", b"x")),
        'status.certificate: Invalid value: "<certificate data>": x509: malformed certificate',
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)


def test_a_decision_stays_as_it_was_taken() -> None:
    old = SUBJECT.make(conditions(APPROVED))
    louder = replace(old.status.conditions[0], reason="Louder")
    new = replace(old, status=replace(old.status, conditions=(louder,), certificate=CERTIFICATE))
    kept = doors.prepare_update(new, old)
    assert kept.status.conditions == old.status.conditions
    assert kept.status.certificate == CERTIFICATE


APPROVALS = [
    step("approved", conditions(APPROVED)),
    step(
        "not quite approved",
        conditions(("Approved", "False"), ("", ""), ("Mine", "Perhaps")),
        'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
        "status.conditions[1].type: Required value",
        "status.conditions[1].status: Required value",
        'status.conditions[2].status: Unsupported value: "Perhaps": supported values: "False", "True", "Unknown"',
    ),
    step(
        "approved and denied",
        conditions(APPROVED, ("Denied", "True")),
        'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ),
    step(
        "approved twice",
        conditions(APPROVED, APPROVED),
        'status.conditions[1].type: Duplicate value: "Approved"',
    ),
]


@pytest.mark.parametrize("case", APPROVALS, ids=ids(APPROVALS))
def test_approvals(case: Step) -> None:
    old = SUBJECT.make()
    approved = doors.approved(SUBJECT.make(case.patch), old, NOW)
    assert shown(doors.validate_approval(approved, old)) == list(case.complaints)


def test_approving_changes_conditions_alone_and_notes_the_time() -> None:
    old = SUBJECT.make(conditions(("Mine", "True")))
    earlier = replace(old.status.conditions[0], last_transition_time="2026-01-01T00:00:00Z", last_update_time=None)
    old = replace(old, status=CertificateSigningRequestStatus(conditions=(earlier,)))
    asked = SUBJECT.make(spec(usages=["any"]) | conditions(("Mine", "True"), APPROVED, certificate=CERTIFICATE))
    approved = doors.approved(asked, old, NOW)
    assert (approved.spec, approved.status.certificate) == (old.spec, b"")
    assert [(one.last_update_time, one.last_transition_time) for one in approved.status.conditions] == [
        ("2026-11-18T07:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-11-18T07:00:00Z", "2026-11-18T07:00:00Z"),
    ]
