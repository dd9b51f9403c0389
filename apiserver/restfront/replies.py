"""Answers with Kubernetes' headers: errors, warnings, audit ids; compressed when that is asked for and worth it.

A reply is made whole before anything is sent, so that an error met on the way is told properly.
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json as text_json
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import yaml
from aiohttp import web

from apiserver.limits import Overloaded
from apiserver.restfront import negotiation, status
from apiserver.restfront.reply import Reply
from steersman.api.errors import ApiError

GZIP_FROM_BYTES = 128 * 1024
GZIP_LEVEL = 1
"""As in Kubernetes: for large answers, and as fast as can be."""

MAX_WARNINGS_BYTES = 4096
MAX_WARNING_CHARACTERS = 2048
"""Clients refuse headers beyond a bound; what does not fit is cut."""

LARGE_BYTES = 64 * 1024
SEND_SECONDS = 60.0
"""How long a client may take to read an answer that does not fit into the buffers on the way to it."""

MAX_AUDIT_ID_CHARACTERS = 64
NOT_FOUND = b"404 page not found\n"

_THIS_PROCESS = str(uuid.uuid4())[:24]
_numbers = itertools.count(1)


def made(code: int, body: bytes, content_type: str = negotiation.JSON) -> Reply:
    return Reply(code, body, content_type)


def text(code: int, body: bytes) -> Reply:
    reply = Reply(code, body, "text/plain; charset=utf-8")
    reply.add("X-Content-Type-Options", "nosniff")
    return reply


def page_not_found() -> Reply:
    return text(404, NOT_FOUND)


def of_error(error: ApiError) -> Reply:
    if isinstance(error, Overloaded):  # before anything was looked at, so also before how the client wants it told
        reply = text(error.http_code, error.message.encode() + b"\n")
    else:
        reply = made(error.http_code, status.of_error(error) + b"\n")
    if error.details is not None and error.details.retry_after_seconds:
        reply.add("Retry-After", str(error.details.retry_after_seconds))
    for header in warning_headers(error.warnings):
        reply.add("Warning", header)
    return reply


def warning_headers(warnings: Sequence[str]) -> list[str]:
    """One header for each warning, once, in the form of RFC 7234; no more of them than clients take."""
    headers, room = [], MAX_WARNINGS_BYTES
    for warning in dict.fromkeys(warnings):
        header = f"299 - {_quoted(warning[:MAX_WARNING_CHARACTERS])}"
        room -= len(header.encode())
        if room < 0:
            break
        headers.append(header)
    return headers


def _quoted(warning: str) -> str:
    plain = "".join(character if character.isprintable() else " " for character in warning)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def audit_id(request: web.BaseRequest) -> str:
    """By which a request is found again in logs: the client's own, or a new one.

    A new one is a UUID but for its end, which counts: to draw one for each request would cost more than it gives.
    """
    given = request.headers.get("Audit-Id")
    return given[:MAX_AUDIT_ID_CHARACTERS] if given else f"{_THIS_PROCESS}{next(_numbers) % 2**48:012x}"


def shaped(json: bytes, media_type: str, *, pretty: bool) -> bytes:
    """JSON as the client wants to read it."""
    if media_type == negotiation.YAML:
        plain = text_json.loads(json)
        return yaml.dump(plain, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=True).encode()
    if pretty:
        return text_json.dumps(text_json.loads(json), indent=2, ensure_ascii=False).encode() + b"\n"
    return json


async def finish(request: web.BaseRequest, reply: web.StreamResponse) -> None:
    """Send an answer, unless its handler has done so: a watch, a stream."""
    if reply.prepared:
        return
    if not isinstance(reply, Reply):
        await reply.prepare(request)
        return
    reply.add("Audit-Id", audit_id(request))
    if len(reply.body) <= LARGE_BYTES:
        await reply.prepare(request)
        return
    await _compress(reply, request.headers.get("Accept-Encoding", ""))
    async with patience(request, SEND_SECONDS):
        await reply.prepare(request)


async def _compress(reply: Reply, accept_encoding: str) -> None:
    """Beside the event loop, if the client takes that and it is worth it."""
    is_worth_it = len(reply.body) > GZIP_FROM_BYTES and not reply.sent("Content-Encoding")
    if is_worth_it and "gzip" in accept_encoding:
        reply.body = await asyncio.to_thread(gzip.compress, reply.body, GZIP_LEVEL, mtime=0)
        reply.add("Content-Encoding", "gzip")
        reply.add("Vary", "Accept-Encoding")


@asynccontextmanager
async def patience(request: web.BaseRequest, seconds: float) -> AsyncIterator[None]:
    """Write inside; a client that does not read within so many seconds is cut off, and what it left unread dropped."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionResetError("the client does not read what it asked for") from error
