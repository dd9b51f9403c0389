"""nodes/proxy: the parts of a kubelet's own HTTP API that tools ask for, answered through the node's agent.

/stats/summary, /healthz, /containerLogs/<namespace>/<pod>/<container>
"""

from __future__ import annotations

from dataclasses import replace

from aiohttp import web

from apiserver.nodes import Nodes
from apiserver.restfront import replies
from apiserver.restfront.call import Call
from apiserver.restfront.streams import proxying
from apiserver.restfront.streams.logs import Logs
from steersman.api import kinds
from steersman.api.core import Pod
from steersman.api.errors import BadRequest, quoted

_POD = next(kind for kind in kinds.ALL if kind.struct is Pod)


class NodeProxy:
    def __init__(self, nodes: Nodes, logs: Logs) -> None:
        self._nodes = nodes
        self._logs = logs

    async def serve(self, call: Call) -> web.StreamResponse:
        backend = proxying.backend_of(call.path.name)
        if backend is None:
            raise BadRequest(f"invalid node request {quoted(call.path.name)}")
        match call.path.rest.rstrip("/").split("/"):
            case ["stats", "summary"]:
                async with self._nodes.connected(backend.name) as agent:
                    return replies.made(200, await agent.stats())
            case ["healthz"]:
                async with self._nodes.connected(backend.name):
                    return replies.text(200, b"ok")
            case ["containerLogs", namespace, pod, container]:
                about = call.path._replace(kind=_POD, namespace=namespace, name=pod, subresource="log", rest="")
                query = call.query.with_text("container", container)
                return await self._logs.serve(replace(call, path=about, query=query))
            case _:
                return replies.page_not_found()
