"""Health, metrics and version over real HTTP and HTTPS."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from apiserver.auth import certificates
from steersman.base import httpserver, metrics
from steersman.base.health import Health, Unhealthy
from steersman.base.values import Address

LOOPBACK = Address("127.0.0.1", 0)
STOPPED_WITHIN_SECONDS = 30.0
"""By itself aiohttp waits a minute."""
VERSION = {"major": "1", "minor": "36", "gitVersion": "v1.36.0+steersman.0.1.0"}


@dataclass
class Etcd:
    """A dependency that the test switches on and off."""

    reason: str | None = None

    async def check(self) -> None:
        if self.reason is not None:
            raise Unhealthy(self.reason)


@pytest.fixture
def etcd() -> Etcd:
    return Etcd()


@pytest.fixture
def application(etcd: Etcd) -> web.Application:
    live, ready = Health("livez"), Health("readyz")
    ready.add("etcd", etcd.check)
    made = web.Application()
    made.add_routes(httpserver.routes(live=live, ready=ready, registry=metrics.new_registry(), version=VERSION))
    return made


@pytest.fixture
async def http(application: web.Application) -> AsyncIterator[aiohttp.ClientSession]:
    async with (
        httpserver.serving(application, LOOPBACK) as address,
        aiohttp.ClientSession(f"http://{address}") as session,
    ):
        yield session


@pytest.mark.parametrize(
    ("path", "reason", "status", "body"),
    [
        ("/livez", None, 200, "ok"),
        ("/healthz", None, 200, "ok"),
        ("/readyz", None, 200, "ok"),
        ("/readyz?verbose", None, 200, "[+]ping ok\n[+]etcd ok\nreadyz check passed\n"),
        ("/livez?verbose", "away", 200, "[+]ping ok\nlivez check passed\n"),
        ("/healthz?verbose=1", None, 200, "[+]ping ok\nhealthz check passed\n"),
        ("/readyz", "away", 500, "[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n"),
        ("/readyz?exclude=etcd", "away", 200, "ok"),
        ("/readyz?verbose&exclude=etcd", "away", 200, "[+]ping ok\n[+]etcd excluded: ok\nreadyz check passed\n"),
        ("/readyz/etcd", None, 200, "ok"),
        ("/readyz/etcd", "away", 500, "internal server error: away\n"),
        ("/readyz/unknown", None, 404, "404 page not found\n"),
    ],
)
async def test_health_in_kubernetes_words(
    http: aiohttp.ClientSession, etcd: Etcd, path: str, reason: str | None, status: int, body: str
) -> None:
    etcd.reason = reason
    async with http.get(path) as answer:
        assert (answer.status, await answer.text()) == (status, body)
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_version_and_metrics(http: aiohttp.ClientSession) -> None:
    async with http.get("/version") as answer:
        assert answer.content_type == "application/json"
        assert await answer.json() == VERSION
    async with http.get("/metrics") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        assert "process_cpu_seconds_total" in await answer.text()


async def test_tls_with_our_own_certificates(application: web.Application, tmp_path: Path) -> None:
    pki = certificates.ensure(tmp_path, server_url="https://127.0.0.1:6443", now=datetime.now(UTC))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(pki.server.certificate_file, pki.server.key_file)
    client = ssl.create_default_context(cafile=str(pki.authority.certificate_file))
    async with (
        httpserver.serving(application, LOOPBACK, tls=server) as address,
        aiohttp.ClientSession() as session,
        session.get(f"https://localhost:{address.port}/readyz", ssl=client) as answer,
    ):
        assert await answer.text() == "ok"


async def test_stopping_is_bounded_though_a_request_hangs() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def hang(_: web.Request) -> web.Response:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return web.Response()

    application = web.Application()
    application.router.add_get("/hang", hang)

    async def ask(address: Address) -> None:
        async with aiohttp.ClientSession(f"http://{address}") as session:
            with pytest.raises(aiohttp.ClientError):
                await session.get("/hang")

    async with (
        asyncio.timeout(STOPPED_WITHIN_SECONDS),
        asyncio.TaskGroup() as group,
        httpserver.serving(application, LOOPBACK, stop_within_seconds=0.1) as address,
    ):
        group.create_task(ask(address))
        await begun.wait()
    assert cancelled.is_set()


async def test_a_taken_port_is_an_error(application: web.Application) -> None:
    other = web.Application()
    async with httpserver.serving(application, LOOPBACK) as address:
        with pytest.raises(OSError, match="address already in use"):
            async with httpserver.serving(other, address):
                pass
