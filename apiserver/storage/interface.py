"""The Store protocol: bytes by key, one revision counter, every write one compare-and-swap transaction.

What every implementation promises (proved for each by tests/contract/):

* **One counter.** Every transaction that changes anything takes the next revision; all keys it changes share it. A
  transaction that changes nothing takes none. Revisions are never reused, not even after a crash.
* **Atomic.** A write happens whole, with its guards checked and its further puts done, or not at all.
* **Durable.** When a write returns, it survives the death of every process involved.
* **Linearizable.** `get`, `list` without a revision and `revision` see every write that was acknowledged before they
  were called.
* **Watch is the log.** `watch(prefix, after)` gives every revision above `after` that touches the prefix: whole, once,
  in order. When it cannot (compacted, restored from an older copy), it raises Expired. It never skips.
* **Unknown is said.** A write whose outcome could not be found out raises Timeout, never Conflict, AlreadyExists or
  NotFound about its own effect. Once sent, a write belongs to the store: cancelling the caller drops the answer alone.

Errors are those of `steersman.api.errors`: NotFound, AlreadyExists, Conflict (each with the `revision` at which it was
true), GuardFailed (a Deposed that names the guard), ClaimTaken (an AlreadyExists that names the claim), Expired,
Timeout, Unavailable. Their messages name the key; the registry says it in the words of the API.

A store is opened by its module's async context manager (`embedded.open_store`, `etcd.open_store`), which owns its tasks
and connections and closes them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from steersman.api.errors import AlreadyExists, Deposed
from steersman.api.names import Revision

NO_REVISION = Revision(0)


@dataclass(frozen=True, slots=True)
class Stored:
    """A value as of the revision that last wrote it."""

    key: str
    value: bytes
    revision: Revision


@dataclass(frozen=True, slots=True)
class Guard:
    """Must hold in the same transaction: `key` was last written at `revision` (0: the key is absent)."""

    key: str
    revision: Revision


class GuardFailed(Deposed):
    """A guard of the write did not hold; nothing was written. Said before anything else is, also where nothing would
    have been written anyway: whoever is deposed must not go on believing otherwise."""

    def __init__(self, guard: Guard, revision: Revision) -> None:
        super().__init__(f"guard {guard.key} is no longer at revision {guard.revision}", revision=revision)
        self.guard = guard


@dataclass(frozen=True, slots=True)
class Put:
    """A further key written (`value` None: deleted) in the same transaction, whatever it held.

    With `absent=True` the key must not exist, or the whole write fails with ClaimTaken: a claim.
    """

    key: str
    value: bytes | None
    absent: bool = False


class ClaimTaken(AlreadyExists):
    """A key that the write claimed for itself exists already; nothing was written."""

    def __init__(self, key: str, revision: Revision) -> None:
        super().__init__(f"key {key} already exists", revision=revision)
        self.key = key


@dataclass(frozen=True, slots=True)
class Expect:
    """What the caller believes of the key. `revision` None: anything, as long as the key exists."""

    revision: Revision | None = None


ANY = Expect()

Change = Callable[[Stored], bytes]
"""Pure, may run again after a lost race, may raise an ApiError to refuse. Equal bytes mean: write nothing."""


Also = Callable[[Stored, bytes], Sequence[Put]]
"""The further puts of an update that depend on what it changes: called with the old value and the new bytes."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list. `limit` 0: all. `after_key`: only keys above it. `revision` 0: now, else as it was then."""

    limit: int = 0
    after_key: str = ""
    revision: Revision = NO_REVISION


WHOLE = Page()


@dataclass(frozen=True, slots=True)
class Listing:
    """Keys in byte order, all as of `revision`. `remaining`: how many keys of the prefix follow the last item."""

    items: tuple[Stored, ...]
    revision: Revision
    remaining: int = 0


@dataclass(frozen=True, slots=True)
class Changed:
    """One key's new value in one revision; `value` None: deleted."""

    key: str
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Revised:
    """One revision, whole: all its changes under the watched prefix. With no changes it is progress: everything up to
    `revision` under the prefix has been given."""

    revision: Revision
    changes: tuple[Changed, ...] = ()


class Watch(Protocol):
    """An iterator of revisions. Ends only by raising (Expired) or by `aclose`, which must be called."""

    def __aiter__(self) -> AsyncIterator[Revised]: ...

    async def __anext__(self) -> Revised: ...

    async def request_progress(self) -> None:
        """Ask for a Revised that reaches the store's revision of now, soon. May be called at any time, and often."""

    async def aclose(self) -> None: ...


@runtime_checkable
class Store(Protocol):
    async def get(self, key: str) -> Stored:
        """NotFound."""

    async def list(self, prefix: str, page: Page = WHOLE) -> Listing:
        """Expired when `page.revision` is compacted, or above the store's own (the store was restored)."""

    async def create(self, key: str, value: bytes, *, given: Sequence[Guard] = (), also: Sequence[Put] = ()) -> Stored:
        """AlreadyExists, Deposed."""

    async def update(
        self,
        key: str,
        change: Change,
        expect: Expect = ANY,
        *,
        hint: Stored | None = None,
        given: Sequence[Guard] = (),
        also: Sequence[Put] | Also = (),
    ) -> Stored:
        """NotFound, Conflict (only for an `expect` with a revision), Deposed, and whatever `change` raises.

        `hint` is a possibly old copy to start from, which saves a read. Nothing is concluded from it: a refusal by
        `change`, equal bytes or a failed comparison are judged again on the key as read from the store.
        """

    async def delete(
        self, key: str, expect: Expect = ANY, *, given: Sequence[Guard] = (), also: Sequence[Put] = ()
    ) -> Revision:
        """The revision of the deletion. NotFound, Conflict, Deposed."""

    def watch(self, prefix: str, after: Revision) -> Watch:
        """Every revision above `after`. Expired when not all of them are kept, or `after` is above the store's own."""

    async def revision(self) -> Revision:
        """The newest revision of the whole store, linearizably."""

    async def oldest(self) -> Revision:
        """The oldest revision that `list` can read and after which `watch` can start."""

    async def compact(self, upto: Revision) -> None:
        """Forget history before `upto`; reading at `upto` and watching after it still work. Lower values do nothing."""
