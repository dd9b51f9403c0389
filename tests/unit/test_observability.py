"""deploy/observability as data: Prometheus asks services that compose.yaml starts, Grafana finds what it is told of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
OBSERVABILITY = DEPLOY / "observability"
PORTS = {"apiserver": "6443", "controller-manager": "10257", "etcd": "2379"}


def load(file: str) -> Any:
    return yaml.safe_load((DEPLOY / file).read_text())


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found = load("compose.yaml")["services"]
    assert isinstance(found, dict)
    return found


def test_prometheus_asks_every_replica_of_what_tells_numbers(services: dict[str, Any]) -> None:
    asked = {
        target
        for job in load("observability/prometheus.yaml")["scrape_configs"]
        for group in job["static_configs"]
        for target in group["targets"]
    }
    wanted = {f"{name}:{PORTS[role]}" for name in services if (role := name.rpartition("-")[0]) in PORTS}
    assert asked == wanted


def test_what_the_profile_mounts_is_there(services: dict[str, Any]) -> None:
    mounted = [volume.split(":")[0] for name in ("prometheus", "grafana") for volume in services[name]["volumes"]]
    files = {DEPLOY / each for each in mounted if each.startswith("./")}
    assert files == set(OBSERVABILITY.iterdir())


def test_nothing_of_the_profile_runs_without_being_asked_for(services: dict[str, Any]) -> None:
    assert [name for name, service in services.items() if service.get("profiles") == ["metrics"]] == [
        "prometheus",
        "grafana",
    ]


def test_the_dashboard_asks_the_source_that_grafana_is_given() -> None:
    (source,) = load("observability/datasource.yaml")["datasources"]
    panels = json.loads((OBSERVABILITY / "dashboard.json").read_text())["panels"]
    used = {target["datasource"]["uid"] for panel in panels for target in panel.get("targets", [])}
    assert used == {source["uid"]}


def test_panels_neither_overlap_nor_leave_the_page() -> None:
    panels = json.loads((OBSERVABILITY / "dashboard.json").read_text())["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)
