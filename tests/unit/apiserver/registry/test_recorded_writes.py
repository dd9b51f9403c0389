"""Writes to a real cluster, answer by answer and cause by cause, where recordings of one are at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from apiserver.registry.requests import PatchType, Target
from steersman.api import codec
from steersman.api.errors import ApiError, Invalid
from tests.unit.api import facts
from tests.unit.apiserver.registry.conftest import World, body_of, kind

pytestmark = facts.needed

NOT_OF_OUR_KINDS = {"191-err-crd-cel"}


def exchanges(path: Path) -> list[Any]:
    recorded: list[Any] = msgspec.json.decode(path.read_bytes())["exchanges"]
    return recorded


def causes_in(exchange: Any) -> list[Any]:
    body = exchange["response"].get("body")
    if not isinstance(body, dict) or body.get("kind") != "Status":
        return []
    found: list[Any] = body.get("details", {}).get("causes", [])
    return [cause for cause in found if "field" in cause]


REFUSED = [path for path in facts.folder("golden/http") if any(map(causes_in, exchanges(path)))]


def target_of(path: str) -> Target:
    """`/api/v1[/namespaces/<namespace>]/<resource>[/<name>]`, or the same below `/apis/<group>/<version>`."""
    root, *parts = path.partition("?")[0].strip("/").split("/")
    group, parts = (parts[0], parts[2:]) if root == "apis" else ("", parts[1:])
    namespace, parts = (parts[1], parts[2:]) if parts[0] == "namespaces" else ("", parts)
    resource, *name = parts
    return Target(kind(resource, group), namespace, name[0] if name else "")


async def keep(world: World, exchange: Any) -> None:
    """What the recorded cluster had, as far as somebody read it."""
    body = exchange["response"].get("body")
    if exchange["request"]["method"] != "GET" or not isinstance(body, dict) or "uid" not in body.get("metadata", {}):
        return
    target = target_of(exchange["request"]["path"])
    present, _ = codec.decode(target.kind.struct, msgspec.json.encode(body))
    meta = replace(present.metadata, resource_version="")
    await world.store.create(target.key, codec.encode(replace(present, metadata=meta)))
    await world.settle()


async def answer(world: World, request: Any) -> Any:
    target, body = target_of(request["path"]), msgspec.json.encode(request["body"])
    if request["method"] == "POST":
        return body_of(await world.registry.create(target, body))
    return body_of(await world.registry.patch(target, PatchType(request["headers"]["Content-Type"]), body))


@pytest.mark.parametrize(
    "path", [path for path in REFUSED if path.stem not in NOT_OF_OUR_KINDS], ids=lambda path: path.stem
)
async def test_causes_are_the_recorded_ones(world: World, path: Path) -> None:
    for exchange in exchanges(path):
        await keep(world, exchange)
        if wanted := causes_in(exchange):
            with pytest.raises(Invalid) as refused:
                await answer(world, exchange["request"])
            assert said(refused.value) == wanted
            assert refused.value.message == exchange["response"]["body"]["message"]


def said(error: ApiError) -> list[dict[str, str]]:
    assert error.details is not None
    return [{"reason": each.reason, "message": each.message, "field": each.field} for each in error.details.causes]


WRITTEN = [
    *("019-apply-deployment", "023-apply-secret", "029-apply-statefulset", "033-apply-changed", "117-set-image"),
    *("125-rollout-pause", "129-rollout-restart", "131-set-env", "137-patch-merge", "145-edit", "147-label"),
    *("149-label-overwrite", "153-annotate-remove", "155-taint-remove", "233-finalizer-remove"),
]
VARYING = {
    *("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "lastTransitionTime", "lastUpdateTime"),
    "managedFields",
}


def masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: masked(each) for name, each in value.items() if name not in VARYING}
    return [masked(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", WRITTEN)
async def test_answers_are_the_recorded_ones(world: World, name: str) -> None:
    answered = 0
    for exchange in exchanges(Path(facts.FOLDER) / "golden" / "http" / f"{name}.json"):
        await keep(world, exchange)
        if exchange["request"]["method"] in ("POST", "PATCH"):
            assert masked(await answer(world, exchange["request"])) == masked(exchange["response"]["body"])
            answered += 1
    assert answered
