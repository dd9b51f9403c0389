"""Not too often: what changes all the time is acted upon soon, and then the more seldom the larger it is.

A Service with a thousand pods that become ready within a second would otherwise be written a hundred times, each time
whole, where a few times tell everybody the same. And changes come in company: a pod that goes is followed by its
replacement, which is to be made before anybody is busy telling about the loss.
"""

from __future__ import annotations

from steersman.client.cache import ObjectKey

_MIN_TO_SWEEP = 256


FIRST_SECONDS = 0.01
"""How long a change waits for company."""
LEAST_SECONDS, MOST_SECONDS = 0.1, 1.0
"""Between two acts for one key."""
SECONDS_PER_PART = 0.0005
"""So that the cost of a second is the same for what has many parts and for what has few."""


class Pace:
    def __init__(self) -> None:
        self._due: dict[ObjectKey, float] = {}
        """Keys that wait."""
        self._next: dict[ObjectKey, float] = {}
        """Keys that were acted upon, and from when on they may be again."""
        self._sweep_at = _MIN_TO_SWEEP

    def wait(self, key: ObjectKey, now: float) -> float:
        """How long `key` must wait; 0: it may be looked at now, and its next change will wait anew."""
        due = self._due.setdefault(key, max(now + FIRST_SECONDS, self._next.get(key, now)))
        if due > now:
            return due - now
        del self._due[key]
        return 0.0

    def acted(self, key: ObjectKey, now: float, parts: int = 0) -> None:
        """`parts`: how many things the act had to deal with."""
        self._next[key] = now + min(max(parts * SECONDS_PER_PART, LEAST_SECONDS), MOST_SECONDS)
        if len(self._next) >= self._sweep_at:
            self._next = {each: at for each, at in self._next.items() if at > now}
            self._sweep_at = max(_MIN_TO_SWEEP, 2 * len(self._next))
