"""Which pod, container and node a stream is about."""

from __future__ import annotations

from apiserver.registry.registry import Registry
from apiserver.registry.requests import Target
from steersman.api import codec, kinds
from steersman.api.core import Node, Pod
from steersman.api.errors import BadRequest
from steersman.pb import nodes_pb2 as pb

_NODE = next(kind for kind in kinds.ALL if kind.struct is Node)


async def pod_of(registry: Registry, target: Target) -> Pod:
    """NotFound."""
    return codec.load(Pod, (await registry.get(target)).json)


async def node_of(registry: Registry, name: str) -> Node:
    """NotFound."""
    return codec.load(Node, (await registry.get(Target(_NODE, "", name))).json)


def container_of(pod: Pod, asked: str) -> str:
    """The container that is meant; BadRequest when that is not clear."""
    names = container_names(pod)
    if asked:
        if asked not in names:
            raise BadRequest(f"container {asked} is not valid for pod {pod.metadata.name}")
        return asked
    if len(pod.spec.containers) == 1:
        return pod.spec.containers[0].name
    choice = f", choose one of: [{' '.join(names)}]" if pod.spec.containers else ""
    raise BadRequest(f"a container name must be specified for pod {pod.metadata.name}{choice}")


def container_names(pod: Pod) -> list[str]:
    spec = pod.spec
    inside = [each.name for each in (*spec.init_containers, *spec.containers)]
    return inside + [each.name for each in spec.ephemeral_containers]


def node_name(pod: Pod) -> str:
    """BadRequest for a pod that has no node yet."""
    if not pod.spec.node_name:
        raise BadRequest(f"pod {pod.metadata.name} does not have a host assigned")
    return pod.spec.node_name


def message_of(pod: Pod, container: str = "") -> pb.Container:
    meta = pod.metadata
    return pb.Container(namespace=meta.namespace, pod=meta.name, uid=meta.uid, container=container)
