"""How much of what is allowed but leads nowhere a peer may send before the connection is closed. Pure.

Pings, settings, resets, priorities, empty frames: each is legal, each costs us more than the peer, and no client needs
many. They draw on one store of patience that fills up again with time.
"""

from __future__ import annotations

from steersman.http2.faults import Code, ConnectionFault

BURST = 1_000
PER_SECOND = 200.0


class Patience:
    def __init__(self, now: float, *, burst: int = BURST, per_second: float = PER_SECOND) -> None:
        self._burst = float(burst)
        self._per_second = per_second
        self._left = float(burst)
        self._at = now

    def spend(self, now: float, what: str) -> None:
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            raise ConnectionFault(Code.ENHANCE_YOUR_CALM, f"too many {what}")
        self._left -= 1
