"""The subresources that are streams, for the front's table of doors."""

from __future__ import annotations

from dataclasses import replace

from aiohttp import web

from apiserver.limits import Gate
from apiserver.nodes import Nodes
from apiserver.registry.registry import Registry
from apiserver.restfront.call import Call
from apiserver.restfront.routing import VERB_OF_METHOD, Door, Doors, Handler, Shown
from apiserver.restfront.streams.commands import Commands
from apiserver.restfront.streams.logs import Logs
from apiserver.restfront.streams.nodeproxy import NodeProxy
from apiserver.restfront.streams.podproxy import PodProxy
from apiserver.restfront.streams.portforward import PortForward
from apiserver.restfront.streams.serviceproxy import ServiceProxy

MAX_OPEN = 1_000
"""Of each kind of stream."""
EVERY_VERB = tuple(VERB_OF_METHOD.values())


def doors(registry: Registry, nodes: Nodes) -> Doors:
    """No more than so many streams are open at once; who comes then is told to come later."""
    return {name: _behind(Gate(MAX_OPEN), door) for name, door in _open_doors(registry, nodes).items()}


def _behind(gate: Gate, door: Door) -> Door:
    def guarded(handle: Handler) -> Handler:
        async def serve(call: Call) -> web.StreamResponse:
            with gate:
                return await handle(call)

        return serve

    return replace(door, handlers={verb: guarded(handle) for verb, handle in door.handlers.items()})


def _open_doors(registry: Registry, nodes: Nodes) -> Doors:
    commands, forward, logs = Commands(registry, nodes), PortForward(registry, nodes), Logs(registry, nodes)
    pod_proxy, node_proxy = PodProxy(registry, nodes), NodeProxy(nodes, logs)

    def both(handle: Handler, shown: str) -> Door:
        """Clients open streams with GET (WebSocket) or POST (SPDY)."""
        return Door({"get": handle, "create": handle}, Shown(shown), is_stream=True)

    def proxy(handle: Handler, shown: str) -> Door:
        return Door(dict.fromkeys(EVERY_VERB, handle), Shown(shown), is_stream=True, is_proxy=True)

    return {
        "pods/log": Door({"get": logs.serve}, is_stream=True),
        "pods/exec": both(commands.exec, "PodExecOptions"),
        "pods/attach": both(commands.attach, "PodAttachOptions"),
        "pods/portforward": both(forward.serve, "PodPortForwardOptions"),
        "pods/proxy": proxy(pod_proxy.serve, "PodProxyOptions"),
        "services/proxy": proxy(ServiceProxy(registry, pod_proxy).serve, "ServiceProxyOptions"),
        "nodes/proxy": proxy(node_proxy.serve, "NodeProxyOptions"),
    }
