"""Discovery, health and the index over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from apiserver.server import Serving
from tests.integration.restcalls import Rest, rest_client

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"


@pytest.fixture
async def rest(api_server: Serving) -> AsyncIterator[Rest]:
    async with rest_client(api_server) as opened:
        yield opened


@pytest.mark.parametrize("version", ["v2", "v2beta1"])
@pytest.mark.parametrize("path", ["/api", "/apis", "/apis/"])
async def test_all_at_once(rest: Rest, path: str, version: str) -> None:
    accept = f"{AGGREGATED.format(version)},application/json"
    answer = await rest.get(path, accept=accept)
    assert (answer.code, answer.headers["Content-Type"]) == (200, AGGREGATED.format(version))
    assert (answer.headers["Cache-Control"], answer.headers["Vary"]) == ("public", "Accept")
    assert answer.json["apiVersion"] == f"apidiscovery.k8s.io/{version}"
    again = await rest.get(path, accept=accept, if_none_match=answer.headers["ETag"])
    assert (again.code, again.body, again.headers["ETag"]) == (304, b"", answer.headers["ETag"])


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api", "APIVersions"),
        ("/api/v1", "APIResourceList"),
        ("/apis", "APIGroupList"),
        ("/apis/apps", "APIGroup"),
        ("/apis/apps/v1", "APIResourceList"),
        ("/apis/apps/v1/", "APIResourceList"),
    ],
)
async def test_one_by_one(rest: Rest, path: str, kind: str) -> None:
    answer = await rest.get(path)
    assert (answer.code, answer.json["kind"]) == (200, kind)


async def test_every_announced_resource_is_served(rest: Rest) -> None:
    for item in (await rest.get("/apis", accept=AGGREGATED.format("v2"))).json["items"]:
        for version in item["versions"]:
            for resource in version["resources"]:
                if "list" in resource["verbs"]:
                    path = f"/apis/{item['metadata']['name']}/{version['version']}/{resource['resource']}"
                    answer = await rest.get(path)
                    assert (answer.code, answer.json["kind"]) == (200, f"{resource['responseKind']['kind']}List")


async def test_the_index_names_what_there_is(rest: Rest) -> None:
    paths = (await rest.get("/")).json["paths"]
    assert {"/api", "/api/v1", "/apis", "/apis/apps/v1", "/healthz", "/metrics", "/version"} <= set(paths)


async def test_what_is_not_there_is_not_negotiated_about(rest: Rest) -> None:
    assert (await rest.get("/nonsense", accept=PROTOBUF)).code == 404
    assert (await rest.get("/apis", accept=PROTOBUF)).code == 406


async def test_version_and_metrics(rest: Rest) -> None:
    version = (await rest.get("/version")).json
    assert (await rest.get("/version/")).json == version  # as some clients ask for it
    assert (version["major"], version["minor"]) == ("1", "36")
    await rest.get("/api/v1/pods")
    metrics = (await rest.get("/metrics")).body.decode()
    assert (
        'apiserver_request_duration_seconds_count{code="200",front="rest",resource="pods",verb="list"} 1.0' in metrics
    )


@pytest.mark.parametrize(
    ("path", "code", "body"),
    [
        ("/livez", 200, b"ok"),
        ("/readyz/store", 200, b"ok"),
        ("/healthz?verbose", 200, b"[+]ping ok\n[+]store ok\nhealthz check passed\n"),
        ("/readyz/nonsense", 404, b"404 page not found\n"),
    ],
)
async def test_health(rest: Rest, path: str, code: int, body: bytes) -> None:
    answer = await rest.get(path)
    assert (answer.code, answer.body) == (code, body)
