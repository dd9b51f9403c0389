from __future__ import annotations

import asyncio
import gc

import pytest

from steersman.base import metrics
from tests.fakes.clock import FakeClock


def test_render_is_prometheus_text() -> None:
    registry = metrics.new_registry()
    metrics.counter(registry, "requests", "Requests served.", ("verb",)).labels("get").inc(3)
    metrics.gauge(registry, "watchers", "Open watches.").set(7)
    body, content_type = metrics.render(registry)
    assert content_type.startswith("text/plain; version=0.0.4")
    assert b'requests_total{verb="get"} 3.0\n' in body
    assert b"watchers 7.0\n" in body
    assert b"process_resident_memory_bytes" in body


def test_two_registries_do_not_collide() -> None:
    for _ in range(2):
        metrics.counter(metrics.new_registry(), "requests", "Requests served.")


@pytest.mark.parametrize(
    ("seconds", "bucket"),
    [(0.0, "0.0005"), (0.0005, "0.0005"), (0.0006, "0.001"), (9.9, "10.0"), (10.1, "+Inf")],
)
def test_latency_buckets_reach_from_half_a_millisecond_to_ten_seconds(seconds: float, bucket: str) -> None:
    registry = metrics.new_registry()
    metrics.histogram(registry, "latency_seconds", "How long.").observe(seconds)
    samples = next(family for family in registry.collect() if family.name == "latency_seconds").samples
    first = next(sample for sample in samples if sample.name.endswith("_bucket") and sample.value == 1)
    assert first.labels["le"] == bucket


def test_children_are_made_once() -> None:
    requests = metrics.children(metrics.counter(metrics.new_registry(), "requests", "Served.", ("verb", "code")))
    assert requests("get", "200") is requests("get", "200")
    assert requests("get", "200") is not requests("get", "404")


class LateClock(FakeClock):
    """Wakes every sleeper 30 ms late, as a busy event loop does."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds + 0.03)


async def test_loop_lag_is_how_late_a_sleep_returns() -> None:
    registry, clock = metrics.new_registry(), LateClock()
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(metrics.watch_loop_lag(metrics.loop_lag(registry), clock, 0.25))
        await clock.advance(0.28 * 3)
        watching.cancel()
    assert registry.get_sample_value("event_loop_lag_seconds_count") == 3
    assert registry.get_sample_value("event_loop_lag_seconds_sum") == pytest.approx(0.09)


def test_gc_pauses_are_measured_only_while_watched() -> None:
    registry = metrics.new_registry()
    before = list(gc.callbacks)
    with metrics.watch_gc_pauses(registry):
        gc.collect(0)
        longest = registry.get_sample_value("gc_longest_pause_seconds")
        spent = registry.get_sample_value("gc_pause_seconds_total", {"generation": "0"})
    assert longest is not None
    assert spent is not None
    assert 0 < longest <= spent
    assert gc.callbacks == before
