"""A registry over the fake store: every verb without a process, a socket or a disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec
import pytest

from apiserver import bootstrap
from apiserver.registry.catalog import STRATEGIES
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Target
from apiserver.registry.service import CLUSTER_IPS
from apiserver.watchcache.cache import WatchCache
from steersman.api import kinds, selectors
from steersman.api.kinds import Kind
from tests.fakes.clock import FakeClock
from tests.fakes.store import FakeStore


def kind(resource: str, group: str = "") -> Kind:
    found = kinds.by_resource(group, resource)
    assert found is not None
    return found


CONFIGMAPS, NAMESPACES, PODS = kind("configmaps"), kind("namespaces"), kind("pods")
LEASES = kind("leases", "coordination.k8s.io")


def configmap(name: str = "settings", namespace: str = "default") -> Target:
    return Target(CONFIGMAPS, namespace, name)


def pod(name: str = "web", namespace: str = "default") -> Target:
    return Target(PODS, namespace, name)


def namespace(name: str) -> Target:
    return Target(NAMESPACES, "", name)


def lease(name: str = "leader", namespace: str = "default") -> Target:
    return Target(LEASES, namespace, name)


def in_namespace(target: Target) -> Target:
    """Where an object of that target is created."""
    return Target(target.kind, target.namespace)


def body_of(result: Any) -> Any:
    return msgspec.json.decode(result.json)


@dataclass
class World:
    """What a test of the registry holds in its hands."""

    store: FakeStore
    clock: FakeClock
    cache: WatchCache
    registry: Registry
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def settle(self) -> None:
        """Wait until the cache has seen everything."""
        await self.cache.fresh()


_filled: list[FakeStore] = []
"""A store with what an empty cluster contains: filled by the first test, copied by the others."""


@pytest.fixture
async def world() -> AsyncIterator[World]:
    clock = FakeClock()
    if not _filled:
        _filled.append(await _fill(FakeStore()))
    store = _filled[0].copy()
    cache = WatchCache(store, clock, selectors.SELECTABLE_FIELDS)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(cache.run())
        await cache.ready()
        yield World(store, clock, cache, Registry(store, cache, STRATEGIES, clock, Random(1)))
        running.cancel()


async def _fill(store: FakeStore) -> FakeStore:
    clock = FakeClock()
    cache = WatchCache(store, clock, selectors.SELECTABLE_FIELDS)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(cache.run())
        await cache.ready()
        await bootstrap.fill(Registry(store, cache, STRATEGIES, clock, Random(2)), CLUSTER_IPS, 6443)
        running.cancel()
    return store
