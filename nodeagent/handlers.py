"""Asking a container something: run a program in it, call it by HTTP, connect to it, ask its gRPC health service.

Probes and lifecycle hooks are made of these. An answer says whether it was a yes, and what there is to tell about it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nodeagent.runtime.interface import ContainerRuntime, Session, StreamOptions
from steersman.api.core import Container, GRPCAction, HTTPGetAction, TCPSocketAction
from steersman.api.errors import ApiError
from steersman.base import log

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import aiohttp

MAX_OUTPUT_BYTES = 10 * 1024
USER_AGENT = "kube-probe/1.36"

_log = log.get("handlers")


@dataclass(frozen=True, slots=True)
class Answer:
    ok: bool
    told: str = ""


class NoAnswer(Exception):
    """The question could not be asked; nothing is known about the container."""


@dataclass(frozen=True, slots=True)
class Target:
    """The container that is asked, and where it is reached."""

    container: Container
    id: str
    ip: str


async def run(runtime: ContainerRuntime, target: Target, command: Sequence[str], timeout_seconds: float) -> Answer:
    """A program inside the container: exit code 0 is a yes. One that takes too long is killed. Raises NoAnswer.

    Its time runs from when the engine has begun with it: an engine that is slow is no fault of the container.
    """
    try:
        async with runtime.exec(target.id, tuple(command), StreamOptions()) as session:
            try:
                async with asyncio.timeout(timeout_seconds):
                    return await _outcome(session)
            except TimeoutError:
                if not await session.kill():
                    _log.info("a program that took too long runs on", container=target.id, command=command[:1])
    except ApiError as error:
        raise NoAnswer(error.message) from error
    return Answer(ok=False, told=f'command timed out: "{" ".join(command)}" timed out after {timeout_seconds:g}s')


async def _outcome(session: Session) -> Answer:
    output = bytearray()
    while (piece := await session.read()) is not None:
        output += piece.data[: MAX_OUTPUT_BYTES - len(output)]
    code = await session.exit_code()
    return Answer(ok=code == 0, told=bytes(output).decode(errors="replace").strip())


async def get(action: HTTPGetAction, target: Target, timeout_seconds: float) -> Answer:
    """HTTP: any code from 200 to 399 is a yes. The certificate of an https address is not judged."""
    import aiohttp  # heavy, and many nodes never probe

    scheme, host = (action.scheme or "HTTP").lower(), action.host or target.ip
    port = port_number(action.port, target.container)
    path = action.path if action.path.startswith("/") else f"/{action.path}"
    url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{path}"
    headers = {"User-Agent": USER_AGENT, "Accept": "*/*", "Connection": "close"}
    headers |= {each.name: each.value for each in action.http_headers}
    try:
        async with _session(timeout_seconds) as session, session.get(url, headers=headers) as reply:
            if reply.status < 400:
                return Answer(ok=True)
            return Answer(ok=False, told=f"HTTP probe failed with statuscode: {reply.status}")
    except TimeoutError:
        return Answer(ok=False, told=f'Get "{url}": context deadline exceeded (Client.Timeout exceeded)')
    except (aiohttp.ClientError, OSError, ValueError) as error:
        return Answer(ok=False, told=f'Get "{url}": {error}')


@asynccontextmanager
async def _session(timeout_seconds: float) -> AsyncIterator[aiohttp.ClientSession]:
    """A connection of its own for every question: a kept one would hide that nobody listens any more."""
    import aiohttp

    limit = aiohttp.ClientTimeout(total=timeout_seconds)
    connector = aiohttp.TCPConnector(ssl=False, force_close=True, limit=1)
    async with aiohttp.ClientSession(timeout=limit, connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as opened:
        yield opened


async def connect(action: TCPSocketAction, target: Target, timeout_seconds: float) -> Answer:
    """TCP: to be let in is a yes."""
    host, port = action.host or target.ip, port_number(action.port, target.container)
    try:
        async with asyncio.timeout(timeout_seconds):
            _, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        return Answer(ok=False, told=f"dial tcp {host}:{port}: i/o timeout")
    except OSError as error:
        return Answer(ok=False, told=f"dial tcp {host}:{port}: {error.strerror or error}")
    writer.close()
    return Answer(ok=True)


async def ask_grpc(action: GRPCAction, target: Target, timeout_seconds: float) -> Answer:
    """The standard health service: SERVING is a yes."""
    from grpc import aio
    from grpc_health.v1 import health_pb2

    service = action.service or ""
    where = f"{target.ip}:{action.port}" if ":" not in target.ip else f"[{target.ip}]:{action.port}"
    request: Any = health_pb2.HealthCheckRequest(service=service)
    async with aio.insecure_channel(where, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            reply = await check(request, timeout=timeout_seconds)
        except aio.AioRpcError as error:
            return Answer(ok=False, told=f'service unhealthy: rpc error: {error.code().name} "{error.details()}"')
    if reply.status == health_pb2.HealthCheckResponse.SERVING:
        return Answer(ok=True)
    name = health_pb2.HealthCheckResponse.ServingStatus.Name(reply.status)
    return Answer(ok=False, told=f'service unhealthy (responded with "{name}")')


def port_number(port: int | str, container: Container) -> int:
    """A number, or one of the container's ports by its name. Raises NoAnswer."""
    if isinstance(port, int):
        return port
    for known in container.ports:
        if known.name == port:
            return known.container_port
    if port.isdecimal():
        return int(port)
    raise NoAnswer(f"couldn't find port: {port} in container {container.name}")
