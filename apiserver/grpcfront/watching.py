"""The Watch stream: several watches over one gRPC stream, each pumped by a task of its own.

A change is encoded once, whoever watches it: the bytes of its WatchEvent are kept on the change, and since fields of a
message may simply follow each other on the wire, a reply is the watch's id and those bytes, joined. What piles up while
one reply is being written goes out together in the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from apiserver.grpcfront import calls, showing, translate
from apiserver.limits import Gate
from apiserver.printing.tables import Table
from apiserver.registry import bookmarks, versions
from apiserver.registry.registry import Registry
from apiserver.watchcache.items import Event, EventType
from apiserver.watchcache.subscription import Finished, Subscription
from steersman import wire
from steersman.api.errors import ApiError, BadRequest
from steersman.api.kinds import Kind
from steersman.api.names import Revision
from steersman.pb import objects_pb2, resources_pb2

MAX_WATCHES_PER_STREAM = 256
MAX_PROGRESS_QUESTIONS = 1_000
REPLY_BYTES = 1024 * 1024
"""About where a reply is cut into several, so that no client has to take a message of any size."""
WRITE_SECONDS = 30.0
"""How long a client may leave a reply unread. What piles up behind it is thrown away sooner; then the stream goes too,
for a client that reads nothing cannot even be told that it is cut off."""

_TYPES = {
    EventType.ADDED: resources_pb2.WatchEvent.ADDED,
    EventType.MODIFIED: resources_pb2.WatchEvent.MODIFIED,
    EventType.DELETED: resources_pb2.WatchEvent.DELETED,
}


class _Watch:
    """One watch from the moment in which its start was read. It may be stopped, or asked about, before it is open."""

    def __init__(self) -> None:
        self._stopped = False
        self._subscription: Subscription | None = None
        self._settled = asyncio.Event()

    def open(self, subscription: Subscription) -> None:
        self._subscription = subscription
        if self._stopped:
            subscription.finish()
        self._settled.set()

    def stop(self) -> None:
        self._stopped = True
        if self._subscription is not None:
            self._subscription.finish()

    def close(self) -> None:
        """It is over, or never came to be."""
        self._settled.set()
        if self._subscription is not None:
            self._subscription.close()

    async def subscription(self) -> Subscription | None:
        """Once it is open; None if it was refused."""
        await self._settled.wait()
        return self._subscription


class WatchStream:
    """One open stream. `run` returns when the client has closed its side and every watch is over, or on a drain."""

    def __init__(self, registry: Registry, gate: Gate, requests: AsyncIterator[bytes], context: Any) -> None:
        self._registry = registry
        self._gate = gate
        self._requests = requests
        self._context = context
        self._writing = asyncio.Lock()
        self._watches: dict[int, _Watch] = {}
        self._unfinished = 0
        self._questions = 0
        self._reading: asyncio.Task[None] | None = None

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            self._reading = tasks.create_task(self._read(tasks))

    def drain(self) -> None:
        """Take no more requests; every watch tells its client to go on elsewhere."""
        if self._reading is not None:
            self._reading.cancel()
        for watch in self._watches.values():
            watch.stop()

    async def _read(self, tasks: asyncio.TaskGroup) -> None:
        async for raw in self._requests:
            request = calls.parse(resources_pb2.WatchRequest, raw)
            match request.WhichOneof("ask"):
                case "start":
                    self._check_room(request.start.id)
                    self._unfinished += 1
                    watch = self._watches[request.start.id] = _Watch()
                    tasks.create_task(self._watch(request.start, watch))
                case "stop":
                    if request.stop.id in self._watches:
                        self._watches[request.stop.id].stop()
                case "progress":
                    tasks.create_task(self._progress(request.progress.id, Revision(request.progress.revision)))
                case _:
                    raise BadRequest("an empty watch request")

    def _check_room(self, watch_id: int) -> None:
        if watch_id in self._watches:
            raise BadRequest(f"watch {watch_id} is open already")
        if len(self._watches) >= MAX_WATCHES_PER_STREAM:
            raise BadRequest(f"more than {MAX_WATCHES_PER_STREAM} watches on one stream")
        if self._unfinished >= 2 * MAX_WATCHES_PER_STREAM:
            # Not the same: an id is free again before its end is told, or a client could not use it at once.
            raise BadRequest("watches are started faster than the ends of others are read")

    async def _watch(self, start: resources_pb2.WatchStart, watch: _Watch) -> None:
        """One watch from its start to its end, which is always told."""
        try:
            try:
                with self._gate:
                    target = translate.collection(start.target)
                    encode = encoder(target.kind, showing.table_of(target.kind, start.form))
                    subscription = await self._registry.watch(target, translate.watch_options(start))
                    watch.open(subscription)
                    await self._pump(start.id, subscription, encode, start.timeout_seconds)
            finally:
                watch.close()
                del self._watches[start.id]
        except ApiError as error:
            event = resources_pb2.WatchEvent(type=resources_pb2.WatchEvent.ERROR, error=wire.to_message(error))
            await self._write(start.id, [_field(event)])
        except Finished:
            event = resources_pb2.WatchEvent(type=resources_pb2.WatchEvent.CLOSED)
            await self._write(start.id, [_field(event)])
        finally:
            self._unfinished -= 1

    async def _pump(self, watch_id: int, subscription: Subscription, encode: Encode, timeout_seconds: int) -> None:
        loop = asyncio.get_running_loop()
        timer = loop.call_later(timeout_seconds, subscription.finish) if timeout_seconds > 0 else None
        try:
            while True:
                # Encoded as they go out: the first state of a watch may be a hundred thousand objects.
                for part in _parts(encode(event) for event in await subscription.take()):
                    await self._write(watch_id, part)
        finally:
            if timer is not None:
                timer.cancel()

    async def _progress(self, watch_id: int, revision: Revision) -> None:
        """A question about a watch that is over, or that cannot be answered, is answered by that watch's own end.

        Past a bound questions are dropped: who asks so much without reading has lost interest in the answers.
        """
        watch = self._watches.get(watch_id)
        if watch is None or self._questions >= MAX_PROGRESS_QUESTIONS:
            return
        self._questions += 1
        try:
            subscription = await watch.subscription()
            if subscription is not None:
                await self._answer(subscription, revision)
        finally:
            self._questions -= 1

    async def _answer(self, subscription: Subscription, revision: Revision) -> None:
        try:
            await self._registry.progress(subscription, revision)
        except ApiError as error:
            subscription.end(error)

    async def _write(self, watch_id: int, events: list[bytes]) -> None:
        reply = _named(watch_id) + b"".join(events)
        async with self._writing:
            if not self._context.send(reply):
                async with asyncio.timeout(WRITE_SECONDS):
                    await self._context.sent()


Encode = Callable[[Event], bytes]
"""From an event to one `events` field of a WatchReply."""


def encoder(kind: Kind, table: Table | None) -> Encode:
    """`table`: the form in which the objects of one watch are shown; None: as they are."""

    def show(json: bytes, revision: Revision) -> objects_pb2.Object:
        return _object(json, kind, revision) if table is None else showing.envelope(table.event(json), revision)

    def encode(event: Event) -> bytes:
        change = event.change
        if change is None:
            bookmark = _object(bookmarks.encode(event, kind), kind, event.revision)
            return _field(resources_pb2.WatchEvent(type=resources_pb2.WatchEvent.BOOKMARK, object=bookmark))
        name = "object" if table is None else table.name  # asked once: showing an event may change it
        kept, key = change.encoded if name else None, ("grpc", name, kind.api_version, event.type)
        known = None if kept is None else kept.get(key)
        if known is None:
            shown = show(versions.shown(kind, change.json_for(event.type)), change.revision)
            known = _field(resources_pb2.WatchEvent(type=_TYPES[event.type], object=shown))
            if kept is not None:
                kept[key] = known
        return known

    return encode


def _object(json: bytes, kind: Kind, revision: Revision) -> objects_pb2.Object:
    return objects_pb2.Object(json=json, group=kind.group, version=kind.version, kind=kind.kind, revision=revision)


@lru_cache(maxsize=1024)
def _named(watch_id: int) -> bytes:
    """The part of a reply that says which watch it belongs to."""
    return bytes(resources_pb2.WatchReply(id=watch_id).SerializeToString())


def _field(event: resources_pb2.WatchEvent) -> bytes:
    return resources_pb2.WatchReply(events=[event]).SerializeToString()


def _parts(events: Iterable[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    size = 0
    for event in events:
        if part and size + len(event) > REPLY_BYTES:
            yield part
            part, size = [], 0
        part.append(event)
        size += len(event)
    yield part
