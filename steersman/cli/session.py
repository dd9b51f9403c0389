"""Whom a verb talks to, and in which namespace: the options that all client verbs share.

Without `--server` it is the cluster that `steer up` keeps on this machine.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from steersman.cli.local import access, addresses, options
from steersman.client import client
from steersman.client.client import Client
from steersman.client.transport import Credentials

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Session:
    """`credentials` None: no TLS, loopback only. `otlp`, `jaeger`: where its traces go, and where they are shown.

    `rest`: the same servers' addresses for HTTP; none if only those for gRPC were named.
    """

    servers: tuple[str, ...]
    credentials: Credentials | None
    namespace: str = "default"
    otlp: str = ""
    jaeger: str = ""
    rest: tuple[str, ...] = ()

    @property
    def server(self) -> str:
        return self.servers[0]

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Client]:
        async with client.connect(self.servers, self.credentials) as api:
            yield api


def with_session(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Gives the verb a `session`, made of the options that this adds to it."""

    @click.option("-n", "--namespace", default="default", help="The namespace that is meant.  [default: default]")
    @click.option(
        "-s", "--server", multiple=True, metavar="HOST:PORT", help="An API server's gRPC address; may be repeated."
    )
    @click.option("--certificate-authority", type=_FILE, help="Whom to trust.")
    @click.option("--client-certificate", type=_FILE, help="Who we are.")
    @click.option("--client-key", type=_FILE, help="The key of that.")
    @options.of_cluster
    @functools.wraps(verb)
    def called(
        namespace: str,
        server: tuple[str, ...],
        certificate_authority: Path | None,
        client_certificate: Path | None,
        client_key: Path | None,
        name: str | None,
        data_dir: Path | None,
        **rest: Any,
    ) -> Any:
        files = (certificate_authority, client_certificate, client_key)
        session = Session(server, _credentials(*files), namespace) if server else _local(name, data_dir, namespace)
        return verb(session=session, **rest)

    return called


def _credentials(authority: Path | None, certificate: Path | None, key: Path | None) -> Credentials | None:
    if authority is None and certificate is None and key is None:
        return None
    if authority is None or certificate is None or key is None:
        raise click.UsageError("--certificate-authority, --client-certificate and --client-key go together")
    return Credentials.from_files(authority, certificate, key)


def _local(name: str | None, data_dir: Path | None, namespace: str) -> Session:
    running = options.running(name, data_dir)
    otlp = running.ledger.otlp
    shown = addresses.jaeger(otlp) if otlp else ""
    known, credentials = running.ledger, access.credentials(running.site)
    return Session(known.grpc, credentials, namespace, otlp, shown, known.rest)
