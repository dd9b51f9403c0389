"""Tokens of service accounts: what they say, and whether one is still good.

A token names a service account and may be bound to a pod, a secret or a node. It is good as long as its signature, its
times and its audience are, and as long as everything that it names still exists with the uid that it had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

import msgspec

from apiserver.admission.lookup import Lookup
from apiserver.auth.identity import AUTHENTICATED, CREDENTIAL_ID, Caller
from steersman.api import times
from steersman.api.core import Node, Pod, Secret, ServiceAccount
from steersman.api.meta import Object
from steersman.base.clock import Clock

ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
LEEWAY = timedelta(minutes=1)
"""How far clocks of machines may be apart; also how long a token outlives what it is bound to."""

_EXTRA: Final = "authentication.kubernetes.io/"


class InvalidToken(Exception):
    """Not a token of ours, or no longer good; the text says why."""


class Key(Protocol):
    """What tokens are signed with and checked by."""

    def sign(self, claims: Mapping[str, Any]) -> str: ...

    def read(self, token: str) -> bytes:
        """The claims of a token that this key has signed, as JSON. InvalidToken for any other."""

    def public(self) -> dict[str, str]:
        """The key as others need it to check tokens: a JSON Web Key."""


class Reference(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str = ""
    uid: str = ""


class Subject(msgspec.Struct, frozen=True, omit_defaults=True):
    """What Kubernetes says in a token beside the registered claims."""

    namespace: str = ""
    serviceaccount: Reference = Reference()
    pod: Reference | None = None
    secret: Reference | None = None
    node: Reference | None = None
    warnafter: int | None = None


class Claims(msgspec.Struct, frozen=True, omit_defaults=True):
    aud: tuple[str, ...] = ()
    exp: int = 0
    iat: int = 0
    iss: str = ""
    jti: str = ""
    subject: Subject = msgspec.field(default=Subject(), name="kubernetes.io")
    nbf: int = 0
    sub: str = ""


@dataclass(frozen=True, slots=True)
class Issuer:
    """Who gives out tokens. `audiences`: those for whom a token is meant when nobody says; this server is one.

    The key is asked for when it is first needed: many a server never gives out a token.
    """

    key: Callable[[], Key]
    url: str = ISSUER
    audiences: tuple[str, ...] = (ISSUER,)

    def issue(self, claims: Claims) -> str:
        plain: dict[str, Any] = msgspec.to_builtins(claims)
        return self.key().sign({**plain, "iss": self.url})

    def read(self, token: str) -> Claims:
        """InvalidToken unless we have given it out. Times and audiences are not looked at."""
        try:
            claims = msgspec.json.decode(self.key().read(token), type=Claims)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InvalidToken("the claims are malformed") from error
        if claims.iss != self.url:
            raise InvalidToken("given out by somebody else")
        return claims


def user_name(namespace: str, name: str) -> str:
    return f"system:serviceaccount:{namespace}:{name}"


def check_times(claims: Claims, now: datetime) -> None:
    moment, leeway = now.timestamp(), LEEWAY.total_seconds()
    if moment > claims.exp + leeway:
        raise InvalidToken("service account token has expired")
    if moment < claims.nbf - leeway:
        raise InvalidToken("service account token is not valid yet")
    if moment < claims.iat - leeway:
        raise InvalidToken("service account token is issued in the future")


def check_subject(claims: Claims) -> None:
    subject = claims.subject
    if claims.sub != user_name(subject.namespace, subject.serviceaccount.name):
        raise InvalidToken("the subject is not the service account")


def caller_of(claims: Claims) -> Caller:
    """Whom the token names, with what Kubernetes tells about the credential."""
    subject = claims.subject
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{subject.namespace}", AUTHENTICATED)
    extra = [(CREDENTIAL_ID, (f"JTI={claims.jti}",))] if claims.jti else []
    for kind, bound in (("node", subject.node), ("pod", subject.pod)):
        if bound is not None and bound.name:
            extra.append((f"{_EXTRA}{kind}-name", (bound.name,)))
            extra += [(f"{_EXTRA}{kind}-uid", (bound.uid,))] if bound.uid else []
    return Caller(claims.sub, groups, subject.serviceaccount.uid, tuple(extra))


class Tokens:
    """Checks tokens against the cluster as it is."""

    def __init__(self, issuer: Issuer, lookup: Lookup, clock: Clock) -> None:
        self._issuer = issuer
        self._lookup = lookup
        self._clock = clock

    async def caller_of(self, token: str) -> Caller | None:
        """The holder of a bearer token that is meant for this server; None for any other."""
        try:
            caller, _ = await self.review(token, self._issuer.audiences)
        except InvalidToken:
            return None
        return caller

    async def review(self, token: str, audiences: Sequence[str] = ()) -> tuple[Caller, tuple[str, ...]]:
        """The holder, and for which of these audiences (this server's, when none are named) the token is meant.

        InvalidToken, saying why, when it is good for nobody.
        """
        claims = self._issuer.read(token)
        now = self._clock.now()
        check_times(claims, now)
        check_subject(claims)
        meant = tuple(audience for audience in audiences or self._issuer.audiences if audience in claims.aud)
        if not meant:
            raise InvalidToken(f"token audiences {list(claims.aud)} is invalid for the target audiences")
        for struct, reference, namespace in _named(claims.subject):
            if not _lives(await self._lookup.find(struct, reference.name, namespace), reference, now):
                raise InvalidToken("service account token has been invalidated")
        return caller_of(claims), meant


def _named(subject: Subject) -> Iterator[tuple[type[Object], Reference, str]]:
    """What must still be there. The node of a pod is only told, not relied on."""
    yield ServiceAccount, subject.serviceaccount, subject.namespace
    if subject.secret is not None:
        yield Secret, subject.secret, subject.namespace
    if subject.pod is not None:
        yield Pod, subject.pod, subject.namespace
    elif subject.node is not None:
        yield Node, subject.node, ""


def _lives(found: Object | None, reference: Reference, now: datetime) -> bool:
    if found is None or found.metadata.uid != reference.uid:
        return False
    ends = found.metadata.deletion_timestamp
    return ends is None or times.to_datetime(ends) >= now - LEEWAY
