"""ComponentStatuses through the registry: made when asked for, never stored."""

from __future__ import annotations

import msgspec
import pytest

from apiserver.registry.requests import Selection, Target, WatchOptions
from steersman.api import times
from steersman.api.errors import MethodNotAllowed, NotFound
from tests.unit.apiserver.registry.conftest import LEASES, World, body_of, kind

COMPONENTS = kind("componentstatuses")


async def test_components_are_as_well_as_their_leases(world: World) -> None:
    now = str(times.micro_from_datetime(world.clock.now()))
    spec = {"holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": now}
    body = msgspec.json.encode({"metadata": {"name": "kube-scheduler"}, "spec": spec})
    await world.registry.create(Target(LEASES, "kube-system"), body)
    await world.settle()
    listed = await world.registry.list(Target(COMPONENTS))
    health = {body_of(each)["metadata"]["name"]: body_of(each)["conditions"][0]["status"] for each in listed.items}
    assert health == {"controller-manager": "False", "scheduler": "True", "etcd-0": "True"}
    assert body_of(await world.registry.get(Target(COMPONENTS, "", "etcd-0")))["kind"] == "ComponentStatus"


async def test_one_is_chosen_by_name(world: World) -> None:
    listed = await world.registry.list(Target(COMPONENTS), Selection(field_selector="metadata.name=scheduler"))
    assert [body_of(each)["metadata"]["name"] for each in listed.items] == ["scheduler"]
    with pytest.raises(NotFound, match='componentstatuses "kubelet" not found'):
        await world.registry.get(Target(COMPONENTS, "", "kubelet"))


async def test_nothing_else_can_be_done_with_them(world: World) -> None:
    with pytest.raises(MethodNotAllowed):
        await world.registry.create(Target(COMPONENTS), b'{"metadata":{"name":"a"}}')
    with pytest.raises(MethodNotAllowed):
        await world.registry.delete(Target(COMPONENTS, "", "etcd-0"))
    with pytest.raises(MethodNotAllowed):
        await world.registry.watch(Target(COMPONENTS), WatchOptions())
