"""How much history to keep: pure rules over marks that the store sets as it writes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from apiserver.storage.interface import NO_REVISION
from steersman.api.names import Revision

MARKS = 100
"""About how many marks divide what is kept, in time and in size: history is cut one part in so many too late."""


@dataclass(frozen=True, slots=True)
class Retention:
    """History is dropped when it is older than `seconds`, or sooner when it outgrows `rows` or `size_bytes`."""

    seconds: float = 300.0
    rows: int = 500_000
    size_bytes: int = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Mark:
    """At `time` the store stood at `revision`, having written that many rows and bytes since it was opened."""

    time: float
    revision: Revision
    rows: int = 0
    size_bytes: int = 0


class Marks:
    """Where the store stood, now and then. History from before it was opened counts as written when it was opened."""

    def __init__(self, opened: Mark, keep: Retention) -> None:
        self.latest = opened
        self._keep = keep
        self._spacing = Retention(keep.seconds / MARKS, keep.rows // MARKS, keep.size_bytes // MARKS)
        self._marks = deque([opened])

    def advance(self, latest: Mark) -> None:
        self.latest = latest
        if outgrown(self._marks[-1], latest, self._spacing):
            self._marks.append(latest)

    def horizon(self) -> Revision:
        """The newest revision before which nothing need be kept; 0 when that has not moved."""
        horizon = NO_REVISION
        while len(self._marks) > 1 and outgrown(self._marks[0], self.latest, self._keep):
            horizon = self._marks.popleft().revision
        return horizon


def outgrown(mark: Mark, latest: Mark, keep: Retention) -> bool:
    """Whether what was written since `mark` is by itself as much as `keep` allows."""
    return (
        latest.time - mark.time >= keep.seconds
        or latest.rows - mark.rows >= keep.rows
        or latest.size_bytes - mark.size_bytes >= keep.size_bytes
    )
