"""Endpoints and EndpointSlices of a real replica against a real API server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from apiserver.server import Serving
from steersman.api import codec
from steersman.api.core import Endpoints, Pod, PodStatus, Service
from steersman.api.discovery import EndpointSlice
from steersman.api.errors import NotFound
from steersman.client.client import Client
from steersman.client.requests import PatchType
from tests import builders
from tests.eventually import eventually
from tests.integration.replicas import create_node, replica_running

WITHIN = 30
SERVICE_NAME = "kubernetes.io/service-name"


@pytest.fixture(autouse=True)
async def controllers(api_server: Serving) -> AsyncIterator[None]:
    async with replica_running(str(api_server.grpc), "endpoints", "endpointslice", "endpointslicemirroring"):
        yield


async def create_service(api: Client, name: str = "web", **spec: Any) -> None:
    port = {"name": "http", "port": 80, "targetPort": "web"}
    described = {"selector": {"app": "web"}, "ports": [port], **spec}
    await api.raw(Service).create(builders.make("Service", name, spec=described))


async def create_backend(api: Client, name: str, ip: str, *, port: int = 8080, ready: bool = True) -> None:
    container = {"name": "main", "image": "i", "ports": [{"name": "web", "containerPort": port}]}
    manifest = builders.make_pod(name, node="node-1", labels={"app": "web"}, spec={"containers": [container]})
    pod = codec.load(Pod, await _created(api, manifest))
    condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": "2030-01-01T00:00:00Z"}
    status = {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "conditions": [condition]}
    await api.of(Pod).update_status(replace(pod, status=_status(status)))


async def _created(api: Client, manifest: bytes) -> bytes:
    return (await api.raw(Pod).create(manifest)).object


def _status(described: dict[str, Any]) -> PodStatus:
    return codec.load(Pod, json.dumps({"status": described}).encode()).status


async def slices_of(api: Client, service: str) -> list[EndpointSlice]:
    return list((await api.of(EndpointSlice).list("default", label_selector=f"{SERVICE_NAME}={service}")).items)


async def told(api: Client, service: str = "web") -> tuple[set[str], set[str], set[str]]:
    """What Endpoints call ready and not ready, and what slices say: "10.0.0.1:8080 rs"; r: ready, s: serving."""
    try:
        subsets = (await api.of(Endpoints).get(service, "default")).subsets
    except NotFound:
        subsets = ()
    ready = {address.ip for subset in subsets for address in subset.addresses}
    unready = {address.ip for subset in subsets for address in subset.not_ready_addresses}
    sliced = {
        f"{endpoint.addresses[0]}:{(each.ports or ())[0].port} "
        + "r" * bool(endpoint.conditions.ready)
        + "s" * bool(endpoint.conditions.serving)
        for each in await slices_of(api, service)
        for endpoint in each.endpoints or ()
    }
    return ready, unready, sliced


async def test_addresses_follow_the_pods(api: Client) -> None:
    await create_node(api, "node-1", **{"topology.kubernetes.io/zone": "a"})
    await create_service(api)

    async def nobody() -> bool:
        return await told(api) == (set(), set(), set()) and len(await slices_of(api, "web")) == 1

    await eventually(nobody, within=WITHIN)
    await create_backend(api, "one", "10.0.0.1")
    await create_backend(api, "two", "10.0.0.2", port=9090, ready=False)
    await create_backend(api, "three", "10.0.0.3")

    async def everybody() -> bool:
        expected = {"10.0.0.1:8080 rs", "10.0.0.2:9090 ", "10.0.0.3:8080 rs"}
        return await told(api) == ({"10.0.0.1", "10.0.0.3"}, {"10.0.0.2"}, expected)

    await eventually(everybody, within=WITHIN)
    await api.of(Pod).delete("three", "default", grace_period_seconds=30)

    async def one_is_going() -> bool:
        expected = {"10.0.0.1:8080 rs", "10.0.0.2:9090 ", "10.0.0.3:8080 s"}
        return await told(api) == ({"10.0.0.1"}, {"10.0.0.2"}, expected)

    await eventually(one_is_going, within=WITHIN)
    slices = await slices_of(api, "web")
    assert {endpoint.zone for each in slices for endpoint in each.endpoints or ()} == {"a"}
    assert len(slices) == 2, "one for each port"
    for name in ("one", "two", "three"):
        await api.of(Pod).delete(name, "default", grace_period_seconds=0)
    await eventually(nobody, within=WITHIN)


async def test_what_is_tampered_with_comes_back(api: Client) -> None:
    await create_node(api, "node-1")
    await create_service(api)
    await create_backend(api, "one", "10.0.0.1")

    async def complete() -> bool:
        return await told(api) == ({"10.0.0.1"}, set(), {"10.0.0.1:8080 rs"})

    await eventually(complete, within=WITHIN)
    (slice,) = await slices_of(api, "web")
    await api.of(EndpointSlice).delete(slice.metadata.name, "default")
    await api.of(Endpoints).patch("web", "default", b'{"subsets":null}', PatchType.MERGE)
    await eventually(complete, within=WITHIN)
    await api.of(Service).patch("web", "default", b'{"metadata":{"labels":{"a":"b"}}}', PatchType.MERGE)

    async def labelled() -> bool:
        (found,) = await slices_of(api, "web")
        endpoints = await api.of(Endpoints).get("web", "default")
        return found.metadata.labels.get("a") == endpoints.metadata.labels.get("a") == "b"

    await eventually(labelled, within=WITHIN)


async def test_endpoints_go_with_their_service(api: Client) -> None:
    await create_service(api)
    await create_service(api, "external", selector=None)
    theirs = [{"addresses": [{"ip": "1.2.3.4"}], "ports": [{"name": "http", "port": 80}]}]
    await api.raw(Endpoints).create(builders.make("Endpoints", "external", subsets=theirs))

    async def mirrored() -> bool:
        return await told(api, "external") == ({"1.2.3.4"}, set(), {"1.2.3.4:80 r"})

    await eventually(mirrored, within=WITHIN)
    for name in ("web", "external"):
        await api.of(Service).delete(name, "default")

    async def gone() -> bool:
        left = {each.metadata.name for each in (await api.of(Endpoints).list("default")).items} - {"kubernetes"}
        return not left and not await slices_of(api, "external")

    await eventually(gone, within=WITHIN)


async def test_many_pods_are_spread_over_slices(api: Client) -> None:
    await create_node(api, "node-1")
    await create_service(api)
    for number in range(120):
        await create_backend(api, f"pod-{number}", f"10.0.1.{number + 1}")

    async def complete() -> bool:
        slices = await slices_of(api, "web")
        sizes = [len(each.endpoints or ()) for each in slices]
        return sum(sizes) == 120 and max(sizes) <= 100

    await eventually(complete, within=60)
