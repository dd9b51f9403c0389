"""The typed client: every verb on every kind, over gRPC.

    async with client.connect(["127.0.0.1:6444"]) as api:
        pods = api.of(Pod)
        pod = await pods.get("web-0", "default")

Objects are the frozen Structs of `steersman.api`; `api.raw(kind)` has the same verbs on JSON bytes. Errors are those of
`steersman.api.errors`. Every call has a deadline; `retrying` says what is repeated until then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar, overload

from google.protobuf.message import Message

from steersman.api import kinds
from steersman.api.autoscaling import Scale
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.api.names import Revision
from steersman.base.clock import Clock, SystemClock
from steersman.client import holding, requests, transport
from steersman.client.batch import Batch
from steersman.client.requests import PLAIN, Form, Items, Propagation, Term, WriteOptions
from steersman.client.retrying import Repeater
from steersman.client.transport import (
    CALL_SECONDS,
    LIST_SECONDS,
    CredentialFiles,
    Credentials,
    StartTask,
    Transport,
)
from steersman.client.watching import Watch
from steersman.client.watchstream import WatchStreams
from steersman.client.writing import Carrier, Writes
from steersman.pb import resources_pb2

PAGE_SIZE = 500

T = TypeVar("T")
Struct = TypeVar("Struct", bound=Object)

_BY_STRUCT: dict[type[Object], Kind] = {kind.struct: kind for kind in kinds.ALL}


def kind_of(what: type[Object] | Kind) -> Kind:
    return what if isinstance(what, Kind) else _BY_STRUCT[what]


class Resource(Writes[T], Generic[T]):
    """All verbs on one kind."""

    def __init__(
        self,
        kind: Kind,
        form: Form[T],
        options: WriteOptions,
        carry: Carrier,
        repeater: Repeater,
        streams: WatchStreams,
        clock: Clock,
    ) -> None:
        super().__init__(kind, form, options, carry, carry, repeater)
        self._streams = streams
        self._clock = clock

    async def get(
        self, name: str, namespace: str = "", *, resource_version: str = "", timeout_seconds: float = CALL_SECONDS
    ) -> T:
        """`resource_version` "": the newest; "0": whatever is at hand; N: not older than N."""
        request = resources_pb2.GetRequest(
            target=self._target(namespace, name), resource_version=resource_version, form=self._form.shown
        )
        return self._form.load((await self._read("Get", request, timeout_seconds)).json)

    async def list(
        self,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        limit: int = 0,
        continue_token: str = "",
        resource_version: str = "",
        resource_version_match: str = "",
        timeout_seconds: float = LIST_SECONDS,
    ) -> Items[T]:
        """All at once, or the first `limit` and a token for the rest. An empty namespace means all of them."""
        request = self._list_request(namespace, label_selector, field_selector)
        request.limit = limit
        setattr(request, "continue", continue_token)
        request.resource_version = resource_version
        request.resource_version_match = resource_version_match
        request.form = self._form.shown
        return requests.listed(await self._read("List", request, timeout_seconds), self._form)

    async def pages(
        self,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        limit: int = PAGE_SIZE,
        resource_version: str = "",
        resource_version_match: str = "",
        timeout_seconds: float = LIST_SECONDS,
    ) -> AsyncIterator[Items[T]]:
        """The list page by page, all of one revision. Expired if that is compacted before the end."""
        token = ""
        while True:
            page = await self.list(
                namespace,
                label_selector=label_selector,
                field_selector=field_selector,
                limit=limit,
                continue_token=token,
                resource_version="" if token else resource_version,
                resource_version_match="" if token else resource_version_match,
                timeout_seconds=timeout_seconds,
            )
            yield page
            token = page.continue_token
            if not token:
                return

    def watch(
        self,
        *,
        after: Revision,
        namespace: str = "",
        name: str = "",
        label_selector: str = "",
        field_selector: str = "",
    ) -> Watch[T]:
        """What changes after a revision, usually that of a list."""
        start = resources_pb2.WatchStart(
            target=self._target(namespace, name),
            label_selector=label_selector,
            field_selector=field_selector,
            bookmarks=True,
            form=self._form.shown,
        )
        return Watch(self._streams, start, self._form, after, self._clock)

    async def delete_collection(
        self,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        grace_period_seconds: int | None = None,
        propagation: Propagation = Propagation.UNSAID,
        options: WriteOptions | None = None,
    ) -> Items[T]:
        """Delete all that match; they are given as they were."""
        options = options or self._options
        request = resources_pb2.DeleteCollectionRequest(
            list=self._list_request(namespace, label_selector, field_selector),
            delete=requests.delete_message("", "", grace_period_seconds, propagation),
            options=requests.options_message(options),
        )
        return requests.listed(await self._write("DeleteCollection", request, options), self._form)

    async def get_scale(self, name: str, namespace: str, *, timeout_seconds: float = CALL_SECONDS) -> Scale:
        request = resources_pb2.ScaleRequest(target=self._target(namespace, name))
        reply = await self._read("Scale", request, timeout_seconds)
        return requests.typed(Scale).load(reply.object.json)

    def _list_request(self, namespace: str, label_selector: str, field_selector: str) -> resources_pb2.ListRequest:
        return resources_pb2.ListRequest(
            target=self._target(namespace), label_selector=label_selector, field_selector=field_selector
        )

    async def _read(self, method: str, request: Message, timeout_seconds: float) -> Any:
        async def attempt(seconds: float) -> Any:
            return await self._carry(method, request, seconds)

        return await self._repeater.read(attempt, timeout_seconds)


class Client:
    """One set of connections. Made by `connect`."""

    def __init__(
        self,
        line: Transport,
        start: StartTask,
        streams: WatchStreams,
        clock: Clock,
        options: WriteOptions = PLAIN,
    ) -> None:
        self._transport = line
        self._start = start
        self._streams = streams
        self._clock = clock
        self._options = options
        self._repeater = Repeater(clock)

    def with_options(self, options: WriteOptions) -> Client:
        """The same connections; every write that does not say otherwise has these options: a leader's term, say."""
        return Client(self._transport, self._start, self._streams, self._clock, options)

    @overload
    def of(self, what: type[Struct]) -> Resource[Struct]: ...

    @overload
    def of(self, what: Kind) -> Resource[Any]: ...

    def of(self, what: type[Any] | Kind) -> Resource[Any]:
        kind = kind_of(what)
        return self._resource(kind, requests.typed(kind.struct))

    def raw(self, what: type[Object] | Kind) -> Resource[bytes]:
        """Objects as their JSON bytes, in and out."""
        return self._resource(kind_of(what), requests.RAW)

    def tables(self, what: type[Object] | Kind) -> Resource[bytes]:
        """What people want to see of objects: `get`, `list` and `watch` give Tables of meta.k8s.io/v1 as JSON bytes.

        A list, or a page of it, is one Table. A watch gives one with one row for each change; only the first names
        the columns, and the first after an interruption once more. What is written is objects, as with `raw`.
        """
        return self._resource(kind_of(what), requests.TABLE)

    def batch(self) -> Batch:
        """Many writes over one stream."""

        def writes(what: type[Object] | Kind, carry: Carrier) -> Writes[Any]:
            kind = kind_of(what)
            form = requests.typed(kind.struct)
            return Writes(kind, form, self._options, carry, self._transport.call, self._repeater)

        return Batch(self._transport, self._start, writes)

    async def hold(self, term: Term) -> None:
        """Let an API server know that the leader of this term is alive; when it dies, a successor need not wait.

        Never returns; raises Unavailable when the line breaks. Cancelled, it takes its leave first.
        """
        await holding.hold(self._transport, self._start, term)

    async def kinds(self, *, timeout_seconds: float = CALL_SECONDS) -> Sequence[resources_pb2.KindInfo]:
        """What the server serves."""

        async def attempt(seconds: float) -> resources_pb2.KindsReply:
            reply: resources_pb2.KindsReply = await self._transport.call("Kinds", resources_pb2.KindsRequest(), seconds)
            return reply

        return (await self._repeater.read(attempt, timeout_seconds)).kinds

    def _resource(self, kind: Kind, form: Form[T]) -> Resource[T]:
        return Resource(kind, form, self._options, self._transport.call, self._repeater, self._streams, self._clock)


@asynccontextmanager
async def connect(
    endpoints: Sequence[str],
    credentials: Credentials | CredentialFiles | None = None,
    *,
    clock: Clock | None = None,
) -> AsyncIterator[Client]:
    """A client of the API servers at `endpoints` ("host:port"). Nothing is sent before the first call.

    Credentials from files are read again for a new connection when the files have changed.
    """
    clock = clock or SystemClock()
    async with transport.opened(endpoints, credentials) as line, _background() as start:
        yield Client(line, start, WatchStreams(line, start), clock)


@asynccontextmanager
async def _background() -> AsyncIterator[StartTask]:
    """A task group for those who serve streams; they end with the block, whose own error leaves it unwrapped."""
    running: set[asyncio.Task[None]] = set()
    try:
        async with asyncio.TaskGroup() as tasks:

            def start(work: Coroutine[Any, Any, None]) -> None:
                task = tasks.create_task(work)
                running.add(task)
                task.add_done_callback(running.discard)

            try:
                yield start
            finally:
                for task in running:
                    task.cancel()
    except BaseExceptionGroup as group:
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from None
        raise
