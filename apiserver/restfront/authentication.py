"""Who is asking over HTTP: the holder of a client certificate, or of a bearer token.

A certificate has been verified by the TLS handshake; a token is verified by whoever was given for that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from apiserver.auth.identity import INSECURE, Caller, from_certificate
from apiserver.restfront import impersonation
from steersman.api.errors import Unauthenticated

VerifyToken = Callable[[str], Awaitable[Caller | None]]
"""The holder of a bearer token; None for one that is not ours, or no longer good."""


async def no_tokens(_: str) -> Caller | None:
    """For a server that gives out no tokens."""
    return None


class Authentication:
    def __init__(self, verify_token: VerifyToken = no_tokens, *, secure: bool) -> None:
        self._verify_token = verify_token
        self._secure = secure

    async def caller(self, request: web.BaseRequest) -> Caller:
        """Unauthenticated when nobody can be made out."""
        caller = INSECURE if not self._secure else _certificate_holder(request)
        if caller is None:
            token = bearer_token(request.headers.get("Authorization", ""))
            caller = await self._verify_token(token) if token else None
        if caller is None:
            raise Unauthenticated("Unauthorized")
        return impersonation.acting(caller, request.headers)


def _certificate_holder(request: web.BaseRequest) -> Caller | None:
    transport = request.transport
    shown = transport.get_extra_info("ssl_object") if transport is not None else None
    certificate = shown.getpeercert(binary_form=True) if shown is not None else None
    return from_certificate(certificate) if certificate else None


def bearer_token(authorization: str) -> str:
    scheme, _, token = authorization.strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
