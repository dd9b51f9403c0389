"""The nodes that this process is, and the pods on them."""

from __future__ import annotations

from dataclasses import dataclass

from nodeagent.runtime.interface import ContainerRuntime
from steersman.api.core import Pod
from steersman.api.errors import NotFound, quoted
from steersman.client.cache import Cache, ObjectKey


@dataclass(frozen=True, slots=True)
class LocalNode:
    name: str
    runtime: ContainerRuntime
    pods: Cache[Pod]


class LocalNodes:
    def __init__(self) -> None:
        self._by_name: dict[str, LocalNode] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def add(self, node: LocalNode) -> None:
        self._by_name[node.name] = node

    def named(self, name: str) -> LocalNode:
        found = self._by_name.get(name)
        if found is None:
            raise NotFound(f"node {quoted(name)} is not played by this agent")
        return found

    def of_pod(self, namespace: str, name: str, uid: str) -> tuple[LocalNode, Pod]:
        """NotFound for a pod that is not here, or no longer the one of that uid."""
        for node in self._by_name.values():
            pod = node.pods.get(ObjectKey(namespace, name))
            if pod is not None and uid in ("", pod.metadata.uid):
                return node, pod
        raise NotFound(f"pod not found ({quoted(f'{name}_{namespace}')})")
