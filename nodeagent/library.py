"""What containers are made from and is kept in the API: ConfigMaps, Secrets, Services.

Read when a container starts, and consistently: who has just changed a ConfigMap sees it in the next container.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from nodeagent import environment
from nodeagent.downward import Place
from nodeagent.environment import FileRef, Sources
from steersman.api.core import ConfigMap, Container, Pod, Secret, Service
from steersman.api.errors import NotFound
from steersman.api.meta import Object
from steersman.client.cache import Cache
from steersman.client.client import Client, Resource

T = TypeVar("T", bound=Object)


class Library:
    def __init__(self, api: Client, services: Cache[Service]) -> None:
        self._config_maps = api.of(ConfigMap)
        self._secrets = api.of(Secret)
        self._services = services

    async def sources(self, pod: Pod, container: Container, place: Place, files: Mapping[FileRef, str]) -> Sources:
        """Everything that the container's environment refers to, as far as it exists. Raises ApiError."""
        needed, namespace = environment.needed(container), pod.metadata.namespace
        return Sources(
            config_maps=await present(self._config_maps, namespace, needed.config_maps),
            secrets=await present(self._secrets, namespace, needed.secrets),
            services=self._services.list(),
            place=place,
            files=files,
        )

    async def pull_secrets(self, pod: Pod) -> list[Secret]:
        """Those that exist, in the pod's order. Raises ApiError."""
        names = [each.name for each in pod.spec.image_pull_secrets if each.name]
        found = await present(self._secrets, pod.metadata.namespace, names)
        return [found[name] for name in names if name in found]


async def present(resource: Resource[T], namespace: str, names: Iterable[str]) -> dict[str, T]:
    """By name, those that exist. Raises ApiError."""
    found: dict[str, T] = {}
    for name in names:
        try:
            found[name] = await resource.get(name, namespace)
        except NotFound:
            continue
    return found
