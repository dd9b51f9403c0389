"""A Deployment of nginx that must always come back, asked about in a cluster whose parts come and go."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec
import yaml

from steersman.api import codec
from steersman.api.apps import Deployment
from steersman.api.core import Node, NodeCondition, Pod, PodCondition
from steersman.api.errors import ApiError, NotFound
from steersman.client.client import Client
from tests.eventually import eventually

WITHIN = 180.0
NAMESPACE = "default"
MANIFEST = """
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway,
         labelSelector: {matchLabels: {app: web}}}
      containers:
      - name: nginx
        image: nginx:1.25
        readinessProbe: {httpGet: {port: 80}, periodSeconds: 1}
"""

T = TypeVar("T")


async def in_the_end(condition: Callable[[], Awaitable[T]]) -> T:
    """The first truthy answer. An API server that gives none for a while is what is to be expected here."""

    async def asked() -> T | None:
        try:
            return await condition()
        except ApiError:
            return None

    found = await eventually(asked, within=WITHIN)
    assert found is not None
    return found


class Nginx:
    def __init__(self, api: Client, replicas: int) -> None:
        self._api = api
        self.replicas = replicas

    async def create(self) -> None:
        manifest = yaml.safe_load(MANIFEST)
        manifest["spec"]["replicas"] = self.replicas
        await self._api.of(Deployment).create(codec.load(Deployment, msgspec.json.encode(manifest)))

    async def ready(self) -> list[Pod]:
        found = (await self._api.of(Pod).list(NAMESPACE, label_selector="app=web")).items
        return [pod for pod in found if pod.metadata.deletion_timestamp is None and _is_ready(pod.status.conditions)]

    async def nodes(self) -> set[str]:
        """Where those that are ready run."""
        return {pod.spec.node_name for pod in await self.ready()}

    async def runs(self) -> None:
        """In full number, and the Deployment says so."""

        async def complete() -> bool:
            found = await self._api.of(Deployment).get("web", NAMESPACE)
            return found.status.ready_replicas == len(await self.ready()) == self.replicas

        await in_the_end(complete)

    async def heals(self) -> None:
        """A pod that is deleted is replaced: controllers, scheduler and agents all work."""
        victim = (await in_the_end(self.ready))[0].metadata

        async def is_deleted() -> bool:
            with suppress(NotFound):  # an earlier call, of which nobody heard again, has done it
                await self._api.of(Pod).delete(victim.name, NAMESPACE, uid=victim.uid)
            return True

        await in_the_end(is_deleted)
        await self.runs()

    async def moves_away_from(self, node: str) -> None:
        """All of it runs, and nothing of it there."""

        async def elsewhere() -> bool:
            return node not in await self.nodes()

        await in_the_end(elsewhere)
        await self.runs()

    async def has_no_remains(self) -> None:
        """Pods that were replaced are gone."""

        async def just_as_many() -> bool:
            return len((await self._api.of(Pod).list(NAMESPACE)).items) == self.replicas

        await in_the_end(just_as_many)


async def nodes_are_ready(api: Client, names: Sequence[str]) -> None:
    async def all_ready() -> bool:
        found = (await api.of(Node).list()).items
        return {node.metadata.name for node in found if _is_ready(node.status.conditions)} == set(names)

    await in_the_end(all_ready)


def _is_ready(conditions: Sequence[PodCondition] | Sequence[NodeCondition]) -> bool:
    return any(each.type == "Ready" and each.status == "True" for each in conditions)
