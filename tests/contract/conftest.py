"""The stores that the contract suite runs against, each as a fixture parameter.

One etcd serves a whole session (it has a thread and an event loop of its own), so no test may assume an empty store or
know the first revision: each works under a random prefix.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import shutil
import threading
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from apiserver.storage import embedded
from apiserver.storage.interface import Store
from tests.fakes.store import FakeStore

STORES = ["fake", "embedded", pytest.param("etcd", marks=pytest.mark.etcd)]
ETCD_START_SECONDS = 90

Open = Callable[[], AbstractAsyncContextManager[Store]]
Reopen = Callable[[], Awaitable[Store]]


@dataclass(frozen=True)
class Opened:
    """A store in use, and how to close it and open it again over the same data."""

    store: Store
    reopen: Reopen


@pytest.fixture(scope="session")
def etcd_endpoint() -> Iterator[str]:
    if shutil.which("etcd") is None:
        if "etcd" in os.environ.get("STEERSMAN_REQUIRE", ""):
            pytest.fail("STEERSMAN_REQUIRE names etcd, but there is no etcd program on the path")
        pytest.skip("no etcd program on the path")
    ready: Future[str] = Future()
    stop = threading.Event()
    server = threading.Thread(target=lambda: asyncio.run(_serve_etcd(ready, stop)), name="etcd-server")
    server.start()
    try:
        yield ready.result(ETCD_START_SECONDS)
    finally:
        stop.set()
        server.join()


async def _serve_etcd(ready: Future[str], stop: threading.Event) -> None:
    etcdserver = importlib.import_module("tests.etcdserver")
    try:
        async with etcdserver.etcd_server(*etcdserver.NO_FSYNC) as server:
            ready.set_result(server.endpoint)
            await asyncio.to_thread(stop.wait)
    except BaseException as error:
        if not ready.done():
            ready.set_exception(error)
        raise


@asynccontextmanager
async def _open_fake(store: FakeStore) -> AsyncIterator[Store]:
    yield store


def opener(name: str, data_dir: Path, request: pytest.FixtureRequest) -> Open:
    """How to open the store called `name`; opened again, it has the same data."""
    match name:
        case "fake":
            fake = FakeStore()
            return lambda: _open_fake(fake)
        case "embedded":
            return lambda: embedded.open_store(data_dir)
        case "etcd":
            endpoint: str = request.getfixturevalue("etcd_endpoint")
            etcd = importlib.import_module("apiserver.storage.etcd")
            return lambda: etcd.open_store([endpoint])
    raise ValueError(name)


@pytest.fixture(params=STORES)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    return opener(request.param, tmp_path, request)


@pytest.fixture
async def opened(open_store: Open) -> AsyncIterator[Opened]:
    async with AsyncExitStack() as stack:

        async def reopen() -> Store:
            await stack.aclose()
            return await stack.enter_async_context(open_store())

        yield Opened(await stack.enter_async_context(open_store()), reopen)


@pytest.fixture
def store(opened: Opened) -> Store:
    return opened.store


@pytest.fixture
def reopen(opened: Opened) -> Reopen:
    return opened.reopen


@pytest.fixture
def prefix() -> str:
    return f"/contract/{uuid.uuid4().hex}/"
