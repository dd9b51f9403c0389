"""Claims: picks that avoid what is taken, and Services that give and take addresses and ports through the registry."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from random import Random
from typing import Any

import pytest

from apiserver.registry import clusterips
from apiserver.registry.catalog import STRATEGIES
from apiserver.registry.claiming import Picks, Pool, PoolFull
from apiserver.registry.registry import Registry
from apiserver.registry.requests import PatchType, Target, WriteOptions
from apiserver.registry.service import service_strategy
from apiserver.registry.serviceallocation import address_pool, port_pool
from apiserver.storage import keys
from apiserver.watchcache.cache import WatchCache
from steersman.api import selectors
from steersman.api.errors import AlreadyExists, ApiError, Internal, Invalid
from tests.builders import make, make_namespace
from tests.fakes.clock import FakeClock
from tests.fakes.store import FakeStore
from tests.unit.apiserver.registry.conftest import body_of, kind

KIND = kind("services")
DRY = WriteOptions(dry_run=True)


# --- Pools and picks


def test_an_address_pool_leaves_out_both_ends_and_reserves_a_share() -> None:
    pool = address_pool(IPv4Network("10.96.0.0/12"))
    assert (pool.text(pool.members[0]), pool.text(pool.members[-1])) == ("10.96.0.1", "10.111.255.254")
    assert pool.reserved == 256
    assert [address_pool(IPv4Network(f"10.0.0.0/{length}")).reserved for length in (24, 27, 28)] == [16, 16, 0]


def test_a_port_pool_has_both_ends() -> None:
    pool = port_pool(range(30000, 32768))
    assert (pool.key(30000), pool.reserved) == ("/steersman/claims/nodeports/30000", 86)


def test_picks_come_from_beyond_the_reserve_while_there_is_anything() -> None:
    pool, picks = Pool("p", range(10), reserved=4), Picks(Random(1))
    assert sorted(picks.choose(pool) for _ in range(6)) == [4, 5, 6, 7, 8, 9]
    assert sorted(picks.choose(pool) for _ in range(4)) == [0, 1, 2, 3]
    with pytest.raises(PoolFull):
        picks.choose(pool)


def test_picks_avoid_what_is_taken_and_what_they_are_told() -> None:
    pool, picks = Pool("p", range(4), reserved=0), Picks(Random(1))
    picks.avoid(pool.key(1))
    assert picks.choose(pool, besides=[0, 2]) == 3
    assert picks.has(pool.key(3))
    picks.avoid_all(pool, [pool.key(0), pool.key(2), pool.key(3)])
    assert not picks.has(pool.key(3))
    assert picks.choose(pool) == 1


# --- Through the registry


@dataclass
class Cluster:
    """Six addresses and four ports."""

    store: FakeStore
    registry: Registry

    async def create(self, name: str = "web", options: WriteOptions | None = None, **spec: Any) -> dict[str, Any]:
        body = make("Service", name, spec={"ports": [{"port": 80}], **spec})
        made: dict[str, Any] = body_of(
            await self.registry.create(Target(KIND, "default"), body, options or WriteOptions())
        )
        return made

    async def patch(self, name: str = "web", options: WriteOptions | None = None, **spec: Any) -> dict[str, Any]:
        patch = json.dumps({"spec": spec}).encode()
        target = Target(KIND, "default", name)
        made: dict[str, Any] = body_of(
            await self.registry.patch(target, PatchType.MERGE, patch, options or WriteOptions())
        )
        return made

    async def delete(self, name: str = "web") -> None:
        await self.registry.delete(Target(KIND, "default", name))

    async def claims(self) -> list[str]:
        """Addresses, which stand in the open, and ports."""
        listed = [(prefix, await self.store.list(prefix)) for prefix in (clusterips.PLACE, keys.CLAIMS)]
        return [stored.key.removeprefix(prefix) for prefix, listing in listed for stored in listing.items]


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    store, clock = FakeStore(), FakeClock()
    cache = WatchCache(store, clock, selectors.SELECTABLE_FIELDS)
    strategies = {**STRATEGIES, "services": service_strategy(IPv4Network("10.0.0.0/29"), range(30000, 30004))}
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(cache.run())
        await cache.ready()
        registry = Registry(store, cache, strategies, clock, Random(1))
        await registry.create(Target(kind("namespaces")), make_namespace("default"))
        await cache.fresh()
        yield Cluster(store, registry)
        running.cancel()


async def refusal(call: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        await call
    return caught.value


async def test_object_and_claims_are_written_at_once(cluster: Cluster) -> None:
    made = await cluster.create(type="NodePort")
    address, port = made["spec"]["clusterIP"], made["spec"]["ports"][0]["nodePort"]
    assert await cluster.claims() == [address, f"nodeports/{port}"]
    claim = await cluster.store.get(f"{keys.CLAIMS}nodeports/{port}")
    assert claim.value == b"/registry/services/default/web"
    assert str(claim.revision) == made["metadata"]["resourceVersion"]


async def test_an_address_is_an_object_that_names_its_service(cluster: Cluster) -> None:
    made = await cluster.create(clusterIP="10.0.0.1")
    found = body_of(await cluster.registry.get(Target(kind("ipaddresses", "networking.k8s.io"), "", "10.0.0.1")))
    metadata = found["metadata"]
    assert len(metadata.pop("uid")) == 36
    assert metadata == {
        "name": "10.0.0.1",
        "resourceVersion": made["metadata"]["resourceVersion"],
        "creationTimestamp": made["metadata"]["creationTimestamp"],
        "labels": {
            "ipaddress.kubernetes.io/ip-family": "IPv4",
            "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
    }
    assert (found["apiVersion"], found["kind"]) == ("networking.k8s.io/v1", "IPAddress")
    assert found["spec"] == {"parentRef": {"resource": "services", "namespace": "default", "name": "web"}}


async def test_an_address_that_somebody_keeps_is_given_to_no_service(cluster: Cluster) -> None:
    addresses = kind("ipaddresses", "networking.k8s.io")
    for member in range(1, 6):
        spec = {"parentRef": {"resource": "gateways", "name": "mine"}}
        body = make("IPAddress", f"10.0.0.{member}", "", addresses.api_version, spec=spec)
        await cluster.registry.create(Target(addresses), body)
    assert (await cluster.create())["spec"]["clusterIP"] == "10.0.0.6"
    refused = await refusal(cluster.create("late", clusterIP="10.0.0.1"))
    assert refused.message.endswith("failed to allocate IP 10.0.0.1: provided IP is already allocated")


async def test_an_update_keeps_what_it_does_not_change(cluster: Cluster) -> None:
    made = await cluster.create(type="NodePort")
    again = await cluster.patch(sessionAffinity="ClientIP")
    assert again["spec"]["clusterIP"] == made["spec"]["clusterIP"]
    assert again["spec"]["ports"] == made["spec"]["ports"]
    assert len(await cluster.claims()) == 2


async def test_a_change_of_type_gives_back_and_takes(cluster: Cluster) -> None:
    made = await cluster.create(type="NodePort", clusterIP="10.0.0.1")
    await cluster.patch(type="ClusterIP")
    assert await cluster.claims() == ["10.0.0.1"]
    await cluster.patch(type="ExternalName", externalName="example.com")
    assert await cluster.claims() == []
    again = await cluster.patch(type="NodePort", externalName=None)
    assert len(await cluster.claims()) == 2
    assert again["spec"]["clusterIPs"] == [again["spec"]["clusterIP"]]
    assert made["metadata"]["uid"] == again["metadata"]["uid"]


async def test_a_deletion_gives_everything_back(cluster: Cluster) -> None:
    await cluster.create(type="NodePort")
    await cluster.delete()
    assert await cluster.claims() == []


async def test_a_held_service_keeps_its_claims_until_it_is_gone(cluster: Cluster) -> None:
    body = make("Service", "web", finalizers=["example.com/hold"], spec={"ports": [{"port": 80}]})
    await cluster.registry.create(Target(KIND, "default"), body)
    await cluster.delete()
    assert len(await cluster.claims()) == 1
    patch = b'{"metadata":{"finalizers":null}}'
    await cluster.registry.patch(Target(KIND, "default", "web"), PatchType.MERGE, patch)
    assert await cluster.claims() == []


TAKEN: list[tuple[str, dict[str, Any], type[ApiError], str]] = [
    (
        "an address",
        {"clusterIP": "10.0.0.1"},
        Invalid,
        'Service "late" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.1"]: '
        "failed to allocate IP 10.0.0.1: provided IP is already allocated",
    ),
    (
        "a node port",
        {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30001}]},
        Invalid,
        'Service "late" is invalid: spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated',
    ),
    (
        "a node port of another protocol",
        {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30001, "protocol": "UDP"}]},
        Invalid,
        'Service "late" is invalid: spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated',
    ),
    (
        "a port for health checks",
        {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 30001},
        Internal,
        "Internal error occurred: failed to allocate requested HealthCheck NodePort 30001: "
        "provided port is already allocated",
    ),
]


@pytest.mark.parametrize("how", ["really", "dry run"])
@pytest.mark.parametrize(("spec", "error", "message"), [case[1:] for case in TAKEN], ids=[case[0] for case in TAKEN])
async def test_what_is_taken(cluster: Cluster, spec: Any, error: type[ApiError], message: str, how: str) -> None:
    await cluster.create("early", type="NodePort", clusterIP="10.0.0.1", ports=[{"port": 80, "nodePort": 30001}])
    before = await cluster.claims()
    refused = await refusal(cluster.create("late", DRY if how == "dry run" else None, **spec))
    assert isinstance(refused, error)
    assert refused.message == message
    assert await cluster.claims() == before


OUTSIDE: list[tuple[str, dict[str, Any], str]] = [
    (
        "an address of another network",
        {"clusterIP": "192.0.2.1"},
        'Service "web" is invalid: spec.clusterIPs: Invalid value: ["192.0.2.1"]: '
        "failed to allocate IP 192.0.2.1: the provided network does not match the current range",
    ),
    (
        "the network's own address",
        {"clusterIP": "10.0.0.0"},
        'Service "web" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.0"]: '
        "failed to allocate IP 10.0.0.0: the provided network does not match the current range",
    ),
    (
        "a node port",
        {"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]},
        'Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. '
        "The range of valid ports is 30000-30003",
    ),
]


@pytest.mark.parametrize("options", [WriteOptions(), DRY], ids=["really", "dry run"])
@pytest.mark.parametrize(("spec", "message"), [case[1:] for case in OUTSIDE], ids=[case[0] for case in OUTSIDE])
async def test_what_is_out_of_range(cluster: Cluster, spec: Any, message: str, options: WriteOptions) -> None:
    assert (await refusal(cluster.create("web", options, **spec))).message == message


async def test_an_update_is_told_what_is_taken(cluster: Cluster) -> None:
    await cluster.create("early", type="NodePort", ports=[{"port": 80, "nodePort": 30001}])
    await cluster.create("late", type="NodePort", ports=[{"port": 80, "nodePort": 30002}])
    before = await cluster.claims()
    for options in (DRY, None):
        refused = await refusal(cluster.patch("late", options, ports=[{"port": 80, "nodePort": 30001}]))
        assert "spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated" in refused.message
    assert await cluster.claims() == before


async def test_a_dry_run_takes_nothing(cluster: Cluster) -> None:
    made = await cluster.create("web", DRY, type="NodePort")
    assert made["spec"]["clusterIP"]
    assert await cluster.claims() == []


async def test_a_name_that_exists_claims_nothing(cluster: Cluster) -> None:
    await cluster.create("web")
    before = await cluster.claims()
    assert isinstance(await refusal(cluster.create("web", type="NodePort")), AlreadyExists)
    assert await cluster.claims() == before


async def test_pools_are_used_up_and_no_further(cluster: Cluster) -> None:
    made = [await cluster.create(f"web-{number}") for number in range(6)]
    assert len({service["spec"]["clusterIP"] for service in made}) == 6
    refused = await refusal(cluster.create("seventh"))
    assert isinstance(refused, Internal)
    assert refused.message == (
        'Internal error occurred: failed to allocate a serviceIP for Service "seventh": range is full'
    )
    await cluster.delete("web-3")
    assert (await cluster.create("seventh"))["spec"]["clusterIP"] == made[3]["spec"]["clusterIP"]


async def test_no_node_port_is_left(cluster: Cluster) -> None:
    ports = [{"name": f"p{number}", "port": number} for number in range(1, 5)]
    await cluster.create("greedy", type="NodePort", ports=ports)
    refused = await refusal(cluster.create("late", type="NodePort"))
    assert refused.message == "Internal error occurred: failed to allocate a nodePort: range is full"


async def test_no_port_for_health_checks_is_left(cluster: Cluster) -> None:
    ports = [{"name": f"p{number}", "port": number} for number in range(1, 5)]
    await cluster.create("greedy", type="NodePort", ports=ports)
    spec: dict[str, Any] = {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}
    spec["allocateLoadBalancerNodePorts"] = False
    refused = await refusal(cluster.create("late", **spec))
    assert refused.message == "Internal error occurred: failed to allocate a HealthCheck NodePort 0: range is full"


async def test_an_update_is_told_what_is_out_of_range(cluster: Cluster) -> None:
    await cluster.create(type="NodePort")
    for options in (DRY, None):
        refused = await refusal(cluster.patch("web", options, ports=[{"port": 80, "nodePort": 80}]))
        assert "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range" in refused.message
