"""An empty cluster on real stores: the same whoever makes it, and however often."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from apiserver import bootstrap, server
from apiserver.config import Settings
from apiserver.server import Serving
from steersman.api import kinds
from steersman.api.core import Endpoints, Namespace, Service, ServiceAccount
from steersman.api.discovery import EndpointSlice
from steersman.api.errors import Forbidden, NotFound
from steersman.api.scheduling import PriorityClass
from steersman.base.values import Address
from steersman.client import client
from steersman.client.client import Client
from tests import freeports
from tests.etcdserver import NO_FSYNC, etcd_server
from tests.eventually import eventually
from tests.integration.conftest import ANY_PORT

ADVERTISED = "192.0.2.7"
COMING_AND_GOING = "leases"
"""The only kind that changes when a server starts over a cluster that lacks nothing."""

Snapshot = dict[tuple[str, str, str], str]


def settings_in(data_dir: Path, **more: Any) -> Settings:
    return Settings(
        data_dir=data_dir,
        grpc_address=ANY_PORT,
        rest_address=ANY_PORT,
        insecure=True,
        advertise_address=ADVERTISED,
        **more,
    )


@pytest.fixture(params=["embedded", "etcd"])
async def settings(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Settings]:
    """Of a server over a store that nobody has used yet."""
    if request.param == "embedded":
        yield settings_in(tmp_path / "data")
        return
    async with etcd_server(*NO_FSYNC) as etcd:
        yield settings_in(tmp_path / "data", etcd_endpoints=(etcd.endpoint,))


async def published(api: Client) -> EndpointSlice:
    """The slice of the API servers, which are announced a moment after they serve."""

    async def found() -> EndpointSlice | None:
        try:
            return await api.of(EndpointSlice).get(bootstrap.KUBERNETES, "default")
        except NotFound:
            return None

    present = await eventually(found)
    assert present is not None
    return present


async def everything(api: Client) -> Snapshot:
    """The resourceVersion of every object, Leases apart."""
    found: Snapshot = {}
    for kind in kinds.ALL:
        if kind.is_stored and not kind.stored_as and kind.resource != COMING_AND_GOING:
            for each in (await api.of(kind).list()).items:
                meta = each.metadata
                found[kind.qualified_resource, meta.namespace, meta.name] = meta.resource_version
    return found


async def test_what_it_contains(settings: Settings) -> None:
    async with server.serving(settings) as serving, client.connect([str(serving.grpc)]) as api:
        names = [each.metadata.name for each in (await api.of(Namespace).list()).items]
        assert names == ["default", "kube-node-lease", "kube-public", "kube-system"]
        assert [each.metadata.namespace for each in (await api.of(ServiceAccount).list()).items] == names
        assert {each.metadata.name for each in (await api.of(PriorityClass).list()).items} == {
            "system-cluster-critical",
            "system-node-critical",
        }
        service = await api.of(Service).get(bootstrap.KUBERNETES, "default")
        assert service.spec.cluster_ip == "10.96.0.1"
        assert service.spec.ports[0].target_port == serving.rest.port

        [endpoint] = (await published(api)).endpoints or ()
        assert endpoint.addresses == (ADVERTISED,)
        [subset] = (await api.of(Endpoints).get(bootstrap.KUBERNETES, "default")).subsets
        assert [address.ip for address in subset.addresses] == [ADVERTISED]
        assert [port.port for port in subset.ports] == [serving.rest.port]


@pytest.mark.parametrize("network", ["10.200.0.0/24", "172.30.0.0/16"])
async def test_the_service_has_the_first_address_of_the_range(tmp_path: Path, network: str) -> None:
    settings = settings_in(tmp_path, service_cluster_ip_range=network)
    async with server.serving(settings) as serving, client.connect([str(serving.grpc)]) as api:
        service = await api.of(Service).get(bootstrap.KUBERNETES, "default")
        assert service.spec.cluster_ip == network.partition(".0/")[0] + ".1"


@pytest.mark.parametrize("name", ["default", "kube-public", "kube-system"])
async def test_namespaces_that_cannot_be_deleted(api: Client, name: str) -> None:
    with pytest.raises(Forbidden) as refused:
        await api.of(Namespace).delete(name)
    assert refused.value.message == f'namespaces "{name}" is forbidden: this namespace may not be deleted'
    assert (await api.of(Namespace).get(name)).metadata.deletion_timestamp is None


async def test_a_restart_changes_nothing(settings: Settings) -> None:
    settings = replace(settings, rest_address=Address("127.0.0.1", freeports.take()))
    async with server.serving(settings) as serving, client.connect([str(serving.grpc)]) as api:
        await published(api)
        before = await everything(api)
    async with server.serving(settings) as serving, client.connect([str(serving.grpc)]) as api:
        await published(api)
        assert await everything(api) == before


async def test_two_servers_that_start_at_once(tmp_path: Path) -> None:
    async with etcd_server(*NO_FSYNC) as etcd, AsyncExitStack() as stack:
        endpoints = (etcd.endpoint,)
        racing = [settings_in(tmp_path / name, etcd_endpoints=endpoints) for name in ("one", "two")]
        serving = await _started(stack, racing)
        apis = [await stack.enter_async_context(client.connect([str(each.grpc)])) for each in serving]
        ports = {each.rest.port for each in serving}

        async def both_are_published() -> bool:
            present = await apis[0].of(Endpoints).get(bootstrap.KUBERNETES, "default")
            return {port.port for subset in present.subsets for port in subset.ports} == ports

        await published(apis[0])
        await eventually(both_are_published)

        async def seen_alike() -> Snapshot:
            first, second = [await everything(api) for api in apis]
            assert first == second
            return first

        seen = await eventually(seen_alike)
        address = next(key for key in seen if key[0].startswith("ipaddresses"))
        assert seen.pop(address) == seen["services", "default", "kubernetes"], "an address is written with its Service"
        assert len(set(seen.values())) == len(seen), "each other object was written in a transaction of its own"


async def _started(stack: AsyncExitStack, racing: list[Settings]) -> list[Serving]:
    """Servers that start side by side and stop with the stack."""
    over = asyncio.Event()
    ready: list[Serving] = []
    all_ready = asyncio.Event()

    async def serve(settings: Settings) -> None:
        async with server.serving(settings) as serving:
            ready.append(serving)
            if len(ready) == len(racing):
                all_ready.set()
            await over.wait()

    tasks = await stack.enter_async_context(asyncio.TaskGroup())
    stack.callback(over.set)
    for settings in racing:
        tasks.create_task(serve(settings))
    async with asyncio.timeout(60):
        await all_ready.wait()
    return ready
