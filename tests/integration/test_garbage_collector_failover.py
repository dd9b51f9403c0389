"""Garbage collectors that are killed in the midst of a cascade, each a process: the next one ends it as asked."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from steersman.api.coordination import Lease
from steersman.api.core import ConfigMap
from steersman.api.errors import NotFound
from steersman.client import client
from steersman.client.client import Client
from steersman.client.requests import Propagation
from tests import builders
from tests.apiserverprocess import api_server_process
from tests.eventually import eventually
from tests.replicaprocess import ReplicaProcess, ReplicaProcesses, replica_processes

WITHIN = 60
BRANCHES, LEAVES = 12, 12


async def leading(api: Client, replicas: ReplicaProcesses) -> ReplicaProcess | None:
    try:
        lease = await api.of(Lease).get("kube-controller-manager", "kube-system")
    except NotFound:
        return None
    return replicas.called(lease.spec.holder_identity or "")


async def create(api: Client, name: str, owner: ConfigMap | None = None) -> ConfigMap:
    references: list[dict[str, Any]] = []
    if owner is not None:
        meta = owner.metadata
        named = {"name": meta.name, "uid": meta.uid, "blockOwnerDeletion": True}
        references = [{"apiVersion": "v1", "kind": "ConfigMap", **named}]
    await api.raw(ConfigMap).create(builders.make_configmap(name, ownerReferences=references))
    return await api.of(ConfigMap).get(name, "default")


async def grow(api: Client, root: str) -> None:
    """A family of three generations."""
    trunk = await create(api, root)
    for number in range(BRANCHES):
        branch = await create(api, f"{root}-branch-{number}", trunk)
        async with asyncio.TaskGroup() as tasks:
            for leaf in range(LEAVES):
                tasks.create_task(create(api, f"{root}-leaf-{number}-{leaf}", branch))


async def family(api: Client, root: str) -> list[ConfigMap]:
    found = (await api.of(ConfigMap).list("default")).items
    return [each for each in found if each.metadata.name.startswith(root)]


@pytest.mark.timeout(240)
@pytest.mark.parametrize("propagation", [Propagation.BACKGROUND, Propagation.FOREGROUND, Propagation.ORPHAN])
async def test_a_cascade_survives_its_collector(tmp_path: Path, propagation: Propagation) -> None:
    flags = ["--controllers=garbagecollector"]
    async with (
        api_server_process(data_dir=tmp_path / "data") as server,
        client.connect([server.grpc]) as api,
        replica_processes(server.grpc, tmp_path, count=2, arguments=flags) as replicas,
    ):
        await grow(api, "doomed")
        await grow(api, "bystander")
        leader = await eventually(lambda: leading(api, replicas), within=WITHIN)
        assert leader is not None
        revision = (await api.of(ConfigMap).list("default")).revision
        await api.of(ConfigMap).delete("doomed", "default", propagation=propagation)

        async def under_way() -> bool:
            changed = [int(each.metadata.resource_version) > revision for each in await family(api, "doomed")]
            return any(changed) or len(changed) < 1 + BRANCHES * (1 + LEAVES)

        await eventually(under_way, within=WITHIN)
        leader.signal(signal.SIGKILL)

        async def ended_as_asked() -> bool:
            left = await family(api, "doomed")
            if propagation is not Propagation.ORPHAN:
                return not left
            return "doomed" not in {each.metadata.name for each in left}

        await eventually(ended_as_asked, within=WITHIN)
        left = await family(api, "doomed")
        if propagation is Propagation.ORPHAN:
            branches = [each for each in left if "-branch-" in each.metadata.name]
            assert len(left) == BRANCHES * (1 + LEAVES)
            assert all(each.metadata.owner_references == () for each in branches)
        bystanders = await family(api, "bystander")
        assert len(bystanders) == 1 + BRANCHES * (1 + LEAVES)
        assert sum(len(each.metadata.owner_references) for each in bystanders) == BRANCHES * (1 + LEAVES)
