"""HTTP with a Docker engine: JSON calls, byte streams and upgraded connections, with deadlines and our errors.

aiodocker was tried and left: its logs do not say which of stdout and stderr a line came from, its exec streams cannot
close stdin alone, and its events live in a task and an unbounded queue of their own. What remains is this file.

An engine that cannot be reached, or that goes away, is Unavailable; one that does not answer in time is Timeout. The
statuses 400, 403, 404 and 409 become BadRequest, Forbidden, NotFound and Conflict, everything else Internal, each with
the engine's own message.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, BinaryIO
from urllib.parse import urlencode, urlsplit

import aiohttp
import msgspec
from yarl import URL

from steersman.api.errors import ApiError, BadRequest, Conflict, Forbidden, Internal, NotFound, Timeout, Unavailable

CALL_SECONDS = 20.0
CONNECT_SECONDS = 5.0
QUICK_AT_ONCE = 64
PATIENT_AT_ONCE = 1_000
LINE_BYTES = 512 << 10  # of an event, which repeats all labels of its container
OLDEST_API = (1, 45)  # Docker 26: the first to mount a part of a volume
NEWEST_API = (1, 47)
LONGEST_HEADER = 64 << 10

_BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequest,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    503: Unavailable,
}

Query = Mapping[str, str | Sequence[str]]
"""Several values: the name is repeated."""
NO_QUERY: Query = {}
NO_LIMIT = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)  # the deadline is set around it
NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Upgraded:
    """A connection that the engine has turned into a plain pair of byte streams."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    multiplexed: bool


class EngineClient:
    """Quick calls have connections of their own: a hundred containers that are slow to stop keep nobody waiting."""

    def __init__(self, url: str, quick: aiohttp.ClientSession, patient: aiohttp.ClientSession) -> None:
        self.url = url
        self._quick = quick
        self._patient = patient
        self._version = ""

    async def call(
        self,
        method: str,
        path: str,
        query: Query = NO_QUERY,
        body: object = None,
        *,
        timeout_seconds: float = CALL_SECONDS,
    ) -> Any:
        """The JSON of the answer; None for one without a body, which "already so" (304) is too."""
        async with self._translated(path, timeout_seconds), asyncio.timeout(timeout_seconds):
            prefix = await self._prefix()
            session = self._quick if timeout_seconds <= CALL_SECONDS else self._patient
            request = session.request(
                method,
                _url(prefix + path, query),
                data=None if body is None else msgspec.json.encode(body),
                headers={"Content-Type": "application/json"},
                timeout=NO_LIMIT,
            )
            async with request as response:
                content = await response.read()
            if response.status >= HTTPStatus.BAD_REQUEST:
                raise refusal(response.status, content)
            return msgspec.json.decode(content) if content.strip() else None

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        query: Query = NO_QUERY,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        body: BinaryIO | None = None,
        silence_seconds: float | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """An answer that is read while it comes. `silence_seconds`: Timeout when nothing comes for so long."""
        answer_seconds = silence_seconds or CALL_SECONDS
        limits = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=silence_seconds)
        async with self._translated(path, answer_seconds):
            async with asyncio.timeout(answer_seconds):
                prefix = await self._prefix()
                response = await self._patient.request(
                    method, _url(prefix + path, query), headers=headers, data=body, timeout=limits
                )
            async with response:
                if response.status >= HTTPStatus.BAD_REQUEST:
                    raise refusal(response.status, await response.read())
                yield response

    async def upgrade(self, path: str, query: Query = NO_QUERY, body: object = None) -> Upgraded:
        """POST, and keep the connection for whatever both sides say next. The caller closes it."""
        async with self._translated(path, CALL_SECONDS), asyncio.timeout(CALL_SECONDS):
            prefix = await self._prefix()
            reader, writer = await open_connection(self.url)
            try:
                writer.write(_upgrade_request(prefix + path, query, body))
                await writer.drain()
                return await _upgraded(reader, writer)
            except BaseException:
                writer.close()
                raise

    @asynccontextmanager
    async def _translated(self, path: str, timeout_seconds: float) -> AsyncIterator[None]:
        try:
            yield
        except TimeoutError as error:  # aiohttp's own time-outs are connection errors too: this comes first
            raise Timeout(f"the Docker engine at {self.url} did not answer {path} in {timeout_seconds:g} s") from error
        except (aiohttp.ClientError, asyncio.IncompleteReadError, OSError) as error:
            self._version = ""  # whoever answers next may be a different engine
            raise Unavailable(f"the Docker engine at {self.url} cannot be reached: {error}") from error
        except msgspec.DecodeError as error:
            raise Internal(f"what answers {path} at {self.url} is not a Docker engine: {error}") from error

    async def _prefix(self) -> str:
        if not self._version:
            async with self._quick.get(URL("http://docker/version")) as response:
                content = await response.read()
            if response.status != HTTPStatus.OK:
                raise refusal(response.status, content)
            self._version = _agreed_version(msgspec.json.decode(content)["ApiVersion"])
        return f"/v{self._version}"


