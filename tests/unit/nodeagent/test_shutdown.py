"""In which order, and with how much time, pods end when the machine goes down."""

from __future__ import annotations

import pytest

from nodeagent import shutdown
from nodeagent.runtime.seen import SeenPod
from nodeagent.runtime.specs import PodRef
from nodeagent.shutdown import CRITICAL_PRIORITY, Periods
from steersman.api.core import Pod, PodSpec
from steersman.api.names import Uid


def seen(uid: str) -> SeenPod:
    return SeenPod(pod=PodRef(Uid(uid), "default", uid))


def pod(priority: int | None = None, grace: int = 30) -> Pod:
    return Pod(spec=PodSpec(priority=priority, termination_grace_period_seconds=grace))


def test_critical_pods_end_last_with_the_time_kept_for_them() -> None:
    known = {"web": pod(), "dns": pod(CRITICAL_PRIORITY), "job": pod(CRITICAL_PRIORITY - 1)}
    first, last = shutdown.rounds([seen(name) for name in (*known, "unknown")], known, Periods(30, 10))
    assert [each.pod.uid for each in first.pods] == ["web", "job", "unknown"]
    assert [each.pod.uid for each in last.pods] == ["dns"]
    assert (first.seconds, last.seconds) == (20, 10)


@pytest.mark.parametrize(
    ("known", "limit", "seconds"),
    [
        pytest.param(pod(grace=5), 20, 5, id="what it was promised"),
        pytest.param(pod(grace=60), 20, 20, id="not more than there is"),
        pytest.param(None, 20, 0, id="nothing was promised"),
    ],
)
def test_grace(known: Pod | None, limit: float, seconds: float) -> None:
    assert shutdown.grace_seconds(seen("x"), known, limit) == seconds
