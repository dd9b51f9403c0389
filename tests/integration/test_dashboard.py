"""Every metric that the dashboard names is one that a running component exports."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.apiserverprocess import api_server_process
from tests.eventually import eventually
from tests.replicaprocess import replica_processes

DASHBOARD = Path(__file__).parents[2] / "deploy" / "observability" / "dashboard.json"
_NOT_METRICS = re.compile(r"\{[^}]*\}|\[[^\]]*\]|\bby\s*\([^)]*\)")
_NAME = re.compile(r"[a-z_][a-z0-9_]*\b(?!\s*\()")
_SAMPLES = {"histogram": ("_bucket", "_count", "_sum")}


def metrics_in(expression: str) -> set[str]:
    return set(_NAME.findall(_NOT_METRICS.sub("", expression)))


def named_by_dashboard() -> set[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return {name for panel in panels for target in panel.get("targets", []) for name in metrics_in(target["expr"])}


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
