"""Every metric that the dashboard names is exported, and in a real Prometheus every one of its panels has a curve."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.request import urlopen

import pytest

from steersman.api.core import Pod
from steersman.api.errors import NotFound
from steersman.client import client
from steersman.client.transport import Credentials
from tests import prometheusserver
from tests.apiserverprocess import api_server_process
from tests.builders import make_pod
from tests.eventually import eventually
from tests.nodeagentprocess import node_agent_process
from tests.replicaprocess import replica_processes

DASHBOARD = Path(__file__).parents[2] / "deploy" / "observability" / "dashboard.json"
_NOT_METRICS = re.compile(r"\{[^}]*\}|\[[^\]]*\]|\bby\s*\([^)]*\)")
_NAME = re.compile(r"[a-z_][a-z0-9_]*\b(?!\s*\()")
_SAMPLES = {"histogram": ("_bucket", "_count", "_sum")}


def metrics_in(expression: str) -> set[str]:
    return set(_NAME.findall(_NOT_METRICS.sub("", expression)))


def expressions() -> list[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", [])]


def named_by_dashboard() -> set[str]:
    return {name for expression in expressions() for name in metrics_in(expression)}


async def exported(address: str) -> set[str]:
    def scrape() -> str:
        with urlopen(f"http://{address}/metrics", timeout=30) as answer:
            return str(answer.read().decode())

    types = [line.split()[2:4] for line in (await asyncio.to_thread(scrape)).splitlines() if line.startswith("# TYPE")]
    return {name + suffix for name, kind in types for suffix in _SAMPLES.get(kind, ("",))}


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("up", {"up"}),
        ('sum by (le, verb) (rate(calls_bucket{verb!="watch"}[1m]))', {"calls_bucket"}),
        ("histogram_quantile(0.99, rate(seconds_bucket[1m])) / depth", {"seconds_bucket", "depth"}),
        ("topk(10, max by (resource) (objects))", {"objects"}),
    ],
)
def test_the_metrics_in_an_expression(expression: str, names: set[str]) -> None:
    assert metrics_in(expression) == names


async def test_every_metric_of_the_dashboard_is_exported(tmp_path: Path) -> None:
    async with (
        api_server_process(data_dir=tmp_path / "api") as server,
        replica_processes(server.grpc, tmp_path, count=1) as replicas,
    ):
        named = named_by_dashboard()
        assert len(named) > 20

        async def all_known() -> bool:
            """Those of the controllers come with the first term."""
            known = await exported(server.rest) | await exported(replicas.all[0].http)
            assert named - known == set()
            return True

        await eventually(all_known, within=30)


@pytest.mark.timeout(300)
async def test_every_panel_has_a_curve_in_a_real_prometheus(tmp_path: Path) -> None:
    cluster_dir = tmp_path / "api"
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        prometheusserver.require_prometheus()
        certificates = ["--node-certificates=node"]
        server = await enter(api_server_process(data_dir=cluster_dir, insecure=False, arguments=certificates))
        replicas = await enter(replica_processes(server.grpc, tmp_path, count=1, data_dir=cluster_dir))
        hollow = ("--runtime=hollow", "--nodes=2")
        await enter(node_agent_process(server.grpc, tmp_path / "node", *hollow, node="node", cluster_dir=cluster_dir))
        files = (cluster_dir / "pki" / name for name in ("ca.crt", "admin.crt", "admin.key"))
        api = await enter(client.connect([server.grpc], Credentials.from_files(*files)))
        targets = {
            "steersman-apiserver": [server.rest],
            "steersman-controller-manager": [each.http for each in replicas.all],
        }
        prometheus = await enter(prometheusserver.prometheus_server(tmp_path, targets, cluster_dir))

        async def every_panel_has_a_curve() -> bool:
            """While something happens all the time, refusals included: most panels are about how often."""
            await api.raw(Pod).create(make_pod(f"pod-{secrets.token_hex(4)}"))
            with contextlib.suppress(NotFound):
                await api.of(Pod).get("nobody", "default")
            empty = [expression for expression in expressions() if not await prometheus.query(expression)]
            assert empty == []
            return True

        await eventually(every_panel_has_a_curve, within=120)
