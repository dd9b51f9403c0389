"""The line to the API servers: channels, deadlines, and gRPC's errors in our words.

Calls go to one endpoint as long as it answers. The next takes its place when it cannot be reached, breaks off, says
that it is unavailable, or lets two deadlines pass in a row. A request is handed to gRPC only on a connection that
stands, so that "never sent" is known, and not guessed from an error's text.
"""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from grpc import ChannelConnectivity, StatusCode, aio

from steersman import wire
from steersman.api import errors
from steersman.api.errors import ApiError, Internal, Timeout, TooManyRequests, Unavailable
from steersman.base import log, tracing, values
from steersman.client import retrying
from steersman.client.retrying import Failed, Fate
from steersman.pb import leadership_pb2, objects_pb2, resources_pb2

CALL_SECONDS = 10.0
LIST_SECONDS = 30.0
CONNECT_SECONDS = 2.0
MISSES_ALLOWED = 1
MAX_OUTGOING = 1_024

_log = log.get("client")

StartTask = Callable[[Coroutine[Any, Any, None]], None]
"""Starts a task that reads or writes a stream, in the client's task group."""

_OPTIONS = (
    ("grpc.keepalive_time_ms", 2_000),
    ("grpc.keepalive_timeout_ms", 2_000),
    ("grpc.http2.ping_timeout_ms", 2_000),  # without it a frozen server is noticed after a minute (grpcio 1.85)
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),  # how long one attempt to connect may take
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", wire.MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", wire.MAX_METADATA_BYTES),
    # By itself gRPC repeats only what no server has processed, such as a stream that a draining one has refused.
    ("grpc.enable_retries", 1),
    ("grpc.service_config_disable_resolution", 1),
    ("grpc.use_local_subchannel_pool", 1),  # two clients in one process have connections of their own
)
_SERVICES = (
    resources_pb2.DESCRIPTOR.services_by_name["Resources"],
    leadership_pb2.DESCRIPTOR.services_by_name["Leadership"],
)

# What a bare code, without a Status of ours, says: it comes from gRPC itself or from something in between.
_BARE: dict[StatusCode, tuple[type[ApiError], Fate]] = {
    StatusCode.UNAVAILABLE: (Unavailable, Fate.LOST),
    StatusCode.DEADLINE_EXCEEDED: (Timeout, Fate.LOST),
    StatusCode.CANCELLED: (Unavailable, Fate.LOST),
    StatusCode.ABORTED: (Unavailable, Fate.LOST),
    StatusCode.UNKNOWN: (Internal, Fate.LOST),
    StatusCode.INTERNAL: (Internal, Fate.LOST),
    StatusCode.DATA_LOSS: (Internal, Fate.LOST),
    # Raised before a handler is reached. It may be about the size of the request, so a repeat is no use.
    StatusCode.RESOURCE_EXHAUSTED: (TooManyRequests, Fate.REFUSED),
    StatusCode.UNAUTHENTICATED: (errors.Unauthenticated, Fate.REFUSED),
    StatusCode.PERMISSION_DENIED: (errors.Forbidden, Fate.REFUSED),
    StatusCode.UNIMPLEMENTED: (errors.MethodNotAllowed, Fate.REFUSED),
    StatusCode.INVALID_ARGUMENT: (errors.BadRequest, Fate.REFUSED),
}


@dataclass(frozen=True, slots=True)
class Credentials:
    """PEM: whom we trust, and who we are."""

    authority: bytes
    certificate: bytes
    key: bytes

    @staticmethod
    def from_files(authority: Path, certificate: Path, key: Path) -> Credentials:
        return Credentials(authority.read_bytes(), certificate.read_bytes(), key.read_bytes())


class CredentialFiles:
    """Credentials that somebody renews now and then, in files: `current` reads them again when they have changed.

    Files that cannot be read, or do not go together because they are just being replaced, leave things as they were.
    """

    def __init__(self, authority: Path, certificate: Path, key: Path) -> None:
        self._paths = (authority, certificate, key)
        self._marks = self._marked()
        self._read = Credentials.from_files(*self._paths)

    def current(self) -> Credentials:
        try:
            marks = self._marked()
            if marks != self._marks:
                fresh = Credentials.from_files(*self._paths)
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(*self._paths[1:])
                self._marks, self._read = marks, fresh
        except OSError as error:
            _log.warning("credentials not read again", certificate=str(self._paths[1]), reason=str(error))
        return self._read

    def _marked(self) -> list[tuple[int, ...]]:
        found = [path.stat() for path in self._paths]
        return [(each.st_mtime_ns, each.st_size, each.st_ino) for each in found]


