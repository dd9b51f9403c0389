"""Clients that write and read at random through several API servers, and write down what they were told.

Each call is made once. One that was sent and not answered by the server itself is of unknown outcome.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random

from aetcd.rpc import rpc_pb2
from grpc import aio

from steersman.api.core import ConfigMap
from steersman.api.errors import AlreadyExists, ApiError, Conflict, NotFound, Timeout
from steersman.api.names import Revision
from steersman.client import client
from steersman.client.watching import Change
from steersman.pb import resources_pb2
from tests import barewire, builders
from tests.barewire import BareWire, NoSuccess
from tests.histories import (
    Call,
    Create,
    Delete,
    Done,
    Entry,
    Event,
    Failed,
    Get,
    List,
    Listed,
    Operation,
    Outcome,
    Refused,
    Seen,
    Unknown,
    Update,
    Why,
)

NAMESPACE = "storm"
KEYS = tuple(f"k{number}" for number in range(20))
PAUSE_SECONDS = 0.03
READ_SECONDS = 90.0

_WHY: dict[type[ApiError], Why] = {AlreadyExists: Why.EXISTS, NotFound: Why.ABSENT, Conflict: Why.CHANGED}


class StormClient:
    """One client. It swaps what it believes to be there, which is often out of date."""

    def __init__(self, name: str, wires: Sequence[BareWire], random: Random) -> None:
        self.history: list[Operation] = []
        self._name = name
        self._wires = wires
        self._random = random
        self._believed: dict[str, int] = {}

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            await self.step()
            await asyncio.sleep(self._random.random() * PAUSE_SECONDS)

    async def step(self) -> None:
        """One call on a connection that stands: else nothing is sent, and the outcome no secret."""
        connected = [wire for wire in self._wires if wire.is_connected()]
        if not connected:
            return
        key = self._random.choice(KEYS)
        call = self._choose(key)
        now = asyncio.get_running_loop().time
        started = now()
        outcome = await perform(self._random.choice(connected), key, call)
        self.history.append(Operation(self._name, key, call, started, now(), outcome))
        if isinstance(outcome, Done):
            self._believed[key] = outcome.revision
        elif isinstance(outcome, Listed):
            self._believed.update((name, revision) for name, (revision, _) in outcome.items.items())

    def _choose(self, key: str) -> Call:
        value, believed = f"{self._name}-{len(self.history)}", self._believed.get(key, 0)
        calls: dict[str, Call] = {
            "create": Create(value),
            "swap": Update(value, expected=believed),
            "overwrite": Update(value),
            "delete": Delete(),
            "delete what I know": Delete(expected=believed),
            "get": Get(),
            "list": List(),
        }
        return calls[self._random.choices(tuple(calls), weights=(4, 6, 1, 1, 1, 4, 1))[0]]


async def perform(wire: BareWire, key: str, call: Call) -> Outcome:
    try:
        return await _perform(wire, key, call)
    except NoSuccess as problem:
        error = problem.error
        if error is not None and type(error) in _WHY:
            return Refused(_WHY[type(error)], error.revision or 0)
        if isinstance(call, Get | List) or (error is not None and not isinstance(error, Timeout)):
            return Failed()
        return Unknown()


async def _perform(wire: BareWire, key: str, call: Call) -> Outcome:
    pb, target = resources_pb2, barewire.target("configmaps", key, NAMESPACE)
    match call:
        case Create(value):
            reply = await wire.call("Create", pb.CreateRequest(target=target, json=configmap(key, value)))
            return Done(reply.object.revision)
        case Update(value, expected):
            body = configmap(key, value, resourceVersion=str(expected) if expected else "")
            reply = await wire.call("Update", pb.UpdateRequest(target=target, json=body))
            return Done(reply.object.revision)
        case Delete(expected):
            options = pb.DeleteOptions(resource_version=str(expected) if expected else "")
            reply = await wire.call("Delete", pb.DeleteRequest(target=target, delete=options))
            return Done(reply.object.revision)
        case Get():
            found = await wire.call("Get", pb.GetRequest(target=target))
            return Done(found.revision, value_of(found.json))
        case List():
            return await listed(wire)


async def listed(wire: BareWire) -> Listed:
    request = resources_pb2.ListRequest(target=barewire.target("configmaps", "", NAMESPACE))
    reply = await wire.call("List", request)
    items = {name_of(item.json): (item.revision, value_of(item.json)) for item in reply.items}
    return Listed(reply.revision, items)


def configmap(name: str, value: str, **metadata: str) -> bytes:
    return builders.make_configmap(name, namespace=NAMESPACE, data={"value": value}, **metadata)


def value_of(body: bytes) -> str:
    value: str = json.loads(body)["data"]["value"]
    return value


def name_of(body: bytes) -> str:
    name: str = json.loads(body)["metadata"]["name"]
    return name


@asynccontextmanager
async def storm_clients(addresses: Sequence[str], count: int, random: Random) -> AsyncIterator[list[StormClient]]:
    """Clients with connections of their own to every server."""
    async with AsyncExitStack() as stack:
        clients = []
        for number in range(count):
            wires = [await stack.enter_async_context(barewire.connected(address)) for address in addresses]
            clients.append(StormClient(f"c{number}", wires, Random(random.random())))
        yield clients


async def make_namespace(address: str) -> Revision:
    """The revision after which the storm begins."""
    async with barewire.connected(address) as wire:
        request = resources_pb2.CreateRequest(
            target=barewire.target("namespaces", namespace=""), json=builders.make_namespace(NAMESPACE)
        )
        return Revision((await wire.call("Create", request)).object.revision)


# -- watchers that resume by themselves


class StormWatcher:
    """Sees the storm, or one key of it, through `steersman.client`, over whatever happens to the servers."""

    def __init__(self, endpoints: Sequence[str], after: Revision, name: str = "") -> None:
        self.name = name
        self.seen: list[Event] = []
        self._endpoints = endpoints
        self._after = after
        self._reached = after
        self._ask: Callable[[Revision], Awaitable[None]] | None = None

    def scope(self, key: str) -> bool:
        return not self.name or key == self.name

    async def run(self) -> None:
        async with (
            client.connect(self._endpoints) as api,
            api.raw(ConfigMap).watch(after=self._after, namespace=NAMESPACE, name=self.name) as watch,
        ):
            self._ask = watch.progress
            async for happened in watch:
                self._reached = max(self._reached, happened.revision)
                if isinstance(happened, Change):
                    self.seen.append(_event(happened))

    async def catch_up(self, revision: int) -> None:
        """Until everything up to `revision` has been seen."""
        async with asyncio.timeout(READ_SECONDS):
            while self._reached < revision:
                if self._ask is not None:
                    await self._ask(Revision(revision))
                await asyncio.sleep(0.05)


@asynccontextmanager
async def watching(watchers: Sequence[StormWatcher]) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(watcher.run()) for watcher in watchers]
        yield
        for task in running:
            task.cancel()


# -- what really happened


async def etcd_log(endpoint: str, after: int, upto: int) -> list[Entry]:
    """The storm as etcd itself tells it, past all code of ours."""
    prefix = f"/registry/configmaps/{NAMESPACE}/"
    first = rpc_pb2.WatchCreateRequest(
        key=prefix.encode(), range_end=_behind(prefix), start_revision=after + 1, progress_notify=True
    )
    entries: list[Entry] = []
    async with aio.insecure_channel(endpoint.removeprefix("http://"), options=_UNBOUNDED) as channel:
        call = channel.stream_stream(
            "/etcdserverpb.Watch/Watch",
            request_serializer=rpc_pb2.WatchRequest.SerializeToString,
            response_deserializer=rpc_pb2.WatchResponse.FromString,
        )(timeout=READ_SECONDS)
        await call.write(rpc_pb2.WatchRequest(create_request=first))
        while True:
            await call.write(rpc_pb2.WatchRequest(progress_request=rpc_pb2.WatchProgressRequest()))
            answer = await call.read()
            assert answer is not aio.EOF, await call.details()
            assert not answer.canceled, answer.cancel_reason
            for event in answer.events:
                value = value_of(event.kv.value) if event.type == event.PUT else None
                entries.append(Entry(event.kv.mod_revision, event.kv.key.decode().removeprefix(prefix), value))
            if not answer.events and not answer.created and answer.header.revision >= upto:
                call.cancel()
                return entries


async def api_log(address: str, after: Revision, upto: int) -> list[Entry]:
    """The storm as a watch tells it that looks back from `after` when all is over."""
    entries: list[Entry] = []
    async with (
        client.connect([address]) as api,
        api.raw(ConfigMap).watch(after=after, namespace=NAMESPACE) as watch,
        asyncio.timeout(READ_SECONDS),
    ):
        await watch.progress(Revision(upto))
        async for happened in watch:
            if isinstance(happened, Change):
                event = _event(happened)
                entries.append(Entry(event.revision, event.key, None if event.type is Seen.DELETED else event.value))
            if happened.revision >= upto:
                return entries
    raise AssertionError("a watch does not end by itself")


def _event(change: Change[bytes]) -> Event:
    return Event(Seen(change.type.value), change.revision, name_of(change.object), value_of(change.object))


def _behind(prefix: str) -> bytes:
    return prefix[:-1].encode() + bytes([ord(prefix[-1]) + 1])


_UNBOUNDED = (("grpc.max_receive_message_length", -1),)
