"""Evictions through the registry: what a disruption budget allows, counts and refuses."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from apiserver.registry.requests import PatchType, Subresource, Target, WriteOptions
from steersman.api.errors import ApiError, Forbidden, Internal, NotFound, TooManyRequests
from tests.unit.apiserver.registry.conftest import PODS, World, body_of, kind, pod

BUDGETS = kind("poddisruptionbudgets", "policy")
REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."


async def make_pod(world: World, *, phase: str = "Running", ready: bool = True) -> None:
    manifest = {
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"nodeName": "worker", "containers": [{"name": "c", "image": "i"}]},
    }
    await world.registry.create(Target(PODS, "default"), msgspec.json.encode(manifest))
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    await report(world, pod(), {"phase": phase, "conditions": conditions})


async def make_budget(world: World, name: str = "budget", policy: str | None = None, **status: Any) -> Target:
    spec = {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1, "unhealthyPodEvictionPolicy": policy}
    body = msgspec.json.encode({"metadata": {"name": name}, "spec": spec})
    await world.registry.create(Target(BUDGETS, "default"), body)
    target = Target(BUDGETS, "default", name)
    await report(world, target, {"observedGeneration": 1, **status})
    return target


async def report(world: World, target: Target, status: dict[str, Any]) -> None:
    patch = msgspec.json.encode({"status": status})
    await world.registry.patch(target, PatchType.MERGE, patch, subresource=Subresource.STATUS)


async def is_marked(world: World) -> bool:
    return "deletionTimestamp" in body_of(await world.registry.get(pod()))["metadata"]


async def test_without_a_budget_the_pod_goes_and_says_why(world: World) -> None:
    await make_pod(world)
    evicted = body_of(await world.registry.evict(pod()))
    assert evicted["metadata"]["deletionTimestamp"]
    [target] = [each for each in evicted["status"]["conditions"] if each["type"] == "DisruptionTarget"]
    assert (target["status"], target["reason"]) == ("True", "EvictionByEvictionAPI")


async def test_a_budget_is_spent(world: World) -> None:
    await make_pod(world)
    budget = await make_budget(world, disruptionsAllowed=1, currentHealthy=2, desiredHealthy=1)
    await world.registry.evict(pod())
    status = body_of(await world.registry.get(budget))["status"]
    assert status["disruptionsAllowed"] == 0
    assert list(status["disruptedPods"]) == ["web"]
    assert (status["conditions"][0]["type"], status["conditions"][0]["status"]) == ("DisruptionAllowed", "False")
    assert await is_marked(world)


async def test_a_rehearsal_spends_nothing(world: World) -> None:
    await make_pod(world)
    budget = await make_budget(world, disruptionsAllowed=1, currentHealthy=2, desiredHealthy=1)
    await world.registry.evict(pod(), options=WriteOptions(dry_run=True))
    assert body_of(await world.registry.get(budget))["status"]["disruptionsAllowed"] == 1
    assert not await is_marked(world)


@pytest.mark.parametrize(
    ("status", "error", "cause"),
    [
        (
            {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1},
            TooManyRequests,
            "The disruption budget budget needs 1 healthy pods and has 1 currently",
        ),
        (
            {"disruptionsAllowed": 1, "observedGeneration": 0},
            TooManyRequests,
            "The disruption budget budget is still being processed by the server.",
        ),
    ],
    ids=["exhausted", "not looked at yet"],
)
async def test_what_a_budget_refuses(world: World, status: dict[str, Any], error: type[ApiError], cause: str) -> None:
    await make_pod(world)
    await make_budget(world, **status)
    with pytest.raises(error) as refused:
        await world.registry.evict(pod())
    assert refused.value.message == REFUSED
    assert refused.value.details is not None
    assert [(each.reason, each.message) for each in refused.value.details.causes] == [("DisruptionBudget", cause)]
    assert not await is_marked(world)


async def test_two_budgets_are_one_too_many(world: World) -> None:
    await make_pod(world)
    await make_budget(world, "one", disruptionsAllowed=1)
    await make_budget(world, "two", disruptionsAllowed=1)
    with pytest.raises(Internal, match="more than one PodDisruptionBudget"):
        await world.registry.evict(pod())


async def test_a_flood_of_unconfirmed_evictions_is_refused(world: World) -> None:
    await make_pod(world)
    many = {f"pod-{number}": "2026-11-18T07:00:00Z" for number in range(2001)}
    await make_budget(world, disruptionsAllowed=1, disruptedPods=many)
    with pytest.raises(Forbidden, match="DisruptedPods map too big"):
        await world.registry.evict(pod())


@pytest.mark.parametrize(
    ("phase", "ready", "policy", "status"),
    [
        ("Pending", False, None, {}),
        ("Running", False, "AlwaysAllow", {}),
        ("Running", False, None, {"currentHealthy": 1, "desiredHealthy": 1}),
    ],
    ids=["not started", "unready and unloved", "unready while the others do"],
)
async def test_who_goes_whatever_the_budget_says(
    world: World, phase: str, ready: bool, policy: str | None, status: dict[str, Any]
) -> None:
    await make_pod(world, phase=phase, ready=ready)
    budget = await make_budget(world, policy=policy, **status)
    await world.registry.evict(pod())
    assert await is_marked(world)
    assert "disruptedPods" not in body_of(await world.registry.get(budget))["status"]


async def test_nobody_cannot_be_evicted(world: World) -> None:
    with pytest.raises(NotFound, match='pods "web" not found'):
        await world.registry.evict(pod())
