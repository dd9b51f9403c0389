"""From apply to bound in one trace: each write leaves its place in the trace, each reconcile continues from there."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest

from apiserver.server import Serving
from steersman.api import codec
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.coordination import Lease
from steersman.api.core import ConfigMap, Event, Node, Pod
from steersman.api.meta import Object, ObjectMeta
from steersman.api.names import TRACEPARENT
from steersman.base import tracing
from steersman.client.client import Client
from tests.eventually import eventually
from tests.fakes.tracer import FakeTracer, traced
from tests.integration.replicas import create_node, replica_running

WITHIN = 20


@pytest.fixture
async def tracer(api_server: Serving) -> AsyncIterator[FakeTracer]:
    with traced() as tracer:
        yield tracer


def deployment() -> Deployment:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    manifest = {
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template},
    }
    return codec.load(Deployment, msgspec.json.encode(manifest))


def trace_of(value: Object) -> int | None:
    found = tracing.parse(value.metadata.annotations.get(TRACEPARENT, ""))
    return None if found is None else found.trace_id


async def test_a_deployment_its_replicaset_and_its_pods_are_one_trace(
    api_server: Serving, api: Client, tracer: FakeTracer
) -> None:
    await create_node(api, "n1")
    async with replica_running(str(api_server.grpc), "deployment", "replicaset", "scheduler"):
        with tracing.span("apply") as applied:
            await api.of(Deployment).create(deployment())
        assert applied.context is not None

        async def bound() -> bool:
            found = (await api.of(Pod).list("default")).items
            return len(found) == 2 and all(pod.spec.node_name for pod in found)

        await eventually(bound, within=WITHIN)
        owned = [*(await api.of(ReplicaSet).list("default")).items, *(await api.of(Pod).list("default")).items]
        trace = applied.context.trace_id
        assert [trace_of(each) for each in owned] == [trace] * 3
        ours = {span.name for span in tracer.spans if span.context.trace_id == trace}
        assert ours >= {
            "apply",
            "create deployments",
            "reconcile deployment",
            "reconcile replicaset",
            "create pods",
            "schedule",
            "bind pods",
        }
        templates = [each.spec.template for each in owned if isinstance(each, ReplicaSet)]
        assert [TRACEPARENT in template.metadata.annotations for template in templates] == [False]


async def test_a_write_that_changes_nothing_else_is_no_write(api: Client, tracer: FakeTracer) -> None:
    made = (await api.of(ConfigMap).create(ConfigMap(metadata=ObjectMeta(name="c", namespace="default")))).object
    again = await api.of(ConfigMap).update(made)
    assert again.object == made
    renamed = msgspec.structs.replace(
        made.metadata, annotations={TRACEPARENT: "00-" + "1" * 32 + "-" + "2" * 16 + "-01"}
    )
    claimed = await api.of(ConfigMap).update(msgspec.structs.replace(made, metadata=renamed))
    assert claimed.object == made
    changed = await api.of(ConfigMap).update(msgspec.structs.replace(made, data={"a": "b"}))
    assert changed.object.metadata.annotations != made.metadata.annotations


async def test_status_writes_leave_it_alone_and_it_grows_no_generation(api: Client, tracer: FakeTracer) -> None:
    made = (await api.of(Deployment).create(deployment())).object
    told = await api.of(Deployment).patch("web", "default", b'{"status":{"replicas":1}}', subresource="status")
    assert told.object.status.replicas == 1
    assert told.object.metadata.annotations == made.metadata.annotations
    assert told.object.metadata.generation == made.metadata.generation
    labelled = await api.of(Deployment).patch("web", "default", b'{"metadata":{"labels":{"a":"b"}}}')
    assert labelled.object.metadata.annotations != made.metadata.annotations
    assert labelled.object.metadata.generation == made.metadata.generation


async def test_what_nobody_acts_upon_has_none(api: Client, tracer: FakeTracer) -> None:
    lease = (await api.of(Lease).create(Lease(metadata=ObjectMeta(name="l", namespace="default")))).object
    event = (await api.of(Event).create(Event(metadata=ObjectMeta(name="e", namespace="default")))).object
    assert [trace_of(lease), trace_of(event)] == [None, None]


async def test_without_tracing_there_is_none(api: Client) -> None:
    made = await create_node(api, "n1")
    assert isinstance(made, Node)
    assert TRACEPARENT not in made.metadata.annotations
