"""Many writes over one stream: cheaper than as many calls, and just as safe.

    async with client.batch() as batch:
        await batch.create(pod)

Writes awaited at the same time travel together and are answered in any order; each succeeds or fails by itself and is
repeated by the same rules as a single call. When the stream is lost, those under way may have landed or not; the next
write opens a new stream.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from google.protobuf.message import Message

from steersman import wire
from steersman.api.errors import Timeout, Unavailable
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.base import tracing
from steersman.client import retrying
from steersman.client.requests import WriteOptions, Written
from steersman.client.retrying import Failed, Fate
from steersman.client.transport import StartTask, Stream, Transport
from steersman.client.writing import Carrier, Writes
from steersman.pb.resources_pb2 import BatchItem, WriteReply

MAX_OUTSTANDING = 512
"""Writes sent and not answered; further ones wait their turn."""

T = TypeVar("T", bound=Object)

_FIELDS = {
    "Create": "create",
    "Update": "update",
    "UpdateStatus": "update_status",
    "Patch": "patch",
    "Delete": "delete",
    "Bind": "bind",
    "Evict": "evict",
    "Scale": "scale",
}
_LOST = "the batch stream was lost"


class _Line:
    """One open stream and the writes that wait for their answers on it."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._waiting: dict[int, asyncio.Future[WriteReply]] = {}
        self.is_over = False

    async def ask(self, item: BatchItem, timeout_seconds: float) -> WriteReply:
        answer: asyncio.Future[WriteReply] = asyncio.get_running_loop().create_future()
        self._waiting[item.id] = answer
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._stream.send(item)
                return await answer
        except TimeoutError:
            raise Failed(Timeout("no answer in time"), Fate.LOST) from None
        finally:
            del self._waiting[item.id]
            if answer.done() and not answer.cancelled():
                answer.exception()  # of a write whose owner was cancelled meanwhile: nobody else will ask

    async def run(self, leave: Callable[[], None]) -> None:
        try:
            while True:
                result = await self._stream.receive()
                answer = self._waiting.get(result.id)
                if answer is None or answer.done():
                    continue
                if result.HasField("error"):
                    error = wire.from_message(result.error)
                    answer.set_exception(Failed(error, retrying.fate_of(error)))
                else:
                    answer.set_result(result.reply)
        except Failed as failed:
            if isinstance(failed.error, Unavailable):
                leave()
            self._fail_all(failed)
        finally:
            self._fail_all(Failed(Unavailable(_LOST), Fate.LOST))
            self._stream.cancel()

    def _fail_all(self, failed: Failed) -> None:
        """Whatever the stream's own end says, a write that was sent on it may have landed."""
        self.is_over = True
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(Failed(failed.error, Fate.LOST))

    def close(self) -> None:
        self._stream.cancel()


class Batch:
    """The write verbs of a client, over one stream."""

    def __init__(
        self, transport: Transport, start_task: StartTask, writes: Callable[[Any, Carrier], Writes[Any]]
    ) -> None:
        self._transport = transport
        self._start_task = start_task
        self._writes = writes
        self._line: _Line | None = None
        self._opening = asyncio.Lock()
        self._places = asyncio.Semaphore(MAX_OUTSTANDING)
        self._ids = itertools.count(1)

    async def __aenter__(self) -> Batch:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._line is not None:
            self._line.close()

    def of(self, kind: type[T] | Kind) -> Writes[T]:
        """All write verbs for one kind."""
        return self._writes(kind, self._carry)

    async def create(self, new: T, *, options: WriteOptions | None = None) -> Written[T]:
        return await self.of(type(new)).create(new, options=options)

    async def update(self, changed: T, *, options: WriteOptions | None = None) -> Written[T]:
        return await self.of(type(changed)).update(changed, options=options)

    async def update_status(self, changed: T, *, options: WriteOptions | None = None) -> Written[T]:
        return await self.of(type(changed)).update_status(changed, options=options)

    async def _carry(self, method: str, request: Message, timeout_seconds: float) -> WriteReply:
        item = BatchItem(id=next(self._ids), traceparent=tracing.inject(), **{_FIELDS[method]: request})  # type: ignore[arg-type]
        async with self._places:
            line = await self._connected()
            return await line.ask(item, timeout_seconds)

    async def _connected(self) -> _Line:
        async with self._opening:
            if self._line is None or self._line.is_over:
                stream = await self._transport.open("Batch", self._start_task)
                line = self._line = _Line(stream)
                self._start_task(line.run(lambda: self._transport.leave(stream.endpoint)))
            return self._line
