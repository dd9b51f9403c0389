"""Figures in the form of /stats/summary."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from nodeagent.nodes import summary
from nodeagent.nodes.summary import NodeReading, PodReading, Reading
from nodeagent.runtime.seen import Usage

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def usage(cpu: int, memory: int = 10, at: datetime = NOW, received: int = 0) -> Usage:
    return Usage(at=at, cpu_nanoseconds=cpu, memory_bytes=memory, working_set_bytes=memory, received_bytes=received)


def test_a_rate_needs_two_readings_of_one_life() -> None:
    before = usage(1_000_000_000, at=NOW - timedelta(seconds=2))
    assert summary.nanocores(before, usage(2_000_000_000)) == 500_000_000
    assert summary.nanocores(None, usage(5)) == 0
    assert summary.nanocores(before, usage(5)) == 0
    assert summary.nanocores(usage(5), usage(6)) == 0


def test_pods_add_up_their_containers_and_a_hollow_node_its_pods() -> None:
    pod = PodReading(
        name="web",
        namespace="default",
        uid="u1",
        sandbox=Reading(usage=usage(1, received=7)),
        containers=[("main", Reading(usage=usage(2), nanocores=3, started_at=NOW, written_bytes=4))],
    )
    node = NodeReading(name="n", at=NOW, machine=None, memory_bytes=100, pods=[pod], image_bytes=9)
    told = json.loads(summary.encode(node))
    stamp = "2026-01-02T03:04:05Z"
    assert told["pods"][0]["podRef"] == {"name": "web", "namespace": "default", "uid": "u1"}
    assert told["pods"][0]["cpu"] == {"time": stamp, "usageNanoCores": 3, "usageCoreNanoSeconds": 3}
    assert told["pods"][0]["network"]["rxBytes"] == 7
    assert told["pods"][0]["containers"] == [
        {
            "name": "main",
            "startTime": stamp,
            "cpu": {"time": stamp, "usageNanoCores": 3, "usageCoreNanoSeconds": 2},
            "memory": {"time": stamp, "usageBytes": 10, "workingSetBytes": 10},
            "rootfs": {"time": stamp, "usedBytes": 4},
        }
    ]
    assert told["node"]["nodeName"] == "n"
    assert told["node"]["memory"]["workingSetBytes"] == 20
    assert told["node"]["memory"]["availableBytes"] == 80
    assert told["node"]["runtime"]["imageFs"]["usedBytes"] == 9
