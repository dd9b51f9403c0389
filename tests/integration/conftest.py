"""An API server in this process, and a client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apiserver import server
from apiserver.config import Settings
from apiserver.server import Serving
from steersman.base.values import Address
from steersman.client import client
from steersman.client.client import Client

ANY_PORT = Address("127.0.0.1", 0)


@pytest.fixture
async def api_server(tmp_path: Path) -> AsyncIterator[Serving]:
    """On the embedded store in a folder of its own, without TLS."""
    settings = Settings(data_dir=tmp_path / "data", grpc_address=ANY_PORT, rest_address=ANY_PORT, insecure=True)
    async with server.serving(settings) as serving:
        yield serving


@pytest.fixture
async def api(api_server: Serving) -> AsyncIterator[Client]:
    """A client of `api_server`."""
    async with client.connect([str(api_server.grpc)]) as opened:
        yield opened
