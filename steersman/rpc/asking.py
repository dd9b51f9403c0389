"""Calls under way on the client's side: one request and one answer, or a conversation."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from grpc import StatusCode

from steersman.http2.faults import Code
from steersman.http2.headers import Field
from steersman.http2.stream import Stream, StreamGone
from steersman.rpc import messages, metadata
from steersman.rpc.inbox import Inbox
from steersman.rpc.messages import TooLarge, Unreadable

_CODES: dict[bytes, StatusCode] = {b"%d" % code.value[0]: code for code in StatusCode}


class Failed(Exception):
    """A call without success: the server's status, or ours where there is no answer from it."""

    def __init__(self, code: StatusCode, details: str) -> None:
        super().__init__(f"{code.name}: {details}")
        self.code = code
        self.details = details


@dataclass(frozen=True, slots=True)
class Said:
    """What a header list from a server says: the HTTP status of headers, the status of the call in trailers."""

    http_status: bytes | None
    code: StatusCode | None
    details: str


def understand(fields: list[Field]) -> Said:
    found = dict(fields)
    code = found.get(b"grpc-status")
    return Said(
        found.get(b":status"),
        None if code is None else _CODES.get(code, StatusCode.UNKNOWN),
        metadata.percent_decoded(found.get(b"grpc-message", b"")),
    )


class _Asking:
    """What both kinds of calls do with what comes in. `_finish` is told once how it ended: None is success."""

    __slots__ = ("_inbox", "_stream", "is_over")

    def __init__(self) -> None:
        self.is_over = False

    def begin(self, stream: Stream, max_message_bytes: int) -> None:
        self._stream = stream
        self._inbox = Inbox(stream, max_message_bytes)

    def head_received(self, said: Said, *, ended: bool) -> None:
        if said.http_status not in (None, b"200"):
            self._give_up(StatusCode.UNKNOWN, f"HTTP status {said.http_status!r}")
        elif not ended:
            return
        elif said.code is None:
            self._end(Failed(StatusCode.UNKNOWN, "the call ended without a status"))
        elif said.code is not StatusCode.OK:
            self._end(Failed(said.code, said.details))
        else:
            self._end(None)

    def received(self, data: bytes, *, ended: bool) -> None:
        if self.is_over:
            return
        try:
            if data:
                self._inbox.add(data)
        except (TooLarge, Unreadable) as error:
            self._give_up(StatusCode.INTERNAL, str(error))
            return
        if ended:
            self._end(Failed(StatusCode.INTERNAL, "the stream ended without a status"))

    def broken(self) -> None:
        self._end(Failed(StatusCode.UNAVAILABLE, "the connection, or this stream of it, is lost"))

    def _give_up(self, code: StatusCode, why: str) -> None:
        self._end(Failed(code, why))
        self._stream.reset(Code.CANCEL)

    def _end(self, failed: Failed | None) -> None:
        if not self.is_over:
            self.is_over = True
            self._inbox.end()
            self._finish(failed)

    def _finish(self, failed: Failed | None) -> None:
        raise NotImplementedError


class Unary(_Asking):
    """Goes on to its end, or to its deadline, whether its answer is waited for or not."""

    __slots__ = ("_outcome", "_timer")

    def send(self, request: bytes, timeout_seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._outcome: asyncio.Future[Failed | None] = loop.create_future()
        self._timer = loop.call_later(timeout_seconds, self._give_up, StatusCode.DEADLINE_EXCEEDED, "no answer in time")
        self._stream.send_last(messages.framed(request))

    async def answer(self) -> bytes:
        """Raises Failed. To be waited for by one."""
        failed = await self._outcome
        if failed is not None:
            raise failed
        answer = self._inbox.only()
        if answer is None:
            raise Failed(StatusCode.INTERNAL, "success with other than one answer")
        return answer

    def _finish(self, failed: Failed | None) -> None:
        self._timer.cancel()
        if not self._outcome.done():
            self._outcome.set_result(failed)


class Conversation(_Asking):
    """Requests and answers in streams. One task may read while another writes."""

    __slots__ = ("_failed",)

    def __init__(self) -> None:
        super().__init__()
        self._failed: Failed | None = None

    async def write(self, request: bytes) -> None:
        """Waits until it is out. Raises Failed."""
        try:
            self._stream.send(messages.framed(request))
            await self._stream.sent()
        except StreamGone:
            raise self._failed or Failed(StatusCode.CANCELLED, "the stream is over") from None

    async def read(self) -> bytes | None:
        """The next answer; None behind the last. Raises Failed."""
        answer = await self._inbox.next()
        if answer is None and self._failed is not None:
            raise self._failed
        return answer

    def cancel(self) -> None:
        if not self.is_over:
            self._give_up(StatusCode.CANCELLED, "cancelled")

    def _finish(self, failed: Failed | None) -> None:
        self._failed = failed
