"""The nodes that this process is, and the pods on them."""

from __future__ import annotations

from dataclasses import dataclass

from nodeagent.runtime.interface import ContainerRuntime
from steersman.api.core import Pod
from steersman.api.errors import NotFound, quoted
from steersman.client.cache import Cache, ObjectKey


@dataclass(frozen=True, slots=True)
class Place:
    node: str
    runtime: ContainerRuntime
    pods: Cache[Pod]


class Places:
    def __init__(self) -> None:
        self._by_node: dict[str, Place] = {}

    def add(self, place: Place) -> None:
        self._by_node[place.node] = place

    def of_node(self, name: str) -> Place:
        found = self._by_node.get(name)
        if found is None:
            raise NotFound(f"node {quoted(name)} is not played by this agent")
        return found

    def of_pod(self, namespace: str, name: str, uid: str) -> tuple[Place, Pod]:
        """NotFound for a pod that is not here, or no longer the one of that uid."""
        for place in self._by_node.values():
            pod = place.pods.get(ObjectKey(namespace, name))
            if pod is not None and uid in ("", pod.metadata.uid):
                return place, pod
        raise NotFound(f"pod not found ({quoted(f'{name}_{namespace}')})")
