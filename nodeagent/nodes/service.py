"""The `Nodes` service: finds what a call is about, and has it carried out. Only the API server may call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import grpc
from grpc import aio

from nodeagent.nodes import containers, conversations, logs
from nodeagent.nodes.places import Place, Places
from nodeagent.nodes.stats import Statistics
from nodeagent.runtime.interface import Session
from nodeagent.runtime.seen import SeenPod
from steersman import wire
from steersman.api.core import Pod
from steersman.api.errors import ApiError, BadRequest, Forbidden, Internal, Timeout
from steersman.api.names import Uid
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
    def __init__(self, places: Places, clock: Clock, *, secure: bool) -> None:
        self._places = places
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
                self._check_caller(context)
                return await handle(request, context)
            except Exception as problem:  # noqa: BLE001 - told to the caller, and logged unless it is our own word
                error = _explain(problem)
            code = getattr(grpc.StatusCode, error.grpc_code)
            return await context.abort(code, wire.shortened(error.message), wire.trailing_metadata(error))

        return call

    def _check_caller(self, context: Any) -> None:
        if self._secure and API_SERVER not in context.auth_context().get("x509_common_name", ()):
            raise Forbidden("only API servers may call a node agent")

    # -- the calls

    async def _logs(self, request: pb.LogsRequest, context: Any) -> None:
        place, pod, seen = await self._find(request.container)
        wanted = containers.to_read(pod, seen, request.container.container, previous=request.previous)
        options = logs.options_of(request, self._clock.now())

        async def send(data: bytes) -> None:
            await context.write(pb.Chunk(data=data))

        await context.write(pb.Chunk())
        await logs.stream(place.runtime.logs(wanted.id, options), send)

    async def _exec(self, _: Any, context: Any) -> None:
        start = await _started(context)
        place, _pod, seen = await self._find(start.container)
        wanted = containers.to_enter(seen, start.container.container)
        command, options = tuple(start.command), conversations.options_of(start)
        await _hold(place.runtime.exec(wanted.id, command, options), context)

    async def _attach(self, _: Any, context: Any) -> None:
        start = await _started(context)
        place, _pod, seen = await self._find(start.container)
        wanted = containers.to_enter(seen, start.container.container)
        await _hold(place.runtime.attach(wanted.id, conversations.options_of(start)), context)

    async def _port_forward(self, _: Any, context: Any) -> None:
        start = await _started(context)
        place, pod, seen = await self._find(start.container)
        sandbox = containers.sandbox(pod, seen)
        await context.write(pb.PortOutput())
        try:
            connection = await place.runtime.connect(sandbox.id, start.port)
        except ApiError as error:
            uid = pod.metadata.uid
            told = f"error forwarding port {start.port} to pod {pod.metadata.name}, uid {uid}: {error.message}"
            await context.write(pb.PortOutput(error=told))
            return
        await conversations.forward(connection, _reading(context), context.write)

    async def _stats(self, request: pb.StatsRequest, _: Any) -> pb.StatsReply:
        return pb.StatsReply(json=await self._statistics.summary(self._places.of_node(request.node)))

    async def _find(self, about: pb.Container) -> tuple[Place, Pod, SeenPod]:
        place, pod = self._places.of_pod(about.namespace, about.pod, about.uid)
        return place, pod, await place.runtime.observe(Uid(pod.metadata.uid))


async def _hold(opening: AbstractAsyncContextManager[Session], context: Any) -> None:
    async with opening as session:
        await context.write(pb.SessionOutput())
        await conversations.converse(session, _reading(context), context.write)


async def _started(context: Any) -> Any:
    """What the first message asks for."""
    async with asyncio.timeout(START_SECONDS):
        first = await context.read()
    if first is aio.EOF or first.WhichOneof("part") != "start":
        raise BadRequest("a conversation begins with what it is about")
    return first.start


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
