"""Questions about tokens, people and rights, over REST and gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from apiserver.server import Serving
from steersman.api.authentication import SelfSubjectReview
from steersman.client.client import Client
from tests.integration.restcalls import Rest, rest_client

TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews"
RIGHTS = "/apis/authorization.k8s.io/v1"
ACCOUNT = "/api/v1/namespaces/default/serviceaccounts"


@pytest.fixture
async def rest(api_server: Serving) -> AsyncIterator[Rest]:
    async with rest_client(api_server) as opened:
        yield opened


async def token_of(rest: Rest, name: str, spec: dict[str, Any] | None = None) -> str:
    created = await rest.create(ACCOUNT, {"metadata": {"name": name}})
    assert created.code == 201, created.body
    answer = await rest.create(f"{ACCOUNT}/{name}/token", {"spec": spec or {}})
    assert answer.code == 201, answer.body
    token: str = answer.json["status"]["token"]
    return token


async def test_whose_token_it_is(rest: Rest) -> None:
    token = await token_of(rest, "robot")
    answer = await rest.create(TOKENS, {"spec": {"token": token}})
    assert answer.code == 201
    status = answer.json["status"]
    assert status["authenticated"] is True
    assert status["user"]["username"] == "system:serviceaccount:default:robot"
    assert status["audiences"] == ["https://kubernetes.default.svc.cluster.local"]


async def test_a_token_for_somebody_else(rest: Rest) -> None:
    token = await token_of(rest, "robot", {"audiences": ["shop"]})
    ours = (await rest.create(TOKENS, {"spec": {"token": token}})).json["status"]
    assert "authenticated" not in ours
    assert ours["error"].startswith("[invalid bearer token, ")
    theirs = (await rest.create(TOKENS, {"spec": {"token": token, "audiences": ["shop", "bank"]}})).json["status"]
    assert (theirs["authenticated"], theirs["audiences"]) == (True, ["shop"])


async def test_a_token_ends_with_its_account(rest: Rest) -> None:
    token = await token_of(rest, "robot")
    await rest.delete(f"{ACCOUNT}/robot")
    status = (await rest.create(TOKENS, {"spec": {"token": token}})).json["status"]
    assert "authenticated" not in status


async def test_what_may_i_do(rest: Rest) -> None:
    asked = {"spec": {"resourceAttributes": {"verb": "create", "resource": "pods", "namespace": "default"}}}
    answer = await rest.create(f"{RIGHTS}/selfsubjectaccessreviews", asked)
    assert (answer.code, answer.json["status"]) == (201, {"allowed": True})
    assert answer.json["kind"] == "SelfSubjectAccessReview"


async def test_a_local_review_is_about_its_namespace(rest: Rest) -> None:
    asked = {
        "spec": {"user": "jane", "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}}
    }
    path = f"{RIGHTS}/namespaces/{{}}/localsubjectaccessreviews"
    assert (await rest.create(path.format("default"), asked)).json["status"] == {"allowed": True}
    refused = await rest.create(path.format("other"), asked)
    assert refused.code == 422
    assert refused.json["details"]["causes"][0]["field"] == "spec.resourceAttributes.namespace"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_reviews_cannot_be_listed_or_deleted(rest: Rest, method: str) -> None:
    assert (await rest.ask(method, f"{RIGHTS}/selfsubjectaccessreviews")).code == 405


async def test_the_same_over_grpc(api: Client) -> None:
    answered = await api.of(SelfSubjectReview).create(SelfSubjectReview())
    assert answered.object.status.user_info.username == "system:insecure"


async def test_who_i_am_as_somebody_else(rest: Rest) -> None:
    me = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    answer = await rest.create(me, {}, impersonate_user="jane", impersonate_group="devs")
    assert answer.code == 201
    assert answer.json["status"]["userInfo"] == {"username": "jane", "groups": ["devs", "system:authenticated"]}