def judge(code: StatusCode, details: str | None, trailing: Sequence[tuple[str, str | bytes]] | None) -> Failed:
    """What a call that ended with this status means."""
    for key, value in trailing or ():
        if key == wire.STATUS_KEY and isinstance(value, bytes):
            try:
                error = wire.from_message(objects_pb2.Status.FromString(value))
            except DecodeError:
                break
            return Failed(error, retrying.fate_of(error))
    known, fate = _BARE.get(code, (Internal, Fate.REFUSED))
    return Failed(known(f"{code.name}: {details or 'no reason given'}"), fate)


class Endpoint:
    """One API server: its channel, and the calls on it, prepared once."""

    channel: aio.Channel
    unary: dict[str, Any]
    streams: dict[str, Any]

    def __init__(self, address: str, credentials: Credentials | CredentialFiles | None) -> None:
        self.address = address
        self.misses = 0
        self._source = credentials
        self._former: aio.Channel | None = None
        self._use(self._present())

    def _present(self) -> Credentials | None:
        return self._source.current() if isinstance(self._source, CredentialFiles) else self._source

    def _use(self, credentials: Credentials | None) -> None:
        self._credentials = credentials
        self.channel = channel = _channel(self.address, credentials)
        methods = [method for service in _SERVICES for method in service.methods]
        self.unary = {m.name: _unary(channel, m) for m in methods if not m.client_streaming}
        self.streams = {m.name: _stream(channel, m) for m in methods if m.client_streaming}

    async def _renew(self) -> None:
        """A channel connects with what it was made with: for new credentials there is a new one. A connection that gRPC
        repairs by itself is thus made with the old ones, as long as those are let in.

        Calls may still wait on the old one to be told that their connection is gone, and closing it would cancel
        them. So it is closed when the next one takes its place.
        """
        present = self._present()
        if present == self._credentials:
            return
        last, self._former = self._former, self.channel
        self._use(present)
        _log.info("calling with renewed credentials", address=self.address)
        if last is not None:
            await last.close(None)

    async def close(self) -> None:
        for channel in (self._former, self.channel):
            if channel is not None:
                await channel.close(None)

    def is_connected(self) -> bool:
        return bool(self.channel.get_state() is ChannelConnectivity.READY)

    async def connect(self, *, patient: bool) -> None:
        """Until the connection stands; Failed if it does not come about. Impatient: no waiting for a second attempt."""
        await self._renew()
        failed_before = self.channel.get_state(try_to_connect=True) is ChannelConnectivity.TRANSIENT_FAILURE
        if failed_before and not patient:
            raise self._unreachable("cannot be reached")
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                while (state := self.channel.get_state(try_to_connect=True)) is not ChannelConnectivity.READY:
                    if state is ChannelConnectivity.TRANSIENT_FAILURE and not failed_before:
                        raise self._unreachable("refuses connections")
                    await self.channel.wait_for_state_change(state)
        except TimeoutError as slow:
            raise self._unreachable("does not accept connections") from slow

    def _unreachable(self, why: str) -> Failed:
        return Failed(Unavailable(f"the API server at {self.address} {why}"), Fate.UNTOUCHED)


class Stream:
    """One open call in both directions.

    What is sent goes through a queue: gRPC ends the whole call when a task is cancelled in the midst of a write, and
    those who send over one stream are many. Whether it was sent only an answer tells.
    """

    def __init__(self, endpoint: Endpoint, call: Any) -> None:
        self.endpoint = endpoint
        self._call = call
        self._outgoing: asyncio.Queue[Message | None] = asyncio.Queue(MAX_OUTGOING)

    async def send(self, message: Message) -> None:
        await self._outgoing.put(message)

    async def write_all(self) -> None:
        """Write what is sent until the stream ends; the reader learns why it has."""
        try:
            while (message := await self._outgoing.get()) is not None:
                await self._call.write(message)
        except (aio.AioRpcError, asyncio.InvalidStateError):
            return

    async def receive(self) -> Any:
        """The next message. Failed when there is none: also a clean end is the end of what was under way."""
        try:
            message = await self._call.read()
        except aio.AioRpcError as error:
            raise judge(error.code(), error.details(), error.trailing_metadata()) from error
        if message is aio.EOF:
            raise Failed(Unavailable("the server has closed the stream"), Fate.LOST)
        return message

    def cancel(self) -> None:
        self._call.cancel()
        while not self._outgoing.empty():
            self._outgoing.get_nowait()
        self._outgoing.put_nowait(None)


