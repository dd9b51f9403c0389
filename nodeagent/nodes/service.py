"""The `Nodes` service: finds what a call is about, and has it carried out. Only the API server may call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import grpc
from grpc import aio

from nodeagent.nodes import containers, conversations, logs
from nodeagent.nodes.localnodes import LocalNode, LocalNodes
from nodeagent.nodes.stats import Statistics
from nodeagent.runtime.seen import SeenPod
from steersman import wire
from steersman.api.core import Pod
from steersman.api.errors import ApiError, BadRequest, Forbidden, Internal, Timeout
from steersman.base import log, run
from steersman.base.clock import Clock
from steersman.pb import nodes_pb2 as pb

SERVICE = pb.DESCRIPTOR.services_by_name["Nodes"].full_name
API_SERVER = b"system:apiserver"
"""The common name in the certificate with which API servers call agents."""
START_SECONDS = 10.0

_log = log.get("nodes")

Handler = Callable[[Any, Any], Awaitable[Any]]


class NodesService:
    def __init__(self, local_nodes: LocalNodes, clock: Clock, *, secure: bool) -> None:
        self._nodes = local_nodes
        self._clock = clock
        self._secure = secure
        self._statistics = Statistics(clock)

    def handler(self) -> grpc.GenericRpcHandler:
        many, both = grpc.unary_stream_rpc_method_handler, grpc.stream_stream_rpc_method_handler
        rows = (
            ("Logs", many, self._logs, pb.LogsRequest, pb.Chunk),
            ("Exec", both, self._exec, pb.SessionInput, pb.SessionOutput),
            ("Attach", both, self._attach, pb.SessionInput, pb.SessionOutput),
            ("PortForward", both, self._port_forward, pb.PortInput, pb.PortOutput),
            ("Stats", grpc.unary_unary_rpc_method_handler, self._stats, pb.StatsRequest, pb.StatsReply),
        )
        methods = {
            name: shape(
                self._guarded(handle), request_deserializer=asked.FromString, response_serializer=told.SerializeToString
            )
            for name, shape, handle, asked, told in rows
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    def _guarded(self, handle: Handler) -> Handler:
        async def call(request: Any, context: Any) -> Any:
            try:
                return await handle(request, context)
            except Exception as problem:  # noqa: BLE001 - told to the caller, and logged unless it is our own word
                if isinstance(next(run.leaves(problem)), aio.InternalError):
                    return None  # so gRPC says that the caller has gone in the midst of a message
                error = _explain(problem)
            code = getattr(grpc.StatusCode, error.grpc_code)
            return await context.abort(code, wire.shortened(error.message), wire.trailing_metadata(error))

        return call

    def _check_caller(self, context: Any) -> None:
        if self._secure and API_SERVER not in context.auth_context().get("x509_common_name", ()):
            raise Forbidden("only API servers may call a node agent")

    # -- the calls

    async def _logs(self, request: pb.LogsRequest, context: Any) -> None:
        self._check_caller(context)
        node, pod, seen = await self._find(request.container)
        wanted = containers.to_read(pod, seen, request.container.container, previous=request.previous)
        options = logs.options_of(request, self._clock.now())

        async def send(data: bytes) -> None:
            await context.write(pb.Chunk(data=data))

        await context.write(pb.Chunk())
        await logs.stream(node.runtime.logs(wanted.id, options), send)

    async def _exec(self, _: Any, context: Any) -> None:
        start = await self._started(context)
        node, _pod, seen = await self._find(start.container)
        wanted = containers.to_enter(seen, start.container.container)
        command, options = tuple(start.command), conversations.options_of(start)
        async with node.runtime.exec(wanted.id, command, options) as session:
            await context.write(pb.SessionOutput())
            await conversations.converse(session, _reading(context), context.write, tells_exit_code=True)

    async def _attach(self, _: Any, context: Any) -> None:
        start = await self._started(context)
        node, pod, seen = await self._find(start.container)
        wanted = containers.to_enter(seen, start.container.container)
        read = _reading(context)
        if not containers.closes_stdin(pod, wanted.name):
            read = conversations.without_closing(read)
        async with node.runtime.attach(wanted.id, conversations.options_of(start)) as session:
            await context.write(pb.SessionOutput())
            # How the container itself ends is told by its status, to everybody.
            await conversations.converse(session, read, context.write, tells_exit_code=False)

    async def _port_forward(self, _: Any, context: Any) -> None:
        start = await self._started(context)
        node, pod, seen = await self._find(start.container)
        sandbox = containers.sandbox(pod, seen)
        await context.write(pb.PortOutput())
        try:
            connection = await node.runtime.connect(sandbox.id, start.port)
        except ApiError as error:
            uid = pod.metadata.uid
            told = f"error forwarding port {start.port} to pod {pod.metadata.name}, uid {uid}: {error.message}"
            await context.write(pb.PortOutput(error=told))
            await context.write(pb.PortOutput(ended=True))
            await _until_hung_up(context)
            return
        await conversations.forward(connection, _reading(context), context.write)

    async def _stats(self, request: pb.StatsRequest, context: Any) -> pb.StatsReply:
        self._check_caller(context)
        return pb.StatsReply(json=await self._statistics.summary(self._nodes.named(request.node)))

    async def _started(self, context: Any) -> Any:
        """What the first message asks for. Only then is it asked who calls: whoever is hung up on before that may not
        get to hear why."""
        async with asyncio.timeout(START_SECONDS):
            first = await context.read()
        self._check_caller(context)
        if first is aio.EOF or first.WhichOneof("part") != "start":
            raise BadRequest("a conversation begins with what it is about")
        return first.start

    async def _find(self, about: pb.Container) -> tuple[LocalNode, Pod, SeenPod]:
        node, pod = self._nodes.of_pod(about.namespace, about.pod, about.uid)
        return node, pod, await node.runtime.observe(containers.uid_here(pod))


async def _until_hung_up(context: Any) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(conversations.HANG_UP_SECONDS):
            while await context.read() is not aio.EOF:
                continue


def _reading(context: Any) -> Callable[[], Awaitable[Any]]:
    async def read() -> Any:
        message = await context.read()
        return None if message is aio.EOF else message

    return read


def _explain(problem: Exception) -> ApiError:
    first = next(run.leaves(problem))
    if isinstance(first, ApiError):
        return first
    if isinstance(first, TimeoutError):
        return Timeout("the call did not say in time what it is about")
    _log.error("call failed by a bug", **run.describe(first), exc_info=first)
    return Internal("Internal error occurred: see the node agent's log")
