"""The SQLite file: a log of (revision, key, value), durable when `append` returns.

Every live key has its newest row here and every kept revision all of its rows, so the log is also the state. Blocking;
`append` and `compact` belong to the one writer thread, the reads to the one reader thread, each with a connection of
its own. A thread that runs SQLite gives the GIL away once per step of a statement and must win it back from a busy
event loop, so a whole group is written by one step: one INSERT, counted by a trigger, committed by itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from apiserver.storage.interface import NO_REVISION, Changed, Revised, Stored
from steersman.api.names import Revision

FORMAT = 1
BUSY_SECONDS = 2.0
CHECKPOINT_PAGES = 4000
ENDLESS = b""  # in SQLite's order every blob stands above every text, so this bounds a range of keys without an end
SLICE_BYTES = 1024 * 1024

Row = tuple[Revision, str, bytes | None]

_SCHEMA = f"""
BEGIN;
CREATE TABLE history (revision INTEGER NOT NULL, key TEXT NOT NULL, value BLOB);  -- value NULL: deleted
CREATE UNIQUE INDEX history_by_revision ON history (revision, key);
CREATE INDEX history_by_key ON history (key, revision);
CREATE TABLE counter (name TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counter VALUES ('newest', 0), ('compacted', 0), ('swept', 0);
CREATE TRIGGER history_counts AFTER INSERT ON history BEGIN
    UPDATE counter SET revision = NEW.revision WHERE name = 'newest' AND revision < NEW.revision;
END;
PRAGMA user_version = {FORMAT};
COMMIT;
"""

# The CASE keeps SQLite from fetching the row of every version of a key only to see that there is a newer one.
_AS_OF = """
FROM history AS past WHERE key >= :first AND key < :last AND revision <= :at AND CASE
    WHEN EXISTS (
        SELECT 1 FROM history AS newer
        WHERE newer.key = past.key AND newer.revision > past.revision AND newer.revision <= :at
    ) THEN 0
    ELSE value IS NOT NULL
END
"""
_LIST_AS_OF = f"SELECT key, value, revision {_AS_OF} ORDER BY key LIMIT :limit"
_COUNT_AS_OF = f"SELECT count(*) {_AS_OF}"

_AFTER = """
SELECT revision, key, value FROM history
WHERE revision > :after AND revision <= :upto AND key >= :first AND key < :last ORDER BY revision, key
"""

_DELETE_SUPERSEDED = """
DELETE FROM history WHERE rowid IN (
    SELECT older.rowid FROM history AS newer
    JOIN history AS older ON older.key = newer.key AND older.revision < newer.revision
    WHERE newer.revision > :swept AND newer.revision <= :upto
)
"""
_DELETE_TOMBSTONES = "DELETE FROM history WHERE revision > :swept AND revision <= :upto AND value IS NULL"


class UnusableStore(Exception):
    """The file is not a store that this version can open."""


@dataclass(frozen=True, slots=True)
class Loaded:
    items: tuple[Stored, ...]
    newest: Revision
    compacted: Revision


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of history: everything in its range up to `reached`."""

    revised: tuple[Revised, ...]
    reached: Revision


class History:
    def __init__(self, path: Path, *, quota_bytes: int | None = None) -> None:
        with ExitStack() as opened:
            try:
                self._writing = opened.enter_context(closing(_connect(path)))
                _prepare(self._writing, quota_bytes)
                self._reading = opened.enter_context(closing(_connect(path)))
                self._reading.execute("PRAGMA query_only = ON")
            except sqlite3.Error as error:
                raise UnusableStore(f"{path}: {error}") from error
            self._opened = opened.pop_all()

    def load(self) -> Loaded:
        counters = dict(self._reading.execute("SELECT name, revision FROM counter"))
        newest = Revision(counters["newest"])
        items = self.list_as_of("", None, newest, limit=0)
        return Loaded(items, newest, Revision(counters["compacted"]))

    def append(self, rows: Sequence[Row]) -> None:
        """Durable when it returns; when it raises, nothing of it is to be seen by this process."""
        self._writing.execute(_insert(len(rows)), tuple(chain.from_iterable(rows)))

    def compact(self, upto: Revision, budget: int) -> Revision:
        """Record that history before `upto` is forgotten, and drop what the next `budget` revisions superseded.

        Returns how far dropping has come. Small budgets keep writes from waiting behind a long delete.
        """
        (swept,) = self._writing.execute("SELECT revision FROM counter WHERE name = 'swept'").fetchone()
        reach = {"swept": swept, "upto": max(swept, min(upto, swept + budget))}
        with self._writing:
            self._writing.execute("BEGIN IMMEDIATE")
            self._writing.execute(
                "UPDATE counter SET revision = ? WHERE name = 'compacted' AND revision < ?", (upto, upto)
            )
            self._writing.execute(_DELETE_SUPERSEDED, reach)
            self._writing.execute(_DELETE_TOMBSTONES, reach)
            self._writing.execute("UPDATE counter SET revision = :upto WHERE name = 'swept'", reach)
        return Revision(reach["upto"])

    def list_as_of(self, first: str, last: str | None, at: Revision, *, limit: int) -> tuple[Stored, ...]:
        """The keys from `first` to before `last` as they stood at `at`; `limit` 0: all of them."""
        rows = self._reading.execute(_LIST_AS_OF, _range(first, last) | {"at": at, "limit": limit or -1})
        return tuple(Stored(key, value, Revision(revision)) for key, value, revision in rows)

    def count_as_of(self, first: str, last: str | None, at: Revision) -> int:
        (count,) = self._reading.execute(_COUNT_AS_OF, _range(first, last) | {"at": at}).fetchone()
        return int(count)

    def slice_after(self, first: str, last: str | None, after: Revision, upto: Revision) -> Slice:
        """Whole revisions above `after`, to `upto` or until there are about SLICE_BYTES of them."""
        revised: list[Revised] = []
        changes: list[Changed] = []
        at, size = NO_REVISION, 0
        for revision, key, value in self._reading.execute(_AFTER, _range(first, last) | {"after": after, "upto": upto}):
            if revision != at:
                if changes:
                    revised.append(Revised(at, tuple(changes)))
                if size >= SLICE_BYTES:
                    return Slice(tuple(revised), at)
                at, changes = Revision(revision), []
            changes.append(Changed(key, value))
            size += len(key) + (len(value) if value else 0)
        if changes:
            revised.append(Revised(at, tuple(changes)))
        return Slice(tuple(revised), upto)

    def close(self) -> None:
        self._opened.close()


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _prepare(connection: sqlite3.Connection, quota_bytes: int | None) -> None:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if found != (FORMAT if tables else 0):
        raise sqlite3.NotSupportedError(f"the file has format {found}; this version reads format {FORMAT}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    if not tables:
        connection.executescript(_SCHEMA)
    if quota_bytes is not None:
        (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute(f"PRAGMA max_page_count = {quota_bytes // page_bytes}")


def _range(first: str, last: str | None) -> dict[str, str | bytes | int]:
    return {"first": first, "last": ENDLESS if last is None else last}


@cache
def _insert(rows: int) -> str:
    return "INSERT INTO history (revision, key, value) VALUES " + ",".join(["(?, ?, ?)"] * rows)
