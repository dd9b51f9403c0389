"""Calls to node agents: logs, exec, port-forward and figures, which only they know.

A node is dialled where its status says that its agent listens. With TLS, both ends prove who they are: the agent must
show a certificate for the host name that the node has published. Each conversation has a connection of its own, so a
slow one holds up nobody else, and renewed certificates are simply used by the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.protobuf import message_factory
from google.protobuf.message import Message
from grpc import ChannelConnectivity, aio

from steersman import wire
from steersman.api.core import Node
from steersman.api.errors import ApiError, Timeout, Unavailable, quoted
from steersman.base.values import Address
from steersman.client import transport
from steersman.client.transport import Credentials
from steersman.pb import nodes_pb2 as pb

CONNECT_SECONDS = 10.0
BEGIN_SECONDS = 30.0
"""How long an agent may take until it says that a conversation has begun."""
STATS_SECONDS = 30.0

_OPTIONS = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_metadata_size", wire.MAX_METADATA_BYTES),
    ("grpc.service_config_disable_resolution", 1),
    ("grpc.use_local_subchannel_pool", 1),
)
_METHODS = pb.DESCRIPTOR.services_by_name["Nodes"].methods_by_name

FindNode = Callable[[str], Awaitable[Node]]


class Talk:
    """A conversation that has begun. One task may receive while another sends."""

    def __init__(self, call: Any) -> None:
        self._call = call

    async def send(self, message: Message) -> None:
        """Waits while the agent does not take it. ApiError when it never will."""
        try:
            await self._call.write(message)
        except asyncio.InvalidStateError as error:
            raise Unavailable("the conversation is over") from error
        except aio.AioRpcError as error:
            raise _judged(error) from error

    async def receive(self) -> Any:
        """The next message; None behind the last. ApiError."""
        try:
            message = await self._call.read()
        except aio.AioRpcError as error:
            raise _judged(error) from error
        return None if message is aio.EOF else message


class AgentConnection:
    """A connection to one node's agent."""

    def __init__(self, node: str, channel: aio.Channel) -> None:
        self.node = node
        self._channel = channel

    @asynccontextmanager
    async def begun(self, method: str, request: Message) -> AsyncIterator[Talk]:
        """Begin one of the agent's streams, with what it is about; at the end of the block it is given up.

        ApiError if the agent refuses, in its words.
        """
        described = _METHODS[method]
        shape = self._channel.stream_stream if described.client_streaming else self._channel.unary_stream
        prepared = shape(_path(method), **_codecs(method))
        call = prepared() if described.client_streaming else prepared(request)
        talk = Talk(call)
        try:
            try:
                async with asyncio.timeout(BEGIN_SECONDS):
                    if described.client_streaming:
                        await talk.send(request)
                    await talk.receive()
            except TimeoutError as error:
                raise Timeout(f"the agent of node {self.node} did not answer in time") from error
            yield talk
        finally:
            call.cancel()

    async def stats(self) -> bytes:
        ask = self._channel.unary_unary(_path("Stats"), **_codecs("Stats"))
        try:
            answer = await ask(pb.StatsRequest(node=self.node), timeout=STATS_SECONDS)
        except aio.AioRpcError as error:
            raise _judged(error) from error
        return bytes(answer.json)


class Nodes:
    def __init__(self, find: FindNode, credentials: Callable[[], Credentials] | None) -> None:
        """`find` gives a node by name, or raises NotFound. Without credentials: loopback only, in the clear."""
        self._find = find
        self._credentials = credentials

    @asynccontextmanager
    async def connected(self, name: str) -> AsyncIterator[AgentConnection]:
        """NotFound for a node that is not there, Unavailable for one whose agent cannot be reached."""
        node = await self._find(name)
        async with self._channel(node) as channel:
            await _connect(channel, name)
            yield AgentConnection(name, channel)

    def _channel(self, node: Node) -> aio.Channel:
        port = node.status.daemon_endpoints.kubelet_endpoint.port
        if not port:
            raise Unavailable(f"node {quoted(node.metadata.name)} does not say where its agent listens")
        if self._credentials is None:
            return aio.insecure_channel(f"127.0.0.1:{port}", options=_OPTIONS)
        known = self._credentials()
        secrets = grpc.ssl_channel_credentials(known.authority, known.key, known.certificate)
        options = (*_OPTIONS, ("grpc.ssl_target_name_override", host_name(node)))
        return aio.secure_channel(str(Address(address(node), port)), secrets, options=options)


def address(node: Node) -> str:
    """Where a node is reached. Unavailable when it does not say."""
    known = {each.type: each.address for each in reversed(node.status.addresses)}
    found = known.get("InternalIP") or known.get("ExternalIP") or known.get("Hostname")
    if not found:
        raise Unavailable(f"node {quoted(node.metadata.name)} has no address")
    return found


def host_name(node: Node) -> str:
    """The name that its agent's certificate must be for."""
    return next((each.address for each in node.status.addresses if each.type == "Hostname"), node.metadata.name)


async def _connect(channel: aio.Channel, node: str) -> None:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            while (state := channel.get_state(try_to_connect=True)) is not ChannelConnectivity.READY:
                if state is ChannelConnectivity.TRANSIENT_FAILURE:
                    raise Unavailable(f"the agent of node {node} cannot be reached")
                await channel.wait_for_state_change(state)
    except TimeoutError as error:
        raise Unavailable(f"the agent of node {node} does not accept connections") from error


def _judged(error: aio.AioRpcError) -> ApiError:
    return transport.judge(error.code(), error.details(), error.trailing_metadata()).error


def _path(method: str) -> str:
    return f"/{_METHODS[method].containing_service.full_name}/{method}"


def _codecs(method: str) -> dict[str, Any]:
    described = _METHODS[method]
    return {
        "request_serializer": message_factory.GetMessageClass(described.input_type).SerializeToString,
        "response_deserializer": message_factory.GetMessageClass(described.output_type).FromString,
    }
