"""exec and attach, from the request to the last word: over WebSocket, and over SPDY for older clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from aiohttp import web

from apiserver.nodes import Nodes, Talk
from apiserver.registry.registry import Registry
from apiserver.restfront import replies
from apiserver.restfront.call import Call
from apiserver.restfront.streams import commandoptions, commandwires, outcomes, sockets, switching, targets
from apiserver.restfront.streams.commandoptions import CommandOptions
from apiserver.restfront.streams.commandwires import ChannelWire, ClientGone, CommandWire, SpdyWire
from apiserver.restfront.streams.outcomes import Exited, Outcome
from apiserver.restfront.streams.sockets import Channels
from apiserver.restfront.streams.spdylink import SpdyLink
from steersman.api.core import Pod
from steersman.api.errors import ApiError, BadRequest, Internal
from steersman.base import run

V5, V4, V4_BASE64 = "v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io"
V3, V2, V1, V1_BASE64 = "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io", "base64.channel.k8s.io"
SOCKET_PROTOCOLS = (V5, V4, V4_BASE64, V1, V1_BASE64)
SPDY_PROTOCOLS = (V4, V3, V2, V1)
WITH_STATUS = frozenset({V5, V4, V4_BASE64})
WITH_RESIZE = frozenset({V4, V3})


class Commands:
    def __init__(self, registry: Registry, nodes: Nodes) -> None:
        self._registry = registry
        self._nodes = nodes

    async def exec(self, call: Call) -> web.StreamResponse:
        return await self._serve(call, "Exec")

    async def attach(self, call: Call) -> web.StreamResponse:
        return await self._serve(call, "Attach")

    async def _serve(self, call: Call, method: str) -> web.StreamResponse:
        options = commandoptions.parse(call.query)
        pod = await targets.pod_of(self._registry, call.target)
        container = targets.container_of(pod, options.container)
        targets.node_name(pod)
        talk = _Beginning(self._nodes, pod, container, options, method)
        if sockets.is_asked_for(call.request):
            return await _over_socket(call, options, talk)
        if switching.is_spdy_asked_for(call.request):
            return await _over_spdy(call, options, talk)
        raise BadRequest("Upgrade request required")


class _Beginning:
    """A conversation with an agent, to be begun when the client is ready for it."""

    def __init__(self, nodes: Nodes, pod: Pod, container: str, options: CommandOptions, method: str) -> None:
        self._nodes = nodes
        self._node = targets.node_name(pod)
        self._start = commandoptions.start_message(options, targets.message_of(pod, container))
        self._method = method

    @asynccontextmanager
    async def begun(self) -> AsyncIterator[Talk]:
        async with self._nodes.connected(self._node) as agent, agent.begun(self._method, self._start) as talk:
            yield talk


async def _over_socket(call: Call, options: CommandOptions, beginning: _Beginning) -> web.StreamResponse:
    """A refusal of the agent is told in the error channel: a client whose handshake fails would try again by SPDY."""
    request = call.request
    protocol = sockets.chosen(sockets.offered(request), SOCKET_PROTOCOLS)
    socket = await sockets.opened(request, protocol)
    channels = Channels(request, socket, is_base64="base64" in protocol)
    wire = ChannelWire(channels, options, has_status=protocol in WITH_STATUS, can_close=protocol == V5)
    try:
        async with beginning.begun() as talk:
            await converse(wire, talk)
    except ApiError as error:
        await wire.finish(outcomes.not_begun(error))
    return socket


async def _over_spdy(call: Call, options: CommandOptions, beginning: _Beginning) -> web.StreamResponse:
    protocol = switching.chosen(call.request, SPDY_PROTOCOLS)
    if protocol is None:
        return switching.refused(SPDY_PROTOCOLS)
    try:
        async with beginning.begun() as talk:
            connection = await switching.switched(call.request, protocol)
            link = SpdyLink(connection)
            await _converse_by_spdy(link, protocol, options, talk)
            return connection
    except ApiError as error:
        # As a kubelet's refusal reads that is passed through.
        return replies.text(500, f"{error.message}\n".encode())


async def _converse_by_spdy(link: SpdyLink, protocol: str, options: CommandOptions, talk: Talk) -> None:
    with suppress(ClientGone, BadRequest):
        async with _unwrapped(), asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(_until_gone(link))
            streams = await commandwires.announced(link, announced_names(options, protocol))
            wire = SpdyWire(link, streams, has_status=protocol in WITH_STATUS)
            listening = tasks.create_task(wire.listen())
            await converse(wire, talk)
            listening.cancel()
            reading.cancel()


async def _until_gone(link: SpdyLink) -> None:
    await link.run()
    raise ClientGone


def announced_names(options: CommandOptions, protocol: str) -> frozenset[str]:
    """The streams that a client opens over SPDY."""
    wanted = {"error": True, "stdin": options.stdin, "stdout": options.stdout, "stderr": options.stderr}
    wanted["resize"] = options.tty and protocol in WITH_RESIZE
    return frozenset(name for name, is_wanted in wanted.items() if is_wanted)


async def converse(wire: CommandWire, talk: Talk) -> None:
    """Until the command has ended, or the client has gone."""
    with suppress(ClientGone, ConnectionError):
        async with _unwrapped(), asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(_pass_on(wire, talk))
            outcome = await _told(wire, talk)
            listening.cancel()
            await wire.finish(outcome)


async def _pass_on(wire: CommandWire, talk: Talk) -> None:
    while True:
        message = await wire.receive()
        try:
            await talk.send(message)
        except ApiError:
            return  # the reader of the conversation learns why


async def _told(wire: CommandWire, talk: Talk) -> Outcome:
    """Pass on what the command says; how it ended."""
    code: int | None = None
    while True:
        try:
            message = await talk.receive()
        except ApiError as error:
            return outcomes.broken_off(error)
        match message.WhichOneof("part") if message is not None else "ended":
            case "ended":
                return Exited(code)
            case "error":
                return outcomes.broken_off(Internal(message.error))
            case "stdout":
                await wire.stdout(message.stdout)
            case "stderr":
                await wire.stderr(message.stderr)
            case "exit_code":
                code = message.exit_code


@asynccontextmanager
async def _unwrapped() -> AsyncIterator[None]:
    """The first error of a task group instead of the group."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise next(run.leaves(group)) from group
