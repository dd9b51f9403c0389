"""Deployments whose pods can never be created: they say why, and cost next to nothing. The replica is a process."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from prometheus_client import parser

from apiserver.server import Serving
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.core import Namespace, ServiceAccount
from steersman.client.client import Client
from steersman.control import workqueue
from tests import builders
from tests.eventually import eventually
from tests.integration.replicas import events_of
from tests.replicaprocess import ReplicaProcess, replica_processes

WITHIN = 60
FLAGS = ["--controllers=deployment,replicaset"]
RETRIES = 8
"""So many take more than a second, and the next of them is more than a second away."""
OTHER_PASSES = 12
"""What is written along the way, a scale, a status, an annotation, is a reason to look again, too."""

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def replica(api_server: Serving, tmp_path: Path) -> AsyncIterator[ReplicaProcess]:
    async with replica_processes(str(api_server.grpc), tmp_path, count=1, arguments=FLAGS) as started:
        yield started.all[0]


async def create(api: Client, namespace: str, replicas: int, **pod: Any) -> None:
    spec = {"containers": [{"name": "main", "image": "nginx:1"}], **pod}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": spec}
    whole = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    await api.raw(Deployment).create(builders.make("Deployment", "web", namespace, "apps/v1", spec=whole))


async def says(api: Client, namespace: str, why: str) -> None:
    """Until the Deployment has a condition that says why."""

    async def told() -> bool:
        conditions = (await api.of(Deployment).get("web", namespace)).status.conditions
        failures = [each for each in conditions if each.type == "ReplicaFailure" and why in each.message]
        return [(each.status, each.reason) for each in failures] == [("True", "FailedCreate")]

    await eventually(told, within=WITHIN)


async def count(replica: ReplicaProcess, metric: str, controller: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(f"http://{replica.http}/metrics") as answer:
        families = list(parser.text_string_to_metric_families(await answer.text()))
    samples = (sample for family in families for sample in family.samples)
    return round(sum(each.value for each in samples if (each.name, each.labels.get("name")) == (metric, controller)))


async def costs_next_to_nothing(replica: ReplicaProcess, began: float) -> None:
    """Counted, not timed: on a slow machine there are fewer passes."""

    async def retried() -> bool:
        return await count(replica, "workqueue_retries_total", "replicaset") >= RETRIES

    await eventually(retried, within=WITHIN)
    passes = await count(replica, "workqueue_work_duration_seconds_count", "replicaset")
    doublings = math.log2((time.monotonic() - began) / workqueue.RETRIES.initial + 1)
    assert passes <= doublings + OTHER_PASSES, "each delay is twice as long as the one before"
    assert await count(replica, "workqueue_work_duration_seconds_count", "deployment") <= OTHER_PASSES


async def test_refused_by_admission(api: Client, replica: ReplicaProcess) -> None:
    began = time.monotonic()
    await create(api, "default", 20, priorityClassName="missing")
    await says(api, "default", "no PriorityClass with name missing was found")
    (replicaset,) = (await api.of(ReplicaSet).list("default")).items

    async def told() -> bool:
        message = (await events_of(api, replicaset.metadata.name)).get("FailedCreate", "")
        return message.startswith("Error creating: pods ") and "no PriorityClass" in message

    await eventually(told, within=WITHIN)
    await costs_next_to_nothing(replica, began)


async def test_in_a_namespace_that_is_going(api: Client, replica: ReplicaProcess) -> None:
    await api.raw(Namespace).create(builders.make_namespace("shop"))
    await api.raw(ServiceAccount).create(builders.make("ServiceAccount", "default", "shop"))
    await create(api, "shop", 0)

    async def begun() -> bool:
        return bool((await api.of(ReplicaSet).list("shop")).items)

    await eventually(begun, within=WITHIN)
    await api.of(Namespace).delete("shop")  # which stays: nobody here empties it
    began = time.monotonic()
    await api.of(Deployment).scale("web", "shop", 20)
    await says(api, "shop", "because it is being terminated")
    await costs_next_to_nothing(replica, began)
