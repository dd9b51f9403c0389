"""Admission over a cache over the fake store: what a check can look up is put into the store as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import msgspec
import pytest

from apiserver.admission.chain import Admission, AdmissionSettings
from apiserver.admission.lookup import Lookup
from apiserver.registry.pod import POD
from apiserver.storage import keys
from apiserver.watchcache.cache import WatchCache
from steersman.api import codec, kinds, selectors
from steersman.api.core import Pod, ServiceAccount
from steersman.api.meta import Object, ObjectMeta
from steersman.api.scheduling import PriorityClass
from tests.fakes.clock import FakeClock
from tests.fakes.store import FakeStore

Fields = dict[str, Any]


class Surroundings:
    """What is there already when a new object comes in."""

    def __init__(self, store: FakeStore, cache: WatchCache) -> None:
        self._store = store
        self.cache = cache
        self.lookup = Lookup(cache)

    async def put(self, *present: Object) -> None:
        for each in present:
            kind = kinds.of_struct(type(each))
            assert kind is not None
            key = keys.key_of(kind.qualified_resource, each.metadata.namespace, each.metadata.name)
            await self._store.create(key, codec.encode(each))
        await self.cache.fresh()

    def admission(self, **settings: Any) -> Admission:
        return Admission(self.cache, Random(1), AdmissionSettings(**settings))


@pytest.fixture
async def around() -> AsyncIterator[Surroundings]:
    """An empty cluster, but really."""
    store = FakeStore()
    cache = WatchCache(store, FakeClock(), selectors.SELECTABLE_FIELDS)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(cache.run())
        await cache.ready()
        yield Surroundings(store, cache)
        running.cancel()


def make_pod(metadata: Fields | None = None, **spec: Any) -> Pod:
    """A pod with its defaults, as admission gets to see it."""
    wanted = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "default", **(metadata or {})},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}], **spec},
    }
    pod: Pod = POD.default(codec.decode(Pod, msgspec.json.encode(wanted))[0])
    return pod


def make_account(name: str = "default", **fields: Any) -> ServiceAccount:
    return ServiceAccount(metadata=ObjectMeta(name=name, namespace="default"), **fields)


def make_class(name: str, value: int, **fields: Any) -> PriorityClass:
    return PriorityClass(metadata=ObjectMeta(name=name), value=value, **fields)
