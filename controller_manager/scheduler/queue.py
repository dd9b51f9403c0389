"""Pods that wait for a node: who is next, who is backing off, who waits for the cluster to change, who is gated.

A pod that fits nowhere sleeps until a change happens that could cure one of its reasons; then it is tried again, though
not before its back-off is over. A change that comes while a pod is being decided is not lost on it. Safety net: nobody
sleeps longer than five minutes. One entry per pod, so the cluster bounds it. Times are monotonic seconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count

from controller_manager.scheduler.reasons import Change
from steersman.api.core import Pod
from steersman.base.backoff import Backoff
from steersman.client.cache import ObjectKey, key_of

BACKOFF = Backoff(initial=0.1, maximum=10.0)
"""Kubernetes starts at 1 s. Pods of one class share a verdict here, so asking again early costs little."""
LONGEST_SLEEP_SECONDS = 300.0


class Stage(StrEnum):
    ACTIVE = "active"
    BACKING_OFF = "backoff"
    SLEEPING = "unschedulable"
    GATED = "gated"
    IN_HAND = "in hand"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pod in the queue. `attempts` counts the decisions made for it so far."""

    pod: Pod
    stage: Stage
    since: float
    """When it came in: among equal priorities the oldest goes first."""
    turn: int
    """Changes with each move, so that what heaps still say about an earlier one is ignored."""
    attempts: int = 0
    ready_at: float = 0.0
    taken_at_change: int = 0
    cured_by: frozenset[Change] = frozenset()

    @property
    def key(self) -> ObjectKey:
        return key_of(self.pod)


class Queue:
    def __init__(self, backoff: Backoff = BACKOFF) -> None:
        self._backoff = backoff
        self._waiting: dict[ObjectKey, Waiting] = {}
        self._active: list[tuple[int, float, int, ObjectKey]] = []
        self._timed: list[tuple[float, int, ObjectKey]] = []
        self._sleepers: dict[Change, dict[ObjectKey, None]] = {change: {} for change in Change}
        self._turns = count(1)
        self._changes = 0
        self._last: dict[Change, int] = dict.fromkeys(Change, 0)

    def __len__(self) -> int:
        return len(self._waiting)

    def stage(self, key: ObjectKey) -> Stage | None:
        found = self._waiting.get(key)
        return None if found is None else found.stage

    def add(self, pod: Pod, now: float) -> None:
        """A pod without a node, new or changed. A change of its spec is reason enough to try it again."""
        known = self._waiting.get(key_of(pod))
        if known is None or known.pod.metadata.uid != pod.metadata.uid:
            self.remove(key_of(pod))
            self._move(Waiting(pod, _stage_of(pod), now, next(self._turns)))
        elif pod.spec.scheduling_gates:
            self._move(replace(known, pod=pod, stage=Stage.GATED))
        elif known.stage is Stage.GATED or (known.stage is Stage.SLEEPING and _asks_otherwise(known.pod, pod)):
            self._move(replace(known, pod=pod, stage=Stage.ACTIVE))
        else:
            self._waiting[known.key] = replace(known, pod=pod)

    def remove(self, key: ObjectKey) -> None:
        """Bound, deleted, or no longer ours."""
        known = self._waiting.pop(key, None)
        if known is not None:
            self._rouse(known)

    def take(self, now: float) -> Waiting | None:
        """The most important pod that may be tried now. It stays in hand until `failed`, `sleep` or `remove`."""
        self._release(now)
        while self._active:
            _, _, turn, key = heapq.heappop(self._active)
            found = self._waiting.get(key)
            if found is not None and found.turn == turn and found.stage is Stage.ACTIVE:
                taken = replace(found, stage=Stage.IN_HAND, attempts=found.attempts + 1, taken_at_change=self._changes)
                self._waiting[key] = taken
                return taken
        return None

    def failed(self, key: ObjectKey, now: float) -> None:
        """It had a node, but could not be bound to it: try again after its back-off."""
        found = self._waiting.get(key)
        if found is not None and found.stage is Stage.IN_HAND:
            self._move(replace(found, stage=Stage.BACKING_OFF, ready_at=self._ready_at(found, now)))

    def sleep(self, key: ObjectKey, cured_by: frozenset[Change], now: float) -> None:
        """It fits nowhere until one of `cured_by` happens."""
        found = self._waiting.get(key)
        if found is None or found.stage is not Stage.IN_HAND:
            return
        ready_at = self._ready_at(found, now)
        missed = any(self._last[change] > found.taken_at_change for change in cured_by)
        stage = Stage.BACKING_OFF if missed else Stage.SLEEPING
        self._move(
            replace(found, stage=stage, ready_at=ready_at, cured_by=cured_by), wake_at=now + LONGEST_SLEEP_SECONDS
        )

    def wake(self, changes: Iterable[Change], now: float, whom: Callable[[Pod], bool] | None = None) -> None:
        """Something changed: whom it could help is tried again, at once if the back-off is over.

        `whom`: of those who sleep, only these can be helped.
        """
        for change in changes:
            self._changes += 1
            self._last[change] = self._changes
            for key in [*self._sleepers[change]]:
                sleeper = self._waiting[key]
                if whom is None or whom(sleeper.pod):
                    self._awake(sleeper, now)

    def next_at(self) -> float | None:
        """When a pod becomes ready by the passing of time alone; None: only a change can help."""
        while self._timed and not self._is_current(*self._timed[0][1:]):
            heapq.heappop(self._timed)
        return self._timed[0][0] if self._timed else None

    def _release(self, now: float) -> None:
        while (due := self.next_at()) is not None and due <= now:
            _, _, key = heapq.heappop(self._timed)
            self._move(replace(self._waiting[key], stage=Stage.ACTIVE))

    def _awake(self, found: Waiting, now: float) -> None:
        stage = Stage.ACTIVE if found.ready_at <= now else Stage.BACKING_OFF
        self._move(replace(found, stage=stage))

    def _move(self, entry: Waiting, *, wake_at: float | None = None) -> None:
        old = self._waiting.get(entry.key)
        if old is not None:
            self._rouse(old)
        entry = replace(entry, turn=next(self._turns))
        self._waiting[entry.key] = entry
        match entry.stage:
            case Stage.ACTIVE:
                rank = -(entry.pod.spec.priority or 0)
                heapq.heappush(self._active, (rank, entry.since, entry.turn, entry.key))
            case Stage.BACKING_OFF:
                heapq.heappush(self._timed, (entry.ready_at, entry.turn, entry.key))
            case Stage.SLEEPING:
                heapq.heappush(self._timed, (wake_at or entry.ready_at, entry.turn, entry.key))
                for change in entry.cured_by:
                    self._sleepers[change][entry.key] = None

    def _rouse(self, entry: Waiting) -> None:
        if entry.stage is Stage.SLEEPING:
            for change in entry.cured_by:
                self._sleepers[change].pop(entry.key, None)

    def _ready_at(self, entry: Waiting, now: float) -> float:
        return now + self._backoff.delay(entry.attempts - 1)

    def _is_current(self, turn: int, key: ObjectKey) -> bool:
        found = self._waiting.get(key)
        return found is not None and found.turn == turn


def _stage_of(pod: Pod) -> Stage:
    return Stage.GATED if pod.spec.scheduling_gates else Stage.ACTIVE


def _asks_otherwise(old: Pod, new: Pod) -> bool:
    return old.spec != new.spec or old.metadata.labels != new.metadata.labels
