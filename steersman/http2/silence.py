"""Noticing a peer that is gone without a word: after a silence it is pinged, and dropped if that brings no answer.

Who pings too often is taken for an attacker, so `ping` may decline, and then says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Silence:
    """Set `heard` whenever anything comes in: that costs nothing, and the clock is looked at rarely."""

    __slots__ = ("_answer_seconds", "_give_up", "_loop", "_ping", "_seconds", "_timer", "heard")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        seconds: float,
        answer_seconds: float,
        *,
        ping: Callable[[], bool],
        give_up: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._seconds = seconds
        self._answer_seconds = answer_seconds
        self._ping = ping
        self._give_up = give_up
        self._timer: asyncio.TimerHandle | None = None
        self.heard = False

    def expect_first_words(self, within_seconds: float) -> None:
        self._timer = self._loop.call_later(within_seconds, self._give_up)

    def watch(self) -> None:
        self.stop()
        self.heard = False
        self._timer = self._loop.call_later(self._seconds, self._check)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        if self.heard or not self._ping():
            self.watch()
        else:
            self._timer = self._loop.call_later(self._answer_seconds, self._check_answer)

    def _check_answer(self) -> None:
        if self.heard:
            self.watch()
        else:
            self._give_up()
