"""The description of the API under `/openapi`: who asks for what, in which form, and whether he has it already."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from aiohttp import web

from apiserver.openapi import names
from apiserver.openapi.library import JSON, V2_PROTOBUF, Library
from apiserver.openapi.library import Page as Written
from apiserver.openapi.served import NOTHING, Body, Resource, Subresource, of_kind
from apiserver.registry.requests import PatchType
from apiserver.restfront import negotiation, routing
from apiserver.restfront.pages import Page
from apiserver.restfront.query import Query
from apiserver.restfront.reply import Reply
from apiserver.restfront.routing import Door, Doors
from apiserver.restfront.verbs import SHOWN_WHEN_DELETED
from steersman.api.kinds import Kind

V2_PATH, V3_PATH, V3_BELOW = "/openapi/v2", "/openapi/v3", "/openapi/v3/"

_V2_TYPES = {
    # With this name it is asked for, but no client can read such a name in an answer.
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf": V2_PROTOBUF,
    V2_PROTOBUF: V2_PROTOBUF,
    JSON: JSON,
    "application/*": JSON,
    "*/*": JSON,
}
_V3_TYPES = {JSON: JSON, "application/*": JSON, "*/*": JSON}

CHECKED = "no-cache, private"
FOREVER = "public, immutable"
"""An address with a hash in it always means the same."""

_METHODS = {"get": "get", "create": "post", "update": "put", "patch": "patch", "delete": "delete"}
_READ_ONLY_STREAMS = frozenset({"log"})
"""Streams that are read like anything else, not opened to both sides."""


def resources(served: Iterable[Kind], doors: Doors) -> list[Resource]:
    """What is described, from the same tables that serve it."""
    return [
        of_kind(
            kind,
            list(_subresources(kind, doors)),
            patch_types=tuple(PatchType),
            shown_when_deleted=kind.qualified_resource in SHOWN_WHEN_DELETED,
        )
        for kind in served
    ]


def _subresources(kind: Kind, doors: Doors) -> Iterable[Subresource]:
    for name in sorted(kind.subresources):
        door = routing.door_of(kind, name, doors)
        if door is not None:
            yield _subresource(kind, name, door)


def _subresource(kind: Kind, name: str, door: Door) -> Subresource:
    shown = door.shown
    gvk = (kind.group, kind.version, shown.kind if shown is not None else kind.kind)
    if shown is not None and shown.version:
        gvk = (shown.group, shown.version, shown.kind)
    if door.is_stream and name not in _READ_ONLY_STREAMS:
        passed_on = [method.lower() for method in routing.ONLY_PASSED_ON] if door.is_proxy else []
        methods = tuple(sorted([*(_METHODS[verb] for verb in door.handlers), *passed_on]))
        return Subresource(name, gvk, connects=methods, with_path=door.is_proxy)
    verbs = tuple(verb for verb in _METHODS if verb in door.handlers)
    struct = names.struct_of(gvk) if not door.is_stream else None
    return Subresource(name, gvk, verbs, Body(struct) if struct is not None else NOTHING)


def info(version: str) -> dict[str, str]:
    return {"title": "Steersman", "version": version}


def of_library(library: Library) -> Mapping[str, Page]:
    """The pages, by the path under which the index of the server lists them."""

    async def v2(request: web.BaseRequest, path: str, _: Query) -> Reply | None:
        if path != V2_PATH:
            return None
        media_type = _chosen(request.headers.get("Accept", ""), _V2_TYPES)
        return _reply(request, await asyncio.to_thread(library.v2, media_type), media_type)

    async def index(request: web.BaseRequest, path: str, _: Query) -> Reply | None:
        if path != V3_PATH:
            return None
        media_type = _chosen(request.headers.get("Accept", ""), _V3_TYPES)
        return _reply(request, await asyncio.to_thread(library.index), media_type)

    async def v3(request: web.BaseRequest, path: str, query: Query) -> Reply | None:
        if not path.startswith(V3_BELOW):
            return None
        found = await asyncio.to_thread(library.v3, path.removeprefix(V3_BELOW))
        if found is None:
            return None
        media_type, asked = _chosen(request.headers.get("Accept", ""), _V3_TYPES), query.text("hash")
        if asked and asked != found.hash:
            return _moved(f"{path}?hash={found.hash}")
        return _reply(request, found, media_type, FOREVER if asked else CHECKED)

    return {V2_PATH: v2, V3_PATH: index, V3_BELOW: v3}


def _chosen(accept: str, given: Mapping[str, str]) -> str:
    """NotAcceptable when there is nothing that the client would take."""
    if not accept:
        return JSON
    for media_type, _ in negotiation.clauses(accept):
        if media_type in given:
            return given[media_type]
    raise negotiation.not_acceptable(sorted(set(given.values())))


def _reply(request: web.BaseRequest, written: Written, media_type: str, caching: str = CHECKED) -> Reply:
    if written.hash in request.headers.get("If-None-Match", ""):
        reply = Reply(304, b"", "", caching)
    elif "gzip" in request.headers.get("Accept-Encoding", ""):
        reply = Reply(200, written.compressed, media_type, caching)
        reply.add("Content-Encoding", "gzip")
    else:
        reply = Reply(200, written.plain(), media_type, caching)
    reply.add("ETag", written.etag)
    reply.add("Vary", "Accept-Encoding, Accept")
    return reply


def _moved(location: str) -> Reply:
    """Whoever comes with an old hash is sent to the new one."""
    reply = Reply(301, b"", "text/plain; charset=utf-8")
    reply.add("Location", location)
    return reply
