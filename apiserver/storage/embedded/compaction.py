"""Forgetting history: when asked, and by itself as the store is written to.

What is forgotten is decided and announced at once; the rows go from disk in small steps between commits, so that no
write waits behind a long delete. A store that nobody writes to grows no history and forgets none.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from concurrent.futures import Executor, Future

from apiserver.storage.embedded.history import History
from apiserver.storage.embedded.retention import Mark, Marks, Retention
from apiserver.storage.interface import Revised
from steersman.api.errors import Unavailable
from steersman.api.names import Revision
from steersman.base import log

_log = log.get(__name__)

STEP_REVISIONS = 500
STEP_SECONDS = 0.1


class Compaction:
    def __init__(self, history: History, writer: Executor, keep: Retention, compacted: Revision, opened: Mark) -> None:
        self.compacted = compacted
        """The oldest revision that can be read and after which a watch can start."""
        self._history = history
        self._writer = writer
        self._marks = Marks(opened, keep)
        self._last_step = opened
        self._swept = Revision(0)
        self._sweeping = False

    async def upto(self, revision: Revision) -> None:
        self.compacted = max(self.compacted, revision)
        while self._swept < self.compacted:
            step = self._writer.submit(self._history.compact, self.compacted, STEP_REVISIONS)
            try:
                self._swept = max(self._swept, await asyncio.wrap_future(step))
            except sqlite3.Error as error:
                raise Unavailable(f"compaction failed: {error}") from error

    def written(self, revisions: Sequence[Revised], now: float) -> None:
        """Take note of what has just been written, and forget as much as that makes too old or too much."""
        changes = [change for revised in revisions for change in revised.changes]
        was = self._marks.latest
        latest = Mark(
            now,
            revisions[-1].revision,
            was.rows + len(changes),
            was.size_bytes + sum(len(change.value or b"") for change in changes),
        )
        self._marks.advance(latest)
        if now - self._last_step.time >= STEP_SECONDS and not self._sweeping:
            self.compacted = max(self.compacted, self._marks.horizon())
            self._step(latest)

    def _step(self, latest: Mark) -> None:
        """Sweep twice as many revisions as came since the last step, so that sweeping always catches up."""
        budget = STEP_REVISIONS + 2 * (latest.revision - self._last_step.revision)
        self._last_step = latest
        if self._swept < self.compacted:
            self._sweeping = True
            step = self._writer.submit(self._history.compact, self.compacted, budget)
            loop = asyncio.get_running_loop()
            step.add_done_callback(lambda done: loop.call_soon_threadsafe(self._stepped, done))

    def _stepped(self, done: Future[Revision]) -> None:
        self._sweeping = False
        error = done.exception()
        if error is not None:
            _log.warning("compaction failed and will be tried again", error=str(error))
        else:
            self._swept = max(self._swept, done.result())
