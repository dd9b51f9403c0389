"""The authentication group, v1: questions about identity. Nothing of it is stored."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Object
from steersman.api.part import At, Int64, Part, Time, atomic, empty, null


class TokenReviewSpec(Part):
    token: Annotated[str, At(1, required=True)] = ""
    audiences: Annotated[tuple[str, ...], atomic(2)] = ()


class UserInfo(Part):
    username: Annotated[str, At(1)] = ""
    uid: Annotated[str, At(2)] = ""
    groups: Annotated[tuple[str, ...], atomic(3)] = ()
    extra: Annotated[dict[str, tuple[str, ...]], At(4)] = field(default_factory=dict)


class TokenReviewStatus(Part):
    authenticated: Annotated[bool, At(1)] = False
    user: Annotated[UserInfo, At(2)] = field(default_factory=UserInfo)
    audiences: Annotated[tuple[str, ...], atomic(4)] = ()
    error: Annotated[str, At(3)] = ""


class TokenReview(Object):
    """The question whose token this is."""

    spec: Annotated[TokenReviewSpec, At(2, required=True)] = field(default_factory=TokenReviewSpec)
    status: Annotated[TokenReviewStatus, At(3)] = field(default_factory=TokenReviewStatus)


class BoundObjectReference(Part):
    kind: Annotated[str, At(1)] = ""
    api_version: Annotated[str, At(2)] = ""
    name: Annotated[str, At(3)] = ""
    uid: Annotated[str, At(4)] = ""


class TokenRequestSpec(Part):
    audiences: Annotated[tuple[str, ...], atomic(1, required=False)] = field(default_factory=empty)
    expiration_seconds: Annotated[Int64 | None, At(4)] = field(default_factory=null)
    bound_object_ref: Annotated[BoundObjectReference | None, At(3)] = field(default_factory=null)
    attestations: Annotated[dict[str, tuple[str, ...]], At(5)] = field(default_factory=dict)


class TokenRequestStatus(Part):
    token: Annotated[str, At(1, required=False)] = field(default_factory=str)
    expiration_timestamp: Annotated[Time | None, At(2)] = field(default_factory=null)


class TokenRequest(Object):
    """The request for a token of a service account."""

    spec: Annotated[TokenRequestSpec, At(2)] = field(default_factory=TokenRequestSpec)
    status: Annotated[TokenRequestStatus, At(3)] = field(default_factory=TokenRequestStatus)


class SelfSubjectReviewStatus(Part):
    user_info: Annotated[UserInfo, At(1)] = field(default_factory=UserInfo)


class SelfSubjectReview(Object):
    """The question who I am."""

    status: Annotated[SelfSubjectReviewStatus, At(2)] = field(default_factory=SelfSubjectReviewStatus)
