"""Which API servers there are: they come, stay, and are taken out by the others when their Leases have run out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from apiserver import presence
from apiserver.presence import LEASE_SECONDS, RENEW_SECONDS, Server
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Selection, Target
from steersman.api import kinds, times
from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.errors import Unavailable
from steersman.api.kinds import Kind
from steersman.api.meta import ObjectMeta
from steersman.base.values import Address
from tests.builders import make_namespace
from tests.fakes.clock import START, FakeClock
from tests.fakes.store import FakeStore
from tests.unit.apiserver.conftest import registry_over

A = Server("a", Address("10.0.0.1", 6443))
B = Server("b", Address("10.0.0.2", 6443))


def _kind(group: str, resource: str) -> Kind:
    found = kinds.by_resource(group, resource)
    assert found is not None
    return found


LEASES = _kind("coordination.k8s.io", "leases")
NAMESPACES = _kind("", "namespaces")


class Servers:
    """API servers over one store, as they announce themselves."""

    def __init__(self, store: FakeStore, clock: FakeClock, registry: Registry, tasks: asyncio.TaskGroup) -> None:
        self.store = store
        self.clock = clock
        self.registry = registry
        self._tasks = tasks
        self._running: dict[Server, asyncio.Task[None]] = {}

    async def start(self, *servers: Server) -> None:
        """All of them at once."""
        for server in servers:
            self._running[server] = self._tasks.create_task(self._live(server))
        await self.clock.advance(0)

    async def _live(self, server: Server) -> None:
        await presence.appear(self.registry, server, self.clock)
        await presence.stay(self.registry, server, self.clock)

    def kill(self, *servers: Server) -> None:
        for server in servers or tuple(self._running):
            self._running.pop(server).cancel()

    async def endpoints(self) -> list[tuple[list[str], list[int]]]:
        """Addresses and ports of each subset."""
        found = await self._get("", "endpoints")
        return [
            ([address["ip"] for address in subset["addresses"]], [port["port"] for port in subset["ports"]])
            for subset in found["subsets"]
        ]

    async def slice(self) -> dict[str, Any]:
        found: dict[str, Any] = await self._get("discovery.k8s.io", "endpointslices")
        return found

    async def leases(self) -> list[dict[str, Any]]:
        chosen = Selection(label_selector="apiserver.kubernetes.io/identity=kube-apiserver")
        listing = await self.registry.list(Target(LEASES, "kube-system"), chosen)
        return [msgspec.json.decode(item.json) for item in listing.items]

    async def _get(self, group: str, resource: str) -> Any:
        target = Target(_kind(group, resource), "default", "kubernetes")
        return msgspec.json.decode((await self.registry.get(target)).json)


@pytest.fixture
async def servers() -> AsyncIterator[Servers]:
    store, clock = FakeStore(), FakeClock()
    async with registry_over(store, clock) as registry, asyncio.TaskGroup() as tasks:
        for name in ("default", "kube-system"):
            await registry.create(Target(NAMESPACES), make_namespace(name))
        announced = Servers(store, clock, registry, tasks)
        yield announced
        announced.kill()


async def test_one_server(servers: Servers) -> None:
    await servers.start(A)
    assert await servers.endpoints() == [(["10.0.0.1"], [6443])]
    found = await servers.slice()
    assert found["metadata"]["labels"] == {"kubernetes.io/service-name": "kubernetes"}
    assert found["addressType"] == "IPv4"
    assert found["endpoints"] == [{"addresses": ["10.0.0.1"], "conditions": {"ready": True}}]
    assert found["ports"] == [{"name": "https", "port": 6443, "protocol": "TCP"}]
    [lease] = await servers.leases()
    assert lease["metadata"]["name"] == "apiserver-a"
    assert lease["spec"]["holderIdentity"].startswith("apiserver-a_")
    assert lease["spec"]["renewTime"] == times.micro_from_datetime(START)


async def test_two_servers(servers: Servers) -> None:
    await servers.start(B)
    await servers.start(A)
    assert await servers.endpoints() == [(["10.0.0.1", "10.0.0.2"], [6443])]
    assert [each["addresses"] for each in (await servers.slice())["endpoints"]] == [["10.0.0.1"], ["10.0.0.2"]]


async def test_many_servers_that_start_at_once_are_all_there_at_once(servers: Servers) -> None:
    many = [Server(f"s{number}", Address(f"10.0.0.{number}", 6443)) for number in range(1, 6)]
    await servers.start(*many)
    await servers.clock.advance(0)
    wanted = [server.address.host for server in many]
    assert await servers.endpoints() == [(wanted, [6443])]
    assert [each["addresses"] for each in (await servers.slice())["endpoints"]] == [[host] for host in wanted]


async def test_servers_on_several_ports(servers: Servers) -> None:
    await servers.start(A)
    await servers.start(Server("c", Address("10.0.0.1", 7443)))
    assert await servers.endpoints() == [(["10.0.0.1"], [6443]), (["10.0.0.1"], [7443])]


async def test_a_round_without_news_renews_the_lease_and_nothing_else(servers: Servers) -> None:
    await servers.start(A)
    before = servers.store.newest
    await servers.clock.advance(3 * RENEW_SECONDS)
    assert servers.store.newest == before + 3
    [lease] = await servers.leases()
    assert lease["spec"]["renewTime"] == times.micro_from_datetime(servers.clock.now())


async def test_a_dead_server_leaves_when_its_lease_has_run_out(servers: Servers) -> None:
    await servers.start(A)
    await servers.start(B)
    servers.kill(B)
    await servers.clock.advance(LEASE_SECONDS - 1)
    assert await servers.endpoints() == [(["10.0.0.1", "10.0.0.2"], [6443])]
    await servers.clock.advance(RENEW_SECONDS)
    assert await servers.endpoints() == [(["10.0.0.1"], [6443])]
    assert [each["addresses"] for each in (await servers.slice())["endpoints"]] == [["10.0.0.1"]]


async def test_the_last_server_is_never_taken_out(servers: Servers) -> None:
    await servers.start(A)
    servers.kill(A)
    await servers.clock.advance(10 * LEASE_SECONDS)
    assert await servers.endpoints() == [(["10.0.0.1"], [6443])]


async def test_a_server_that_comes_back_at_another_address(servers: Servers) -> None:
    await servers.start(A)
    servers.kill(A)
    await servers.start(Server("a", Address("10.0.0.9", 6443)))
    assert await servers.endpoints() == [(["10.0.0.9"], [6443])]
    assert len(await servers.leases()) == 1


async def test_a_store_that_is_away_for_a_while(servers: Servers) -> None:
    await servers.start(A)
    servers.store.refuse_next(Unavailable("away"))
    await servers.clock.advance(RENEW_SECONDS)
    await servers.clock.advance(RENEW_SECONDS)
    [lease] = await servers.leases()
    assert lease["spec"]["renewTime"] == times.micro_from_datetime(servers.clock.now())


def _lease(
    age_seconds: float | None, duration_seconds: int | None = LEASE_SECONDS, address: str = "10.0.0.1:6443"
) -> Lease:
    renewed = None if age_seconds is None else times.micro_from_datetime(START - timedelta(seconds=age_seconds))
    return Lease(
        metadata=ObjectMeta(name="apiserver-x", annotations={"steersman.io/address": address} if address else {}),
        spec=LeaseSpec(renew_time=renewed, lease_duration_seconds=duration_seconds),
    )


LIVES = {
    "just renewed": (_lease(0), True),
    "in its last second": (_lease(LEASE_SECONDS - 1), True),
    "run out": (_lease(LEASE_SECONDS), False),
    "never renewed": (_lease(None), False),
    "without a duration": (_lease(0, None), False),
    "of somebody who says not where": (_lease(0, address=""), False),
    "of somebody who says nonsense": (_lease(0, address="nonsense"), False),
    "at no port": (_lease(0, address="10.0.0.1:99999"), False),
    "where no endpoint may be": (_lease(0, address="127.0.0.1:6443"), False),
    "renewed at the end of time": (_lease(-86400 * 365 * 7969, 2**31 - 1), True),
}


@pytest.mark.parametrize(("lease", "alive"), LIVES.values(), ids=LIVES)
def test_who_is_alive(lease: Lease, alive: bool) -> None:
    assert presence.is_alive(lease, START) == alive


def test_a_server_is_reached_where_it_listens() -> None:
    assert presence.advertised(Address("192.0.2.7", 6443)) == Address("192.0.2.7", 6443)
