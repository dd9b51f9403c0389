"""A gRPC server on our own HTTP/2. It takes the handlers that `grpc.aio.server` takes."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import grpc

from steersman.http2 import headers
from steersman.http2.faults import Malformed
from steersman.http2.headers import Request
from steersman.http2.limits import Limits
from steersman.http2.server import ServerConnection
from steersman.http2.stream import Receiver, Stream
from steersman.rpc import metadata, refusal
from steersman.rpc.call import Asked, Call, Peer
from steersman.rpc.metadata import Metadata
from steersman.rpc.refusal import Refused, Stranger

HANDSHAKE_SECONDS = 10.0
BACKLOG = 512
CANCEL_SECONDS = 0.3
"""How long calls that have been cancelled may take to say so."""


@dataclass(frozen=True, slots=True)
class Bounds:
    max_message_bytes: int = 4 * 1024 * 1024
    connection: Limits = field(default_factory=Limits)


class Details(NamedTuple):
    """What a `grpc.GenericRpcHandler` is asked about."""

    method: str
    invocation_metadata: Metadata


Understood = Asked | Refused | None
"""A call; one that cannot be served; or no call at all."""


class Server:
    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._handlers: list[grpc.GenericRpcHandler] = []
        self._tasks = asyncio.TaskGroup()
        self._calls: set[Call] = set()
        self._peers: dict[ServerConnection[Understood], Peer] = {}
        self._listener: asyncio.Server | None = None
        self._empty = asyncio.Event()
        self._empty.set()

    def add_generic_rpc_handlers(self, handlers: Iterable[grpc.GenericRpcHandler]) -> None:
        self._handlers.extend(handlers)

    def add_registered_method_handlers(self, _: str, __: Mapping[str, grpc.RpcMethodHandler]) -> None:
        """Generated code registers everything twice; the generic way is enough."""

    @property
    def connections(self) -> int:
        return len(self._peers)

    @asynccontextmanager
    async def listening(self, host: str, port: int, tls: ssl.SSLContext | None) -> AsyncIterator[int]:
        """Serve while the block is open; gives the port. What `stop` has not ended is cut off at the end."""
        self._listener = await asyncio.get_running_loop().create_server(
            partial(ServerConnection, self, self._bounds.connection),
            host,
            port,
            ssl=tls,
            ssl_handshake_timeout=HANDSHAKE_SECONDS if tls else None,
            backlog=BACKLOG,
            start_serving=False,
        )
        try:
            async with self._tasks:
                await self._listener.start_serving()
                try:
                    yield self._listener.sockets[0].getsockname()[1]
                finally:
                    self._cut_off()
        finally:
            self._listener.close()

    async def stop(self, grace_seconds: float) -> None:
        """Take no more calls, let those in progress finish for so long, then cancel them."""
        if self._listener is not None:
            self._listener.close()
        for connection in tuple(self._peers):
            connection.drain()
        if await self._emptied(grace_seconds):
            return
        for call in tuple(self._calls):
            call.cancel()
        for connection in tuple(self._peers):
            connection.close_when_idle()
        await self._emptied(CANCEL_SECONDS)
        self._cut_off()

    async def _emptied(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._empty.wait()
        except TimeoutError:
            return False
        return True

    def _cut_off(self) -> None:
        for connection in tuple(self._peers):
            connection.abort()

    # -- for the connections

    def connected(self, connection: ServerConnection[Understood]) -> None:
        self._peers[connection] = _peer(connection)
        self._empty.clear()

    def disconnected(self, connection: ServerConnection[Understood]) -> None:
        self._peers.pop(connection, None)
        if not self._peers:
            self._empty.set()

    def understand(self, request: Request) -> Understood:
        fields = dict(request.fields)
        if request.method != b"POST" or not metadata.is_grpc(fields.get(b"content-type", b"")):
            return None
        encoding = fields.get(b"grpc-encoding", b"identity")
        if encoding != b"identity":
            return refusal.refused(grpc.StatusCode.UNIMPLEMENTED, "messages are taken uncompressed", _ACCEPTED)
        try:
            said = fields.get(b"grpc-timeout")
            seconds = None if said is None else metadata.timeout_seconds(said)
            sent, path = metadata.received(request.fields), request.path.decode()
        except (Malformed, UnicodeDecodeError) as error:
            return refusal.refused(grpc.StatusCode.INTERNAL, str(error))
        handler = self._handler(Details(path, sent))
        if handler is None:
            return refusal.refused(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
        return Asked(path, handler, sent, seconds)

    def open(self, connection: ServerConnection[Understood], stream: Stream, asked: Understood) -> Receiver | None:
        if asked is None:
            return Stranger(stream)
        if isinstance(asked, Refused):
            stream.end(asked.head)
            return None
        call = Call(stream, asked, self._peers[connection], self._tasks.create_task, self._bounds.max_message_bytes)
        self._calls.add(call)
        call.when_over(partial(self._calls.discard, call))
        return call

    def _handler(self, details: Details) -> grpc.RpcMethodHandler | None:
        found = (handler.service(details) for handler in self._handlers)
        return next((handler for handler in found if handler is not None), None)


_ACCEPTED = headers.encode([(b"grpc-accept-encoding", b"identity")])


def _peer(connection: ServerConnection[Understood]) -> Peer:
    host, port, *more = connection.get_extra_info("peername") or ("unknown", 0)
    name = f"ipv6:[{host}]:{port}" if more else f"ipv4:{host}:{port}"
    tls = connection.get_extra_info("ssl_object")
    certificate = tls.getpeercert(binary_form=True) if tls is not None else None
    if certificate is None:
        return Peer(name, {})
    return Peer(name, {"x509_pem_cert": (ssl.DER_cert_to_PEM_cert(certificate).encode(),)})
