"""The description of the API over HTTP: forms, hashes, caching."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator

import pytest

from apiserver.server import Serving
from tests.integration.restcalls import Rest, rest_client

ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
ANSWERED = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
APPS = "/openapi/v3/apis/apps/v1"


@pytest.fixture
async def rest(api_server: Serving) -> AsyncIterator[Rest]:
    async with rest_client(api_server) as opened:
        yield opened


async def test_the_index_leads_to_documents_that_never_change(rest: Rest) -> None:
    index = await rest.get("/openapi/v3")
    assert (index.code, index.headers["Content-Type"]) == (200, "application/json")
    url = index.json["paths"]["apis/apps/v1"]["serverRelativeURL"]
    assert url.startswith(f"{APPS}?hash=")
    document = await rest.get(url)
    assert (document.code, document.headers["Cache-Control"]) == (200, "public, immutable")
    assert "io.k8s.api.apps.v1.Deployment" in document.json["components"]["schemas"]


async def test_whoever_has_it_is_told_so(rest: Rest) -> None:
    for path in ("/openapi/v2", "/openapi/v3", APPS):
        first = await rest.get(path)
        again = await rest.get(path, if_none_match=first.headers["ETag"])
        assert (again.code, again.body, again.headers["ETag"]) == (304, b"", first.headers["ETag"])


async def test_an_old_hash_leads_to_the_new_one(rest: Rest) -> None:
    async with rest.session.get(f"{APPS}?hash=OLD", allow_redirects=False) as answer:
        assert answer.status == 301
        moved = answer.headers["Location"]
    assert (await rest.get(moved)).code == 200


async def test_the_older_version_in_both_forms(rest: Rest) -> None:
    plain = await rest.get("/openapi/v2")
    assert plain.headers["Content-Type"] == "application/json"
    paths = plain.json["paths"]
    assert "/apis/authentication.k8s.io/v1/tokenreviews" in paths
    assert "/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token" in paths
    assert paths["/api/v1/namespaces/{namespace}/pods/{name}/exec"]["get"]["x-kubernetes-action"] == "connect"
    binary = await rest.get("/openapi/v2", accept=ASKED)
    assert (binary.code, binary.headers["Content-Type"]) == (200, ANSWERED)
    assert binary.body.startswith(b"\x0a\x032.0")


async def test_compressed_once(rest: Rest) -> None:
    plain = await rest.get("/openapi/v2")
    packed = await rest.get("/openapi/v2", accept_encoding="gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(packed.body)) == plain.json


@pytest.mark.parametrize(
    ("path", "accept", "code"),
    [
        ("/openapi/v3", "image/png", 406),
        ("/openapi/v2", "image/png", 406),
        ("/openapi/v3/apis/nonsense/v1", "*/*", 404),
        ("/openapi/v4", "*/*", 404),
    ],
)
async def test_what_cannot_be_had(rest: Rest, path: str, accept: str, code: int) -> None:
    assert (await rest.get(path, accept=accept)).code == code


async def test_it_is_only_for_reading(rest: Rest) -> None:
    assert (await rest.create("/openapi/v3", {})).code == 405


async def test_who_gives_out_tokens(rest: Rest) -> None:
    told = await rest.get("/.well-known/openid-configuration")
    assert told.headers["Content-Type"] == "application/json"
    assert told.json["jwks_uri"].endswith("/openid/v1/jwks")
    keys = await rest.get("/openid/v1/jwks")
    assert keys.headers["Content-Type"] == "application/jwk-set+json"
    assert keys.json["keys"][0]["alg"] in told.json["id_token_signing_alg_values_supported"]
