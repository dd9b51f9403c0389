"""The gRPC server: our services, health and reflection on one port, with TLS, keepalive and bounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc
from prometheus_client import CollectorRegistry

from apiserver.auth.tls import ServerTls
from apiserver.grpcfront.calls import Calls
from apiserver.grpcfront.holding import Leadership
from apiserver.grpcfront.service import Resources
from apiserver.limits import Limits as Gates
from apiserver.registry.registry import Registry
from steersman import wire
from steersman.base.clock import SystemClock
from steersman.base.values import Address
from steersman.http2.limits import Limits
from steersman.pb import leadership_pb2, nodes_pb2, resources_pb2
from steersman.rpc.server import Bounds, Server

MAX_REQUEST_BYTES = 8 * 1024 * 1024
"""Above the largest object that we take: one that is too large is refused in our words, not by the transport."""

DRAIN_SECONDS = 1.5
MAX_STREAMS_PER_CONNECTION = 1_000

_BOUNDS = Bounds(
    max_message_bytes=MAX_REQUEST_BYTES,
    connection=Limits(max_streams=MAX_STREAMS_PER_CONNECTION, max_header_bytes=wire.MAX_METADATA_BYTES),
)
_SERVICES = (
    resources_pb2.DESCRIPTOR.services_by_name["Resources"],
    leadership_pb2.DESCRIPTOR.services_by_name["Leadership"],
    nodes_pb2.DESCRIPTOR.services_by_name["Nodes"],
)


@dataclass(frozen=True, slots=True)
class GrpcServer:
    address: Address
    _health: health.aio.HealthServicer

    async def serve(self) -> None:
        """Say that the server is ready for clients."""
        await self._health.set("", health_pb2.HealthCheckResponse.SERVING)


@asynccontextmanager
async def serving(
    registry: Registry, limits: Gates, metrics_registry: CollectorRegistry, address: Address, tls: ServerTls | None
) -> AsyncIterator[GrpcServer]:
    """Serve while the block is open (`tls` None: in the clear); then send watchers elsewhere and let calls finish."""
    calls = Calls(metrics_registry, secure=tls is not None)
    resources = Resources(registry, calls, limits)
    server = Server(_BOUNDS)
    leadership = Leadership(registry, calls, SystemClock())
    server.add_generic_rpc_handlers((resources.handler(), leadership.handler()))
    health_service = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_service, server)
    await health_service.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
    names = (*(service.full_name for service in _SERVICES), health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection_pb2_grpc.add_ServerReflectionServicer_to_server(reflection.aio.ReflectionServicer(names), server)
    async with _listening(server, address, tls) as port, leadership:
        try:
            yield GrpcServer(Address(address.host, port), health_service)
        finally:
            calls.drain()
            await health_service.enter_graceful_shutdown()
            resources.drain()
            leadership.drain()
            await asyncio.shield(server.stop(DRAIN_SECONDS))


@asynccontextmanager
async def _listening(server: Server, address: Address, tls: ServerTls | None) -> AsyncIterator[int]:
    async with AsyncExitStack() as stack:
        try:
            port = await stack.enter_async_context(
                server.listening(address.host, address.port, tls.grpc if tls else None)
            )
        except OSError as error:
            raise OSError(f"cannot listen on {address} for gRPC: the address is in use or not ours") from error
        yield port
