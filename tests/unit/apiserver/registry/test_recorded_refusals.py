"""Refusals of a real cluster, cause by cause, where recordings of one are at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from apiserver.registry.requests import PatchType, Target
from steersman.api import codec
from steersman.api.core import Pod
from steersman.api.errors import ApiError, Invalid
from tests.unit.api import facts
from tests.unit.apiserver.registry.conftest import World, kind

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
    """`/api/v1/namespaces/<namespace>/<resource>[/<name>]`, or the same below `/apis/<group>/<version>`."""
    root, *parts = path.partition("?")[0].strip("/").split("/")
    group, parts = (parts[0], parts[2:]) if root == "apis" else ("", parts[1:])
    _, namespace, resource, *name = parts
    return Target(kind(resource, group), namespace, name[0] if name else "")


async def keep(world: World, body: Any) -> None:
    """What the recorded cluster had."""
    pod, _ = codec.decode(Pod, msgspec.json.encode(body))
    meta = replace(pod.metadata, resource_version="")
    key = Target(kind("pods"), meta.namespace, meta.name).key
    await world.store.create(key, codec.encode(replace(pod, metadata=meta)))
    await world.settle()


async def answer(world: World, request: Any) -> None:
    target, body = target_of(request["path"]), msgspec.json.encode(request["body"])
    if request["method"] == "POST":
        await world.registry.create(target, body)
    else:
        await world.registry.patch(target, PatchType(request["headers"]["Content-Type"]), body)


@pytest.mark.parametrize(
    "path", [path for path in REFUSED if path.stem not in NOT_OF_OUR_KINDS], ids=lambda path: path.stem
)
async def test_causes_are_the_recorded_ones(world: World, path: Path) -> None:
    for exchange in exchanges(path):
        body = exchange["response"].get("body")
        if exchange["request"]["method"] == "GET" and isinstance(body, dict) and body.get("kind") == "Pod":
            await keep(world, body)
        if wanted := causes_in(exchange):
            with pytest.raises(Invalid) as refused:
                await answer(world, exchange["request"])
            assert said(refused.value) == wanted
            assert refused.value.message == body["message"]


def said(error: ApiError) -> list[dict[str, str]]:
    assert error.details is not None
    return [{"reason": each.reason, "message": each.message, "field": each.field} for each in error.details.causes]
