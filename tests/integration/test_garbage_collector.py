"""The garbage collector of a real replica against a real API server: what is left after each sort of deletion."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from apiserver.server import Serving
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.core import ConfigMap, Namespace, Node, Pod
from steersman.api.errors import NotFound
from steersman.api.meta import Object
from steersman.client.client import Client
from steersman.client.requests import Propagation
from tests import builders
from tests.eventually import eventually
from tests.integration.replicas import create_node, events_of, replica_running

WITHIN = 30
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}


@pytest.fixture(autouse=True)
async def replica(api_server: Serving) -> AsyncIterator[None]:
    async with replica_running(str(api_server.grpc), "deployment", "replicaset", "garbagecollector"):
        yield


def owned_by(*owners: Object, blocking: bool = False, **changed: str) -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": owner.api_version,
            "kind": owner.kind,
            "name": owner.metadata.name,
            "uid": owner.metadata.uid,
            "blockOwnerDeletion": blocking,
            **changed,
        }
        for owner in owners
    ]


async def create(api: Client, name: str, *owners: Object, namespace: str = "default", **fields: Any) -> ConfigMap:
    blocking = fields.pop("blocking", False)
    references = fields.pop("references", owned_by(*owners, blocking=blocking))
    made = builders.make_configmap(name, namespace=namespace, ownerReferences=references, **fields)
    await api.raw(ConfigMap).create(made)
    return await api.of(ConfigMap).get(name, namespace)


async def names(api: Client) -> set[str]:
    return {each.metadata.name for each in (await api.of(ConfigMap).list("default")).items}


async def rolled_out(api: Client, replicas: int) -> None:
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
    await api.raw(Deployment).create(builders.make("Deployment", "web", api_version="apps/v1", spec=spec))

    async def all_there() -> bool:
        return len((await api.of(Pod).list("default")).items) == replicas

    await eventually(all_there, within=WITHIN)


@pytest.mark.parametrize("propagation", [Propagation.BACKGROUND, Propagation.FOREGROUND])
async def test_a_deployment_takes_its_replicasets_and_pods_along(api: Client, propagation: Propagation) -> None:
    await rolled_out(api, 50)
    await api.of(Deployment).delete("web", "default", propagation=propagation)

    async def nothing_left() -> bool:
        left = [len((await api.of(kind).list("default")).items) for kind in (Deployment, ReplicaSet, Pod)]
        return left == [0, 0, 0]

    await eventually(nothing_left, within=WITHIN)


async def test_orphans_stay_without_owner(api: Client) -> None:
    await rolled_out(api, 50)
    (replicaset,) = (await api.of(ReplicaSet).list("default")).items
    await api.of(Deployment).delete("web", "default", propagation=Propagation.ORPHAN)

    async def deployment_gone() -> bool:
        return not (await api.of(Deployment).list("default")).items

    await eventually(deployment_gone, within=WITHIN)
    (left,) = (await api.of(ReplicaSet).list("default")).items
    assert left.metadata.uid == replicaset.metadata.uid
    assert left.metadata.owner_references == ()
    pods = (await api.of(Pod).list("default")).items
    assert len(pods) == 50
    assert all(each.metadata.owner_references[0].uid == left.metadata.uid for each in pods)
    await api.of(ReplicaSet).delete(left.metadata.name, "default", propagation=Propagation.ORPHAN)

    async def replicaset_gone() -> bool:
        return not (await api.of(ReplicaSet).list("default")).items

    await eventually(replicaset_gone, within=WITHIN)
    pods = (await api.of(Pod).list("default")).items
    assert len(pods) == 50
    assert all(each.metadata.owner_references == () for each in pods)


async def test_a_dependent_with_another_owner_stays_and_forgets_the_lost_one(api: Client) -> None:
    first, second = await create(api, "first"), await create(api, "second")
    await create(api, "child", first, second)
    await api.of(ConfigMap).delete("first", "default")

    async def forgotten() -> bool:
        child = await api.of(ConfigMap).get("child", "default")
        return [each.name for each in child.metadata.owner_references] == ["second"]

    await eventually(forgotten, within=WITHIN)
    await api.of(ConfigMap).delete("second", "default")

    async def gone() -> bool:
        return not {"first", "second", "child"} & await names(api)

    await eventually(gone, within=WITHIN)


async def test_in_the_foreground_the_owner_waits_for_those_that_block_it(api: Client) -> None:
    owner = await create(api, "owner")
    await create(api, "blocking", owner, blocking=True, finalizers=["example.com/hold"])
    await create(api, "casual", owner, finalizers=["example.com/hold"])
    await api.of(ConfigMap).delete("owner", "default", propagation=Propagation.FOREGROUND)

    async def all_marked() -> bool:
        found = (await api.of(ConfigMap).list("default")).items
        wanted = [each for each in found if each.metadata.name in ("owner", "blocking", "casual")]
        return len(wanted) == 3 and all(each.metadata.deletion_timestamp is not None for each in wanted)

    await eventually(all_marked, within=WITHIN)
    assert (await api.of(ConfigMap).get("owner", "default")).metadata.finalizers == ("foregroundDeletion",)
    await api.of(ConfigMap).patch("blocking", "default", b'{"metadata":{"finalizers":null}}')

    async def owner_gone() -> bool:
        return "owner" not in await names(api)

    await eventually(owner_gone, within=WITHIN)
    assert "casual" in await names(api)


async def test_a_circle_does_not_wait_for_itself(api: Client) -> None:
    first = await create(api, "first")
    second = await create(api, "second", first, blocking=True)
    patch = builders.make_configmap("first", ownerReferences=owned_by(second, blocking=True))
    await api.of(ConfigMap).patch("first", "default", patch)
    await api.of(ConfigMap).delete("first", "default", propagation=Propagation.FOREGROUND)

    async def gone() -> bool:
        return not {"first", "second"} & await names(api)

    await eventually(gone, within=WITHIN)


async def test_who_is_born_of_an_absent_owner_goes(api: Client) -> None:
    owner = await create(api, "owner")
    await api.of(ConfigMap).delete("owner", "default")
    await create(api, "late", owner)
    namesake = await create(api, "owner")

    async def gone() -> bool:
        return "late" not in await names(api)

    await eventually(gone, within=WITHIN)
    assert (await api.of(ConfigMap).get("owner", "default")).metadata.uid == namesake.metadata.uid


async def test_an_owner_in_another_namespace_counts_for_nothing(api: Client) -> None:
    await api.raw(Namespace).create(builders.make_namespace("elsewhere"))
    owner = await create(api, "owner", namespace="elsewhere")
    await create(api, "child", references=owned_by(owner))

    async def gone() -> bool:
        return "child" not in await names(api)

    await eventually(gone, within=WITHIN)
    assert (await api.of(ConfigMap).get("owner", "elsewhere")).metadata.uid == owner.metadata.uid

    async def told() -> str:
        return (await events_of(api, "child")).get("OwnerRefInvalidNamespace", "")

    message = await eventually(told, within=WITHIN)
    identity = f"[v1/ConfigMap, namespace: default, name: owner, uid: {owner.metadata.uid}]"
    assert message == f'ownerRef {identity} does not exist in namespace "default"'


async def test_a_cluster_wide_object_cannot_belong_to_a_namespace(api: Client) -> None:
    owner = await create(api, "owner")
    await create_node(api, "n1")
    reference = builders.make("Node", "n1", namespace="", ownerReferences=owned_by(owner))
    await api.of(Node).patch("n1", "", reference)

    async def told() -> str:
        return (await events_of(api, "n1")).get("OwnerRefInvalidNamespace", "")

    assert await eventually(told, within=WITHIN)
    await api.of(ConfigMap).delete("owner", "default")
    await create(api, "after")  # whatever the deletion set off, it is over when this one's child has gone
    await create(api, "child", references=owned_by(owner))

    async def child_gone() -> bool:
        return "child" not in await names(api)

    await eventually(child_gone, within=WITHIN)
    assert (await api.of(Node).get("n1")).metadata.owner_references != ()


async def test_a_cluster_wide_owner_takes_its_dependents_along(api: Client) -> None:
    node = await create_node(api, "n1")
    reference = owned_by(node, apiVersion="v1", kind="Node")
    await create(api, "child", references=reference)
    await api.of(Node).delete("n1")

    async def gone() -> bool:
        try:
            await api.of(ConfigMap).get("child", "default")
        except NotFound:
            return True
        return False

    await eventually(gone, within=WITHIN)


async def test_an_owner_of_unknown_kind_keeps_its_dependents(api: Client) -> None:
    stranger = {"apiVersion": "example.com/v1", "kind": "Whatever", "name": "w", "uid": "0-1-2"}
    await create(api, "child", references=[stranger])
    lost = await create(api, "lost")
    await api.of(ConfigMap).delete("lost", "default")
    await create(api, "orphan", lost)

    async def orphan_gone() -> bool:
        return "orphan" not in await names(api)

    await eventually(orphan_gone, within=WITHIN)
    assert "child" in await names(api)
