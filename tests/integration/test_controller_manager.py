"""`steersman-controller-manager` as a program: its flags, its certificate, its health, its end."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import aiohttp
import pytest

from steersman.api.apps import Deployment
from steersman.api.coordination import Lease
from steersman.api.core import Pod
from steersman.client import client
from steersman.client.client import Client
from steersman.client.transport import Credentials
from tests.apiserverprocess import api_server_process
from tests.eventually import eventually
from tests.integration.replicas import create_node
from tests.integration.test_one_trace import deployment
from tests.replicaprocess import replica_processes

WITHIN = 30
pytestmark = pytest.mark.timeout(180)  # several processes start
_FLAGS = ["--controllers=*,-nodelifecycle,-tainteviction"]  # nobody sends heartbeats here


async def said_by(*arguments: str) -> tuple[int | None, str]:
    """The exit code of the program with these flags, and what it says."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "controller_manager",
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), timeout=WITHIN)
    return process.returncode, output.decode()


async def get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.text()


async def test_an_unknown_controller_is_a_mistake_in_the_flags() -> None:
    code, text = await said_by("--controllers=nonsense")
    assert code == 2
    assert "--controllers: unknown controllers: nonsense" in text


async def test_without_its_certificate_it_says_which_file_is_missing(tmp_path: Path) -> None:
    code, text = await said_by(f"--data-dir={tmp_path}", "--log-style=json")
    assert code == 1
    assert f"{tmp_path}/pki/ca.crt" in text


async def bound_pods(api: Client) -> int:
    return sum(bool(pod.spec.node_name) for pod in (await api.of(Pod).list("default")).items)


async def test_with_the_certificate_that_the_api_server_made_it_leads_and_works(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with api_server_process(data_dir=data, insecure=False) as server:
        pki = data / "pki"
        admin = Credentials.from_files(pki / "ca.crt", pki / "admin.crt", pki / "admin.key")
        async with (
            client.connect([server.grpc], admin) as api,
            replica_processes(server.grpc, tmp_path, count=1, data_dir=data, arguments=_FLAGS) as replicas,
        ):
            await create_node(api, "n1")
            await api.of(Deployment).create(deployment())

            async def both_bound() -> bool:
                return await bound_pods(api) == 2

            await eventually(both_bound, within=WITHIN)
            replica = replicas.all[0]
            leases = (await api.of(Lease).list("kube-system")).items
            holders = {each.metadata.name: each.spec.holder_identity for each in leases}
            assert holders["kube-controller-manager"] == holders["kube-scheduler"] == replica.instance
            assert await get(f"http://{replica.http}/healthz") == (200, "ok")
            assert await get(f"http://{replica.http}/readyz") == (200, "ok")
            _, metrics = await get(f"http://{replica.http}/metrics")
            assert 'leader_election_master_status{name="kube-scheduler"} 1.0' in metrics
            assert 'workqueue_adds_total{name="replicaset"}' in metrics
            replica.signal(signal.SIGTERM)
            assert await asyncio.wait_for(replica.ended(), timeout=WITHIN) == 0
            assert replica.said("released") == 2
            left = (await api.of(Lease).list("kube-system")).items
            assert replica.instance not in [each.spec.holder_identity for each in left]
