"""Tokens of service accounts: given out through the registry, and checked against the cluster as it is."""

from __future__ import annotations

import base64
import json
from typing import Any

import msgspec
import pytest

from apiserver.admission.lookup import Lookup
from apiserver.auth import jwt, signing
from apiserver.auth.tokens import ISSUER, InvalidToken, Issuer, Tokens
from apiserver.registry.catalog import STRATEGIES
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Target
from steersman.api import kinds
from steersman.api.core import Node, Pod, Secret, ServiceAccount
from steersman.api.errors import ApiError, BadRequest, Conflict, Invalid, NotFound
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from tests.unit.apiserver.registry.conftest import World, body_of, world

__all__ = ["world"]

KEY = jwt.SigningKey(signing.load_key(signing.new_key()))
OTHER = jwt.SigningKey(signing.load_key(signing.new_key()))
MANIFESTS: dict[type[Object], dict[str, Any]] = {
    Pod: {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    Secret: {"metadata": {"name": "mine"}},
    Node: {"metadata": {"name": "worker"}},
}
CREDENTIAL = "authentication.kubernetes.io/"


def kind_of(struct: type[Object]) -> Kind:
    kind = kinds.of_struct(struct)
    assert kind is not None
    return kind


def target_of(struct: type[Object], name: str = "") -> Target:
    kind = kind_of(struct)
    return Target(kind, "default" if kind.namespaced else "", name)


ACCOUNT = target_of(ServiceAccount, "default")


class Desk:
    """A registry that gives out tokens, and what checks them."""

    def __init__(self, around: World) -> None:
        self.world = around
        self.issuer = Issuer(lambda: KEY)
        self.registry = Registry(around.store, around.cache, STRATEGIES, around.clock, issuer=self.issuer)
        self.tokens = Tokens(self.issuer, Lookup(around.cache), around.clock)

    async def make(self, struct: type[Object], **changes: Any) -> dict[str, Any]:
        body = msgspec.json.encode({**MANIFESTS[struct], **changes})
        made: dict[str, Any] = body_of(await self.registry.create(target_of(struct), body))
        return made

    async def ask(self, target: Target = ACCOUNT, **spec: Any) -> dict[str, Any]:
        body = msgspec.json.encode({"spec": spec})
        answer: dict[str, Any] = body_of(await self.registry.issue_token(target, body))
        return answer

    async def token(self, **spec: Any) -> str:
        token: str = (await self.ask(**spec))["status"]["token"]
        return token


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk(world)


def claims_of(token: str) -> dict[str, Any]:
    middle = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    return claims


def bound_to(struct: type[Object], made: dict[str, Any]) -> dict[str, Any]:
    meta = made["metadata"]
    return {"kind": struct.__name__, "apiVersion": "v1", "name": meta["name"], "uid": meta["uid"]}


async def test_a_token_names_its_account(desk: Desk) -> None:
    answer = await desk.ask()
    account = body_of(await desk.registry.get(ACCOUNT))["metadata"]
    assert answer["kind"] == "TokenRequest"
    assert answer["spec"] == {"audiences": [ISSUER], "expirationSeconds": 3600, "boundObjectRef": None}
    claims = claims_of(answer["status"]["token"])
    assert claims["sub"] == "system:serviceaccount:default:default"
    assert claims["exp"] - claims["iat"] == 3600
    assert claims["kubernetes.io"] == {
        "namespace": "default",
        "serviceaccount": {"name": "default", "uid": account["uid"]},
    }
    caller = await desk.tokens.caller_of(answer["status"]["token"])
    assert caller is not None
    assert (caller.user, caller.uid) == ("system:serviceaccount:default:default", account["uid"])
    assert caller.groups == ("system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated")
    assert caller.extra == ((f"{CREDENTIAL}credential-id", (f"JTI={claims['jti']}",)),)


@pytest.mark.parametrize("struct", [Pod, Secret, Node])
async def test_a_bound_token_dies_with_what_it_is_bound_to(desk: Desk, struct: type[Object]) -> None:
    made = await desk.make(struct)
    token = await desk.token(boundObjectRef=bound_to(struct, made))
    assert await desk.tokens.caller_of(token) is not None
    await desk.registry.delete(target_of(struct, made["metadata"]["name"]))
    await desk.world.settle()
    assert await desk.tokens.caller_of(token) is None
    await desk.make(struct)
    await desk.world.settle()
    assert await desk.tokens.caller_of(token) is None, "a namesake is somebody else"


async def test_a_token_dies_with_its_account(desk: Desk) -> None:
    token = await desk.token()
    await desk.registry.delete(ACCOUNT)
    await desk.world.settle()
    assert await desk.tokens.caller_of(token) is None


async def test_the_token_of_a_pod_says_where_it_runs_and_lasts_while_programs_learn(desk: Desk) -> None:
    node = await desk.make(Node)
    made = await desk.make(Pod, spec={**MANIFESTS[Pod]["spec"], "nodeName": "worker"})
    answer = await desk.ask(boundObjectRef=bound_to(Pod, made), expirationSeconds=3607)
    claims = claims_of(answer["status"]["token"])
    assert claims["exp"] - claims["iat"] == 365 * 24 * 3600
    assert claims["kubernetes.io"]["warnafter"] - claims["iat"] == 3607
    caller = await desk.tokens.caller_of(answer["status"]["token"])
    assert caller is not None
    assert dict(caller.extra[1:]) == {
        f"{CREDENTIAL}node-name": ("worker",),
        f"{CREDENTIAL}node-uid": (node["metadata"]["uid"],),
        f"{CREDENTIAL}pod-name": ("web",),
        f"{CREDENTIAL}pod-uid": (made["metadata"]["uid"],),
    }


async def test_times_and_audiences(desk: Desk) -> None:
    token = await desk.token(expirationSeconds=600)
    elsewhere = await desk.token(audiences=["vault"])
    assert await desk.tokens.caller_of(elsewhere) is None
    _, meant = await desk.tokens.review(elsewhere, ["vault", "other"])
    assert meant == ("vault",)
    await desk.world.clock.advance(600 + 59)
    assert await desk.tokens.caller_of(token) is not None, "clocks may differ by a minute"
    await desk.world.clock.advance(2)
    with pytest.raises(InvalidToken, match="service account token has expired"):
        await desk.tokens.review(token)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: "",
        lambda _: "a.b.c",
        lambda _: "ä.ö.ü",
        lambda token: token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB"),
        lambda token: token.rsplit(".", 1)[0] + ".",
        lambda token: ".".join((token.split(".")[0], "e30", token.split(".")[2])),
        lambda token: OTHER.sign(claims_of(token)),
        lambda token: KEY.sign({**claims_of(token), "iss": "https://elsewhere"}),
        lambda token: KEY.sign({**claims_of(token), "sub": "system:admin"}),
        lambda token: KEY.sign({**claims_of(token), "aud": 1}),
        lambda token: KEY.sign({**claims_of(token), "nbf": 99999999999}),
        lambda token: "eyJhbGciOiJub25lIn0." + token.split(".")[1] + ".",
        lambda _: "a" * 1_000_000,
    ],
    ids=[
        "nothing",
        "nonsense",
        "no ASCII",
        "another signature",
        "no signature",
        "other claims",
        "another key",
        "another issuer",
        "another subject",
        "wrong type",
        "too early",
        "algorithm none",
        "endless",
    ],
)
async def test_a_forged_token_names_nobody(desk: Desk, spoil: Any) -> None:
    assert await desk.tokens.caller_of(spoil(await desk.token())) is None


