"""Overload is refused, not collapsed under: how many requests may be in progress at once.

Reads and writes have places of their own, so that no number of readers keeps a writer, or a Lease renewal, out.
"""

from __future__ import annotations

from types import TracebackType

from steersman.api.errors import Details, TooManyRequests

RETRY_AFTER_SECONDS = 1


class Overloaded(TooManyRequests):
    """No place was left: nothing of the request has been looked at, and nothing is wrong with it."""

    def __init__(self) -> None:
        super().__init__(
            "Too many requests, please try again later.", details=Details(retry_after_seconds=RETRY_AFTER_SECONDS)
        )


class Gate:
    """`with gate:` — a place for the time of a request, or Overloaded at once."""

    def __init__(self, places: int) -> None:
        self._places = places
        self.taken = 0

    def __enter__(self) -> None:
        if self.taken >= self._places:
            raise Overloaded
        self.taken += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.taken -= 1


class Limits:
    def __init__(self, *, reads: int, writes: int, watches: int) -> None:
        self.reads = Gate(reads)
        self.writes = Gate(writes)
        self.watches = Gate(watches)
