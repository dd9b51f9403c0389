"""ReplicaSets and ReplicationControllers against the real API server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from controller_manager import ownership
from steersman.api.apps import ReplicaSet
from steersman.api.core import Pod, ReplicationController
from steersman.client.client import Client
from steersman.client.requests import PatchType
from tests import builders
from tests.eventually import eventually
from tests.integration.controlling import Control, controlling, playing_node

SPEC = {"containers": [{"name": "main", "image": "nginx:1"}]}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": SPEC}


@pytest.fixture
async def control(api: Client) -> AsyncIterator[Control]:
    async with controlling(api) as running, playing_node(api, running):
        yield running


async def create_replicaset(api: Client, replicas: int) -> ReplicaSet:
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
    await api.raw(ReplicaSet).create(builders.make("ReplicaSet", "web", api_version="apps/v1", spec=spec))
    return await api.of(ReplicaSet).get("web", "default")


async def test_pods_follow_the_number(api: Client, control: Control) -> None:
    await create_replicaset(api, 7)

    async def all_available() -> bool:
        status = (await api.of(ReplicaSet).get("web", "default")).status
        return (status.replicas, status.ready_replicas, status.available_replicas) == (7, 7, 7)

    await eventually(all_available)
    assert len(control.notes.messages("SuccessfulCreate")) == 7
    await api.of(ReplicaSet).scale("web", "default", 2)

    async def few() -> bool:
        status = (await api.of(ReplicaSet).get("web", "default")).status
        return status.replicas == 2 and len((await api.of(Pod).list("default")).items) == 2

    await eventually(few)
    assert len(control.notes.messages("SuccessfulDelete")) == 5
    (first, *_) = (await api.of(Pod).list("default")).items
    await api.of(Pod).delete(first.metadata.name, "default", grace_period_seconds=0)

    async def replaced() -> bool:
        names = [pod.metadata.name for pod in (await api.of(Pod).list("default")).items]
        return len(names) == 2 and first.metadata.name not in names

    await eventually(replaced)


async def test_orphans_are_adopted_and_strangers_released(api: Client, control: Control) -> None:
    await api.raw(Pod).create(builders.make_pod("orphan", labels={"app": "web"}))
    owner = await create_replicaset(api, 2)

    async def adopted() -> bool:
        orphan = await api.of(Pod).get("orphan", "default")
        return ownership.is_controlled_by(orphan, owner) and len((await api.of(Pod).list("default")).items) == 2

    await eventually(adopted)
    await api.of(Pod).patch("orphan", "default", b'{"metadata":{"labels":{"app":"other"}}}', PatchType.MERGE)

    async def released() -> bool:
        orphan = await api.of(Pod).get("orphan", "default")
        return not orphan.metadata.owner_references and len((await api.of(Pod).list("default")).items) == 3

    await eventually(released)


async def test_a_replicationcontroller_keeps_its_pods(api: Client, control: Control) -> None:
    spec = {"replicas": 3, "selector": {"app": "web"}, "template": TEMPLATE}
    await api.raw(ReplicationController).create(builders.make("ReplicationController", "old", spec=spec))

    async def available() -> bool:
        return (await api.of(ReplicationController).get("old", "default")).status.available_replicas == 3

    await eventually(available)


async def test_pods_that_are_refused_are_told_about(api: Client, control: Control) -> None:
    refused = {**TEMPLATE, "spec": {**SPEC, "priorityClassName": "missing"}}
    spec = {"replicas": 100, "selector": {"matchLabels": {"app": "web"}}, "template": refused}
    await api.raw(ReplicaSet).create(builders.make("ReplicaSet", "web", api_version="apps/v1", spec=spec))

    async def told() -> bool:
        status = (await api.of(ReplicaSet).get("web", "default")).status
        return any((each.type, each.reason) == ("ReplicaFailure", "FailedCreate") for each in status.conditions)

    await eventually(told)
    warnings = control.notes.messages("FailedCreate")
    assert warnings[0].startswith("Error creating: pods ")
    assert len(warnings) < 20, "one refusal a pass, not a hundred"
