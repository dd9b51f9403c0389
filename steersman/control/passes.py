"""What one pass over one key has written: the loop opens a pass, tracked writes note on it, the barrier reads it.

The pass that is open is found through a context variable, so that it reaches the tasks which a controller starts, and
controllers need not hand it around.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from steersman.api.errors import ApiError, Deposed
from steersman.api.kinds import Kind
from steersman.api.names import Revision

Settling = Callable[[], Awaitable[object]]
"""Brings a write whose outcome is unknown to a definite answer, and notes that."""

_open_pass: ContextVar[Pass | None] = ContextVar("open_pass", default=None)


class Pass:
    """`newest`: for each kind, the revision that must be seen before the key is looked at again. `began_at`: the
    revisions of the caches on which the pass decides."""

    def __init__(self, began_at: Mapping[Kind, Revision] | None = None) -> None:
        self.began_at = began_at or {}
        self.newest: dict[Kind, Revision] = {}
        self.changes: Counter[str] = Counter()
        self._unsettled: list[Settling] = []

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Writes made inside are noted here."""
        token = _open_pass.set(self)
        try:
            yield
        finally:
            _open_pass.reset(token)

    def note(self, kind: Kind, revision: Revision) -> None:
        """Something about the kind is known to be true at `revision`."""
        self.newest[kind.storage] = max(revision, self.newest.get(kind.storage, Revision(0)))

    def note_change(self, what: str) -> None:
        """For the log: `what` like "create pods"."""
        self.changes[what] += 1

    def leave_unsettled(self, settling: Settling) -> None:
        """A write was cancelled before its answer came."""
        self._unsettled.append(settling)

    @property
    def is_settled(self) -> bool:
        return not self._unsettled

    async def settle(self) -> None:
        """Bring every write that was cancelled to a definite answer. Deposed passes; any other answer is one."""
        with self.opened():
            while self._unsettled:
                try:
                    await self._unsettled[-1]()
                except Deposed:
                    raise
                except ApiError:
                    pass  # a refusal, noted like every answer
                self._unsettled.pop()

    def __str__(self) -> str:
        return ", ".join(f"{what} ×{count}" if count > 1 else what for what, count in self.changes.items())


def current() -> Pass | None:
    """The pass inside which the caller runs, if any."""
    return _open_pass.get()
