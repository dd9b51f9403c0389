"""A Transaction as etcd's Txn, and what its answer means. Pure.

The failure branch reads everything that the transaction compares or writes, at the revision of the refusal. That
explains a refusal, and it tells whether an earlier sending of the same transaction, whose answer was lost, has landed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aetcd.rpc import rpc_pb2 as pb

from apiserver.storage.etcd.keyspace import Keyspace
from apiserver.storage.interface import NO_REVISION, Stored
from apiserver.storage.swap import Refused, Transaction
from steersman.api.names import Revision

NEVER = -1  # a revision that no key has

_EQUAL, _MOD = pb.Compare.EQUAL, pb.Compare.MOD


@dataclass(frozen=True, slots=True)
class Found:
    """What a refused transaction saw: its key, the revisions of its guards, and the keys of its further puts."""

    revision: Revision
    current: Stored | None
    guards: tuple[Revision, ...]
    puts: tuple[Stored | None, ...]


def request_of(keyspace: Keyspace, transaction: Transaction) -> Any:
    request = pb.TxnRequest()
    key = keyspace.name(transaction.key)
    # To delete what is absent is a refusal, not a success that changes nothing.
    expect = transaction.expect or NEVER if transaction.value is None else transaction.expect
    _compare(request, key, expect)
    _write(request, key, transaction.value)
    for guard in transaction.given:
        _compare(request, keyspace.name(guard.key), guard.revision)
    for put in transaction.also:
        name = keyspace.name(put.key)
        if put.absent:
            _compare(request, name, NO_REVISION)
        _write(request, name, put.value)
    _read_everything(request.failure, keyspace, transaction)
    return request


def look_of(keyspace: Keyspace, transaction: Transaction) -> Any:
    """Only the reads of the failure branch, answered by the same `found_in`."""
    request = pb.TxnRequest()
    _read_everything(request.success, keyspace, transaction)
    return request


def found_in(keyspace: Keyspace, transaction: Transaction, response: Any) -> Found:
    stored = [_stored(keyspace, answer.response_range) for answer in response.responses]
    boundary = 1 + len(transaction.given)
    return Found(
        revision=Revision(response.header.revision),
        current=stored[0],
        guards=tuple(guard.revision if guard else NO_REVISION for guard in stored[1:boundary]),
        puts=tuple(stored[boundary:]),
    )


def refusal(transaction: Transaction, found: Found) -> Refused:
    """Named in this order: a guard, the key itself, a claim.

    A claim that is taken matters only where the key is as expected: otherwise the caller decides again on what the key
    now is, and may claim something else.
    """
    for guard, revision in zip(transaction.given, found.guards, strict=True):
        if revision != guard.revision:
            return Refused(found.current, found.revision, guard=guard)
    if untouched(transaction, found):
        for put, holder in zip(transaction.also, found.puts, strict=True):
            if put.absent and holder is not None:
                return Refused(found.current, found.revision, claim=put.key)
    return Refused(found.current, found.revision)


def landed(transaction: Transaction, found: Found) -> Revision | None:
    """The revision at which this very transaction happened, if what stands in the store proves it.

    The proof is that everything it puts stands there byte for byte, all at one revision above the one it expected. A
    delete without puts leaves nothing to recognise it by: the key may be absent because somebody else deleted it.
    """
    if transaction.value is None and found.current is not None:
        return None
    pairs = [(transaction.value, found.current)] if transaction.value is not None else []
    pairs += [
        (put.value, seen) for put, seen in zip(transaction.also, found.puts, strict=True) if put.value is not None
    ]
    revisions = {seen.revision if seen and seen.value == value else NO_REVISION for value, seen in pairs}
    if len(revisions) != 1:
        return None
    revision = revisions.pop()
    return revision if revision > transaction.expect else None


def untouched(transaction: Transaction, found: Found) -> bool:
    """True if the key still is what the transaction expected, so that no sending of it has landed until now."""
    if found.current is None:
        return transaction.expect == NO_REVISION
    return found.current.revision == transaction.expect


def lost_for_good(transaction: Transaction, found: Found) -> bool:
    """True if no sending has landed and none still under way can: revisions never return, so a guard that moved has
    moved for ever. (An absent key proves nothing: it may have been created by us and deleted by another.)"""
    moved = any(
        guard.revision != NO_REVISION and guard.revision != revision
        for guard, revision in zip(transaction.given, found.guards, strict=True)
    )
    return moved and transaction.expect != NO_REVISION and untouched(transaction, found)


# Messages are filled in place: this is the hot path, and building them from parts costs four times as much.


def _compare(request: Any, name: bytes, revision: int) -> None:
    request.compare.add(result=_EQUAL, target=_MOD, key=name, mod_revision=revision)


def _write(request: Any, name: bytes, value: bytes | None) -> None:
    operation = request.success.add()
    if value is None:
        operation.request_delete_range.key = name
    else:
        put = operation.request_put
        put.key = name
        put.value = value


def _read_everything(branch: Any, keyspace: Keyspace, transaction: Transaction) -> None:
    """In the order that `found_in` knows."""
    branch.add().request_range.key = keyspace.name(transaction.key)
    for guard in transaction.given:
        branch.add().request_range.key = keyspace.name(guard.key)
    for put in transaction.also:
        branch.add().request_range.key = keyspace.name(put.key)


def _stored(keyspace: Keyspace, answer: Any) -> Stored | None:
    for kv in answer.kvs:
        return Stored(keyspace.key(kv.key), kv.value, Revision(kv.mod_revision))
    return None
