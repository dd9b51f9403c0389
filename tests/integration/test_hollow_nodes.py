"""The hollow nodes do what others rely on: registered, alive, and prompt with their pods."""

from __future__ import annotations

import pytest

from apiserver.server import Serving
from steersman.api.coordination import Lease
from steersman.api.core import Binding, Node, ObjectReference, Pod
from steersman.api.meta import ObjectMeta
from steersman.client.client import Client
from tests import builders, hollownodes
from tests.eventually import eventually

pytestmark = pytest.mark.timeout(180)


async def test_hollow_nodes_run_what_is_bound_to_them(api_server: Serving, api: Client) -> None:
    async with hollownodes.hollow_nodes_process(str(api_server.grpc), 3, zones=2):
        nodes = (await api.of(Node).list()).items
        assert {node.metadata.name for node in nodes} == {"node-0", "node-1", "node-2"}
        assert all(map(hollownodes.is_ready, nodes))
        for number in range(3):
            await api.raw(Pod).create(builders.make_pod(f"web-{number}"))
            target = ObjectReference(kind="Node", name=f"node-{number}")
            await api.of(Pod).bind(
                Binding(metadata=ObjectMeta(name=f"web-{number}", namespace="default"), target=target)
            )

        async def all_ready() -> bool:
            return all(map(hollownodes.is_ready, (await api.of(Pod).list("default")).items))

        await eventually(all_ready, within=60)
        assert len({pod.status.pod_ip for pod in (await api.of(Pod).list("default")).items}) == 3
        await api.of(Pod).delete("web-1", "default")

        async def gone() -> bool:
            return len((await api.of(Pod).list("default")).items) == 2

        await eventually(gone, within=60)
        before = await api.of(Lease).get("node-2", "kube-node-lease")

        async def renewed() -> bool:
            lease = await api.of(Lease).get("node-2", "kube-node-lease")
            return lease.spec.renew_time != before.spec.renew_time

        await eventually(renewed, within=60)