def refusal(status: int, content: bytes) -> ApiError:
    """The error for an answer of 400 or above."""
    try:
        message = str(msgspec.json.decode(content)["message"])
    except (msgspec.DecodeError, KeyError, TypeError):
        message = content.decode(errors="replace").strip() or f"status {status}"
    return _BY_STATUS.get(status, Internal)(message)


@asynccontextmanager
async def open_client(url: str) -> AsyncIterator[EngineClient]:
    """Connects when first needed: opening succeeds without an engine."""
    async with (
        aiohttp.ClientSession(connector=_connector(url, QUICK_AT_ONCE), timeout=NO_LIMIT) as quick,
        aiohttp.ClientSession(connector=_connector(url, PATIENT_AT_ONCE), read_bufsize=LINE_BYTES) as patient,
    ):
        yield EngineClient(url, quick, patient)


async def open_connection(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return await asyncio.open_unix_connection(parts.path)
    return await asyncio.open_connection(parts.hostname, parts.port or 2375)


def _connector(url: str, limit: int) -> aiohttp.BaseConnector:
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return aiohttp.UnixConnector(parts.path, limit=limit)
    return _FixedConnector(parts.hostname or "localhost", parts.port or 2375, limit)


class _FixedConnector(aiohttp.TCPConnector):
    """Every URL leads to one engine, as with a unix socket, so that both kinds share their URLs."""

    def __init__(self, host: str, port: int, limit: int) -> None:
        super().__init__(limit=limit, resolver=_FixedResolver(host, port))


class _FixedResolver(aiohttp.abc.AbstractResolver):
    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._inner = aiohttp.ThreadedResolver()

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[aiohttp.abc.ResolveResult]:
        return await self._inner.resolve(self._host, self._port, family)

    async def close(self) -> None:
        await self._inner.close()


def _url(path: str, query: Query) -> URL:
    return URL(f"http://docker{path}?{urlencode(query, doseq=True)}" if query else f"http://docker{path}", encoded=True)


def _agreed_version(offered: str) -> str:
    major, _, minor = offered.partition(".")
    version = (int(major), int(minor))
    if version < OLDEST_API:
        raise Unavailable(f"the Docker engine speaks API {offered}; 1.42 (Docker 23) or later is needed")
    return ".".join(map(str, min(version, NEWEST_API)))


def _upgrade_request(path: str, query: Query, body: object) -> bytes:
    content = b"" if body is None else msgspec.json.encode(body)
    target = f"{path}?{urlencode(query, doseq=True)}" if query else path
    head = (
        f"POST {target} HTTP/1.1\r\nHost: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


async def _upgraded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Upgraded:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    status_line, *lines = head.rstrip().split("\r\n")
    status = int(status_line.split(" ", 2)[1])
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if status not in (HTTPStatus.SWITCHING_PROTOCOLS, HTTPStatus.OK):
        length = min(int(headers.get("content-length", "0")), LONGEST_HEADER)
        raise refusal(status, await reader.readexactly(length))
    return Upgraded(reader, writer, multiplexed="multiplexed" in headers.get("content-type", ""))
