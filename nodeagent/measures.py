"""What an agent counts and times, for /metrics. One for all nodes of a process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from nodeagent.podmachine import Stage
from steersman.base import metrics

START_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""From a container whose image is here to one whose image comes from far away."""


class Measures:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._pods = _Pods()
        registry.register(self._pods)
        starts = metrics.histogram(
            registry,
            "steersman_agent_start_duration_seconds",
            "How long starting a sandbox or a container took, with volumes, image and hook.",
            ("part", "outcome"),
            START_SECONDS,
        )
        probes = metrics.counter(
            registry, "steersman_agent_probes_total", "Probes of containers.", ("probe", "verdict")
        )
        beats = metrics.counter(
            registry, "steersman_agent_heartbeats_total", "Signs of life of nodes, sent or missed.", ("node", "outcome")
        )
        evictions = metrics.counter(
            registry, "steersman_agent_evictions_total", "Pods that took too much of their node.", ("signal",)
        )
        self._starts = metrics.children(starts)
        self._probes = metrics.children(probes)
        self._beats = metrics.children(beats)
        self._evictions = metrics.children(evictions)

    def started(self, part: str, outcome: str, seconds: float) -> None:
        """`part` is sandbox or container; `outcome` ok, or why not, in one word."""
        self._starts(part, outcome).observe(seconds)

    def probed(self, probe: str, verdict: str) -> None:
        self._probes(probe, verdict).inc()

    def beat(self, node: str, outcome: str) -> None:
        self._beats(node, outcome).inc()

    def evicted(self, signal: str) -> None:
        self._evictions(signal).inc()

    def follow(self, node: str, stages: Callable[[], Iterable[Stage]]) -> None:
        """`stages` gives those of all pods of the node, whenever somebody asks for the metrics."""
        self._pods.stages[node] = stages


class _Pods(Collector):
    def __init__(self) -> None:
        self.stages: dict[str, Callable[[], Iterable[Stage]]] = {}

    def collect(self) -> Iterator[Metric]:
        pods = GaugeMetricFamily("steersman_agent_pods", "Pods on a node.", labels=["node", "stage"])
        for node, stages in self.stages.items():
            found = [*stages()]
            for stage in Stage:
                pods.add_metric([node, stage.value], found.count(stage))
        yield pods
