"""Calls from the client's side: one connection to one server, made when it is needed and made anew when it is lost.

Small on purpose: bytes in, bytes out, one server, no retries. Whoever calls knows best what may be repeated.
"""

from __future__ import annotations

import asyncio
import ssl
from functools import lru_cache, partial

from grpc import StatusCode

from steersman.http2 import headers
from steersman.http2.client import ClientConnection
from steersman.http2.limits import Limits
from steersman.rpc import asking, metadata
from steersman.rpc.asking import Conversation, Failed, Said, Unary
from steersman.rpc.metadata import Pairs


class Method:
    """A method as this channel calls it: its headers are put together once."""

    def __init__(self, channel: Channel, head: bytes) -> None:
        self._channel = channel
        self._head = head

    def call(self, request: bytes, *, timeout_seconds: float) -> Unary:
        """Send a unary call; its answer may be waited for, or not. Raises Failed if it cannot be sent."""
        call = Unary()
        self._channel.open(call, self._head + _timeout(timeout_seconds))
        call.send(request, timeout_seconds)
        return call

    def converse(self) -> Conversation:
        """A stream both ways, for as long as it takes. Raises Failed if it cannot be opened."""
        call = Conversation()
        self._channel.open(call, self._head)
        return call


class Channel:
    def __init__(
        self, host: str, port: int, *, tls: ssl.SSLContext | None, limits: Limits, max_message_bytes: int
    ) -> None:
        self._host = host
        self._port = port
        self._tls = tls
        self._limits = limits
        self._max_message_bytes = max_message_bytes
        self._connection: ClientConnection[Said] | None = None
        self._connecting = asyncio.Lock()
        self._failures = 0
        self._last_failure: OSError | None = None

    @property
    def is_connected(self) -> bool:
        return self._connection is not None and self._connection.is_usable

    async def connect(self) -> None:
        """Return when connected. Raises OSError. Those who ask while one tries share its fate."""
        failures = self._failures
        async with self._connecting:
            if self.is_connected:
                return
            if self._failures != failures:
                raise OSError(str(self._last_failure)) from self._last_failure
            try:
                self._connection = await self._connected()
            except OSError as error:
                self._failures += 1
                self._last_failure = error
                raise

    async def _connected(self) -> ClientConnection[Said]:
        _, connection = await asyncio.get_running_loop().create_connection(
            partial(ClientConnection, asking.understand, self._limits), self._host, self._port, ssl=self._tls
        )
        try:
            await connection.ready()
        except BaseException:
            connection.abort()
            raise
        return connection

    def method(self, path: str, *, sent: Pairs = ()) -> Method:
        """`sent` is metadata that goes with every call."""
        authority = f"[{self._host}]:{self._port}" if ":" in self._host else f"{self._host}:{self._port}"
        fields = [
            (b":method", b"POST"),
            (b":scheme", b"http" if self._tls is None else b"https"),
            (b":path", path.encode()),
            (b":authority", authority.encode()),
            (b"te", b"trailers"),
            (b"content-type", metadata.CONTENT_TYPE),
            (b"user-agent", b"grpc-python-steersman"),
        ]
        return Method(self, headers.encode([*fields, *metadata.sent(sent)]))

    def open(self, call: Unary | Conversation, head: bytes) -> None:
        """Raises Failed if there is no connection to open it on."""
        connection = self._connection
        if connection is None or not connection.is_usable:
            raise Failed(StatusCode.UNAVAILABLE, "not connected")
        if not connection.has_room:
            raise Failed(StatusCode.UNAVAILABLE, "the server takes no more streams")
        call.begin(connection.open(call, head), self._max_message_bytes)

    def close(self) -> None:
        if self._connection is not None and not self._connection.is_over:
            self._connection.close()


@lru_cache(maxsize=64)
def _timeout(seconds: float) -> bytes:
    return headers.encode([(b"grpc-timeout", metadata.timeout(seconds))])
