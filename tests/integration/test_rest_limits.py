"""Who may come in, how many at once, and what becomes of clients that do nothing, or half of something."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from apiserver import server
from apiserver.auth import certificates
from apiserver.config import Settings
from apiserver.restfront import call, watching
from apiserver.restfront import server as restfront
from apiserver.server import Serving
from apiserver.watchcache import cache
from steersman.base.clock import SystemClock
from steersman.base.values import Address
from tests.eventually import eventually
from tests.integration.restcalls import CONFIG_MAPS, Answer, Rest, rest_client

ANY_PORT = Address("127.0.0.1", 0)


@asynccontextmanager
async def serving(folder: Path, **settings: Any) -> AsyncIterator[Serving]:
    chosen = {"insecure": True, **settings}
    async with server.serving(
        Settings(data_dir=folder / "data", grpc_address=ANY_PORT, rest_address=ANY_PORT, **chosen)
    ) as opened:
        yield opened


@asynccontextmanager
async def raw_connection(at: Serving, *sent: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(at.rest.host, at.rest.port, limit=4096)
    try:
        writer.write("".join(sent).encode())
        await writer.drain()
        yield reader, writer
    finally:
        writer.transport.abort()


async def inflight_to_be(rest: Rest, kind: str, count: int) -> None:
    """Wait until so many reads, writes or watches are in progress."""

    async def are() -> bool:
        said = (await rest.get("/metrics")).body.decode()
        return f'apiserver_requests_inflight{{kind="{kind}"}} {count:.1f}\n' in said

    await eventually(are, within=30)


async def test_writes_past_the_limit_are_told_when_to_come_back(tmp_path: Path) -> None:
    async with serving(tmp_path, max_mutating_requests_inflight=1) as opened, rest_client(opened) as rest:

        async def burst() -> list[Answer]:
            writes = (rest.create(CONFIG_MAPS, {"metadata": {"generateName": "c"}}) for _ in range(30))
            return [answer for answer in await asyncio.gather(*writes) if answer.code != 201]

        for refused in await eventually(burst, within=30):
            assert (refused.code, refused.headers["Retry-After"]) == (429, "1")
            assert refused.body == b"Too many requests, please try again later.\n"


async def test_bodies_that_dribble_keep_no_writer_out(tmp_path: Path) -> None:
    unfinished = f"POST {CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{{"
    async with (
        serving(tmp_path, max_mutating_requests_inflight=1) as opened,
        rest_client(opened) as rest,
        raw_connection(opened, unfinished),
    ):
        await rest.config_map("a")
        await rest.config_map("b")


async def test_reads_past_the_limit_leave_health_and_writes_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "CATCH_UP_SECONDS", 60.0)
    of_the_future = f"GET {CONFIG_MAPS}?resourceVersion=100000000 HTTP/1.1\r\nHost: x\r\n\r\n"
    async with (
        serving(tmp_path, max_requests_inflight=1) as opened,
        rest_client(opened) as rest,
        raw_connection(opened, of_the_future),
    ):
        await inflight_to_be(rest, "read", 1)
        assert (await rest.get(CONFIG_MAPS)).code == 429
        assert (await rest.get("/livez")).code == 200
        assert (await rest.create(CONFIG_MAPS, {"metadata": {"name": "a"}})).code == 201


async def test_a_client_says_how_long_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "CATCH_UP_SECONDS", 60.0)
    async with serving(tmp_path) as opened, rest_client(opened) as rest:
        late = await rest.get(f"{CONFIG_MAPS}?resourceVersion=100000000&timeout=50ms")
        assert (late.code, late.json["reason"]) == (504, "Timeout")
        assert late.json["message"].startswith("Timeout: request did not complete within requested timeout")
        assert (await rest.get(f"{CONFIG_MAPS}?timeout=0s")).code == 200
        wrong = await rest.get(f"{CONFIG_MAPS}?timeout=5")
        assert (wrong.code, wrong.json["message"]) == (
            400,
            'invalid timeout specified in the request URL - time: missing unit in duration "5"',
        )
        async with rest.session.get(f"{CONFIG_MAPS}?watch=1&timeout=1ns") as watch:
            assert watch.status == 200


async def test_watches_past_the_limit(tmp_path: Path) -> None:
    path = f"{CONFIG_MAPS}?watch=1"
    async with (
        serving(tmp_path, max_watches=1) as opened,
        rest_client(opened) as rest,
        rest.session.get(path) as watch,
    ):
        assert watch.status == 200
        assert (await rest.get(path)).code == 429


async def test_who_may_come_in(tmp_path: Path) -> None:
    async with serving(tmp_path, insecure=False) as opened:
        pki = certificates.ensure(tmp_path / "data", server_url=f"https://{opened.rest}", now=SystemClock().now())
        nobody = ssl.create_default_context(cafile=str(pki.authority.certificate_file))
        admin = ssl.create_default_context(cafile=str(pki.authority.certificate_file))
        admin.load_cert_chain(pki.admin.certificate_file, pki.admin.key_file)
        async with aiohttp.ClientSession(f"https://{opened.rest}") as session:
            for page in ("/healthz", "/livez/ping", "/readyz?verbose", "/version"):
                async with session.get(page, ssl=nobody) as answer:
                    assert answer.status == 200
            for page in ("/metrics", "/api", "/nonsense", CONFIG_MAPS):
                for headers in ({}, {"Authorization": "Bearer nonsense"}):
                    async with session.get(page, ssl=nobody, headers=headers) as answer:
                        assert answer.status == 401
                        assert (await answer.json())["message"] == "Unauthorized"
            async with session.get(CONFIG_MAPS, ssl=admin) as answer:
                assert answer.status == 200


async def test_a_service_accounts_token_opens_the_door(tmp_path: Path) -> None:
    async with serving(tmp_path, insecure=False) as opened:
        pki = certificates.ensure(tmp_path / "data", server_url=f"https://{opened.rest}", now=SystemClock().now())
        admin = ssl.create_default_context(cafile=str(pki.authority.certificate_file))
        admin.load_cert_chain(pki.admin.certificate_file, pki.admin.key_file)
        nobody = ssl.create_default_context(cafile=str(pki.authority.certificate_file))
        accounts = "/api/v1/namespaces/default/serviceaccounts"
        async with aiohttp.ClientSession(f"https://{opened.rest}") as session:
            async with session.post(accounts, json={"metadata": {"name": "robot"}}, ssl=admin) as answer:
                assert answer.status == 201
            async with session.post(f"{accounts}/robot/token", json={"spec": {}}, ssl=admin) as answer:
                assert answer.status == 201
                token = (await answer.json())["status"]["token"]
            bearer = {"Authorization": f"Bearer {token}"}
            async with session.get(CONFIG_MAPS, ssl=nobody, headers=bearer) as answer:
                assert answer.status == 200
            async with session.get(CONFIG_MAPS, ssl=nobody, headers={**bearer, "Impersonate-User": "jane"}) as answer:
                assert answer.status == 403
                assert (await answer.json())["message"].startswith('users "jane" is forbidden: User "system:service')


async def test_a_client_that_dribbles_its_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restfront, "IDLE_SECONDS", 0.3)
    async with (
        serving(tmp_path) as opened,
        raw_connection(opened, "GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ") as (reader, _),
        asyncio.timeout(30),
    ):
        assert await reader.read() == b""


async def test_a_body_that_never_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call, "BODY_SECONDS", 0.2)
    head = f"POST {CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
    async with serving(tmp_path) as opened, raw_connection(opened, head, "{") as (reader, _), asyncio.timeout(30):
        assert (await reader.readline()).startswith(b"HTTP/1.1 504")


async def test_a_client_that_waits_to_be_told_to_go_on(tmp_path: Path) -> None:
    body = '{"metadata":{"name":"a"}}'
    head = f"POST {CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
    async with serving(tmp_path) as opened, raw_connection(opened, head) as (reader, writer), asyncio.timeout(30):
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(body.encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 201")


async def test_requests_that_come_together_are_answered_in_order(tmp_path: Path) -> None:
    asked = [f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n" for path in ("/livez", "/nonsense", "/version")]
    async with serving(tmp_path) as opened, raw_connection(opened, *asked) as (reader, _), asyncio.timeout(30):
        seen = b""
        while not seen.endswith((b"}", b"}\n")):
            seen += await reader.read(4096)
        assert re.findall(rb"HTTP/1.1 (\d+)", seen) == [b"200", b"404", b"200"]


async def test_a_target_with_everything_in_it(tmp_path: Path) -> None:
    ask = "GET http://example.com/livez?verbose HTTP/1.1\r\nHost: x\r\n\r\n"
    async with serving(tmp_path) as opened, raw_connection(opened, ask) as (reader, _), asyncio.timeout(30):
        assert b"[+]ping ok" in await reader.readuntil(b"livez check passed")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        pytest.param("HTTP/1.1\r\nConnection: close", b"Connection: close", id="closed as asked"),
        pytest.param("HTTP/1.0\r\nConnection: keep-alive", b"Connection: keep-alive", id="kept open as of old"),
    ],
)
async def test_how_a_connection_goes_on(tmp_path: Path, ask: str, said: bytes) -> None:
    asked = f"GET /livez {ask}\r\nHost: x\r\n\r\n"
    async with serving(tmp_path) as opened, raw_connection(opened, asked) as (reader, writer), asyncio.timeout(30):
        assert said in await reader.readuntil(b"\r\n\r\nok")
        writer.write(asked.encode())
        again = await reader.read(8)
        assert again == (b"" if b"close" in said else b"HTTP/1.1")


async def test_a_watcher_that_reads_nothing_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "WRITE_SECONDS", 0.2)
    ask = f"GET {CONFIG_MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n"
    async with serving(tmp_path) as opened, rest_client(opened) as rest:
        for number in range(30):
            await rest.config_map(f"c{number}", k="v" * 500_000)
        async with raw_connection(opened, ask) as (reader, _):
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            await inflight_to_be(rest, "watch", 0)


async def test_a_watcher_that_has_half_left_is_forgotten(tmp_path: Path) -> None:
    ask = f"GET {CONFIG_MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n"
    async with serving(tmp_path) as opened, rest_client(opened) as rest, raw_connection(opened, ask) as (_, writer):
        await inflight_to_be(rest, "watch", 1)
        writer.write_eof()
        await inflight_to_be(rest, "watch", 0)


async def test_idle_connections_keep_nobody_out(tmp_path: Path) -> None:
    async with serving(tmp_path) as opened, rest_client(opened) as rest:
        idle = [await asyncio.open_connection(opened.rest.host, opened.rest.port) for _ in range(300)]
        assert (await rest.get(CONFIG_MAPS)).code == 200
        for _, writer in idle:
            writer.transport.abort()


async def test_a_server_that_stops_ends_its_watches(tmp_path: Path) -> None:
    async with asyncio.timeout(45), asyncio.TaskGroup() as tasks, AsyncExitStack() as stack:
        async with serving(tmp_path) as opened:
            rest = await stack.enter_async_context(rest_client(opened))
            watch = tasks.create_task(rest.watch(f"{CONFIG_MAPS}?watch=1"))
            await inflight_to_be(rest, "watch", 1)
        assert await watch == []
