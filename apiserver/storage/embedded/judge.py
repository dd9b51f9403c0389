"""Decide what a group of transactions comes to. Pure: state in, outcomes and changes out.

Every transaction of a group is judged on its own, on the state as the earlier ones of the group leave it; one that is
refused does not touch the others. The embedded store and the tests' FakeStore share these rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from apiserver.storage.interface import NO_REVISION, Changed, Revised, Stored
from apiserver.storage.swap import Refused, Transaction
from steersman.api.errors import BadRequest, RequestTooLarge
from steersman.api.names import Revision

MAX_KEYS = 128
"""The most keys one transaction may write. etcd's own default, so that what fits here fits there."""

Find = Callable[[str], Stored | None]
Outcome = Revision | Refused


@dataclass(frozen=True, slots=True)
class Judged:
    """One outcome per transaction in their order, the revisions that come of them, and the keys as they then stand."""

    outcomes: tuple[Outcome, ...]
    revised: tuple[Revised, ...]
    standing: Mapping[str, Stored | None]


def check(transaction: Transaction) -> None:
    """Refuse what no state could accept, before it shares a group with anybody."""
    if len(transaction.also) >= MAX_KEYS:
        raise RequestTooLarge(f"a transaction writes at most {MAX_KEYS} keys, this one {len(transaction.also) + 1}")
    keys = {transaction.key, *(put.key for put in transaction.also)}
    if len(keys) <= len(transaction.also):
        raise ValueError(f"the transaction on {transaction.key} names one key twice")
    for key in keys:
        if not key.isascii():
            _check_encodable(key)


def judge_group(transactions: Iterable[Transaction], find: Find, *, now: Revision, taken: Revision) -> Judged:
    """`now` is the revision of the state that `find` reads; new revisions are numbered from `taken` on, which is higher
    where revisions were lost to a failed disk."""
    standing: dict[str, Stored | None] = {}

    def find_here(key: str) -> Stored | None:
        return standing[key] if key in standing else find(key)

    outcomes: list[Outcome] = []
    revised: list[Revised] = []
    for transaction in transactions:
        verdict = judge(transaction, find_here, now)
        if isinstance(verdict, Refused):
            outcomes.append(verdict)
            continue
        if verdict:
            now = taken = Revision(taken + 1)
            revised.append(Revised(now, verdict))
            for change in verdict:
                standing[change.key] = None if change.value is None else Stored(change.key, change.value, now)
        outcomes.append(now)
    return Judged(tuple(outcomes), tuple(revised), standing)


def judge(transaction: Transaction, find: Find, now: Revision) -> Refused | tuple[Changed, ...]:
    """The changes to make (none: nothing to do, and no revision to take), or why not.

    A guard that fails outweighs all else. A claim that is taken matters only where the comparison holds: otherwise the
    caller decides again on what the key now is, and may claim something else.
    """
    current = find(transaction.key)
    for guard in transaction.given:
        if _revision_of(find(guard.key)) != guard.revision:
            return Refused(current, now, guard=guard)
    if _revision_of(current) != transaction.expect:
        return Refused(current, now)
    for put in transaction.also:
        if put.absent and find(put.key) is not None:
            return Refused(current, now, claim=put.key)
    writes = [Changed(transaction.key, transaction.value)]
    writes += [Changed(put.key, put.value) for put in transaction.also]
    return tuple(change for change in writes if change.value is not None or find(change.key) is not None)


def _revision_of(stored: Stored | None) -> Revision:
    return NO_REVISION if stored is None else stored.revision


def _check_encodable(key: str) -> None:
    try:
        key.encode()
    except UnicodeEncodeError as error:
        raise BadRequest(f"key {key!r} is not valid Unicode") from error