class Transport:
    """All endpoints, and the one in use."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self._endpoints = tuple(endpoints)
        self._position = 0

    @property
    def current(self) -> Endpoint:
        return self._endpoints[self._position]

    async def call(self, method: str, request: Message, timeout_seconds: float) -> Any:
        """One try of a unary call. Raises Failed."""
        endpoint = self._endpoints[self._position]
        if endpoint.channel.get_state() is not ChannelConnectivity.READY:
            endpoint = await self._connected(timeout_seconds)
        try:
            answer = await endpoint.unary[method](request, timeout=timeout_seconds, metadata=metadata())
        except aio.AioRpcError as error:
            raise self._judged(endpoint, error) from error
        endpoint.misses = 0
        return answer

    async def open(self, method: str, start: StartTask) -> Stream:
        """A stream on the endpoint in use. Raises Failed."""
        endpoint = await self._connected(CONNECT_SECONDS)
        stream = Stream(endpoint, endpoint.streams[method](metadata=metadata()))
        start(stream.write_all())
        return stream

    def leave(self, endpoint: Endpoint) -> None:
        """Go on at the next endpoint, if this one is in use: of many calls that fail together, the first moves all."""
        if endpoint is self.current:
            endpoint.misses = 0
            self._position = (self._position + 1) % len(self._endpoints)

    async def _connected(self, timeout_seconds: float) -> Endpoint:
        """The endpoint in use, or the first after it that can be reached."""
        last: Failed | None = None
        try:
            async with asyncio.timeout(timeout_seconds):
                for _ in self._endpoints:
                    endpoint = self.current
                    if endpoint.is_connected():
                        return endpoint
                    try:
                        await endpoint.connect(patient=len(self._endpoints) == 1)
                    except Failed as failed:
                        last = failed
                        self.leave(endpoint)
                    else:
                        return endpoint
        except TimeoutError as slow:
            raise Failed(Unavailable("no API server could be reached in time"), Fate.UNTOUCHED) from slow
        raise last or Failed(Unavailable("no API server can be reached"), Fate.UNTOUCHED)

    def _judged(self, endpoint: Endpoint, error: aio.AioRpcError) -> Failed:
        code: StatusCode = error.code()
        failed = judge(code, error.details(), error.trailing_metadata())
        if code is StatusCode.DEADLINE_EXCEEDED and failed.fate is Fate.LOST:
            endpoint.misses += 1
        else:
            endpoint.misses = 0
        if isinstance(failed.error, Unavailable) or endpoint.misses > MISSES_ALLOWED:
            self.leave(endpoint)
        return failed


@asynccontextmanager
async def opened(
    endpoints: Sequence[str], credentials: Credentials | CredentialFiles | None
) -> AsyncIterator[Transport]:
    """Channels to all endpoints ("host:port"), closed at the end. Without credentials: loopback only, no TLS."""
    if not endpoints:
        raise ValueError("at least one endpoint is needed")
    made = [Endpoint(address, credentials) for address in endpoints]
    try:
        yield Transport(made)
    finally:
        for endpoint in made:
            await endpoint.close()


def _channel(address: str, credentials: Credentials | None) -> aio.Channel:
    host = values.parse_address(address).host
    if credentials is not None:
        secrets = grpc.ssl_channel_credentials(credentials.authority, credentials.key, credentials.certificate)
        return aio.secure_channel(address, secrets, options=_OPTIONS)
    if not _is_loopback(host):
        raise ValueError(f"without credentials only loopback addresses are called, not {address}")
    return aio.insecure_channel(address, options=_OPTIONS)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def metadata() -> tuple[tuple[str, str], ...] | None:
    """What travels beside every request: the place in a trace, if there is one."""
    parent = tracing.inject() if tracing.enabled() else None
    return None if parent is None else (("traceparent", parent),)


def _unary(channel: aio.Channel, method: MethodDescriptor) -> Any:
    return channel.unary_unary(
        _path(method),
        request_serializer=message_factory.GetMessageClass(method.input_type).SerializeToString,
        response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
    )


def _stream(channel: aio.Channel, method: MethodDescriptor) -> Any:
    return channel.stream_stream(
        _path(method),
        request_serializer=message_factory.GetMessageClass(method.input_type).SerializeToString,
        response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
    )


def _path(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"
