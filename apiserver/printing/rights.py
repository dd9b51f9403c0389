"""Who may do what, and who asks to be somebody."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from apiserver.printing import ages, phrases
from apiserver.printing.columns import AGE, NAME, Cells, Column, Printer, wide
from steersman.api.certificates import CertificateSigningRequest
from steersman.api.rbac import ClusterRoleBinding, RoleBinding, Subject


def binding_cells(shown: RoleBinding | ClusterRoleBinding, now: datetime) -> Cells:
    role, subjects = shown.role_ref, shown.subjects
    return [
        shown.metadata.name,
        f"{role.kind}/{role.name}",
        ages.since(shown.metadata.creation_timestamp, now),
        _joined(subject.name for subject in subjects if subject.kind == "User"),
        _joined(subject.name for subject in subjects if subject.kind == "Group"),
        _joined(map(_account, (subject for subject in subjects if subject.kind == "ServiceAccount"))),
    ]


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(texts)


def _account(subject: Subject) -> str:
    return f"{subject.namespace}/{subject.name}"


def request_cells(shown: CertificateSigningRequest, now: datetime) -> Cells:
    spec = shown.spec
    return [
        shown.metadata.name,
        ages.since(shown.metadata.creation_timestamp, now),
        spec.signer_name or phrases.NONE,
        spec.username,
        phrases.NONE if spec.expiration_seconds is None else ages.human(spec.expiration_seconds),
        _condition(shown),
    ]


def _condition(shown: CertificateSigningRequest) -> str:
    types = {condition.type for condition in shown.status.conditions}
    words = [next((word for word in ("Denied", "Approved") if word in types), "Pending")]
    if "Failed" in types:
        words.append("Failed")
    if shown.status.certificate:
        words.append("Issued")
    return ",".join(words)


BINDING = Printer(
    (
        NAME,
        Column("Role", "The role whose rights are given."),
        AGE,
        wide("Users", "The users that they are given to."),
        wide("Groups", "The groups that they are given to."),
        wide("ServiceAccounts", "The service accounts that they are given to."),
    ),
    binding_cells,
)
SIGNING_REQUEST = Printer(
    (
        NAME,
        AGE,
        Column("SignerName", "Who is asked to sign."),
        Column("Requestor", "Who asks."),
        Column("RequestedDuration", "For how long the certificate is to be valid."),
        Column("Condition", "What has become of the request."),
    ),
    request_cells,
)
