"""The agent's own gRPC server: mutual TLS, certificates taken from disk anew as they are renewed.

A port that is taken is no reason to let pods down: it is said, and tried again until it is free.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import grpc
from grpc import aio

from nodeagent.nodes.localnodes import LocalNodes
from nodeagent.nodes.service import NodesService
from steersman import wire
from steersman.base import log
from steersman.base.clock import Clock
from steersman.base.values import Address

BETWEEN_TRIES_SECONDS = 5.0
STOP_SECONDS = 0.5
_OPTIONS = (
    ("grpc.so_reuseport", 0),  # or two agents on one port would share its calls between them
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", wire.MAX_METADATA_BYTES),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_ping_strikes", 0),  # a call that only listens is kept alive by pings
)
_log = log.get("nodes")

TlsFiles = tuple[Path, Path, Path]
"""Whom we trust, who we are, and the key to that."""


class NodesServer:
    def __init__(self, local_nodes: LocalNodes, address: Address, files: TlsFiles | None, clock: Clock) -> None:
        """Without `files`: in the clear, to everybody who reaches the address."""
        self._nodes = local_nodes
        self._address = address
        self._files = files
        self._clock = clock
        self._server: aio.Server | None = None
        self.port = address.port

    async def open(self) -> None:
        """Try once to listen; from then on `port` is where, if it was left to the system."""
        service = NodesService(self._nodes, self._clock, secure=self._files is not None)
        server = aio.server(options=_OPTIONS)
        server.add_generic_rpc_handlers((service.handler(),))
        try:
            if self._files is None:
                port = server.add_insecure_port(str(self._address))
            else:
                port = server.add_secure_port(str(self._address), _credentials(self._files))
        except RuntimeError as error:
            _log.warning("cannot serve logs and exec", address=str(self._address), reason=str(error))
            return
        await server.start()
        self._server, self.port = server, port

    async def run(self) -> None:
        """Until cancelled."""
        try:
            while self._server is None:
                await self._clock.sleep(BETWEEN_TRIES_SECONDS)
                await self.open()
            await self._server.wait_for_termination()
        finally:
            if self._server is not None:
                await self._server.stop(STOP_SECONDS)


def _credentials(files: TlsFiles) -> grpc.ServerCredentials:
    return grpc.dynamic_ssl_server_credentials(_read(files), _renewed(files), require_client_authentication=True)


def _renewed(files: TlsFiles) -> Callable[[], grpc.ServerCertificateConfiguration | None]:
    """Asked at every handshake: what to use from now on, None for what is in use."""
    in_use = [_stamp(files)]

    def fetch() -> grpc.ServerCertificateConfiguration | None:
        found = _stamp(files)
        if found == in_use[0]:
            return None
        in_use[0] = found
        return _read(files)

    return fetch


def _stamp(files: TlsFiles) -> tuple[tuple[int, int], ...]:
    return tuple((each.stat().st_mtime_ns, each.stat().st_ino) for each in files)


def _read(files: TlsFiles) -> grpc.ServerCertificateConfiguration:
    authority, certificate, key = (each.read_bytes() for each in files)
    return grpc.ssl_server_certificate_configuration([(key, certificate)], root_certificates=authority)
