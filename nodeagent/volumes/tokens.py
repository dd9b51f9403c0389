"""Tokens of service accounts for pods: asked for once, kept, and asked for anew when 80 % of their life is over.

As long as a token is valid, failing to get the next one is no reason to lose it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from nodeagent.volumes.payload import TokenWish
from steersman.api import times
from steersman.api.authentication import BoundObjectReference, TokenRequest, TokenRequestSpec
from steersman.api.core import Pod, ServiceAccount
from steersman.api.errors import ApiError
from steersman.api.names import Uid
from steersman.base import log
from steersman.base.clock import Clock
from steersman.client.client import Client

REFRESH_SHARE = 0.8
LONGEST = timedelta(hours=24)

_log = log.get("tokens")


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    refresh_at: datetime
    expires_at: datetime


class Tokens:
    def __init__(self, api: Client, clock: Clock) -> None:
        self._accounts = api.of(ServiceAccount)
        self._clock = clock
        self._known: dict[Uid, dict[TokenWish, Token]] = {}

    async def get(self, pod: Pod, wish: TokenWish) -> Token:
        """One that has at least a fifth of its life before it, if one can be had. Raises ApiError."""
        uid = Uid(pod.metadata.uid)
        known = self._known.get(uid, {}).get(wish)
        if known is not None and self._clock.now() < known.refresh_at:
            return known
        try:
            fresh = await self._ask(pod, wish)
        except ApiError as error:
            if known is None or self._clock.now() >= known.expires_at:
                raise
            _log.warning("cannot refresh a token", pod=pod.metadata.name, error=error.reason, reason=error.message)
            return known
        self._known.setdefault(uid, {})[wish] = fresh
        return fresh

    def refresh_at(self, uid: Uid) -> datetime | None:
        """When the first of a pod's tokens should be replaced."""
        return min((token.refresh_at for token in self._known.get(uid, {}).values()), default=None)

    def forget(self, uid: Uid) -> None:
        self._known.pop(uid, None)

    async def _ask(self, pod: Pod, wish: TokenWish) -> Token:
        meta = pod.metadata
        spec = TokenRequestSpec(
            audiences=(wish.audience,) if wish.audience else (),
            expiration_seconds=wish.seconds,
            bound_object_ref=BoundObjectReference(api_version="v1", kind="Pod", name=meta.name, uid=meta.uid),
        )
        request = TokenRequest(spec=spec, api_version="authentication.k8s.io/v1", kind="TokenRequest")
        account = pod.spec.service_account_name or "default"
        answer = await self._accounts.request_token(account, meta.namespace, request)
        return judge(answer, self._clock.now())


def judge(answer: TokenRequest, now: datetime) -> Token:
    """How long the token is good for."""
    granted = timedelta(seconds=answer.spec.expiration_seconds or 0)
    expiry = answer.status.expiration_timestamp
    expires_at = times.to_datetime(expiry) if expiry else now + granted
    issued_at = expires_at - granted
    refresh_at = min(issued_at + granted * REFRESH_SHARE, issued_at + LONGEST)
    return Token(answer.status.token, refresh_at, expires_at)
