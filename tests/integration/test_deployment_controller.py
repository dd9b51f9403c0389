"""Deployments against the real API server: rollout within bounds, rollback, scaling and collision."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from controller_manager.controllers.deployment import hashing, history
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.core import Pod
from steersman.client.client import Client
from steersman.client.requests import PatchType
from tests import builders
from tests.eventually import eventually
from tests.integration.controlling import Control, controlling, playing_node

REPLICAS = 6


@pytest.fixture
async def control(api: Client) -> AsyncIterator[Control]:
    async with controlling(api) as running, playing_node(api, running):
        yield running


def template(image: str) -> dict[str, object]:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": image}]}}


async def create(api: Client, **spec: object) -> None:
    whole = {
        "replicas": REPLICAS,
        "selector": {"matchLabels": {"app": "web"}},
        "template": template("nginx:1"),
        "strategy": {"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}},
        **spec,
    }
    await api.raw(Deployment).create(builders.make("Deployment", "web", api_version="apps/v1", spec=whole))


async def set_image(api: Client, image: str) -> None:
    patch = f'{{"spec":{{"template":{{"spec":{{"containers":[{{"name":"main","image":"{image}"}}]}}}}}}}}'
    await api.of(Deployment).patch("web", "default", patch.encode(), PatchType.STRATEGIC)


async def complete(api: Client, image: str, replicas: int = REPLICAS) -> Deployment:
    """The Deployment once all its pods, and no others, run that image."""

    async def through() -> Deployment | None:
        deployment = await api.of(Deployment).get("web", "default")
        status = deployment.status
        images = [pod.spec.containers[0].image for pod in (await api.of(Pod).list("default")).items]
        progressing = {each.type: each.reason for each in status.conditions}.get("Progressing")
        settled = (
            status.observed_generation == deployment.metadata.generation
            and status.updated_replicas == status.available_replicas == status.replicas == replicas
            and progressing == "NewReplicaSetAvailable"
        )
        return deployment if settled and images == [image] * replicas else None

    found = await eventually(through)
    assert found is not None
    return found


async def test_a_rollout_and_back_within_its_bounds(api: Client, control: Control) -> None:
    await create(api)
    first = await complete(api, "nginx:1")
    assert first.metadata.annotations[history.REVISION] == "1"
    assert first.metadata.generation == 1, "writing the status and the revision is no change of the spec"
    control.counts.clear()
    await set_image(api, "nginx:2")
    second = await complete(api, "nginx:2")
    assert second.metadata.annotations[history.REVISION] == "2"
    assert max(active for active, _ in control.counts) <= REPLICAS + 2
    assert min(ready for _, ready in control.counts) >= REPLICAS - 1
    await set_image(api, "nginx:1")
    back = await complete(api, "nginx:1")
    assert back.metadata.annotations[history.REVISION] == "3"
    sets = (await api.of(ReplicaSet).list("default")).items
    assert sorted(each.spec.replicas or 0 for each in sets) == [0, REPLICAS]
    conditions = {each.type: (each.status, each.reason) for each in back.status.conditions}
    assert conditions == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("True", "NewReplicaSetAvailable"),
    }
    assert any(text.startswith("Scaled up replica set web-") for text in control.notes.messages("ScalingReplicaSet"))


async def test_paused_scaled_resumed_and_recreated(api: Client, control: Control) -> None:
    await create(api, strategy={"type": "Recreate"}, paused=True)

    async def is_paused() -> bool:
        conditions = (await api.of(Deployment).get("web", "default")).status.conditions
        return any(each.reason == "DeploymentPaused" for each in conditions)

    await eventually(is_paused)
    assert (await api.of(ReplicaSet).list("default")).items == ()
    await api.of(Deployment).patch("web", "default", b'{"spec":{"paused":false}}', PatchType.MERGE)
    await complete(api, "nginx:1")
    await api.of(Deployment).scale("web", "default", 3)
    await complete(api, "nginx:1", 3)
    control.counts.clear()
    await set_image(api, "nginx:2")
    await complete(api, "nginx:2", 3)
    assert max(active for active, _ in control.counts) <= 3


async def test_a_name_that_is_taken_is_got_around(api: Client, control: Control) -> None:
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "stranger"}}}
    stranger = {"metadata": {"labels": {"app": "stranger"}}, "spec": template("nginx:1")["spec"]}
    await create(api, paused=True)
    paused = await api.of(Deployment).get("web", "default")
    name = hashing.replicaset_name("web", hashing.template_hash(paused.spec.template))
    taken = builders.make("ReplicaSet", name, api_version="apps/v1", spec={**spec, "template": stranger})
    await api.raw(ReplicaSet).create(taken)
    await api.of(Deployment).patch("web", "default", b'{"spec":{"paused":false}}', PatchType.MERGE)
    assert (await complete(api, "nginx:1")).status.collision_count == 1
