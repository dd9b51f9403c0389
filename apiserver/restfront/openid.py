"""Who gives out our tokens, and by which keys others can check them: OpenID discovery, as far as tokens need it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from aiohttp import web

from apiserver.auth.tokens import Issuer
from apiserver.restfront.pages import Page
from apiserver.restfront.query import Query
from apiserver.restfront.reply import Reply
from steersman.base.values import Address

CONFIGURATION, KEYS = "/.well-known/openid-configuration", "/openid/v1/jwks"
CACHING = "public, max-age=3600"


def of_issuer(issuer: Issuer) -> Mapping[str, Page]:
    """The pages, by path."""

    async def configuration(request: web.BaseRequest, path: str, _: Query) -> Reply | None:
        if path != CONFIGURATION:
            return None
        told = {
            "issuer": issuer.url,
            "jwks_uri": f"https://{_reached_at(request)}{KEYS}",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [issuer.key().public()["alg"]],
        }
        return Reply(200, msgspec.json.encode(told), "application/json", CACHING)

    async def keys(_: web.BaseRequest, path: str, _query: Query) -> Reply | None:
        if path != KEYS:
            return None
        body = msgspec.json.encode({"keys": [issuer.key().public()]})
        return Reply(200, body, "application/jwk-set+json", CACHING)

    return {CONFIGURATION: configuration, KEYS: keys}


def _reached_at(request: web.BaseRequest) -> Address:
    """Our address on the connection that the question came by: one that its sender can certainly reach."""
    assert request.transport is not None
    host, port, *_ = request.transport.get_extra_info("sockname")
    return Address(host, port)
