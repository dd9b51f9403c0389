"""The agent's pages: /metrics, /healthz, /readyz, /version; with TLS for whoever shows a certificate of the cluster.

A port that is taken (several agents share a machine) is no reason to let pods down: it is said, and tried again.
"""

from __future__ import annotations

import ssl
from pathlib import Path

from prometheus_client import CollectorRegistry

from nodeagent.nodes.localnodes import LocalNodes
from steersman.base import httpserver, log
from steersman.base.clock import Clock
from steersman.base.health import Health, Unhealthy
from steersman.base.values import Address
from steersman.version import KUBERNETES, VERSION

BETWEEN_TRIES_SECONDS = 10.0
RENEWAL_SECONDS = 60.0
_VERSION = {"gitVersion": f"v{KUBERNETES}.0+steersman.{VERSION}"}

_log = log.get("pages")

TlsFiles = tuple[Path, Path, Path]
"""Whom we trust, who we are, and the key to that."""


class Pages:
    """Without `files`: in the clear. `expected`: how many nodes this process is once it is ready."""

    def __init__(
        self, registry: CollectorRegistry, address: Address, files: TlsFiles | None, nodes: LocalNodes, expected: int
    ) -> None:
        self._registry = registry
        self._address = address
        self._files = files
        self._nodes = nodes
        self._expected = expected
        self.port = 0
        """Where it listens; 0: not yet."""
        self.failures = 0

    async def run(self, clock: Clock) -> None:
        """Until cancelled."""
        while True:
            try:
                await self._serve(clock)
            except OSError as error:
                if not self.failures:
                    _log.info("cannot serve metrics", address=str(self._address), reason=str(error))
                self.failures += 1
            await clock.sleep(BETWEEN_TRIES_SECONDS)

    async def _serve(self, clock: Clock) -> None:
        tls = None if self._files is None else _context(self._files)
        ready = Health("readyz")
        ready.add("nodes", self._are_nodes_registered)
        application = httpserver.application(
            live=Health("livez"), ready=ready, registry=self._registry, version=_VERSION
        )
        async with httpserver.serving(application, self._address, tls=tls) as bound:
            self.port = bound.port
            _log.info("serving metrics", address=str(bound), tls=tls is not None)
            while True:
                await clock.sleep(RENEWAL_SECONDS)
                if tls is not None and self._files is not None:
                    tls.load_cert_chain(*self._files[1:])  # what is on disk now, for those who come from now on

    async def _are_nodes_registered(self) -> None:
        if len(self._nodes) < self._expected:
            raise Unhealthy(f"{len(self._nodes)} of {self._expected} nodes are registered")


def _context(files: TlsFiles) -> ssl.SSLContext:
    authority, certificate, key = files
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority)
    context.load_cert_chain(certificate, key)
    return context
