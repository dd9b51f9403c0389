"""What a handler is given beside its request: the part of grpc.aio's ServicerContext that has a meaning here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio

from steersman.rpc.metadata import Metadata, Pairs

if TYPE_CHECKING:
    from steersman.rpc.call import Call


class Context:
    """A view of the call in the words of grpc.aio, so that its handlers and servicers find what they know."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    # -- about the call

    def invocation_metadata(self) -> Metadata:
        return self._call.asked.metadata

    def auth_context(self) -> Mapping[str, tuple[bytes, ...]]:
        """The client's certificate, verified by the handshake, as `x509_pem_cert`; nothing without TLS."""
        return self._call.peer.auth_context

    def peer(self) -> str:
        return self._call.peer.name

    def time_remaining(self) -> float | None:
        return self._call.time_remaining()

    def cancelled(self) -> bool:
        return self._call.was_broken

    def done(self) -> bool:
        return self._call.is_over

    def add_done_callback(self, callback: Callable[[Context], None]) -> None:
        """Called once when the call is over, however it ended."""
        self._call.when_over(lambda: callback(self))

    # -- the outcome

    def set_code(self, code: grpc.StatusCode) -> None:
        self._call.code = code

    def code(self) -> grpc.StatusCode | None:
        return self._call.code

    def set_details(self, details: str) -> None:
        self._call.details = details

    def details(self) -> str:
        return self._call.details

    def set_trailing_metadata(self, metadata: Pairs) -> None:
        self._call.trailing = metadata

    def trailing_metadata(self) -> Pairs:
        return self._call.trailing

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Pairs = ()) -> None:
        """End the call with this status. Always raises."""
        if code is grpc.StatusCode.OK:
            code, details = grpc.StatusCode.UNKNOWN, "aborted with a status of OK"
        self.set_code(code)
        self.set_details(details)
        if trailing_metadata:
            self.set_trailing_metadata(trailing_metadata)
        raise grpc.aio.AbortError(details)

    # -- streams

    async def send_initial_metadata(self, metadata: Pairs) -> None:
        self._call.send_head(metadata)

    async def write(self, message: Any) -> None:
        """Waits for as long as the client, or the network, does not take it. Raises StreamGone."""
        await self._call.write(message)

    def send(self, message: Any) -> bool:
        """Not in grpc.aio: `write` for those who write much. If False, wait for `sent` before the next."""
        return self._call.send(message)

    async def sent(self) -> None:
        await self._call.sent()

    async def read(self) -> Any:
        """The next request of a stream; `grpc.aio.EOF` behind the last."""
        return await self._call.read()
