"""Deletion through the registry: at once, marked, held, released, and refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apiserver.registry.requests import DeleteOptions, PatchType, Propagation, Selection, Subresource, Target
from steersman.api.errors import Conflict, Forbidden, NotFound
from steersman.api.names import Uid
from tests.builders import make_configmap, make_namespace, make_pod
from tests.unit.apiserver.registry.conftest import (
    CONFIGMAPS,
    NAMESPACES,
    World,
    body_of,
    configmap,
    in_namespace,
    namespace,
    pod,
)


async def meta_of(world: World, target: Target) -> dict[str, Any]:
    meta: dict[str, Any] = body_of(await world.registry.get(target))["metadata"]
    return meta


async def test_an_object_that_nothing_holds_goes_at_once(world: World) -> None:
    created = await world.registry.create(in_namespace(configmap()), make_configmap())
    deleted = await world.registry.delete(configmap())
    assert deleted.gone
    assert deleted.revision > created.revision
    with pytest.raises(NotFound):
        await world.registry.get(configmap())
    with pytest.raises(NotFound, match='configmaps "settings" not found'):
        await world.registry.delete(configmap())


async def test_finalizers_hold_an_object_until_the_last_is_gone(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap(finalizers=["a.io/x", "b.io/y"]))
    marked = await world.registry.delete(configmap())
    assert not marked.gone
    meta = await meta_of(world, configmap())
    assert meta["deletionTimestamp"] == "2030-01-01T00:00:00Z"
    assert meta["deletionGracePeriodSeconds"] == 0
    await world.registry.patch(configmap(), PatchType.MERGE, b'{"metadata":{"finalizers":["b.io/y"]}}')
    assert (await meta_of(world, configmap()))["finalizers"] == ["b.io/y"]
    removed = await world.registry.patch(configmap(), PatchType.MERGE, b'{"metadata":{"finalizers":null}}')
    assert removed.gone
    assert "finalizers" not in body_of(removed)["metadata"]
    with pytest.raises(NotFound):
        await world.registry.get(configmap())


async def test_deleting_a_marked_object_again_changes_nothing(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap(finalizers=["a.io/x"]))
    first = await world.registry.delete(configmap())
    await world.clock.advance(100)
    again = await world.registry.delete(configmap())
    assert again.revision == first.revision


@pytest.mark.parametrize(
    ("propagation", "finalizers"),
    [
        pytest.param(Propagation.ORPHAN, ["orphan"], id="orphan"),
        pytest.param(Propagation.FOREGROUND, ["foregroundDeletion"], id="foreground"),
    ],
)
async def test_the_garbage_collector_learns_what_is_to_become_of_dependents(
    world: World, propagation: Propagation, finalizers: list[str]
) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap())
    await world.registry.delete(configmap(), DeleteOptions(propagation=propagation))
    assert (await meta_of(world, configmap()))["finalizers"] == finalizers


async def test_background_deletion_overrules_an_earlier_orphan(world: World) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap(finalizers=["orphan"]))
    assert (await world.registry.delete(configmap(), DeleteOptions(propagation=Propagation.BACKGROUND))).gone


@pytest.mark.parametrize(
    ("how", "words"),
    [
        pytest.param(
            DeleteOptions(uid=Uid("other")), r'on ConfigMap "settings": the UID in the precondition \(other\)', id="uid"
        ),
        pytest.param(
            DeleteOptions(resource_version="1"),
            r"the ResourceVersion in the precondition \(1\) does not match .*\. The object might have been modified",
            id="resourceVersion",
        ),
    ],
)
async def test_preconditions(world: World, how: DeleteOptions, words: str) -> None:
    await world.registry.create(in_namespace(configmap()), make_configmap())
    with pytest.raises(Conflict, match=words):
        await world.registry.delete(configmap(), how)
    await world.registry.get(configmap())


async def test_preconditions_of_a_namespace(world: World) -> None:
    await world.registry.create(Target(NAMESPACES), make_namespace("team"))
    with pytest.raises(Conflict, match='on namespaces "team": Precondition failed: UID in precondition: other'):
        await world.registry.delete(namespace("team"), DeleteOptions(uid=Uid("other")))


async def test_preconditions_that_hold(world: World) -> None:
    created = await world.registry.create(in_namespace(configmap()), make_configmap())
    uid = Uid(body_of(created)["metadata"]["uid"])
    how = DeleteOptions(uid=uid, resource_version=str(created.revision))
    assert (await world.registry.delete(configmap(), how)).gone


async def test_a_stale_cache_does_not_refuse_a_deletion(world: World) -> None:
    created = await world.registry.create(in_namespace(configmap()), make_configmap())
    await world.settle()
    collection = world.cache.collection("configmaps")
    stale = collection.get(configmap().key)
    assert stale is not None
    updated = await world.registry.update(configmap(), make_configmap(data={}))
    await world.settle()
    collection._items[configmap().key] = stale
    with pytest.raises(Conflict):
        await world.registry.delete(configmap(), DeleteOptions(resource_version=str(created.revision)))
    assert (await world.registry.delete(configmap(), DeleteOptions(resource_version=str(updated.revision)))).gone


@pytest.mark.parametrize(
    ("node", "phase", "asked", "left"),
    [
        pytest.param("", "", None, None, id="not scheduled: at once"),
        pytest.param("n1", "Running", None, 30, id="running: its own grace period"),
        pytest.param("n1", "Running", 5, 5, id="running: the grace period asked for"),
        pytest.param("n1", "Running", 0, None, id="running: by force"),
        pytest.param("n1", "Succeeded", None, None, id="finished: at once"),
        pytest.param("n1", "Running", -1, 1, id="running: a negative grace period"),
    ],
)
async def test_pods_end_gracefully(world: World, node: str, phase: str, asked: int | None, left: int | None) -> None:
    created = body_of(await world.registry.create(in_namespace(pod()), make_pod(node=node)))
    if phase:
        body = json.dumps({**created, "status": {"phase": phase}}).encode()
        await world.registry.update(pod(), body, subresource=Subresource.STATUS)
    deleted = await world.registry.delete(pod(), DeleteOptions(grace_period_seconds=asked))
    assert deleted.gone == (left is None)
    meta = body_of(deleted)["metadata"] if left is None else await meta_of(world, pod())
    assert meta["deletionGracePeriodSeconds"] == (left or 0)
    assert meta["deletionTimestamp"] == f"2030-01-01T00:00:{left or 0:02}Z"
    assert meta["generation"] == 2


async def test_a_second_deletion_may_only_shorten_the_grace_period(world: World) -> None:
    await world.registry.create(in_namespace(pod()), make_pod(node="n1"))
    await world.registry.delete(pod())
    await world.registry.delete(pod(), DeleteOptions(grace_period_seconds=60))
    assert (await meta_of(world, pod()))["deletionGracePeriodSeconds"] == 30
    await world.registry.delete(pod(), DeleteOptions(grace_period_seconds=10))
    meta = await meta_of(world, pod())
    assert meta["deletionGracePeriodSeconds"] == 10
    assert meta["deletionTimestamp"] == "2030-01-01T00:00:10Z"
    assert (await world.registry.delete(pod(), DeleteOptions(grace_period_seconds=0))).gone


async def test_a_second_deletion_without_a_word_changes_nothing(world: World) -> None:
    await world.registry.create(in_namespace(pod()), make_pod(node="n1"))
    first = await world.registry.delete(pod(), DeleteOptions(grace_period_seconds=60))
    again = await world.registry.delete(pod(), DeleteOptions(propagation=Propagation.FOREGROUND))
    assert again.revision == first.revision
    assert (await meta_of(world, pod()))["deletionGracePeriodSeconds"] == 60


async def test_a_shortened_grace_period_does_not_end_in_the_past(world: World) -> None:
    await world.registry.create(in_namespace(pod()), make_pod(node="n1"))
    await world.registry.delete(pod())
    await world.clock.advance(20)
    await world.registry.delete(pod(), DeleteOptions(grace_period_seconds=10))
    meta = await meta_of(world, pod())
    assert meta["deletionGracePeriodSeconds"] == 1
    assert meta["deletionTimestamp"] == "2030-01-01T00:00:20Z"


async def test_a_namespace_speaks_of_grace_only_when_it_is_empty_and_held(world: World) -> None:
    team = namespace("team")
    await world.registry.create(Target(NAMESPACES), make_namespace("team"))
    held = b'{"metadata":{"finalizers":["a.io/x"]}}'
    await world.registry.patch(team, PatchType.MERGE, held)
    marked = body_of(await world.registry.delete(team))
    assert "deletionGracePeriodSeconds" not in marked["metadata"]
    again = body_of(await world.registry.delete(team, DeleteOptions(propagation=Propagation.FOREGROUND)))
    assert again["metadata"] == marked["metadata"]
    emptied = json.dumps({**marked, "spec": {}}).encode()
    await world.registry.update(team, emptied, subresource=Subresource.FINALIZE)
    assert "deletionGracePeriodSeconds" not in await meta_of(world, team)
    await world.registry.delete(team)
    assert (await meta_of(world, team))["deletionGracePeriodSeconds"] == 0


async def test_a_namespace_stays_until_it_is_finalized(world: World) -> None:
    await world.registry.create(Target(NAMESPACES), make_namespace("team"))
    marked = body_of(await world.registry.delete(namespace("team")))
    assert marked["status"]["phase"] == "Terminating"
    assert marked["spec"]["finalizers"] == ["kubernetes"]
    assert "deletionGracePeriodSeconds" not in marked["metadata"]
    emptied = json.dumps({**marked, "spec": {}}).encode()
    assert (await world.registry.update(namespace("team"), emptied, subresource=Subresource.FINALIZE)).gone
    with pytest.raises(NotFound):
        await world.registry.get(namespace("team"))


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
async def test_system_namespaces_cannot_be_deleted(world: World, name: str) -> None:
    with pytest.raises(Forbidden, match=f'namespaces "{name}" is forbidden: this namespace may not be deleted'):
        await world.registry.delete(namespace(name))


async def test_a_collection_is_deleted_by_selector(world: World) -> None:
    for name, app in (("a", "x"), ("b", "y"), ("c", "x")):
        await world.registry.create(in_namespace(configmap()), make_configmap(name, labels={"app": app}))
    deleted = await world.registry.delete_collection(in_namespace(configmap()), Selection(label_selector="app=x"))
    assert [body_of(item)["metadata"]["name"] for item in deleted.items] == ["a", "c"]
    left = await world.registry.list(Target(CONFIGMAPS, "default"))
    assert [body_of(item)["metadata"]["name"] for item in left.items] == ["b"]


async def test_eviction_deletes_gracefully(world: World) -> None:
    await world.registry.create(in_namespace(pod()), make_pod(node="n1"))
    await world.registry.evict(pod(), DeleteOptions(grace_period_seconds=3))
    assert (await meta_of(world, pod()))["deletionGracePeriodSeconds"] == 3


async def test_a_pod_is_bound_once(world: World) -> None:
    await world.registry.create(in_namespace(pod()), make_pod())
    binding = json.dumps({"target": {"kind": "Node", "name": "n1"}}).encode()
    bound = body_of(await world.registry.bind(pod(), binding))
    assert bound["spec"]["nodeName"] == "n1"
    assert bound["metadata"]["generation"] == 1, "the user asks for nothing new"
    assert [(c["type"], c["status"]) for c in bound["status"]["conditions"]] == [("PodScheduled", "True")]
    with pytest.raises(Conflict, match='pod web is already assigned to node "n1"'):
        await world.registry.bind(pod(), binding)
    await world.registry.delete(pod())
    with pytest.raises(Conflict, match="is being deleted, cannot be assigned to a host"):
        await world.registry.bind(pod(), binding)
