"""What is served beside resources: health, version and metrics, discovery, and the index of all that."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from aiohttp import web
from prometheus_client import CollectorRegistry

from apiserver.restfront import negotiation, replies
from apiserver.restfront.discovery import AGGREGATED, Discovery
from apiserver.restfront.query import Query
from apiserver.restfront.reply import Reply
from steersman.api.errors import MethodNotAllowed
from steersman.base import httpserver, metrics
from steersman.base.health import Health

Page = Callable[[web.BaseRequest, str, Query], Awaitable[Reply | None]]
"""Answers to a path, or None when it is not one of its own. A further page (OpenAPI) is one more of them."""

OF_SERVER = ("/healthz", "/livez", "/metrics", "/readyz", "/version")
OPEN = ("/healthz", "/livez", "/readyz", "/version")
"""For everybody, also for those who cannot say who they are."""


def is_open(path: str) -> bool:
    return path.startswith(OPEN) and (path in OPEN or path.startswith(tuple(f"{page}/" for page in OPEN)))


@dataclass(frozen=True, slots=True)
class About:
    """What a server can tell about itself."""

    live: Health
    ready: Health
    metrics: CollectorRegistry
    version: Mapping[str, str]


def of_server(about: About) -> Page:
    checks = {"healthz": about.live, "livez": about.live, "readyz": about.ready}
    version = json.dumps(dict(about.version), indent=2).encode()

    async def page(_request: web.BaseRequest, path: str, query: Query) -> Reply | None:
        endpoint, _, check = path.removeprefix("/").partition("/")
        if endpoint in checks:
            code, text = await httpserver.health_text(
                endpoint, checks[endpoint], check=check, exclude=query.texts("exclude"), verbose="verbose" in query
            )
            return replies.text(code, text.encode())
        if path == "/version":
            return replies.made(200, version)
        if path == "/metrics":
            body, content_type = metrics.render(about.metrics)
            return replies.made(200, body, content_type)
        return None

    return page


def of_discovery(discovery: Discovery) -> Page:
    async def page(request: web.BaseRequest, path: str, _: Query) -> Reply | None:
        document = discovery.document(path)
        if document is None:
            return None
        accepted = negotiation.choose(request.headers.get("Accept", ""), AGGREGATED)
        whole = discovery.aggregated(path, accepted.transform.version) if accepted.transform is not None else None
        if whole is None:
            body = replies.shaped(document + b"\n", accepted.media_type, pretty=False)
            return replies.made(200, body, accepted.media_type)
        is_known = whole.etag in request.headers.get("If-None-Match", "")
        reply = Reply(304, b"", "", "public") if is_known else Reply(200, whole.body, whole.content_type, "public")
        reply.add("ETag", whole.etag)
        reply.add("Vary", "Accept")
        return reply

    return page


def of_index(paths: Sequence[str]) -> Page:
    body = (json.dumps({"paths": sorted(paths)}, indent=2) + "\n").encode()

    async def page(_: web.BaseRequest, path: str, _query: Query) -> Reply | None:
        return replies.made(200, body) if path == "/" else None

    return page


def check_method(request: web.BaseRequest) -> None:
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowed("the server does not allow this method on the requested resource")
