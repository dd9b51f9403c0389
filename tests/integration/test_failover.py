"""Leaders in processes of their own, stopped, killed and paused by real signals: what must hold whenever they change.

How soon the next one writes is measured by `make bench-failover`.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from steersman.api.apps import ReplicaSet
from steersman.api.coordination import Lease
from steersman.api.core import ConfigMap, Pod
from steersman.api.meta import ObjectMeta
from steersman.client import client
from steersman.client.client import Client
from steersman.client.requests import Term, WriteOptions
from steersman.control.leadership import Leadership
from tests import succession
from tests.apiserverprocess import ApiServerProcess, api_server_process
from tests.eventually import eventually
from tests.replicaprocess import ReplicaProcess, ReplicaProcesses, replica_processes
from tests.succession import NAME, NAMESPACE, Chronicle

WITHIN = 30
pytestmark = pytest.mark.timeout(180)  # several processes start
DEPOSED = "deposed, standing again"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ApiServerProcess]:
    async with api_server_process(data_dir=tmp_path / "data") as started:
        yield started


@pytest.fixture
async def api(server: ApiServerProcess) -> AsyncIterator[Client]:
    async with client.connect([server.grpc]) as opened:
        yield opened


@pytest.fixture
async def chronicle(api: Client) -> AsyncIterator[Chronicle]:
    made = Chronicle(api)
    async with asyncio.TaskGroup() as tasks:
        recording = tasks.create_task(made.run())
        yield made
        recording.cancel()


@pytest.fixture
async def replicas(server: ApiServerProcess, tmp_path: Path) -> AsyncIterator[ReplicaProcesses]:
    async with replica_processes(server.grpc, tmp_path, count=2, arguments=["--controllers=replicaset"]) as started:
        yield started


async def want(api: Client, name: str) -> None:
    """A pod, and wait for it: somebody leads and writes."""
    await api.of(ReplicaSet).create(succession.one_replica(name))

    async def there() -> bool:
        return bool((await api.of(Pod).list("default", label_selector=f"app={name}")).items)

    await eventually(there, within=WITHIN)


async def leader_of(replicas: ReplicaProcesses, chronicle: Chronicle) -> ReplicaProcess:
    def leading() -> ReplicaProcess | None:
        return replicas.called(chronicle.leader)

    found = await eventually(leading, within=WITHIN)
    assert found is not None
    return found


async def nobody_wrote_outside_its_term(chronicle: Chronicle) -> None:
    """Nor twice. The chronicle hears of Leases and of writes on watches of their own: one may be behind the other."""
    await eventually(lambda: chronicle.problems() == [], within=WITHIN)
    assert chronicle.crowds == []


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(signal.SIGTERM, id="stopped"),
        pytest.param(signal.SIGKILL, id="killed"),
        pytest.param(signal.SIGSTOP, id="paused"),
    ],
)
async def test_another_leads_and_nobody_writes_outside_its_term(
    api: Client, replicas: ReplicaProcesses, chronicle: Chronicle, how: signal.Signals
) -> None:
    await want(api, "before")
    leader = await leader_of(replicas, chronicle)
    leader.signal(how)
    await want(api, "after")
    await eventually(lambda: chronicle.leader not in ("", leader.instance), within=WITHIN)
    if how is signal.SIGSTOP:
        leader.signal(signal.SIGCONT)
        await eventually(lambda: leader.said(DEPOSED), within=WITHIN)
        assert leader.is_alive
    else:
        code = await asyncio.wait_for(leader.ended(), timeout=WITHIN)
        assert code == (0 if how is signal.SIGTERM else -signal.SIGKILL)
    await want(api, "later")
    await nobody_wrote_outside_its_term(chronicle)


async def test_a_leader_that_wakes_up_with_work_in_hand_gets_nothing_written(
    api: Client, replicas: ReplicaProcesses, chronicle: Chronicle
) -> None:
    await want(api, "before")
    leader = await leader_of(replicas, chronicle)
    leader.signal(signal.SIGSTOP)
    names = [f"meanwhile-{number}" for number in range(20)]
    for name in names:  # they wait for the sleeper in its sockets, and it will act upon them when it wakes
        await api.of(ReplicaSet).create(succession.one_replica(name))
    await eventually(lambda: chronicle.leader not in ("", leader.instance), within=WITHIN)
    leader.signal(signal.SIGCONT)
    await eventually(lambda: leader.said(DEPOSED), within=WITHIN)

    async def all_there() -> bool:
        served = {pod.metadata.labels["app"] for pod in (await api.of(Pod).list("default")).items}
        return served >= {"before", *names}

    await eventually(all_there, within=WITHIN)
    await nobody_wrote_outside_its_term(chronicle)


async def test_whoever_was_deposed_can_lead_again(
    api: Client, replicas: ReplicaProcesses, chronicle: Chronicle
) -> None:
    first = await leader_of(replicas, chronicle)
    first.signal(signal.SIGSTOP)
    await eventually(lambda: chronicle.leader not in ("", first.instance), within=WITHIN)
    first.signal(signal.SIGCONT)
    await eventually(lambda: first.said(DEPOSED), within=WITHIN)
    second = await leader_of(replicas, chronicle)
    second.signal(signal.SIGTERM)
    await eventually(lambda: chronicle.leader == first.instance, within=WITHIN)
    await want(api, "again")
    await nobody_wrote_outside_its_term(chronicle)


@pytest.mark.parametrize("politely", [True, False], ids=["stopped", "killed"])
async def test_an_api_server_takes_no_leader_down_with_it(
    server: ApiServerProcess, api: Client, politely: bool
) -> None:
    async def write(term: Term, name: str) -> None:
        made = ConfigMap(metadata=ObjectMeta(name=name, namespace="default"))
        await api.with_options(WriteOptions(term=term)).of(ConfigMap).create(made)

    async def renewed() -> None:
        """Wait for the next renewal."""

        async def told() -> str:
            return str((await api.of(Lease).get(NAME, NAMESPACE)).spec.renew_time)

        before = await told()

        async def differs() -> bool:
            return await told() != before

        await eventually(differs, within=WITHIN)

    async with Leadership(api, NAMESPACE, NAME, "first").term() as term:
        await renewed()
        await (server.terminate() if politely else server.kill())
        await server.start()
        await write(term, "one")
        await renewed()
        await write(term, "two")
