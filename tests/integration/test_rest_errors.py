"""What is refused over HTTP, and in which words."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from typing import Any

import pytest

from apiserver.server import Serving
from tests.integration.restcalls import CONFIG_MAPS, PODS, Rest, pod, rest_client


@pytest.fixture
async def rest(api_server: Serving) -> AsyncIterator[Rest]:
    async with rest_client(api_server) as opened:
        yield opened


@pytest.mark.parametrize(
    "path",
    ["/nonsense", "/apis/example.com/v1/namespaces/default/widgets", "/apis/example.com", "/api/v2", "/healthz/x"],
)
async def test_an_unknown_path(rest: Rest, path: str) -> None:
    answer = await rest.get(path)
    assert (answer.code, answer.body) == (404, b"404 page not found\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize("path", ["/api/v1/widgets", "/api/v1/pods/p", f"{PODS}/p/nonsense", f"{CONFIG_MAPS}/a/status"])
async def test_an_unknown_resource_of_a_known_group(rest: Rest, path: str) -> None:
    answer = await rest.get(path)
    assert answer.code == 404
    assert answer.json == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "the server could not find the requested resource",
        "reason": "NotFound",
        "details": {},
        "code": 404,
    }


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/pods"),
        ("POST", f"{PODS}/p"),
        ("PUT", PODS),
        ("PATCH", PODS),
        ("DELETE", "/api/v1/configmaps"),
        ("DELETE", "/api/v1/namespaces"),
        ("DELETE", f"{PODS}/p/status"),
        ("GET", f"{PODS}/p/binding"),
        ("POST", "/api/v1"),
    ],
)
async def test_a_method_that_is_not_for_this(rest: Rest, method: str, path: str) -> None:
    answer = await rest.ask(method, path)
    assert (answer.code, answer.json["reason"]) == (405, "MethodNotAllowed")
    assert answer.json["message"] == "the server does not allow this method on the requested resource"


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        (f"{CONFIG_MAPS}?limit=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'),
        (
            f"{CONFIG_MAPS}?fieldSelector=spec.x%3Dy",
            400,
            '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        (
            f"{CONFIG_MAPS}?resourceVersionMatch=Exact",
            422,
            'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: '
            "resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            f"{CONFIG_MAPS}?watch=1&sendInitialEvents=true",
            422,
            'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: '
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ),
    ],
    ids=["limit", "field", "match", "initial events"],
)
async def test_bad_parameters(rest: Rest, path: str, code: int, message: str) -> None:
    answer = await rest.get(path)
    assert answer.code == code
    assert message in answer.json["message"]


async def test_a_list_of_the_future(rest: Rest) -> None:
    answer = await rest.get(f"{CONFIG_MAPS}?resourceVersion=100000000")
    assert answer.code == 504
    assert answer.json["message"].startswith("Too large resource version: 100000000, current: ")
    assert answer.json["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"
    assert answer.headers["Retry-After"] == "1"


async def test_already_there(rest: Rest) -> None:
    await rest.config_map("a")
    answer = await rest.create(CONFIG_MAPS, {"metadata": {"name": "a"}})
    assert (answer.code, answer.json["reason"]) == (409, "AlreadyExists")
    assert answer.json["details"] == {"name": "a", "kind": "configmaps"}


async def test_a_namespace_that_is_not_there(rest: Rest) -> None:
    answer = await rest.create("/api/v1/namespaces/nowhere/configmaps", {"metadata": {"name": "a"}})
    assert (answer.code, answer.json["message"]) == (404, 'namespaces "nowhere" not found')


async def test_causes(rest: Rest) -> None:
    answer = await rest.create(PODS, {**pod("p"), "spec": {"containers": [{"name": "C", "image": "i"}]}})
    assert (answer.code, answer.json["reason"]) == (422, "Invalid")
    assert answer.json["details"]["causes"][0]["field"] == "spec.containers[0].name"


@pytest.mark.parametrize(
    ("headers", "code", "message"),
    [
        ({"accept": "text/html"}, 406, "only the following media types are accepted"),
        ({"content_type": "text/plain"}, 415, "the body of the request was in an unknown format"),
    ],
    ids=["accept", "content type"],
)
async def test_media_types(rest: Rest, headers: dict[str, str], code: int, message: str) -> None:
    answer = await rest.create(CONFIG_MAPS, {"metadata": {"name": "a"}}, **headers)
    assert answer.code == code
    assert message in answer.json["message"]


@pytest.mark.parametrize("content_type", ["application/apply-patch+yaml", "application/json"])
async def test_patch_types(rest: Rest, content_type: str) -> None:
    await rest.config_map("a")
    answer = await rest.ask("PATCH", f"{CONFIG_MAPS}/a", {"data": {}}, content_type=content_type)
    assert (answer.code, answer.json["reason"]) == (415, "UnsupportedMediaType")
    accepted = "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json"
    assert answer.json["message"].endswith(f"accepted media types include: {accepted}")


async def test_a_body_that_is_too_large(rest: Rest) -> None:
    answer = await rest.create(CONFIG_MAPS, io.BytesIO(b"x" * 4_000_000))
    assert (answer.code, answer.json["reason"]) == (413, "RequestEntityTooLarge")
    assert answer.json["message"] == "Request entity too large: limit is 3145728"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff"], ids=["none", "half", "list", "null", "binary"])
async def test_bodies_that_are_no_object(rest: Rest, body: bytes) -> None:
    answer = await rest.create(CONFIG_MAPS, body)
    assert (answer.code, answer.json["reason"]) == (400, "BadRequest")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"kind": "Secret", "metadata": {"name": "a"}}, "Secret"),
        ({"metadata": {"name": "a", "namespace": "other"}}, "does not match the namespace sent on the request"),
        ({"metadata": {"name": "a", "resourceVersion": "5"}}, "resourceVersion should not be set"),
    ],
    ids=["kind", "namespace", "revision"],
)
async def test_objects_that_belong_elsewhere(rest: Rest, body: Any, message: str) -> None:
    answer = await rest.create(CONFIG_MAPS, body)
    assert answer.code == 400
    assert message in answer.json["message"]
