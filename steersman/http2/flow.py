"""Flow control (RFC 9113, section 5.2): how much may still be sent, in both directions. Pure.

A receiving window is opened again as its content is *taken*, not as it comes in, so whoever is slow slows its peer
down. The window is small; a message that is larger than it is let in by a loan from an allowance that all streams of a
connection share. Without loans a large message could not arrive whole; without their bound a thousand half-sent ones
would fill the memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from steersman.http2.settings import DEFAULT_WINDOW, MAX_WINDOW


class Overrun(Exception):
    """More than the window allows, or a window larger than the largest."""


class SendWindow:
    """What the peer still takes. A change of its settings may bring it below zero."""

    __slots__ = ("available",)

    def __init__(self, size: int = DEFAULT_WINDOW) -> None:
        self.available = size

    def widen(self, increment: int) -> None:
        if self.available + increment > MAX_WINDOW:
            raise Overrun
        self.available += increment


class ReceiveWindow:
    """What the peer may still send: at rest `size`, less what has come and was not taken yet."""

    __slots__ = ("_available", "_held", "_size")

    def __init__(self, size: int) -> None:
        self._size = size
        self._available = size
        self._held = 0

    def receive(self, count: int) -> None:
        if count > self._available:
            raise Overrun
        self._available -= count
        self._held += count

    def take(self, count: int) -> int:
        """`count` bytes were taken; by how much to tell the peer that its window opens (rarely, then by much)."""
        self._held -= count
        return self._open(self._size - self._available - self._held)

    def lend(self, count: int) -> int:
        """Let in `count` bytes beyond the size; by how much to tell the peer."""
        self._available += count
        return count

    def lacking(self, count: int) -> int:
        """How much more than it may now send the peer needs to send `count` bytes."""
        return max(0, count - self._available)

    def _open(self, increment: int) -> int:
        if increment < self._size // 2:
            return 0
        self._available += increment
        return increment


class Allowance:
    """A bound on what is lent. Who does not get a loan at once waits in line: those before it come to their end."""

    def __init__(self, total: int) -> None:
        self._left = total
        self._waiting: deque[Loan] = deque()

    def ask(self, loan: Loan) -> None:
        self._waiting.append(loan)
        self._grant()

    def give_back(self, loan: Loan) -> None:
        if loan.granted:
            loan.granted = False
            self._left += loan.count
        elif loan in self._waiting:
            self._waiting.remove(loan)
        self._grant()

    def _grant(self) -> None:
        while self._waiting and self._waiting[0].count <= self._left:
            loan = self._waiting.popleft()
            loan.granted = True
            self._left -= loan.count
            loan.on_granted(loan.count)


class Loan:
    __slots__ = ("count", "granted", "on_granted")

    def __init__(self, count: int, on_granted: Callable[[int], None]) -> None:
        self.count = count
        self.on_granted = on_granted
        self.granted = False
