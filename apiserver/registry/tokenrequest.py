"""TokenRequests: asking for a token of a service account. Nothing is stored; the answer is the signed token. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from apiserver.auth import tokens
from apiserver.auth.tokens import Claims, Issuer, Reference, Subject
from steersman.api import errors, fields, times
from steersman.api.authentication import TokenRequest, TokenRequestStatus
from steersman.api.core import Node, Pod, Secret, ServiceAccount
from steersman.api.errors import BadRequest, Cause
from steersman.api.fields import Path
from steersman.api.meta import Object

SUBJECT: Final = errors.Subject("authentication.k8s.io", "TokenRequest", "TokenRequest")
USUAL_SECONDS: Final = 3600
SHORTEST_SECONDS: Final = 600
LONGEST_SECONDS: Final = 2**32

PROJECTED_SECONDS: Final = 3607
"""What the volume in every pod asks for. Programs that read the file only once get a year instead, as a transition."""
EXTENDED_SECONDS: Final = 365 * 24 * 3600

BINDABLE: Final[dict[str, type[Object]]] = {"Pod": Pod, "Secret": Secret, "Node": Node}

_SPEC = Path("spec")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a token is bound to: one object, or none; `node` is also that of a pod."""

    pod: Pod | None = None
    secret: Secret | None = None
    node: Node | None = None

    @property
    def target(self) -> Object | None:
        return self.pod or self.secret or self.node


NOTHING = Bound()


def check_named(request: TokenRequest, account: ServiceAccount) -> None:
    """Refuse a request that speaks of another account than the address does."""
    meta, owner = request.metadata, account.metadata
    for field, said, actual in (("name", meta.name, owner.name), ("namespace", meta.namespace, owner.namespace)):
        if said and said != actual:
            detail = f"must match the service account {field} if specified"
            cause = fields.invalid(Path("metadata").child(field), said, detail)
            raise errors.invalid(SUBJECT, owner.name, [cause])
    if meta.uid and meta.uid != owner.uid:
        why = f"the UID in the token request ({meta.uid}) does not match the UID of the service account ({owner.uid})"
        raise errors.conflict(SUBJECT, owner.name, why)


def completed(request: TokenRequest, account: ServiceAccount, issuer: Issuer, now: datetime) -> TokenRequest:
    owner, spec = account.metadata, request.spec
    seconds = USUAL_SECONDS if spec.expiration_seconds is None else spec.expiration_seconds
    return replace(
        request,
        api_version="authentication.k8s.io/v1",
        kind="TokenRequest",
        metadata=replace(
            request.metadata,
            name=owner.name,
            namespace=owner.namespace,
            uid=owner.uid,
            creation_timestamp=times.from_datetime(now),
        ),
        spec=replace(spec, audiences=spec.audiences or issuer.audiences, expiration_seconds=seconds),
        status=TokenRequestStatus(),
    )


def validate(request: TokenRequest) -> list[Cause]:
    spec = request.spec
    if spec.attestations:
        detail = "attestations may only be specified with a webhook bound object reference"
        return [fields.invalid(_SPEC.child("attestations"), spec.attestations, detail)]
    seconds, path = spec.expiration_seconds or 0, _SPEC.child("expirationSeconds")
    if seconds < SHORTEST_SECONDS:
        return [fields.invalid(path, seconds, "may not specify a duration less than 10 minutes")]
    if seconds > LONGEST_SECONDS:
        return [fields.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")]
    return []


def kind_to_bind(request: TokenRequest) -> type[Object] | None:
    """What sort of object the token is to be bound to; None: to none. BadRequest for one that cannot be."""
    reference = request.spec.bound_object_ref
    if reference is None:
        return None
    group, _, version = reference.api_version.rpartition("/")
    struct = BINDABLE.get(reference.kind) if not group else None
    if struct is None:
        shown = f"{group}/{version}, Kind={reference.kind}"
        raise BadRequest(f"cannot bind token to object of type {shown}")
    return struct


def check_bound(request: TokenRequest, bound: Bound) -> None:
    """BadRequest or Conflict when the object that was found is not the one that was meant."""
    reference, target = request.spec.bound_object_ref, bound.target
    account = request.metadata.name
    if bound.pod is not None and bound.pod.spec.service_account_name != account:
        with_another = "to pod running with different serviceaccount name."
        raise BadRequest(f"cannot bind token for serviceaccount {errors.quoted(account)} {with_another}")
    if reference is None or target is None or reference.uid in ("", target.metadata.uid):
        return
    why = (
        f"the UID in the bound object reference ({reference.uid}) does not match the UID in record. "
        "The object might have been deleted and then recreated"
    )
    subject = errors.Subject("", reference.kind, reference.kind)
    raise errors.conflict(subject, reference.name, why)


def claims_of(request: TokenRequest, bound: Bound, issuer: Issuer, *, token_id: str, now: datetime) -> Claims:
    spec, meta = request.spec, request.metadata
    seconds = lifetime = spec.expiration_seconds or USUAL_SECONDS
    issued = int(now.timestamp())
    warn_after: int | None = None
    if bound.pod is not None and seconds == PROJECTED_SECONDS and set(spec.audiences) <= set(issuer.audiences):
        lifetime, warn_after = EXTENDED_SECONDS, issued + seconds
    subject = Subject(
        namespace=meta.namespace,
        serviceaccount=Reference(meta.name, meta.uid),
        pod=_reference(bound.pod),
        secret=_reference(bound.secret),
        node=_reference(bound.node),
        warnafter=warn_after,
    )
    return Claims(
        aud=spec.audiences,
        exp=issued + lifetime,
        iat=issued,
        jti=token_id,
        subject=subject,
        nbf=issued,
        sub=tokens.user_name(meta.namespace, meta.name),
    )


def answered(request: TokenRequest, token: str, now: datetime) -> TokenRequest:
    ends = now + timedelta(seconds=request.spec.expiration_seconds or USUAL_SECONDS)
    return replace(request, status=TokenRequestStatus(token=token, expiration_timestamp=times.from_datetime(ends)))


def _reference(target: Object | None) -> Reference | None:
    return None if target is None else Reference(target.metadata.name, target.metadata.uid)
