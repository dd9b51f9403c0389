"""In which order, and with how much time, pods end when the machine goes down."""

from __future__ import annotations

from nodeagent import shutdown
from nodeagent.evictions import CRITICAL_PRIORITY
from nodeagent.shutdown import Periods
from steersman.api.core import Pod, PodSpec
from steersman.api.meta import ObjectMeta


def pod(name: str, priority: int | None = None) -> Pod:
    return Pod(metadata=ObjectMeta(name=name), spec=PodSpec(priority=priority))


def test_critical_pods_end_last_with_the_time_kept_for_them() -> None:
    pods = [pod("web"), pod("dns", CRITICAL_PRIORITY), pod("job", CRITICAL_PRIORITY - 1)]
    first, last = shutdown.rounds(pods, Periods(30, 10))
    assert [each.metadata.name for each in first.pods] == ["web", "job"]
    assert [each.metadata.name for each in last.pods] == ["dns"]
    assert (first.seconds, last.seconds) == (20, 10)


def test_nobody_waits_for_a_round_without_pods() -> None:
    (only,) = shutdown.rounds([pod("dns", CRITICAL_PRIORITY)], Periods(30, 10))
    assert only.seconds == 10
