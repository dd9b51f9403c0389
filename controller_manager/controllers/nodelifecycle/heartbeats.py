"""How long a node has been silent, measured by us alone.

A node renews its Lease all the time. What counts is that the Lease changes, not what time is written in it: clocks of
other machines are never compared. And only time counts during which we would have seen a change: while our own watch is
broken, or the API server away, nobody's silence means anything. That the watch is alive is known from any Lease that
changes, and the leader's own is renewed every second.
"""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_GAP_SECONDS = 1.5
"""Of a longer time without any Lease changing only so much counts: the rest may be our own deafness."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a node may be silent. The usual grace is three heartbeats of 3 s, and a second for their journey; beyond
    `nodes_at_full_rate` nodes it grows with their number, as they then beat more slowly to cost no more together."""

    grace_seconds: float = 10.0
    startup_seconds: float = 60.0
    nodes_at_full_rate: int = 900

    def grace_among(self, nodes: int) -> float:
        return self.grace_seconds * max(1.0, nodes / self.nodes_at_full_rate)


USUAL = Timing()


class Heartbeats:
    """The moments are of a monotonic clock."""

    def __init__(self) -> None:
        self._watched_seconds = 0.0
        self._last_change: float | None = None
        self._heard_at: dict[str, float] = {}
        """By node: the watched time at its last sign of life."""

    def lease_changed(self, node: str, now: float) -> None:
        """Some Lease has changed; `node`: whose, empty if it is no node's."""
        if self._last_change is not None:
            self._watched_seconds += min(max(now - self._last_change, 0.0), LONGEST_GAP_SECONDS)
        self._last_change = now
        if node:
            self.heard(node)

    def heard(self, node: str) -> None:
        """A sign of life of another kind."""
        self._heard_at[node] = self._watched_seconds

    def silence_seconds(self, node: str) -> float:
        """A node that was never heard of counts from the first question."""
        return self._watched_seconds - self._heard_at.setdefault(node, self._watched_seconds)

    def forget(self, node: str) -> None:
        self._heard_at.pop(node, None)
