"""An API server in this process, and a client of it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apiserver import server
from apiserver.config import Settings
from apiserver.server import Serving
from steersman.base.values import Address
from steersman.client import client
from steersman.client.client import Client
from tests import emptycluster

ANY_PORT = Address("127.0.0.1", 0)


@pytest.fixture(scope="session")
def filled_data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To be copied: so that not every test has to wait until its server has made what an empty cluster contains."""
    data_dir = tmp_path_factory.mktemp("filled")
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:  # which leaves the loop of the tests alone
        runner.run(emptycluster.fill(data_dir))
    return data_dir


@pytest.fixture
async def api_server(tmp_path: Path, filled_data_dir: Path) -> AsyncIterator[Serving]:
    """On the embedded store in a folder of its own, without TLS."""
    shutil.copytree(filled_data_dir, tmp_path / "data")
    settings = Settings(data_dir=tmp_path / "data", grpc_address=ANY_PORT, rest_address=ANY_PORT, insecure=True)
    async with server.serving(settings) as serving:
        yield serving


@pytest.fixture
async def api(api_server: Serving) -> AsyncIterator[Client]:
    """A client of `api_server`."""
    async with client.connect([str(api_server.grpc)]) as opened:
        yield opened