SHORT = "may not specify a duration less than 10 minutes"


@pytest.mark.parametrize(
    ("body", "error", "text"),
    [
        ({"spec": {"expirationSeconds": 599}}, Invalid, f"spec.expirationSeconds: Invalid value: 599: {SHORT}"),
        (
            {"spec": {"expirationSeconds": 2**32 + 1}},
            Invalid,
            "may not specify a duration larger than 2^32 seconds",
        ),
        (
            {"spec": {"attestations": {"a": ["b"]}}},
            Invalid,
            "attestations may only be specified with a webhook bound object reference",
        ),
        (
            {"metadata": {"name": "other"}},
            Invalid,
            'metadata.name: Invalid value: "other": must match the service account name if specified',
        ),
        ({"metadata": {"uid": "0"}}, Conflict, "the UID in the token request (0) does not match the UID of the"),
        (
            {"spec": {"boundObjectRef": {"kind": "ConfigMap", "apiVersion": "v1", "name": "a"}}},
            BadRequest,
            "cannot bind token to object of type /v1, Kind=ConfigMap",
        ),
        (
            {"spec": {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "missing"}}},
            NotFound,
            'pods "missing" not found',
        ),
        (
            {"spec": {"boundObjectRef": {"kind": "Secret", "apiVersion": "v1", "name": "mine", "uid": "0"}}},
            Conflict,
            "the UID in the bound object reference (0) does not match the UID in record.",
        ),
        (
            {"spec": {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "web"}}},
            BadRequest,
            'cannot bind token for serviceaccount "default" to pod running with different serviceaccount name.',
        ),
    ],
    ids=["short", "long", "attested", "misnamed", "another account", "not to that", "missing", "recreated", "not its"],
)
async def test_what_is_refused(desk: Desk, body: dict[str, Any], error: type[ApiError], text: str) -> None:
    await desk.make(Secret)
    await desk.registry.create(target_of(ServiceAccount), b'{"metadata":{"name":"builder"}}')
    await desk.make(Pod, spec={**MANIFESTS[Pod]["spec"], "serviceAccountName": "builder"})
    with pytest.raises(error) as caught:
        await desk.registry.issue_token(ACCOUNT, msgspec.json.encode(body))
    assert text in caught.value.message


async def test_only_accounts_have_tokens(desk: Desk, world: World) -> None:
    with pytest.raises(NotFound, match='serviceaccounts "nobody" not found'):
        await desk.ask(target_of(ServiceAccount, "nobody"))
    with pytest.raises(NotFound):
        await desk.ask(target_of(Secret, "mine"))
    with pytest.raises(NotFound):
        await world.registry.issue_token(ACCOUNT, b"{}")


def test_the_public_key_is_shown_without_the_private_one() -> None:
    shown = KEY.public()
    assert (shown["kty"], shown["crv"], shown["alg"], shown["kid"]) == ("EC", "P-256", "ES256", KEY.id)
    assert "d" not in shown
