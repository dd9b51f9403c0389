"""One object through two group-versions: every verb in either, over the one that is stored."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from apiserver.grpcfront import watching
from apiserver.registry import versions
from apiserver.registry.requests import PatchType, Selection, Subresource, Target, WatchOptions, WriteOptions
from steersman.api import kinds
from steersman.api.errors import AlreadyExists, BadRequest, Conflict, Invalid, NotFound
from steersman.api.kinds import Kind
from steersman.pb import resources_pb2
from tests.unit.apiserver.registry.conftest import World, body_of


def kind(group: str, resource: str, version: str) -> Kind:
    found = kinds.by_resource(group, resource, version)
    assert found is not None
    return found


OLD_EVENTS, NEW_EVENTS = kind("", "events", "v1"), kind("events.k8s.io", "events", "v1")
V1, V2 = (kind("autoscaling", "horizontalpodautoscalers", version) for version in ("v1", "v2"))
METRICS = "autoscaling.alpha.kubernetes.io/metrics"
MEMORY = {
    "type": "Resource",
    "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "100Mi"}},
}
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}


def here(kind: Kind, name: str = "") -> Target:
    return Target(kind, "default", name)


def encoded(**fields: Any) -> bytes:
    return msgspec.json.encode(fields)


def autoscaler(**spec: Any) -> bytes:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    return encoded(metadata={"name": "web"}, spec={"scaleTargetRef": target, "maxReplicas": 5, **spec})


def new_event(name: str = "e", **fields: Any) -> bytes:
    return encoded(
        metadata={"name": name},
        eventTime="2026-11-18T07:00:00.000000Z",
        reportingController="example.com/c",
        reportingInstance="c-0",
        action="Try",
        reason="Because",
        type="Normal",
        note="hello",
        regarding={"kind": "Pod", "name": "p", "namespace": "default"},
        **fields,
    )


async def test_what_is_created_in_one_version_is_there_in_the_other(world: World) -> None:
    made = await world.registry.create(here(NEW_EVENTS), new_event())
    assert body_of(made)["apiVersion"] == "events.k8s.io/v1"
    assert body_of(made)["note"] == "hello"
    old = body_of(await world.registry.get(here(OLD_EVENTS, "e")))
    assert (old["apiVersion"], old["message"], old["involvedObject"]["name"]) == ("v1", "hello", "p")
    new = body_of(await world.registry.get(here(NEW_EVENTS, "e")))
    assert new == body_of(made)
    assert new["metadata"] == old["metadata"]
    assert new["metadata"]["resourceVersion"] == str(made.revision)


async def test_both_versions_are_one_key(world: World) -> None:
    await world.registry.create(here(V1), autoscaler(targetCPUUtilizationPercentage=50))
    with pytest.raises(AlreadyExists, match='horizontalpodautoscalers.autoscaling "web" already exists'):
        await world.registry.create(here(V2), autoscaler())
    stored = await world.store.get("/registry/horizontalpodautoscalers.autoscaling/default/web")
    assert msgspec.json.decode(stored.value)["apiVersion"] == "autoscaling/v2"
    assert msgspec.json.decode(stored.value)["spec"]["metrics"] == [CPU]


async def test_the_group_that_was_asked_for_is_the_one_in_complaints(world: World) -> None:
    with pytest.raises(NotFound, match=r'events.events.k8s.io "none" not found'):
        await world.registry.get(here(NEW_EVENTS, "none"))
    with pytest.raises(NotFound, match=r'events.events.k8s.io "none" not found'):
        await world.registry.delete(here(NEW_EVENTS, "none"))
    with pytest.raises(Invalid, match=r'Event.events.k8s.io "e" is invalid: .*eventTime: Required value'):
        await world.registry.create(here(NEW_EVENTS), encoded(metadata={"name": "e"}, type="Normal"))


async def test_each_version_has_its_own_rules(world: World) -> None:
    involved = {"kind": "Pod", "name": "p", "namespace": "default"}
    await world.registry.create(here(OLD_EVENTS), encoded(metadata={"name": "e"}, involvedObject=involved))
    with pytest.raises(Invalid, match="eventTime: Required value"):
        await world.registry.create(here(NEW_EVENTS), encoded(metadata={"name": "f"}, regarding=involved))


async def test_defaults_are_those_of_the_stored_version(world: World) -> None:
    made = body_of(await world.registry.create(here(V1), autoscaler()))
    assert made["spec"]["minReplicas"] == 1
    assert made["spec"]["targetCPUUtilizationPercentage"] == 80
    assert made["status"] == {"currentReplicas": 0, "desiredReplicas": 0}


async def test_an_update_through_the_old_version_keeps_what_it_cannot_say(world: World) -> None:
    await world.registry.create(here(V2), autoscaler(metrics=[MEMORY, CPU]))
    seen = body_of(await world.registry.get(here(V1, "web")))
    assert METRICS in seen["metadata"]["annotations"]
    seen["spec"]["maxReplicas"] = 9
    written = await world.registry.update(here(V1, "web"), msgspec.json.encode(seen))
    assert body_of(written)["apiVersion"] == "autoscaling/v1"
    stored = body_of(await world.registry.get(here(V2, "web")))
    assert (stored["spec"]["maxReplicas"], stored["spec"]["metrics"]) == (9, [MEMORY, CPU])
    assert "annotations" not in stored["metadata"]


async def test_an_update_that_changes_nothing_writes_nothing(world: World) -> None:
    made = await world.registry.create(here(V2), autoscaler(metrics=[MEMORY, CPU]))
    seen = await world.registry.get(here(V1, "web"))
    assert (await world.registry.update(here(V1, "web"), seen.json)).revision == made.revision


async def test_an_old_revision_is_a_conflict_in_either_version(world: World) -> None:
    await world.registry.create(here(V2), autoscaler())
    before = await world.registry.get(here(V1, "web"))
    await world.registry.patch(here(V2, "web"), PatchType.MERGE, encoded(spec={"maxReplicas": 7}))
    stale = body_of(before)
    stale["spec"]["maxReplicas"] = 6
    with pytest.raises(Conflict):
        await world.registry.update(here(V1, "web"), msgspec.json.encode(stale))


@pytest.mark.parametrize(
    ("patch_type", "patch"),
    [
        pytest.param(PatchType.MERGE, encoded(spec={"targetCPUUtilizationPercentage": 60}), id="merge"),
        pytest.param(PatchType.STRATEGIC, encoded(spec={"targetCPUUtilizationPercentage": 60}), id="strategic"),
        pytest.param(
            PatchType.JSON,
            b'[{"op":"replace","path":"/spec/targetCPUUtilizationPercentage","value":60}]',
            id="json",
        ),
    ],
)
async def test_a_patch_speaks_the_version_it_came_in(world: World, patch_type: PatchType, patch: bytes) -> None:
    await world.registry.create(here(V2), autoscaler(metrics=[MEMORY, CPU]))
    patched = await world.registry.patch(here(V1, "web"), patch_type, patch)
    assert body_of(patched)["spec"]["targetCPUUtilizationPercentage"] == 60
    memory, cpu = body_of(await world.registry.get(here(V2, "web")))["spec"]["metrics"]
    assert memory == MEMORY
    assert cpu["resource"]["target"]["averageUtilization"] == 60


async def test_a_status_through_the_old_version(world: World) -> None:
    await world.registry.create(here(V2), autoscaler())
    seen = body_of(await world.registry.get(here(V1, "web")))
    seen["status"] = {"currentReplicas": 3, "desiredReplicas": 4, "currentCPUUtilizationPercentage": 30}
    seen["spec"]["maxReplicas"] = 99
    await world.registry.update(here(V1, "web"), msgspec.json.encode(seen), subresource=Subresource.STATUS)
    stored = body_of(await world.registry.get(here(V2, "web")))
    assert stored["spec"]["maxReplicas"] == 5
    assert stored["status"]["currentReplicas"] == 3
    assert stored["status"]["currentMetrics"][0]["resource"]["current"] == {"averageUtilization": 30}


async def test_lists_and_field_selectors_are_in_the_version_that_was_asked_for(world: World) -> None:
    for name in ("a", "b"):
        await world.registry.create(here(NEW_EVENTS), new_event(name))
    found = await world.registry.list(here(NEW_EVENTS), Selection(field_selector="regarding.name=p,type=Normal"))
    assert [body_of(item)["regarding"]["name"] for item in found.items] == ["p", "p"]
    assert not (await world.registry.list(here(NEW_EVENTS), Selection(field_selector="regarding.name=q"))).items
    old = await world.registry.list(here(OLD_EVENTS), Selection(field_selector="involvedObject.name=p", limit=1))
    assert [body_of(item)["kind"] for item in old.items] == ["Event"]
    with pytest.raises(BadRequest, match="field label not supported"):
        await world.registry.list(here(NEW_EVENTS), Selection(field_selector="involvedObject.name=p"))


async def test_deletions_answer_in_the_version_that_was_asked_for(world: World) -> None:
    await world.registry.create(here(NEW_EVENTS), new_event("a"))
    await world.registry.create(here(NEW_EVENTS), new_event("b"))
    gone = await world.registry.delete(here(NEW_EVENTS, "a"))
    assert (gone.gone, body_of(gone)["note"]) == (True, "hello")
    swept = await world.registry.delete_collection(here(NEW_EVENTS), Selection())
    assert [body_of(item)["note"] for item in swept.items] == ["hello"]
    assert not (await world.registry.list(here(OLD_EVENTS))).items


async def test_an_update_may_create(world: World) -> None:
    written = await world.registry.update(here(NEW_EVENTS, "e"), new_event())
    assert (written.created, body_of(written)["note"]) == (True, "hello")


async def test_a_dry_run_shows_what_would_be(world: World) -> None:
    shown = await world.registry.create(here(V1), autoscaler(), WriteOptions(dry_run=True))
    assert body_of(shown)["spec"]["targetCPUUtilizationPercentage"] == 80


async def test_a_body_of_the_other_version_is_refused(world: World) -> None:
    body = encoded(apiVersion="autoscaling/v2", kind="HorizontalPodAutoscaler", metadata={"name": "web"})
    with pytest.raises(BadRequest):
        await world.registry.create(here(V1), body)


async def test_one_change_goes_to_watchers_of_both_versions_each_in_its_own(world: World) -> None:
    watches = {each: await world.registry.watch(here(each), WatchOptions()) for each in (OLD_EVENTS, NEW_EVENTS)}
    await world.registry.create(here(NEW_EVENTS), new_event())
    await world.settle()
    seen = {}
    for each, subscription in watches.items():
        (event,) = await subscription.take()
        encode = watching.encoder(each, None)
        reply = resources_pb2.WatchReply.FromString(encode(event))
        body = msgspec.json.decode(reply.events[0].object.json)
        seen[each.api_version] = (body["apiVersion"], body.get("message"), body.get("note"))
        assert event.change is not None
        assert encode(event) is encode(event)
        subscription.close()
    assert seen == {"v1": ("v1", "hello", None), "events.k8s.io/v1": ("events.k8s.io/v1", None, "hello")}


def test_a_kind_that_is_stored_as_it_is_costs_nothing() -> None:
    body = b'{"metadata":{}}'
    assert versions.shown(OLD_EVENTS, body) is body
    assert versions.to_stored(V2, body) is body
    assert versions.to_asked(V2, body) is body
