from __future__ import annotations

import pytest

from apiserver.storage.etcd import transactions
from apiserver.storage.etcd.transactions import Found
from apiserver.storage.interface import Guard, Put, Stored
from apiserver.storage.swap import Refused, Transaction
from steersman.api.names import Revision

NOW = Revision(30)
GUARD = Guard("/fence", Revision(5))


def at(revision: int, value: bytes = b"mine", key: str = "/k") -> Stored:
    return Stored(key, value, Revision(revision))


def found(current: Stored | None, *, guards: tuple[int, ...] = (), puts: tuple[Stored | None, ...] = ()) -> Found:
    return Found(NOW, current, tuple(Revision(guard) for guard in guards), puts)


def create(*also: Put, given: tuple[Guard, ...] = ()) -> Transaction:
    return Transaction("/k", b"mine", Revision(0), given, also)


def update(*also: Put, given: tuple[Guard, ...] = ()) -> Transaction:
    return Transaction("/k", b"mine", Revision(10), given, also)


def delete(*also: Put) -> Transaction:
    return Transaction("/k", None, Revision(10), (), also)


FENCE = Put("/f", b"moved")
CLAIM = Put("/c", b"taken", absent=True)
GONE = Put("/g", None)


@pytest.mark.parametrize(
    ("transaction", "seen", "revision"),
    [
        pytest.param(create(), found(at(20)), 20, id="create"),
        pytest.param(create(), found(at(20, b"theirs")), None, id="create-of-another"),
        pytest.param(create(), found(None), None, id="create-not-there"),
        pytest.param(update(), found(at(20)), 20, id="update"),
        pytest.param(update(), found(at(20, b"theirs")), None, id="update-of-another"),
        pytest.param(update(), found(at(10)), None, id="update-not-yet"),
        pytest.param(update(), found(None), None, id="update-deleted-since"),
        pytest.param(update(FENCE), found(at(20), puts=(at(20, b"moved"),)), 20, id="with-put"),
        pytest.param(update(FENCE), found(at(20), puts=(at(21, b"moved"),)), None, id="put-at-another-revision"),
        pytest.param(update(FENCE), found(at(20), puts=(at(20, b"else"),)), None, id="put-of-another"),
        pytest.param(update(FENCE), found(at(20), puts=(None,)), None, id="put-not-there"),
        pytest.param(update(GONE), found(at(20), puts=(None,)), 20, id="with-deletion"),
        pytest.param(delete(), found(None), None, id="delete-may-be-anybodys"),
        pytest.param(delete(FENCE), found(None, puts=(at(20, b"moved"),)), 20, id="delete-with-put"),
        pytest.param(delete(FENCE), found(None, puts=(at(4, b"moved"),)), None, id="delete-with-older-put"),
        pytest.param(delete(FENCE), found(at(20), puts=(at(20, b"moved"),)), None, id="delete-but-there"),
        pytest.param(delete(GONE), found(None, puts=(None,)), None, id="delete-with-deletion"),
    ],
)
def test_landed(transaction: Transaction, seen: Found, revision: int | None) -> None:
    assert transactions.landed(transaction, seen) == revision


@pytest.mark.parametrize(
    ("transaction", "seen", "expected"),
    [
        pytest.param(update(), found(at(20)), Refused(at(20), NOW), id="key"),
        pytest.param(update(), found(None), Refused(None, NOW), id="key-absent"),
        pytest.param(
            update(CLAIM, given=(GUARD,)),
            found(at(20), guards=(6,), puts=(at(3),)),
            Refused(at(20), NOW, guard=GUARD),
            id="guard-before-claim-and-key",
        ),
        pytest.param(
            update(FENCE, CLAIM, given=(GUARD,)),
            found(at(10), guards=(5,), puts=(at(3), at(3))),
            Refused(at(10), NOW, claim="/c"),
            id="claim",
        ),
        pytest.param(update(CLAIM), found(at(20), puts=(at(3),)), Refused(at(20), NOW), id="key-before-claim"),
        pytest.param(update(FENCE, CLAIM), found(at(20), puts=(at(3), None)), Refused(at(20), NOW), id="claim-is-free"),
    ],
)
def test_refusal(transaction: Transaction, seen: Found, expected: Refused) -> None:
    assert transactions.refusal(transaction, seen) == expected


@pytest.mark.parametrize(
    ("transaction", "seen", "lost"),
    [
        pytest.param(update(given=(GUARD,)), found(at(10), guards=(6,)), True, id="guard-moved-key-untouched"),
        pytest.param(update(given=(GUARD,)), found(at(20), guards=(6,)), False, id="key-changed-too"),
        pytest.param(update(given=(GUARD,)), found(at(10), guards=(5,)), False, id="guard-holds"),
        pytest.param(create(given=(GUARD,)), found(None, guards=(6,)), False, id="absence-proves-nothing"),
        pytest.param(
            update(given=(Guard("/f", Revision(0)),)), found(at(10), guards=(6,)), False, id="absence-may-return"
        ),
    ],
)
def test_lost_for_good(transaction: Transaction, seen: Found, *, lost: bool) -> None:
    assert transactions.lost_for_good(transaction, seen) is lost
