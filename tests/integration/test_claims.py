"""Addresses and ports of Services over real stores, with two registries that know nothing of each other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from apiserver import claims_repair
from apiserver.registry import clusterips
from apiserver.registry.catalog import STRATEGIES
from apiserver.registry.claiming import Occasion
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Target
from apiserver.registry.service import service_strategy
from apiserver.storage import embedded, etcd, keys
from apiserver.storage.interface import Store
from apiserver.watchcache.cache import WatchCache
from steersman.api import kinds, selectors
from steersman.api.core import Service
from steersman.api.errors import Invalid
from steersman.api.meta import ObjectMeta
from steersman.base.clock import SystemClock
from tests import etcdserver
from tests.builders import make, make_namespace

Stores = Callable[[], AbstractAsyncContextManager[tuple[Store, Store]]]

CLIENTS = 16
SERVICES = 1000
NETWORK = IPv4Network("10.96.0.0/12")

pytestmark = pytest.mark.timeout(240)


def _kind(resource: str) -> kinds.Kind:
    found = kinds.by_resource("", resource)
    assert found is not None
    return found


KIND = _kind("services")
ADDRESSES = clusterips.PLACE
PORTS = keys.claims_of("nodeports")
NOW = SystemClock().now()


class Cluster:
    """One store, two registries, and clients that take turns between them."""

    def __init__(self, store: Store, registries: Sequence[Registry]) -> None:
        self.store = store
        self._registries = registries

    async def create(self, names: Sequence[str], **spec: Any) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []

        async def client(registry: Registry, mine: Iterator[str]) -> None:
            for name in mine:
                body = make("Service", name, spec={"ports": [{"port": 80}], "selector": {"app": "web"}, **spec})
                written = await registry.create(Target(KIND, "default"), body)
                made.append(msgspec.json.decode(written.json))

        await self._all_at_once(client, names)
        return made

    async def delete(self, names: Sequence[str]) -> None:
        async def client(registry: Registry, mine: Iterator[str]) -> None:
            for name in mine:
                await registry.delete(Target(KIND, "default", name))

        await self._all_at_once(client, names)

    async def claims(self, prefix: str) -> list[str]:
        return [stored.key.removeprefix(prefix) for stored in (await self.store.list(prefix)).items]

    async def _all_at_once(self, client: Any, names: Sequence[str]) -> None:
        queue = iter(names)  # shared: each client takes the next name
        async with asyncio.TaskGroup() as clients:
            for number in range(CLIENTS):
                clients.create_task(client(self._registries[number % len(self._registries)], queue))


@pytest.fixture(params=["embedded", pytest.param("etcd", marks=pytest.mark.etcd)])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Stores:
    return _etcd if request.param == "etcd" else partial(_embedded, tmp_path)


@asynccontextmanager
async def _embedded(folder: Path) -> AsyncIterator[tuple[Store, Store]]:
    async with embedded.open_store(folder) as store:
        yield store, store


@asynccontextmanager
async def _etcd() -> AsyncIterator[tuple[Store, Store]]:
    """Two clients of one etcd, as two API servers are."""
    etcdserver.require_etcd()
    async with (
        etcdserver.etcd_server(*etcdserver.NO_FSYNC) as server,
        etcd.open_store([server.endpoint]) as one,
        etcd.open_store([server.endpoint]) as other,
    ):
        yield one, other


@asynccontextmanager
async def cluster(
    stores: Stores, network: IPv4Network = NETWORK, ports: range = range(30000, 32768)
) -> AsyncIterator[Cluster]:
    strategies = {**STRATEGIES, "services": service_strategy(network, ports)}
    clock = SystemClock()
    async with stores() as both, asyncio.TaskGroup() as tasks:
        caches = [WatchCache(store, clock, selectors.SELECTABLE_FIELDS) for store in both]
        running = [tasks.create_task(cache.run()) for cache in caches]
        for cache in caches:
            await cache.ready()
        # The same seed for both, so that they reach for the same members all the time.
        registries = [
            Registry(store, cache, strategies, clock, Random(7)) for store, cache in zip(both, caches, strict=True)
        ]
        await registries[0].create(Target(_kind("namespaces")), make_namespace("default"))
        for cache in caches:
            await cache.fresh()
        try:
            yield Cluster(both[0], registries)
        finally:
            for task in running:
                task.cancel()


def names(count: int) -> list[str]:
    return [f"web-{number}" for number in range(count)]


async def test_no_address_is_given_twice(stores: Stores) -> None:
    async with cluster(stores) as world:
        made = await world.create(names(SERVICES))
        addresses = [service["spec"]["clusterIP"] for service in made]
        assert len(set(addresses)) == SERVICES
        assert all(IPv4Address(address) in NETWORK for address in addresses)
        assert sorted(await world.claims(ADDRESSES)) == sorted(addresses)


async def test_nothing_leaks_when_services_come_and_go(stores: Stores) -> None:
    # A pool not much larger than the number of services: a leak would fill it within a few rounds.
    async with cluster(stores, IPv4Network("10.0.0.0/26"), range(30000, 30050)) as world:
        for _ in range(10):
            made = await world.create(names(40), type="NodePort")
            assert len({service["spec"]["clusterIP"] for service in made}) == 40
            assert len({service["spec"]["ports"][0]["nodePort"] for service in made}) == 40
            await world.delete(names(40))
        assert await world.claims(ADDRESSES) == []
        assert await world.claims(PORTS) == []


async def test_a_small_pool_is_used_to_the_last_member(stores: Stores) -> None:
    async with cluster(stores, IPv4Network("10.0.0.0/27")) as world:
        await world.create(names(30))
        assert len(await world.claims(ADDRESSES)) == 30
        with pytest.raises(ExceptionGroup) as caught:
            await world.create(["one-more"])
        assert 'failed to allocate a serviceIP for Service "one-more": range is full' in str(caught.value.exceptions[0])


async def test_two_users_who_want_the_same_address_do_not_both_get_it(stores: Stores) -> None:
    async with cluster(stores) as world:
        with pytest.raises(ExceptionGroup) as caught:
            await world.create(names(CLIENTS), clusterIP="10.96.7.7")
        refused = caught.value.exceptions[0]
        assert isinstance(refused, Invalid)
        assert "failed to allocate IP 10.96.7.7: provided IP is already allocated" in str(refused)
        assert await world.claims(ADDRESSES) == ["10.96.7.7"]


async def test_a_repair_finds_what_does_not_belong_together(stores: Stores) -> None:
    async with cluster(stores) as world:
        strategies = {"services": service_strategy(NETWORK, range(30000, 32768))}
        (made,) = await world.create(["web"])
        address = made["spec"]["clusterIP"]
        await world.store.delete(ADDRESSES + address)
        gone = Service(metadata=ObjectMeta(name="gone", namespace="default"))
        leak = clusterips.record("10.96.1.1", "IPv4", gone)(Occasion.of("/registry/services/default/gone", NOW))
        await world.store.create(ADDRESSES + "10.96.1.1", leak)
        findings = await claims_repair.repair_once(world.store, strategies, NOW)
        assert [claim.key for claim in findings.leaked] == [f"{ADDRESSES}10.96.1.1"]
        assert [missing.key for missing in findings.missing] == [ADDRESSES + address]
        assert await world.claims(ADDRESSES) == [address]
        assert await claims_repair.repair_once(world.store, strategies, NOW) == claims_repair.Findings()
