"""pods/log: a container's output as plain text, for as long as the client reads and, if it follows, there is more."""

from __future__ import annotations

import base64

from aiohttp import web

from apiserver.nodes import Nodes, Talk
from apiserver.registry.registry import Registry
from apiserver.restfront import replies
from apiserver.restfront.call import Call
from apiserver.restfront.reply import Reply
from apiserver.restfront.streams import logoptions, sockets, targets
from apiserver.restfront.streams.pipes import WRITE_SECONDS

PLAIN_TEXT = "text/plain"
BINARY, BASE64 = "binary.k8s.io", "base64.binary.k8s.io"


class Logs:
    def __init__(self, registry: Registry, nodes: Nodes) -> None:
        self._registry = registry
        self._nodes = nodes

    async def serve(self, call: Call) -> web.StreamResponse:
        """What is wrong with the request is raised before anything is sent."""
        request = logoptions.parse(call.query, call.path.name)
        pod = await targets.pod_of(self._registry, call.target)
        container = targets.container_of(pod, call.query.text("container"))
        if not pod.spec.node_name:
            return Reply(200, b"", PLAIN_TEXT)  # nothing can have been said yet
        request.container.CopyFrom(targets.message_of(pod, container))
        async with self._nodes.connected(pod.spec.node_name) as agent, agent.begun("Logs", request) as talk:
            if sockets.is_asked_for(call.request):
                return await _in_messages(call.request, talk)
            return await _as_text(call.request, talk)


async def _as_text(request: web.BaseRequest, talk: Talk) -> web.StreamResponse:
    reply = web.StreamResponse(headers={"Content-Type": PLAIN_TEXT, "Cache-Control": "no-cache, private"})
    reply.headers["Audit-Id"] = replies.audit_id(request)
    await reply.prepare(request)
    while (chunk := await talk.receive()) is not None:
        async with replies.patience(request, WRITE_SECONDS):
            await reply.write(chunk.data)
    await reply.write_eof()
    return reply


async def _in_messages(request: web.BaseRequest, talk: Talk) -> web.StreamResponse:
    protocol = sockets.chosen(sockets.offered(request), (BINARY, BASE64))
    socket = await sockets.opened(request, protocol)
    while (chunk := await talk.receive()) is not None:
        async with replies.patience(request, WRITE_SECONDS):
            if protocol == BASE64:
                await socket.send_str(base64.b64encode(chunk.data).decode())
            else:
                await socket.send_bytes(chunk.data)
    await socket.close()
    return socket
