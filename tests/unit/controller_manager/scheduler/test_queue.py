"""Who is tried next, and what wakes whom."""

from __future__ import annotations

import pytest

from controller_manager.scheduler.queue import LONGEST_SLEEP_SECONDS, Queue, Stage
from controller_manager.scheduler.reasons import Change
from steersman.base.backoff import Backoff
from steersman.client.cache import ObjectKey
from tests.unit.controller_manager.scheduler.world import pod

P = ObjectKey("default", "p")
GATE = [{"name": "example.com/later"}]
ROOM = frozenset({Change.POD_LEFT, Change.NODE_ADDED})


def queue_with(*names: str) -> Queue:
    queue = Queue(Backoff(1.0, maximum=10.0))
    for number, name in enumerate(names):
        queue.add(pod(name), now=number)
    return queue


def taken(queue: Queue, now: float) -> str | None:
    found = queue.take(now)
    return None if found is None else found.pod.metadata.name


def asleep(now: float = 0) -> Queue:
    queue = queue_with("p")
    queue.take(now)
    queue.sleep(P, ROOM, now)
    return queue


def test_the_more_important_first_then_the_older() -> None:
    queue = queue_with("a", "b")
    queue.add(pod("urgent", priority=10), now=5)
    assert [taken(queue, 9), taken(queue, 9), taken(queue, 9), taken(queue, 9)] == ["urgent", "a", "b", None]


def test_a_gated_pod_waits_until_its_gates_are_gone() -> None:
    queue = Queue()
    queue.add(pod(schedulingGates=GATE), now=0)
    assert taken(queue, 0) is None
    assert queue.stage(P) is Stage.GATED
    queue.add(pod(), now=1)
    assert taken(queue, 1) == "p"


def test_backoff_doubles_with_each_failure_up_to_its_maximum() -> None:
    queue, now, delays = queue_with("p"), 0.0, []
    for _ in range(6):
        assert taken(queue, now) == "p"
        queue.failed(P, now)
        ready = queue.next_at()
        assert ready is not None
        assert taken(queue, ready - 0.001) is None
        delays.append(ready - now)
        now = ready
    assert delays == [1, 2, 4, 8, 10, 10]


@pytest.mark.parametrize(
    ("change", "now", "expected"),
    [
        (Change.POD_LEFT, 5, Stage.ACTIVE),
        (Change.POD_LEFT, 0.5, Stage.BACKING_OFF),
        (Change.NODE_LABELED, 5, Stage.SLEEPING),
    ],
    ids=["room, rested", "room, but it was tried just now", "nothing that helps"],
)
def test_a_change_wakes_whom_it_could_help(change: Change, now: float, expected: Stage) -> None:
    queue = asleep()
    queue.wake([change], now)
    assert queue.stage(P) is expected


@pytest.mark.parametrize(("name", "expected"), [("p", Stage.ACTIVE), ("q", Stage.SLEEPING)])
def test_a_change_may_concern_but_a_few(name: str, expected: Stage) -> None:
    queue = asleep()
    queue.wake([Change.POD_LEFT], 5, lambda pod: pod.metadata.name == name)
    assert queue.stage(P) is expected


def test_a_change_during_the_decision_is_not_lost() -> None:
    queue = queue_with("p")
    queue.take(0)
    queue.wake([Change.NODE_ADDED], 0)
    queue.sleep(P, ROOM, 0)
    assert queue.stage(P) is Stage.BACKING_OFF
    assert taken(queue, 1) == "p"


def test_a_change_before_the_decision_is_old_news() -> None:
    queue = queue_with("p")
    queue.wake([Change.NODE_ADDED], 0)
    queue.take(0)
    queue.sleep(P, ROOM, 0)
    assert queue.stage(P) is Stage.SLEEPING


def test_nobody_sleeps_for_ever() -> None:
    queue = asleep()
    assert queue.next_at() == LONGEST_SLEEP_SECONDS
    assert taken(queue, LONGEST_SLEEP_SECONDS) == "p"


def test_a_new_spec_is_tried_again_but_a_new_status_is_not() -> None:
    queue = asleep()
    queue.add(pod(started="2026-01-01T00:00:00Z"), now=5)
    assert queue.stage(P) is Stage.SLEEPING
    queue.add(pod(cpu="1"), now=5)
    assert queue.stage(P) is Stage.ACTIVE


def test_what_is_removed_never_comes_back() -> None:
    queue = asleep()
    queue.remove(P)
    queue.wake(ROOM, 5)
    assert taken(queue, LONGEST_SLEEP_SECONDS + 1) is None
    assert len(queue) == 0


def test_a_pod_in_hand_is_not_taken_twice() -> None:
    queue = queue_with("p")
    assert taken(queue, 0) == "p"
    queue.add(pod(labels={"new": "label"}), now=1)
    assert taken(queue, 1) is None
