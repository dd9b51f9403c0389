"""One cluster with two nodes for all tests of a module."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.dockerengine import Engine
from tests.e2e import cluster as clusters
from tests.e2e.cluster import Cluster


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster(docker_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cluster]:
    async with clusters.running(docker_engine, tmp_path_factory.mktemp("e2e"), ["node-a", "node-b"]) as started:
        yield started
