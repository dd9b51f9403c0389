"""A client of a cluster on this machine, with the certificate that its API server made for the administrator."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from steersman.cli.local.ledger import Ledger
from steersman.cli.local.site import Site
from steersman.client import client
from steersman.client.client import Client
from steersman.client.transport import Credentials


def credentials(site: Site) -> Credentials:
    return Credentials.from_files(site.pki / "ca.crt", site.pki / "admin.crt", site.pki / "admin.key")


@asynccontextmanager
async def connected(site: Site, ledger: Ledger) -> AsyncIterator[Client]:
    async with client.connect(ledger.grpc, credentials(site)) as api:
        yield api
