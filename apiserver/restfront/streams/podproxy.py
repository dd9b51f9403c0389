"""pods/proxy: an HTTP request passed on to a pod, through its node agent, and the answer passed back."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import AsyncExitStack

import aiohttp
from aiohttp import web
from aiohttp.client_proto import ResponseHandler
from yarl import URL

from apiserver.nodes import Nodes
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Target
from apiserver.restfront import replies
from apiserver.restfront.call import Call
from apiserver.restfront.reply import Reply
from apiserver.restfront.streams import podsockets, proxying, targets
from apiserver.restfront.streams.pipes import WRITE_SECONDS, BareConnection
from apiserver.restfront.streams.podsockets import PodSocket
from steersman.api.core import Pod
from steersman.api.errors import BadRequest, Unavailable, quoted

CHUNK_BYTES = 64 * 1024
ANSWER = aiohttp.ClientTimeout(total=None, sock_read=600.0)
"""What a pod may take between two pieces of its answer."""
_OURS_TO_SAY = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")


class PodProxy:
    def __init__(self, registry: Registry, nodes: Nodes) -> None:
        self._registry = registry
        self._nodes = nodes

    async def serve(self, call: Call) -> web.StreamResponse:
        path = call.path
        backend = proxying.backend_of(path.name)
        if backend is None:
            raise BadRequest(f"invalid pod request {quoted(path.name)}")
        pod = await targets.pod_of(self._registry, Target(path.kind, path.namespace, backend.name))
        return await self.reach(call, pod, backend.scheme, proxying.port_of(pod, backend.port, backend.scheme))

    async def reach(self, call: Call, pod: Pod, scheme: str, port: int) -> web.StreamResponse:
        """What the pod answers at that port. Unavailable."""
        request = call.request
        raw = request.raw_path if request.raw_path.startswith("/") else request.rel_url.raw_path_qs
        prefix, rest = proxying.below_proxy(raw)
        if not rest.startswith("/"):
            if proxying.is_sent_to_root(request.method) and "Upgrade" not in request.headers:
                return _moved(f"{prefix}/{rest}")
            rest = f"/{rest}"
        url = URL(f"{scheme}://{pod.metadata.name}:{port}{rest}", encoded=True)
        async with AsyncExitStack() as stack:
            agent = await stack.enter_async_context(self._nodes.connected(targets.node_name(pod)))
            pod_socket = await stack.enter_async_context(podsockets.connected(agent, pod, port))
            if "Upgrade" in request.headers:
                return await _splice(request, pod_socket, url)
            try:
                return await _exchange(request, pod_socket, url, prefix)
            except aiohttp.ClientError as error:
                why = pod_socket.why_not or str(error)
                raise Unavailable(f"error trying to reach service: {why}") from error


async def _exchange(request: web.BaseRequest, pod_socket: PodSocket, url: URL, prefix: str) -> web.StreamResponse:
    async with (
        aiohttp.ClientSession(
            connector=_OneConnection(pod_socket), auto_decompress=False, timeout=ANSWER, raise_for_status=False
        ) as client,
        client.request(
            request.method,
            url,
            headers=proxying.passed_on(request.headers.items()),
            data=request.content if request.can_read_body else None,
            allow_redirects=False,
            skip_auto_headers=_OURS_TO_SAY,
            ssl=_without_verification() if url.scheme == "https" else True,
        ) as answer,
    ):
        reply = web.StreamResponse(status=answer.status, reason=answer.reason)
        reply.headers.extend(proxying.passed_back(answer.headers.items(), prefix))
        reply.headers["Audit-Id"] = replies.audit_id(request)
        await reply.prepare(request)
        async for chunk in answer.content.iter_chunked(CHUNK_BYTES):
            async with replies.patience(request, WRITE_SECONDS):
                await reply.write(chunk)
        await reply.write_eof()
        return reply


async def _splice(request: web.BaseRequest, pod_socket: PodSocket, url: URL) -> web.StreamResponse:
    """For what wants to speak another protocol than HTTP: whatever either side says, as it is, also the answer."""
    tls = _without_verification() if url.scheme == "https" else None
    reader, writer = await asyncio.open_connection(
        sock=pod_socket.near, ssl=tls, server_hostname=url.host if tls is not None else None
    )
    switch = [("Connection", "Upgrade"), ("Upgrade", request.headers["Upgrade"])]
    fields = [("Host", f"{url.host}:{url.port}"), *proxying.passed_on(request.headers.items()), *switch]
    head = [f"{request.method} {url.raw_path_qs} HTTP/1.1", *(f"{name}: {value}" for name, value in fields)]
    writer.write("\r\n".join((*head, "", "")).encode())
    answer = await reader.read(CHUNK_BYTES)
    if not answer:
        raise Unavailable(f"error trying to reach service: {pod_socket.why_not or 'it hung up'}")
    connection = BareConnection(request)
    await connection.prepare(request)

    async def pass_on() -> None:
        while data := await connection.read():
            writer.write(data)
            await writer.drain()
        writer.close()  # which ends the other direction too

    async with asyncio.TaskGroup() as tasks:
        passing = tasks.create_task(pass_on())
        while answer:
            await connection.send(answer)
            answer = await reader.read(CHUNK_BYTES)
        passing.cancel()
    return connection


class _OneConnection(aiohttp.BaseConnector):
    """Knows a single way to anywhere."""

    def __init__(self, pod_socket: PodSocket) -> None:
        super().__init__(limit=1, force_close=True)
        self._pod_socket = pod_socket

    async def _create_connection(
        self, req: aiohttp.ClientRequest, traces: object, timeout: aiohttp.ClientTimeout
    ) -> ResponseHandler:
        tls = _without_verification() if req.is_ssl() else None
        _, protocol = await self._loop.create_connection(
            self._factory, sock=self._pod_socket.near, ssl=tls, server_hostname=req.url.host if tls else None
        )
        return protocol


def _without_verification() -> ssl.SSLContext:
    """As Kubernetes does: the way to the pod is the agent's, and what the pod shows is nobody's we know."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _moved(location: str) -> Reply:
    """Relative links of what stands there need the slash."""
    reply = Reply(301, b"", "text/plain")
    reply.add("Location", location)
    return reply
