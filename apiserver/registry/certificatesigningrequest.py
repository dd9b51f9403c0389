"""CertificateSigningRequests: who asks is noted by the server, what is asked for never changes.

Three doors lead to one: the main one changes metadata alone, `approval` the conditions, `status` the certificate and
every condition that is not a decision. A decision, once made, stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from apiserver.auth.identity import Caller
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import certificates, checks, signers
from steersman.api import fields, times
from steersman.api.certificates import (
    CertificateSigningRequest,
    CertificateSigningRequestCondition,
    CertificateSigningRequestSpec,
    CertificateSigningRequestStatus,
)
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

APPROVED, DENIED, FAILED = "Approved", "Denied", "Failed"
LEGACY_SIGNER: Final = "kubernetes.io/legacy-unknown"
SHORTEST_SECONDS: Final = 600
USAGES: Final = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)

_SPEC: Final = Path("spec")
_CONDITIONS: Final = Path("status").child("conditions")
_CERTIFICATE: Final = Path("status").child("certificate")

Request = CertificateSigningRequest
Condition = CertificateSigningRequestCondition


def default(new: Request) -> Request:
    """Without any word on who asks: that is for the server to say (`requested_by`), or stands in the old object."""
    return replace(new, spec=replace(new.spec, username="", uid="", groups=(), extra={}))


def requested_by(new: Request, caller: Caller) -> Request:
    """A new request with the caller's identity, on which the signer will rely."""
    said = replace(new.spec, username=caller.user, uid=caller.uid, groups=caller.groups, extra=dict(caller.extra))
    return replace(new, spec=said)


def validate(new: Request) -> list[Cause]:
    spec = new.spec
    causes: list[Cause] = []
    complaint = certificates.complain_of_request(spec.request)
    if complaint:
        causes.append(fields.invalid(_SPEC.child("request"), spec.request or None, complaint))
    causes += _validate_usages(spec, _SPEC.child("usages"))
    if spec.signer_name == LEGACY_SIGNER:
        detail = "the legacy signerName is not allowed via this API version"
        causes.append(fields.invalid(_SPEC.child("signerName"), spec.signer_name, detail))
    else:
        causes += signers.validate_signer_name(spec.signer_name, _SPEC.child("signerName"))
    seconds = spec.expiration_seconds
    if seconds is not None and seconds < SHORTEST_SECONDS:
        detail = "may not specify a duration less than 600 seconds (10 minutes)"
        causes.append(fields.invalid(_SPEC.child("expirationSeconds"), seconds, detail))
    return causes


def validate_update(new: Request, old: Request) -> list[Cause]:
    """The rules of the status endpoint; the main one leaves status alone."""
    if new.status == old.status:
        return []
    causes = _validate_status(new.status, old.status)
    for decision in (APPROVED, DENIED):
        if len(_of_type(new.status, decision)) > len(_of_type(old.status, decision)):
            detail = f"updates may not add a condition of type {quoted(decision)}"
            causes.append(fields.forbidden(_CONDITIONS, detail))
    if old.status.certificate and new.status.certificate != old.status.certificate:
        causes.append(fields.forbidden(_CERTIFICATE, "updates may not modify existing certificate content"))
    return causes


def validate_approval(new: Request, old: Request) -> list[Cause]:
    """The rules of the `approval` subresource, the only way to decide on a request."""
    return _validate_status(new.status, old.status)


def prepare_update(new: Request, old: Request) -> Request:
    """The request as it was made, and the decisions on it as they were taken."""
    kept = replace(new, spec=old.spec)
    if new.status == old.status:
        return kept
    conditions = list(new.status.conditions)
    for decision in (APPROVED, DENIED):
        taken = _of_type(old.status, decision)
        places = [index for index, condition in enumerate(conditions) if condition.type == decision]
        if len(places) == len(taken):
            for place, condition in zip(places, taken, strict=True):
                conditions[place] = condition
    return replace(kept, status=replace(new.status, conditions=tuple(conditions)))


def approved(new: Request, old: Request, now: datetime) -> Request:
    """The approval door: conditions change, with their times filled in; nothing else does."""
    conditions = stamped(new.status.conditions, old.status.conditions, now)
    return replace(old, status=replace(old.status, conditions=conditions))


def stamped_request(new: Request, old: Request | None, now: datetime) -> Request:
    """The same at the status door."""
    if old is None or new.status.conditions == old.status.conditions:
        return new
    return replace(
        new, status=replace(new.status, conditions=stamped(new.status.conditions, old.status.conditions, now))
    )


def stamped(new: Sequence[Condition], old: Sequence[Condition], now: datetime) -> tuple[Condition, ...]:
    """Each condition with its times: a state that lasts keeps the time at which it was entered."""
    entered = {(one.type, one.status): one.last_transition_time for one in old if one.last_transition_time}
    moment = times.from_datetime(now)
    return tuple(
        replace(
            condition,
            last_update_time=condition.last_update_time or moment,
            last_transition_time=condition.last_transition_time
            or entered.get((condition.type, condition.status), moment),
        )
        for condition in new
    )


def _validate_usages(spec: CertificateSigningRequestSpec, path: Path) -> list[Cause]:
    if not spec.usages:
        return [fields.required(path)]
    causes: list[Cause] = []
    for index, usage in enumerate(spec.usages):
        causes += checks.choice(usage, path.index(index), USAGES)
    for index, usage in enumerate(spec.usages):
        if usage in spec.usages[:index]:
            causes.append(fields.duplicate(path.index(index), usage))
    return causes


def _validate_status(new: CertificateSigningRequestStatus, old: CertificateSigningRequestStatus) -> list[Cause]:
    """What holds at both doors that lead to status."""
    causes = _validate_conditions(new.conditions)
    if new.certificate != old.certificate:
        complaint = certificates.complain_of_certificates(new.certificate)
        if complaint:
            causes.append(fields.invalid(_CERTIFICATE, "<certificate data>", complaint))
    for lasting in (APPROVED, DENIED, FAILED):
        if len(_of_type(new, lasting)) < len(_of_type(old, lasting)):
            detail = f"updates may not remove a condition of type {quoted(lasting)}"
            causes.append(fields.forbidden(_CONDITIONS, detail))
    return causes


def _validate_conditions(conditions: Sequence[Condition]) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        path, kind = _CONDITIONS.index(index), condition.type
        if not kind:
            causes.append(fields.required(path.child("type")))
        allowed = ("True",) if kind in (APPROVED, DENIED, FAILED) else ("False", "True", "Unknown")
        causes += checks.required_choice(condition.status, path.child("status"), allowed)
        opposite = {APPROVED: DENIED, DENIED: APPROVED}.get(kind)
        if opposite in seen:
            detail = "Approved and Denied conditions are mutually exclusive"
            causes.append(fields.invalid(_CONDITIONS, kind, detail))
        if kind in seen:
            causes.append(fields.duplicate(path.child("type"), kind))
        seen.add(kind)
    return causes


def _of_type(status: CertificateSigningRequestStatus, kind: str) -> list[Condition]:
    return [condition for condition in status.conditions if condition.type == kind]


def any_name(_name: str) -> Sequence[str]:
    """Requests may be called anything."""
    return ()


CERTIFICATE_SIGNING_REQUEST = Strategy(
    default=default,
    validate=validate,
    made_by=requested_by,
    validate_update=validate_update,
    prepare_update=prepare_update,
    prepare_status_update=prepare_update,
    name_rule=any_name,
    stamp=stamped_request,
)
