"""One cluster for all tests with kubectl."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.kubectl import cluster as clusters
from tests.e2e.kubectl.cluster import Cluster


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def cluster(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cluster]:
    async with clusters.running(tmp_path_factory.mktemp("kubectl")) as started:
        yield started
