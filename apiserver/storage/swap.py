"""The compare-and-swap loop behind create, update and delete, written once for every store.

A store brings `get` and `commit`; the loop brings the rule that nothing is concluded from an old copy: Conflict,
"nothing changed" and a refusal by `change` are answered only about a value that the store itself has just confirmed.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from apiserver.storage.interface import (
    ANY,
    NO_REVISION,
    Also,
    Change,
    ClaimTaken,
    Expect,
    Guard,
    GuardFailed,
    Put,
    Stored,
)
from steersman.api.errors import AlreadyExists, ApiError, Conflict, NotFound, TooManyRequests
from steersman.api.names import Revision

ATTEMPTS = 100


@dataclass(frozen=True, slots=True)
class Transaction:
    """Write `value` (None: delete) to `key` if it was last written at `expect` (0: it is absent), the guards hold and
    the claims among `also` are free."""

    key: str
    value: bytes | None
    expect: Revision
    given: tuple[Guard, ...] = ()
    also: tuple[Put, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was written. `current` is the key as it stood at `revision`; a guard or claim that failed is named."""

    current: Stored | None
    revision: Revision
    guard: Guard | None = None
    claim: str | None = None


class Lines:
    """One line per contended key: the first in it tries, the others wait."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._lengths: Counter[str] = Counter()

    async def join(self, key: str) -> None:
        """Wait until it is our turn."""
        self._lengths[key] += 1
        try:
            await self._locks.setdefault(key, asyncio.Lock()).acquire()
        except BaseException:
            self._forget(key)
            raise

    def leave(self, key: str) -> None:
        self._locks[key].release()
        self._forget(key)

    def _forget(self, key: str) -> None:
        self._lengths[key] -= 1
        if not self._lengths[key]:
            del self._lengths[key], self._locks[key]


class SwappingStore(ABC):
    def __init__(self) -> None:
        self._lines = Lines()

    @abstractmethod
    async def get(self, key: str) -> Stored:
        """As in Store: a linearizable read."""

    @abstractmethod
    async def commit(self, transaction: Transaction) -> Revision | Refused:
        """Run one transaction to a definite end, or raise Timeout (it may have landed) or Unavailable (it did not).

        Cancelling the caller abandons the answer, not the transaction.
        """

    async def create(self, key: str, value: bytes, *, given: Sequence[Guard] = (), also: Sequence[Put] = ()) -> Stored:
        outcome = await self.commit(Transaction(key, value, NO_REVISION, tuple(given), tuple(also)))
        if isinstance(outcome, Refused):
            _raise_for_guard_or_claim(outcome)
            raise AlreadyExists(f"key {key} already exists", revision=outcome.revision)
        return Stored(key, value, outcome)

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
        """As in Store. Whoever loses a race lines up behind the others who lost one for that key: nobody starves."""
        current, confirmed, in_line = hint, False, False
        try:
            for _ in range(ATTEMPTS):
                if current is None:
                    current, confirmed = await self._find(key, given), True
                try:
                    _check(expect, current)
                    value = change(current)
                except ApiError:
                    if confirmed:
                        await self._check_guards(given)
                        raise
                    current = None
                    continue
                if value == current.value:
                    if confirmed:
                        await self._check_guards(given)
                        return current
                    current = None
                    continue
                puts = also(current, value) if callable(also) else also
                outcome = await self.commit(Transaction(key, value, current.revision, tuple(given), tuple(puts)))
                if not isinstance(outcome, Refused):
                    return Stored(key, value, outcome)
                _raise_for_guard_or_claim(outcome)
                if outcome.current is None:
                    raise NotFound(f"key {key} not found", revision=outcome.revision)
                current, confirmed = outcome.current, True
                if not in_line:
                    await self._lines.join(key)
                    current, in_line = None, True  # what was read before waiting is old by now
            raise TooManyRequests(f"key {key} changed {ATTEMPTS} times while it was being updated")
        finally:
            if in_line:
                self._lines.leave(key)

    async def delete(
        self, key: str, expect: Expect = ANY, *, given: Sequence[Guard] = (), also: Sequence[Put] = ()
    ) -> Revision:
        revision = expect.revision if expect.revision is not None else (await self._find(key, given)).revision
        for _ in range(ATTEMPTS):
            outcome = await self.commit(Transaction(key, None, revision, tuple(given), tuple(also)))
            if not isinstance(outcome, Refused):
                return outcome
            _raise_for_guard_or_claim(outcome)
            if outcome.current is None:
                raise NotFound(f"key {key} not found", revision=outcome.revision)
            _check(expect, outcome.current, outcome.revision)
            revision = outcome.current.revision
        raise TooManyRequests(f"key {key} changed {ATTEMPTS} times while it was being deleted")

    async def _find(self, key: str, given: Sequence[Guard]) -> Stored:
        try:
            return await self.get(key)
        except NotFound:
            await self._check_guards(given)
            raise

    async def _check_guards(self, given: Sequence[Guard]) -> None:
        """GuardFailed before anything else is said without a transaction: who is deposed is to learn just that.

        Reading the guards after the key will do: a guard that still is at its revision has been there all the time.
        """
        for guard in given:
            try:
                found = at = (await self.get(guard.key)).revision
            except NotFound as absent:
                found, at = NO_REVISION, absent.revision or NO_REVISION
            if found != guard.revision:
                raise GuardFailed(guard, at)


def _check(expect: Expect, current: Stored, at: Revision | None = None) -> None:
    if expect.revision is not None and expect.revision != current.revision:
        wanted, found = expect.revision, current.revision
        raise Conflict(f"key {current.key} is at revision {found}, not {wanted}", revision=at or found)


def _raise_for_guard_or_claim(refused: Refused) -> None:
    if refused.guard is not None:
        raise GuardFailed(refused.guard, refused.revision)
    if refused.claim is not None:
        raise ClaimTaken(refused.claim, refused.revision)
