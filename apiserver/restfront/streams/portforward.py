"""port-forward: many TCP connections into one pod over one connection of the client.

Three ways in: native SPDY, SPDY inside of a WebSocket (both open a pair of streams for each connection), and the
channels of a WebSocket, two for each port named in the request.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Protocol

from aiohttp import web

from apiserver.nodes import AgentConnection, Nodes
from apiserver.registry.registry import Registry
from apiserver.restfront.call import Call
from apiserver.restfront.query import Query
from apiserver.restfront.spdy.faults import StreamGone
from apiserver.restfront.streams import sockets, switching, targets
from apiserver.restfront.streams.pipes import Pipe, WebSocketPipe
from apiserver.restfront.streams.sockets import Channels
from apiserver.restfront.streams.spdylink import SpdyLink, SpdyStream
from steersman.api.core import Pod
from steersman.api.errors import ApiError, BadRequest
from steersman.pb import nodes_pb2 as pb

PLAIN = "portforward.k8s.io"
TUNNEL = f"{switching.SPDY}+{PLAIN}"
CHANNELS, CHANNELS_BASE64 = "v4.channel.k8s.io", "v4.base64.channel.k8s.io"
MAX_PORTS = 100
MAX_HALVES = 256
"""Streams whose other half has not come yet."""
PENDING_MESSAGES = 16


class LocalEnd(Protocol):
    """The client's end of one forwarded connection."""

    async def read(self) -> bytes:
        """Empty once the client sends no more."""

    async def write(self, data: bytes) -> None: ...

    async def fail(self, why: str) -> None: ...

    async def close(self) -> None: ...


class PortForward:
    def __init__(self, registry: Registry, nodes: Nodes) -> None:
        self._registry = registry
        self._nodes = nodes

    async def serve(self, call: Call) -> web.StreamResponse:
        request = call.request
        pod = await targets.pod_of(self._registry, call.target)
        node = targets.node_name(pod)
        if sockets.is_asked_for(request):
            protocol = sockets.chosen(sockets.offered(request), (TUNNEL, CHANNELS, CHANNELS_BASE64))
            ports = [] if protocol == TUNNEL else ports_of(call.query)
            async with self._nodes.connected(node) as agent:
                socket = await sockets.opened(request, protocol)
                if protocol == TUNNEL:
                    await _forward_by_spdy(WebSocketPipe(request, socket), agent, pod)
                else:
                    channels = Channels(request, socket, is_base64=protocol == CHANNELS_BASE64)
                    await _forward_by_channels(channels, ports, agent, pod)
                await socket.close()
                return socket
        if switching.is_spdy_asked_for(request):
            if switching.chosen(request, (PLAIN,)) is None:
                return switching.refused((PLAIN,))
            async with self._nodes.connected(node) as agent:
                connection = await switching.switched(request, PLAIN)
                await _forward_by_spdy(connection, agent, pod)
                return connection
        raise BadRequest("Upgrade request required")


def ports_of(query: Query) -> list[int]:
    """BadRequest."""
    given = [text for each in query.texts("ports") for text in each.split(",") if text]
    if not given:
        raise BadRequest('query parameter "port" is required')
    if len(given) > MAX_PORTS:
        raise BadRequest(f"no more than {MAX_PORTS} ports are forwarded at once")
    return [port_of(each) for each in given]


def port_of(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) < 65_536):
        raise BadRequest(f"unable to parse {text!r} as a port: it is a number from 1 to 65535")
    return int(text)


async def carry(local: LocalEnd, port: int, agent: AgentConnection, pod: Pod) -> None:
    """One connection, until the pod closes it, or the client does so wholly."""
    start = pb.PortInput(start=pb.PortStart(container=targets.message_of(pod), port=port))
    try:
        async with agent.begun("PortForward", start) as talk, asyncio.TaskGroup() as tasks:

            async def pass_on() -> None:
                with suppress(ApiError):  # the reader of the conversation learns why
                    while data := await local.read():
                        await talk.send(pb.PortInput(data=data))
                    await talk.send(pb.PortInput(close=True))

            sending = tasks.create_task(pass_on())
            while (message := await talk.receive()) is not None and not message.ended:
                if message.WhichOneof("part") == "error":
                    await local.fail(message.error)
                else:
                    await local.write(message.data)
            sending.cancel()
    except* ApiError as group:
        told = group.exceptions[0]
        await local.fail(f"error forwarding port {port} to pod {pod.metadata.name}: {told}")
    except* (StreamGone, ConnectionError):
        pass  # the client has gone; there is nobody to tell
    finally:
        await local.close()


