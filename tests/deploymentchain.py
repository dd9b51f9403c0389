"""A Deployment from its creation to its end, step by step, with every pod's every change on record.

    async with deployment_chain(api) as chain:
        await chain.create(100)
        assert not await chain.roll("nginx:2"), "out of bounds"

For a test and a benchmark, which differ in size only. Each step returns once the cluster says that it is done.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from controller_manager import pods
from controller_manager.controllers.deployment import rolling
from steersman.api import codec
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.core import Pod, Service
from steersman.api.discovery import EndpointSlice
from steersman.api.names import Revision
from steersman.client import cache
from steersman.client.cache import ObjectKey
from steersman.client.client import Client
from steersman.client.requests import PatchType
from steersman.client.watching import Change, ChangeType
from tests.eventually import eventually

NAME, NAMESPACE = "web", "default"
LABELS = {"app": NAME}
FIRST_IMAGE = "registry.example/web:1"


@dataclass(frozen=True, slots=True)
class Moment:
    """How many pods there were after one change: those that are not on their way out, and how many of them ready."""

    revision: Revision
    active: int
    ready: int
    heard_at: float


@dataclass(slots=True)
class Record:
    """Every change of a pod since the record began."""

    moments: list[Moment] = field(default_factory=list)
    arrivals: asyncio.Queue[tuple[Pod, float]] = field(default_factory=lambda: asyncio.Queue(100_000))
    """New pods, and when we heard of them."""
    _ready_by_pod: dict[ObjectKey, bool] = field(default_factory=dict)
    """Of those that are not on their way out."""
    _ready: int = 0

    def note(self, change: Change[Pod]) -> None:
        pod, now = change.object, time.perf_counter()
        if change.type is ChangeType.ADDED:
            self.arrivals.put_nowait((pod, now))
        self._ready -= self._ready_by_pod.pop(cache.key_of(pod), False)
        if change.type is not ChangeType.DELETED and pods.is_active(pod):
            self._ready_by_pod[cache.key_of(pod)] = pods.is_ready(pod)
            self._ready += pods.is_ready(pod)
        self.moments.append(Moment(change.revision, len(self._ready_by_pod), self._ready, now))

    def anybody(self) -> ObjectKey:
        """Some pod that is not on its way out."""
        return next(iter(self._ready_by_pod))

    def outside(self, bounds: rolling.Bounds, after: Revision) -> list[Moment]:
        """The moments behind `after` with too many pods, or with too few of them ready."""
        later = (moment for moment in self.moments if moment.revision > after)
        return [moment for moment in later if moment.active > bounds.most or moment.ready < bounds.least]


class DeploymentChain:
    def __init__(self, api: Client, record: Record, within_seconds: float) -> None:
        self._api = api
        self._within_seconds = within_seconds
        self.record = record

    async def create(self, replicas: int) -> float:
        """The Deployment, and a Service before it; how many seconds until we heard that the last pod is ready."""
        port = {"name": "http", "port": 80, "targetPort": 8080}
        service = {"metadata": _metadata(), "spec": {"selector": LABELS, "ports": [port]}}
        await self._api.of(Service).create(codec.load(Service, msgspec.json.encode(service)))
        spec = {
            "replicas": replicas,
            "selector": {"matchLabels": LABELS},
            "template": {"metadata": {"labels": LABELS}, "spec": {"containers": [_container(FIRST_IMAGE)]}},
        }
        made = codec.load(Deployment, msgspec.json.encode({"metadata": _metadata(), "spec": spec}))
        began = time.perf_counter()
        await self._api.of(Deployment).create(made)
        await self.complete(FIRST_IMAGE)
        return next(moment.heard_at for moment in self.record.moments if moment.ready == replicas) - began

    async def complete(self, image: str) -> None:
        """Until all pods, and no others, run that image, are ready, and the Service leads to them."""

        async def done() -> bool:
            deployment = await self._deployment()
            wanted, status = deployment.spec.replicas, deployment.status
            if status.observed_generation != deployment.metadata.generation or not (
                status.updated_replicas == status.available_replicas == status.replicas == wanted
            ):
                return False
            found = (await self._api.of(Pod).list(NAMESPACE)).items
            right = [pod for pod in found if pods.is_ready(pod) and pod.spec.containers[0].image == image]
            return len(found) == len(right) == wanted and await self.published() == wanted

        await eventually(done, within=self._within_seconds)

    async def replace_one(self) -> float:
        """Delete a pod; how many seconds until we heard of its replacement."""
        while not self.record.arrivals.empty():
            self.record.arrivals.get_nowait()
        began = time.perf_counter()
        await self._api.of(Pod).delete(self.record.anybody().name, NAMESPACE)
        async with asyncio.timeout(self._within_seconds):
            _, heard = await self.record.arrivals.get()
        return heard - began

    async def calm(self, ready: int, seconds: float) -> None:
        """Until so many pods are ready and no pod has changed for that long."""

        def quiet() -> bool:
            last = self.record.moments[-1]
            return last.ready == last.active == ready and time.perf_counter() - last.heard_at > seconds

        await eventually(quiet, within=self._within_seconds)

    async def roll(self, image: str) -> list[Moment]:
        """Change the image; the moments at which the rollout left its bounds."""
        before = await self._deployment()
        patch = {"spec": {"template": {"spec": {"containers": [_container(image)]}}}}
        written = await self._api.of(Deployment).patch(NAME, NAMESPACE, msgspec.json.encode(patch), PatchType.STRATEGIC)
        await self.complete(image)
        return self.record.outside(rolling.bounds_of(before), after=written.revision)

    async def scale_to_nothing(self) -> None:
        await self._api.of(Deployment).scale(NAME, NAMESPACE, 0)

        async def nobody() -> bool:
            status = (await self._deployment()).status
            return not status.replicas and not (await self._api.of(Pod).list(NAMESPACE)).items

        await eventually(nobody, within=self._within_seconds)

    async def delete(self) -> None:
        """The Deployment; until nothing of it is left."""
        await self._api.of(Deployment).delete(NAME, NAMESPACE)

        async def nothing() -> bool:
            left = [
                *(await self._api.of(Deployment).list(NAMESPACE)).items,
                *(await self._api.of(ReplicaSet).list(NAMESPACE)).items,
                *(await self._api.of(Pod).list(NAMESPACE)).items,
            ]
            return not left and not await self.published()

        await eventually(nothing, within=self._within_seconds)

    async def templates(self) -> dict[str, int]:
        """The images of the ReplicaSets, and how many pods each wants."""
        found = (await self._api.of(ReplicaSet).list(NAMESPACE)).items
        return {each.spec.template.spec.containers[0].image: rolling.size(each) for each in found}

    async def published(self) -> int:
        """To how many ready pods the Service leads."""
        selector = f"kubernetes.io/service-name={NAME}"
        slices = (await self._api.of(EndpointSlice).list(NAMESPACE, label_selector=selector)).items
        return sum(endpoint.conditions.ready is True for each in slices for endpoint in each.endpoints or ())

    async def _deployment(self) -> Deployment:
        return await self._api.of(Deployment).get(NAME, NAMESPACE)


@asynccontextmanager
async def deployment_chain(api: Client, *, within_seconds: float = 120.0) -> AsyncIterator[DeploymentChain]:
    """Records while the block is open. There are no pods yet."""
    record = Record()
    empty = await api.of(Pod).list(NAMESPACE)
    assert not empty.items

    async def follow() -> None:
        async with api.of(Pod).watch(after=empty.revision, namespace=NAMESPACE) as watch:
            async for event in watch:
                if isinstance(event, Change):
                    record.note(event)

    async with asyncio.TaskGroup() as tasks:
        following = tasks.create_task(follow())
        yield DeploymentChain(api, record, within_seconds)
        following.cancel()


def _metadata() -> dict[str, Any]:
    return {"name": NAME, "namespace": NAMESPACE}


def _container(image: str) -> dict[str, Any]:
    return {"name": "main", "image": image, "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}
