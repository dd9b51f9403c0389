"""Who brings events to those watchers that keep up: one after the other, without waking a task for each of them.

Most watchers have read everything when the next event comes. To them it is written at once. A watcher that lags, that
is to get much at a time, or whose watch is over is given back to its own task, which can wait and knows what to say.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from apiserver.watchcache.items import Event
from apiserver.watchcache.subscription import Subscription

MOST_EVENTS = 64
MOST_BYTES = 64 * 1024
"""What may be written to a watcher in one go; for more its task is to look at how it is read."""
IN_ONE_GO = 32
"""Watchers that are served before other requests get a chance."""
PAUSE_SECONDS_EACH = 60e-6
LEAST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.001, 0.05
"""From one round to the next there is time in proportion to the watchers served: in a burst each then gets many events
with one write, which costs both ends more than the events in it. The first event after a while is never held back."""

Encode = Callable[[Event], bytes]
"""From an event to its line. The same event may be asked for again."""


def pause(watchers: int) -> float:
    """Seconds from the beginning of a round to so many watchers until the next may begin."""
    seconds = watchers * PAUSE_SECONDS_EACH
    return min(seconds, LONGEST_PAUSE_SECONDS) if seconds >= LEAST_PAUSE_SECONDS else 0.0


class Courier:
    """Goes in rounds: whoever has news while one is under way is served in the next."""

    def __init__(self) -> None:
        self._due: deque[_Recipient] = deque()
        self._next_round_at = 0.0
        self._is_out = False

    async def serve(self, transport: asyncio.Transport, subscription: Subscription, encode: Encode) -> None:
        """Write the events of a watch, each batch as a chunk of HTTP/1.1, until its task has to see to it again."""
        recipient = _Recipient(transport, subscription, encode)
        subscription.on_news = lambda: self._call_on(recipient)
        try:
            if subscription.has_news:
                self._call_on(recipient)
            await recipient.given_back
        finally:
            subscription.on_news = None

    def _call_on(self, recipient: _Recipient) -> None:
        if recipient.is_due:
            return
        recipient.is_due = True
        self._due.append(recipient)
        if not self._is_out:
            self._is_out = True
            asyncio.get_running_loop().call_at(self._next_round_at, self._begin)

    def _begin(self) -> None:
        self._next_round_at = asyncio.get_running_loop().time() + pause(len(self._due))
        self._go_on(len(self._due))

    def _go_on(self, left: int) -> None:
        """With the round, in which so many are still to be served."""
        for _ in range(min(left, IN_ONE_GO)):
            self._due.popleft().take_delivery()
        left = max(0, left - IN_ONE_GO)
        loop = asyncio.get_running_loop()
        if left:
            loop.call_soon(self._go_on, left)
        elif self._due:
            loop.call_at(self._next_round_at, self._begin)
        else:
            self._is_out = False


class _Recipient:
    """One watcher while the courier serves it."""

    __slots__ = ("_encode", "_subscription", "_transport", "given_back", "is_due")

    def __init__(self, transport: asyncio.Transport, subscription: Subscription, encode: Encode) -> None:
        self._transport = transport
        self._subscription = subscription
        self._encode = encode
        self.given_back: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_due = False

    def take_delivery(self) -> None:
        self.is_due = False
        if self.given_back.done():
            return  # its task has gone
        try:
            is_content = self._write()
        except Exception:  # noqa: BLE001 - its task will meet the same, and is where it can be told
            is_content = False
        if not is_content:
            self.given_back.set_result(None)

    def _write(self) -> bool:
        """What is pending. False: there is something to be done that is not for the courier."""
        transport, subscription = self._transport, self._subscription
        pending = subscription.pending
        if len(pending) > MOST_EVENTS or transport.is_closing() or transport.get_write_buffer_size():
            return False
        data = self._encode(pending[0]) if len(pending) == 1 else b"".join(map(self._encode, pending))
        if len(data) > MOST_BYTES:
            return False
        if data:
            subscription.take_more()
            transport.write(b"%x\r\n%b\r\n" % (len(data), data))
        return not subscription.is_over