# --- Pairs of streams


class SpdyEnd:
    """A stream for the data, and one for what went wrong. The client closes its side of the second at once."""

    def __init__(self, link: SpdyLink, data: SpdyStream, error: SpdyStream) -> None:
        self._link = link
        self._data = data
        self._error = error

    async def read(self) -> bytes:
        found = await self._data.read()
        if not found and self._data.is_broken:
            raise StreamGone
        return found

    async def write(self, data: bytes) -> None:
        await self._data.write(data)

    async def fail(self, why: str) -> None:
        with suppress(StreamGone, ConnectionError):
            await self._error.write(why.encode())

    async def close(self) -> None:
        with suppress(ConnectionError):
            for stream in (self._error, self._data):
                await stream.close()
                self._link.forget(stream)


def pair_key(stream: SpdyStream) -> str:
    """What the two streams of one connection have in common; old clients only open them one after the other."""
    named = stream.header("requestid")
    if named:
        return named
    return str(stream.number if stream.header("streamtype") == "error" else stream.number - 2)


async def _forward_by_spdy(pipe: Pipe, agent: AgentConnection, pod: Pod) -> None:
    """Until the client leaves; connections that are open then are given up."""
    link = SpdyLink(pipe)
    halves: dict[str, SpdyStream] = {}
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(link.run())
        carrying: set[asyncio.Task[None]] = set()
        while (stream := await link.accept()) is not None:
            if stream.header("streamtype") not in ("data", "error") or len(halves) >= MAX_HALVES:
                await stream.reset()
                continue
            other = halves.pop(key := pair_key(stream), None)
            if other is None:
                halves[key] = stream
                continue
            data, error = (stream, other) if stream.header("streamtype") == "data" else (other, stream)
            task = tasks.create_task(_carry_pair(link, data, error, agent, pod))
            carrying.add(task)
            task.add_done_callback(carrying.discard)
        for task in (*carrying, reading):
            task.cancel()


async def _carry_pair(link: SpdyLink, data: SpdyStream, error: SpdyStream, agent: AgentConnection, pod: Pod) -> None:
    local = SpdyEnd(link, data, error)
    try:
        port = port_of(data.header("port"))
    except BadRequest as problem:
        await local.fail(problem.message)
        await local.close()
        return
    await carry(local, port, agent, pod)


# --- Pairs of channels


class ChannelEnd:
    """Two channels: an even one for the data, the odd one behind it for what went wrong."""

    def __init__(self, channels: Channels, number: int) -> None:
        self._channels = channels
        self._number = number
        self.incoming: asyncio.Queue[bytes] = asyncio.Queue(PENDING_MESSAGES)

    async def greet(self, port: int) -> None:
        """Both channels begin with the number of the port."""
        for channel in (self._number, self._number + 1):
            await self._channels.send(channel, port.to_bytes(2, "little"))

    async def read(self) -> bytes:
        return await self.incoming.get()

    async def write(self, data: bytes) -> None:
        await self._channels.send(self._number, data)

    async def fail(self, why: str) -> None:
        with suppress(ConnectionError):
            await self._channels.send(self._number + 1, why.encode())

    async def close(self) -> None:
        """Channels are not closed one by one."""


async def _forward_by_channels(channels: Channels, ports: list[int], agent: AgentConnection, pod: Pod) -> None:
    """Until the client leaves, or the pod has closed all connections."""
    ends = [ChannelEnd(channels, 2 * position) for position in range(len(ports))]
    async with asyncio.TaskGroup() as tasks:
        for end, port in zip(ends, ports, strict=True):
            await end.greet(port)
        carrying = [tasks.create_task(carry(end, port, agent, pod)) for end, port in zip(ends, ports, strict=True)]
        listening = tasks.create_task(_distribute(channels, ends, carrying))
        await asyncio.wait(carrying)
        listening.cancel()


async def _distribute(channels: Channels, ends: list[ChannelEnd], carrying: list[asyncio.Task[None]]) -> None:
    while (received := await channels.receive()) is not None:
        channel, data = received
        if channel % 2 == 0 and channel // 2 < len(ends) and data and not carrying[channel // 2].done():
            await ends[channel // 2].incoming.put(data)
    for task in carrying:
        task.cancel()
