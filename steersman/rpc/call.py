"""One call on the server: from its stream's first bytes to its status.

The handler runs in a task of its own, which is cancelled when the client goes, gives up, or its time is up. Requests
wait in the stream until the handler asks for them, and only then is the client let to send more.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from steersman.base import log
from steersman.http2.stream import Stream, StreamGone
from steersman.rpc import messages, metadata
from steersman.rpc.context import Context
from steersman.rpc.inbox import Inbox
from steersman.rpc.messages import TooLarge, Unreadable
from steersman.rpc.metadata import Metadata, Pairs

Run = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]

_log = log.get("rpc")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the headers of a call say."""

    method: str
    handler: grpc.RpcMethodHandler
    metadata: Metadata
    timeout_seconds: float | None


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end of a connection."""

    name: str
    auth_context: dict[str, tuple[bytes, ...]]


class Call:
    """Receives a stream, runs a handler, sends what it says."""

    __slots__ = (
        "_deadline",
        "_has_head",
        "_inbox",
        "_run",
        "_stream",
        "_task",
        "_timer",
        "_when_over",
        "asked",
        "code",
        "details",
        "is_over",
        "peer",
        "trailing",
        "was_broken",
    )

    def __init__(self, stream: Stream, asked: Asked, peer: Peer, run: Run, max_message_bytes: int) -> None:
        self.asked = asked
        self.peer = peer
        self.code: grpc.StatusCode | None = None
        self.details = ""
        self.trailing: Pairs = ()
        self.is_over = False
        self.was_broken = False
        self._stream = stream
        self._run = run
        self._inbox = Inbox(stream, max_message_bytes)
        self._has_head = False
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline: float | None = None
        self._when_over: list[Callable[[], None]] = []
        if asked.timeout_seconds is not None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.time() + asked.timeout_seconds
            self._timer = loop.call_later(asked.timeout_seconds, self._expire)
        if asked.handler.request_streaming:
            self._task = run(self._serve(self))

    # -- what comes in

    def received(self, data: bytes, *, ended: bool) -> None:
        if self.is_over:
            return
        try:
            if data:
                self._inbox.add(data)
        except TooLarge as error:
            self._refuse(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
            return
        except Unreadable as error:
            self._refuse(grpc.StatusCode.INTERNAL, str(error))
            return
        if ended:
            self._inbox.end()
            if not self.asked.handler.request_streaming:
                self._start_unary()

    def _start_unary(self) -> None:
        request = self._inbox.only()
        if request is None:
            self._refuse(grpc.StatusCode.INTERNAL, "a unary call with other than one message")
        else:
            self._task = self._run(self._serve(request))

    def broken(self) -> None:
        """The client has gone, or does not want the answer."""
        self.was_broken = True
        self._inbox.end()
        self._end_here()
        if self._task is not None:
            self._task.cancel()

    def cancel(self) -> None:
        """The server cannot wait any longer."""
        if self._task is not None:
            self._task.cancel()
        else:
            self._refuse(grpc.StatusCode.UNAVAILABLE, "the server is shutting down")

    def _expire(self) -> None:
        self._refuse(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")

    def _refuse(self, code: grpc.StatusCode, details: str) -> None:
        """End the call from outside of its handler."""
        self.trailing = ()
        self._end(code, details)
        if self._task is not None:
            self._task.cancel()

    def time_remaining(self) -> float | None:
        if self._deadline is None:
            return None
        return max(0.0, self._deadline - asyncio.get_running_loop().time())

    # -- requests, for the handler

    def __aiter__(self) -> Call:
        return self

    async def __anext__(self) -> Any:
        request = await self.read()
        if request is grpc.aio.EOF:
            raise StopAsyncIteration
        return request

    async def read(self) -> Any:
        """The next request, or EOF. Raises StreamGone."""
        raw = await self._inbox.next()
        if raw is not None:
            return self._decoded(raw)
        if self.was_broken:
            raise StreamGone
        if self._inbox.is_torn:
            self._refuse(grpc.StatusCode.INTERNAL, "the last message is not whole")
        return grpc.aio.EOF

    def _decoded(self, raw: bytes) -> Any:
        decode = self.asked.handler.request_deserializer
        return raw if decode is None else decode(raw)

    # -- replies

    def send_head(self, sent: Pairs = ()) -> None:
        if self._has_head:
            raise ValueError("the initial metadata is out already")
        self._has_head = True
        self._stream.send_head(metadata.response(sent))

    async def write(self, message: Any) -> None:
        """Raises StreamGone."""
        if not self.send(message):
            await self.sent()

    def send(self, message: Any) -> bool:
        """Whether it is on its way; else there is something to wait for. Raises StreamGone."""
        if not self._has_head:
            self.send_head()
        self._stream.send(messages.framed(self._encoded(message)))
        return not self._stream.has_more

    async def sent(self) -> None:
        await self._stream.sent()

    def _encoded(self, message: Any) -> bytes:
        encode = self.asked.handler.response_serializer
        return message if encode is None else encode(message)  # type: ignore[no-any-return]

    # -- the handler

    async def _serve(self, request: Any) -> None:
        """Run the handler of one request (its bytes) or of a stream of them (ourselves)."""
        handler, context = self.asked.handler, Context(self)
        try:
            if handler.request_streaming:
                behaviour = handler.stream_stream if handler.response_streaming else handler.stream_unary
            else:
                behaviour = handler.unary_stream if handler.response_streaming else handler.unary_unary
                request = self._decoded(request)
            if handler.response_streaming:
                await self._pass_on(behaviour(request, context))
            else:
                self._answer(await behaviour(request, context))
                return
            self._end(self.code or grpc.StatusCode.OK, self.details)
        except BaseException as problem:  # noqa: BLE001 - told to the client; what is not an error passes
            self._fail(problem)

    async def _pass_on(self, replies: Any) -> None:
        """A handler gives an iterator of its replies, or writes them itself."""
        if not hasattr(replies, "__aiter__"):
            await replies
            return
        try:
            async for reply in replies:
                await self.write(reply)
        finally:
            if isinstance(replies, AsyncGenerator):
                await replies.aclose()

    def _answer(self, reply: Any) -> None:
        code = self.code or grpc.StatusCode.OK
        if self.is_over or code is not grpc.StatusCode.OK:
            self._end(code, self.details)
            return
        body = messages.framed(self._encoded(reply))
        if self._has_head:
            self._stream.send(body)
            self._end(code, self.details)
        else:
            self._stream.send_whole(metadata.RESPONSE, body, self._trailers(code, self.details))
            self._end_here()

    def _fail(self, problem: BaseException) -> None:
        match problem:
            case grpc.aio.AbortError():
                self._end(self.code or grpc.StatusCode.UNKNOWN, self.details)
            case StreamGone():
                self._end_here()
            case asyncio.CancelledError():
                self._end(grpc.StatusCode.CANCELLED, "cancelled by the server")
                raise problem
            case Exception():
                _log.error("handler failed", method=self.asked.method, exc_info=problem)
                self._end(grpc.StatusCode.UNKNOWN, f"the handler failed: {type(problem).__name__}")
            case _:
                raise problem

    # -- the end

    def when_over(self, callback: Callable[[], None]) -> None:
        self._when_over.append(callback)

    def _end(self, code: grpc.StatusCode, details: str) -> None:
        """With a status. The first one counts."""
        if self.is_over:
            return
        trailers = self._trailers(code, details)
        self._stream.end(trailers if self._has_head else metadata.RESPONSE + trailers)
        self._end_here()

    def _trailers(self, code: grpc.StatusCode, details: str) -> bytes:
        try:
            return metadata.trailers(code.value[0], details, self.trailing)
        except ValueError as error:
            _log.error("handler set metadata that cannot be sent", method=self.asked.method, reason=str(error))
            return metadata.trailers(grpc.StatusCode.INTERNAL.value[0], "the status could not be sent")

    def _end_here(self) -> None:
        if self.is_over:
            return
        self.is_over = True
        if self._timer is not None:
            self._timer.cancel()
        callbacks, self._when_over = self._when_over, []
        for callback in callbacks:
            callback()
