"""The API server's REST side, for what goes on inside pods: the only verbs of `steer` that use it are logs and exec.

Both are streams of bytes that end at a node's agent. The REST front carries them already, in the protocols that kubectl
speaks; gRPC clients have no other need for them, so the gRPC front was not taught a second way.
"""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import click
import msgspec

from steersman.api.errors import BY_REASON, ApiError, Details, Internal, Unavailable
from steersman.cli import refusals
from steersman.cli.session import Session
from steersman.client.transport import Credentials

CONNECT_SECONDS = 5.0
PATIENCE = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
"""What is streamed has no end that could be foretold."""

Query = Sequence[tuple[str, str]]
T = TypeVar("T")

option = click.option(
    "--rest-server", metavar="HOST:PORT", default="", help="The API server's REST address, where --server is given."
)


class Told(msgspec.Struct):
    """Kubernetes' `Status`, as far as it says how something ended."""

    status: str = ""
    message: str = ""
    reason: str = ""
    details: Details | None = None


def told(raw: bytes) -> Told | None:
    """None for what is no Status."""
    try:
        return msgspec.json.decode(raw, type=Told)
    except msgspec.MsgspecError:
        return None


def refusal(raw: bytes, code: int) -> ApiError:
    """The error that an answer with this body stands for."""
    status = told(raw)
    if status is None or not status.reason:
        return Internal(f"the server answers {code}: {raw[:200].decode(errors='replace').strip()}")
    return BY_REASON.get(status.reason, Internal)(status.message, details=status.details)


@dataclass(frozen=True, slots=True)
class Front:
    """`roots`: the addresses of the API servers, any of which will do."""

    http: aiohttp.ClientSession
    roots: tuple[str, ...]

    @asynccontextmanager
    async def streamed(self, path: str, query: Query) -> AsyncIterator[aiohttp.StreamReader]:
        """The body of an answer as it comes. ApiError."""
        answer = await self._anywhere(lambda root: self.http.get(f"{root}{path}", params=query))
        async with answer:
            if answer.status != 200:
                raise refusal(await answer.read(), answer.status)
            yield answer.content

    @asynccontextmanager
    async def socket(self, path: str, query: Query, protocol: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """ApiError."""

        async def shaken(root: str) -> aiohttp.ClientWebSocketResponse:
            return await self.http.ws_connect(f"{root}{path}", params=query, protocols=(protocol,), max_msg_size=0)

        try:
            socket = await self._anywhere(shaken)
        except aiohttp.WSServerHandshakeError as error:
            raise await self._why_refused(path, query) from error
        async with socket:
            yield socket

    async def _why_refused(self, path: str, query: Query) -> ApiError:
        """A handshake that fails does not show the answer's body; the same question without one does."""
        answer = await self._anywhere(lambda root: self.http.get(f"{root}{path}", params=query))
        async with answer:
            return refusal(await answer.read(), answer.status)

    async def _anywhere(self, ask: Callable[[str], Awaitable[T]]) -> T:
        trouble: Exception | None = None
        for root in self.roots:
            try:
                return await ask(root)
            except (aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError) as error:
                trouble = error
        raise Unavailable(f"no API server can be reached: {trouble}") from trouble


@asynccontextmanager
async def opened(session: Session, rest_server: str) -> AsyncIterator[Front]:
    addresses = (rest_server,) if rest_server else session.rest
    if not addresses:
        refusals.fail("error: this travels over REST, not over gRPC: name the address with --rest-server HOST:PORT")
    credentials = session.credentials
    connector = aiohttp.TCPConnector(ssl=_tls(credentials)) if credentials is not None else aiohttp.TCPConnector()
    scheme = "https" if credentials is not None else "http"
    async with aiohttp.ClientSession(connector=connector, timeout=PATIENCE) as http:
        yield Front(http, tuple(f"{scheme}://{address}" for address in addresses))


def _tls(credentials: Credentials) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=credentials.authority.decode())
    with tempfile.TemporaryDirectory(prefix="steer-") as folder:  # Python reads certificates of its own from files only
        certificate, key = Path(folder, "tls.crt"), Path(folder, "tls.key")
        certificate.write_bytes(credentials.certificate)
        key.write_bytes(credentials.key)
        context.load_cert_chain(certificate, key)
    return context


def of_pod(namespace: str, name: str, subresource: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods/{name}/{subresource}"


def query_of(**fields: Any) -> list[tuple[str, str]]:
    """Without what is not given. Flags are `true`; several values are repeated."""
    made: list[tuple[str, str]] = []
    for name, value in fields.items():
        if isinstance(value, bool):
            made += [(name, "true")] if value else []
        elif isinstance(value, tuple):
            made += [(name, each) for each in value]
        elif value not in (None, ""):
            made.append((name, str(value)))
    return made
