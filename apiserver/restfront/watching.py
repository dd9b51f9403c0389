"""A watch: one line of JSON per event, for as long as the client listens.

A change is encoded once per form, whoever watches it: its line is kept on the change. The courier brings it to all who
keep up. What piles up for the others goes out together when they have read what came before. Who does not read is cut
off, first by the cache (a watcher too far behind), then here (a connection that takes nothing).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from random import Random

from aiohttp import HttpVersion11, web

from apiserver.limits import Gate
from apiserver.registry import bookmarks, versions
from apiserver.registry.registry import Registry
from apiserver.restfront import parameters, replies, representation, status
from apiserver.restfront.call import Call
from apiserver.restfront.courier import Courier
from apiserver.restfront.representation import Form
from apiserver.watchcache.items import Event
from apiserver.watchcache.subscription import Finished, Subscription
from steersman.api.errors import ApiError, Expired
from steersman.api.kinds import Kind

CHUNK_BYTES = 256 * 1024
"""About where what is pending is cut into several writes."""
UNBUFFERED_BYTES = 32 * 1024
"""What may be written to a client that has nothing unread without looking at the clock."""
WRITE_SECONDS = 30.0
"""How long a client may leave what was sent to it unread."""
LEAST_SECONDS = 1800
"""How long a watch lasts whose client does not say: as in Kubernetes half an hour to an hour, so that not all end at
once."""

_random = Random()


class Watches:
    """All open watches of this front, so that they can be ended in good order."""

    def __init__(self, registry: Registry, gate: Gate) -> None:
        self._registry = registry
        self._gate = gate
        self._open: set[Subscription] = set()
        self._courier = Courier()

    def drain(self) -> None:
        """Let every client take what is pending and go elsewhere."""
        for subscription in self._open:
            subscription.finish()

    async def serve(self, call: Call) -> web.StreamResponse:
        """Answers when the watch is over; what is wrong with the request is raised before anything is sent."""
        representation.check_watchable(call.accepted, call.kind)
        form, options = call.form, parameters.watch_options(call.query)
        timeout_seconds = call.query.integer("timeoutSeconds")
        with self._gate:
            try:
                subscription = await self._registry.watch(call.target, options)
            except Expired as error:
                return await _told_in_the_stream(call, error)
            self._open.add(subscription)
            try:
                return await self._stream(call, form, subscription, timeout_seconds or 0)
            finally:
                self._open.discard(subscription)
                subscription.close()

    async def _stream(
        self, call: Call, form: Form, subscription: Subscription, timeout_seconds: int
    ) -> web.StreamResponse:
        seconds = timeout_seconds if timeout_seconds > 0 else LEAST_SECONDS * (1 + _random.random())
        timer = asyncio.get_running_loop().call_later(seconds, subscription.finish)
        reply = _opened(call)
        try:
            await reply.prepare(call.request)
            await self._pump(call, reply, subscription, form)
        except Finished:
            pass
        except ApiError as error:
            await _write(call, reply, error_line(error))
        finally:
            timer.cancel()
        return reply

    async def _pump(self, call: Call, reply: web.StreamResponse, subscription: Subscription, form: Form) -> None:
        """Until the watch is ended, which is raised."""
        transport, kind = call.request.transport, call.kind
        while True:
            # Not for HTTP/1.0, which knows no chunks, nor for a form whose next event cannot be asked for twice.
            if transport is not None and call.request.version >= HttpVersion11 and form.name:
                await self._courier.serve(transport, subscription, lambda event: line(event, form, kind))
            await _write_events(call, reply, await subscription.take(), form)


async def _write_events(call: Call, reply: web.StreamResponse, pending: list[Event], form: Form) -> None:
    kind = call.kind
    if len(pending) == 1:
        await _write(call, reply, line(pending[0], form, kind))
        return
    # Encoded as they go out: the first state of a watch may be a hundred thousand objects.
    for chunk in _chunks(line(event, form, kind) for event in pending):
        await _write(call, reply, chunk)
        await asyncio.sleep(0)


async def _write(call: Call, reply: web.StreamResponse, data: bytes) -> None:
    transport = call.request.transport
    if transport is not None and len(data) < UNBUFFERED_BYTES and not transport.get_write_buffer_size():
        await reply.write(data)  # it has read everything, so this does not wait
        return
    async with replies.patience(call.request, WRITE_SECONDS):
        await reply.write(data)


async def _told_in_the_stream(call: Call, error: ApiError) -> web.StreamResponse:
    """Clients look for an expired revision in the stream, not in the code of the answer."""
    reply = _opened(call)
    await reply.prepare(call.request)
    await _write(call, reply, error_line(error))
    return reply


def _opened(call: Call) -> web.StreamResponse:
    headers = {"Content-Type": "application/json", "Cache-Control": "no-cache, private"}
    reply = web.StreamResponse(headers=headers)
    reply.headers["Audit-Id"] = replies.audit_id(call.request)
    if call.kind.deprecated:
        reply.headers.extend(("Warning", header) for header in replies.warning_headers((call.kind.deprecated,)))
    return reply


def line(event: Event, form: Form, kind: Kind) -> bytes:
    change = event.change
    if change is None:
        return _line("BOOKMARK", form.bookmark(bookmarks.encode(event, kind)))
    name = form.name  # asked once: showing an event may change it
    kept, key = change.encoded if name else None, (name, kind.api_version, event.type)
    known = None if kept is None else kept.get(key)
    if known is None:
        known = _line(event.type.value, form.event(versions.shown(kind, change.json_for(event.type))))
        if kept is not None:
            kept[key] = known
    return known


def error_line(error: ApiError) -> bytes:
    return _line("ERROR", status.of_error(error))


def _line(event_type: str, json: bytes) -> bytes:
    return b"".join((b'{"type":"', event_type.encode(), b'","object":', json, b"}\n"))


def _chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    part: list[bytes] = []
    size = 0
    for each in lines:
        part.append(each)
        size += len(each)
        if size > CHUNK_BYTES:
            yield b"".join(part)
            part, size = [], 0
    if part:
        yield b"".join(part)
