"""One request to a resource, with everything that a handler needs to know about it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from aiohttp import web

from apiserver.auth.identity import Caller
from apiserver.registry.requests import Target, WriteOptions
from apiserver.restfront import parameters, replies, representation
from apiserver.restfront.negotiation import Accepted
from apiserver.restfront.paths import ResourcePath
from apiserver.restfront.query import Query
from apiserver.restfront.reply import Reply
from apiserver.restfront.representation import Form
from steersman.api import bodies
from steersman.api.errors import BadRequest, RequestTooLarge, Timeout
from steersman.api.kinds import Kind

MAX_BODY_BYTES = 3 * 1024 * 1024
"""The same as Kubernetes allows a request body."""
BODY_SECONDS = 30.0
"""How long a client may take to send it."""


@dataclass(slots=True)
class Call:
    request: web.BaseRequest
    caller: Caller
    path: ResourcePath
    query: Query
    accepted: Accepted
    _body: bytes | None = None

    @property
    def kind(self) -> Kind:
        return self.path.kind

    @property
    def target(self) -> Target:
        path = self.path
        return Target(path.kind, path.namespace, path.name)

    @property
    def form(self) -> Form:
        return representation.form_of(self.accepted, self.path.kind, self.query)

    @property
    def content_type(self) -> str:
        return self.request.headers.get("Content-Type", "")

    @property
    def media_type(self) -> str:
        """What the body is, without the parameters that may follow it."""
        return bodies.media_type(self.content_type)

    async def body(self) -> bytes:
        """The whole body; RequestTooLarge beyond three megabytes, Timeout for one that does not come."""
        if self._body is None:
            self._body = await read_body(self.request)
        return self._body

    def write_options(self, options_kind: str) -> WriteOptions:
        return parameters.write_options(self.query, self.caller, self.content_type, options_kind)

    def shown(self, code: int, json: bytes, warnings: tuple[str, ...] = ()) -> Reply:
        """An object, in the form that was asked for."""
        representation.check_form(self.accepted, self.path.kind, is_list=False)
        return self.told(code, self.form.one(json) + b"\n", warnings)

    def told(self, code: int, json: bytes, warnings: tuple[str, ...] = ()) -> Reply:
        """JSON that is no object of the kind: a Status, a Scale, a list."""
        media_type = self.accepted.media_type
        body = replies.shaped(json, media_type, pretty=self.query.flag("pretty") or False)
        reply = Reply(code, body, media_type)
        deprecated = self.path.kind.deprecated
        if warnings or deprecated:
            for header in replies.warning_headers((deprecated, *warnings) if deprecated else warnings):
                reply.add("Warning", header)
        return reply


async def read_body(request: web.BaseRequest) -> bytes:
    if not request.can_read_body:
        return b""
    if (request.content_length or 0) > MAX_BODY_BYTES:
        raise _too_large()
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # nothing of the answer itself has been sent
    pieces, size = [], 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.content.iter_any():
                size += len(piece)
                if size > MAX_BODY_BYTES:
                    raise _too_large()
                pieces.append(piece)
    except TimeoutError as error:
        raise Timeout(f"the body of the request did not come within {BODY_SECONDS:g} s") from error
    except web.RequestPayloadError as error:
        raise BadRequest(f"the body of the request cannot be read: {error}") from error
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _too_large() -> RequestTooLarge:
    return RequestTooLarge(f"Request entity too large: limit is {MAX_BODY_BYTES}")
