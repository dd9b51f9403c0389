"""The gRPC server: our services, health and reflection on one port, with TLS, keepalive and bounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import CollectorRegistry

from apiserver.auth.tls import ServerTls
from apiserver.grpcfront.calls import Calls
from apiserver.grpcfront.holding import Leadership
from apiserver.grpcfront.service import Resources
from apiserver.limits import Limits
from apiserver.registry.registry import Registry
from steersman import wire
from steersman.base.clock import SystemClock
from steersman.base.values import Address
from steersman.pb import leadership_pb2, nodes_pb2, resources_pb2

MAX_REQUEST_BYTES = 8 * 1024 * 1024
"""Above the largest object that we take: one that is too large is refused in our words, not by the transport."""

DRAIN_SECONDS = 1.5
MAX_STREAMS_PER_CONNECTION = 1_000

_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_concurrent_streams", MAX_STREAMS_PER_CONNECTION),
    ("grpc.max_metadata_size", wire.MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", wire.MAX_METADATA_BYTES),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),  # the time-out above alone leaves a frozen peer unnoticed
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.so_reuseport", 0),  # a second server on the same port must fail, not share it
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
    registry: Registry, limits: Limits, metrics_registry: CollectorRegistry, address: Address, tls: ServerTls | None
) -> AsyncIterator[GrpcServer]:
    """Serve while the block is open (`tls` None: in the clear); then send watchers elsewhere and let calls finish."""
    calls = Calls(metrics_registry, secure=tls is not None)
    resources = Resources(registry, calls, limits)
    server = grpc.aio.server(options=_OPTIONS)
    leadership = Leadership(registry, calls, SystemClock())
    server.add_generic_rpc_handlers((resources.handler(), leadership.handler()))
    health_service = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_service, server)
    await health_service.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
    names = (*(service.full_name for service in _SERVICES), health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    port = _listen(server, address, tls)
    await server.start()
    async with leadership:
        try:
            yield GrpcServer(Address(address.host, port), health_service)
        finally:
            calls.drain()
            await health_service.enter_graceful_shutdown()
            resources.drain()
            leadership.drain()
            await asyncio.shield(server.stop(DRAIN_SECONDS))


def _listen(server: grpc.aio.Server, address: Address, tls: ServerTls | None) -> int:
    try:
        if tls is None:
            port: int = server.add_insecure_port(str(address))
        else:
            port = server.add_secure_port(str(address), _credentials(tls))
    except RuntimeError as error:
        raise OSError(f"cannot listen on {address} for gRPC: the address is in use or not ours") from error
    return port


def _credentials(tls: ServerTls) -> grpc.ServerCredentials:
    """Credentials that follow `tls`: asked at each new connection, they change when its identity did."""
    shown = tls.generation

    def certificates() -> grpc.ServerCertificateConfiguration:
        identity = tls.identity
        return grpc.ssl_server_certificate_configuration([(identity.key, identity.certificate)], identity.client_ca)

    def renewed() -> grpc.ServerCertificateConfiguration | None:
        nonlocal shown
        if tls.generation == shown:
            return None
        shown = tls.generation
        return certificates()

    return grpc.dynamic_ssl_server_credentials(certificates(), renewed, require_client_authentication=True)
