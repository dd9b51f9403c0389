"""What can be seen of the scheduler, under the names that Kubernetes' dashboards know."""

from __future__ import annotations

from enum import StrEnum

from prometheus_client import CollectorRegistry

from steersman.base import metrics


class Result(StrEnum):
    SCHEDULED = "scheduled"
    UNSCHEDULABLE = "unschedulable"
    ERROR = "error"


class SchedulerMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        attempts = metrics.counter(
            registry, "scheduler_schedule_attempts", "Attempts to schedule pods, by how they ended.", ("result",)
        )
        seconds = metrics.histogram(
            registry,
            "scheduler_scheduling_attempt_duration_seconds",
            "From the decision to the answer of the binding, or of what was said instead.",
            ("result",),
        )
        self.pending = metrics.gauge(registry, "scheduler_pending_pods", "Pods that wait for a node.")
        self._attempts = metrics.children(attempts)
        self._seconds = metrics.children(seconds)

    def ended(self, result: Result, seconds: float) -> None:
        self._attempts(result).inc()
        self._seconds(result).observe(seconds)
