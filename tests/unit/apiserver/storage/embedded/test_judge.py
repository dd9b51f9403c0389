from __future__ import annotations

import pytest

from apiserver.storage.embedded import judge
from apiserver.storage.embedded.judge import Judged
from apiserver.storage.interface import NO_REVISION, Changed, Guard, Put, Revised, Stored
from apiserver.storage.swap import Refused, Transaction
from steersman.api.errors import BadRequest, RequestTooLarge
from steersman.api.names import Revision

A = Stored("a", b"1", Revision(5))
B = Stored("b", b"1", Revision(7))
NOW = Revision(7)
NEXT = Revision(8)
STALE = Guard("b", Revision(6))


def judged(*transactions: Transaction, taken: int = NOW) -> Judged:
    state = {"a": A, "b": B}
    return judge.judge_group(transactions, state.get, now=NOW, taken=Revision(taken))


def write(
    key: str, value: bytes | None, expect: int, given: tuple[Guard, ...] = (), also: tuple[Put, ...] = ()
) -> Transaction:
    return Transaction(key, value, Revision(expect), given, also)


@pytest.mark.parametrize(
    ("transaction", "changes"),
    [
        pytest.param(write("c", b"2", 0), [Changed("c", b"2")], id="create"),
        pytest.param(write("a", b"2", 5), [Changed("a", b"2")], id="update"),
        pytest.param(write("a", None, 5), [Changed("a", None)], id="delete"),
        pytest.param(write("a", b"2", 5, (Guard("b", Revision(7)),)), [Changed("a", b"2")], id="guard holds"),
        pytest.param(write("a", b"2", 5, (Guard("c", NO_REVISION),)), [Changed("a", b"2")], id="guard on nothing"),
        pytest.param(
            write("a", b"2", 5, also=(Put("b", None), Put("c", b"3", absent=True), Put("d", None))),
            [Changed("a", b"2"), Changed("b", None), Changed("c", b"3")],
            id="further puts, and a delete of nothing",
        ),
    ],
)
def test_accepted(transaction: Transaction, changes: list[Changed]) -> None:
    outcome = judged(transaction)
    assert outcome.outcomes == (NEXT,)
    assert outcome.revised == (Revised(NEXT, tuple(changes)),)


@pytest.mark.parametrize(
    ("transaction", "refusal"),
    [
        pytest.param(write("a", b"2", 0), Refused(A, NOW), id="create of what exists"),
        pytest.param(write("a", b"2", 4), Refused(A, NOW), id="update of an older copy"),
        pytest.param(write("c", b"2", 4), Refused(None, NOW), id="update of nothing"),
        pytest.param(write("a", b"2", 5, (STALE,)), Refused(A, NOW, guard=STALE), id="guard fails"),
        pytest.param(write("a", b"2", 4, (STALE,)), Refused(A, NOW, guard=STALE), id="guard outweighs comparison"),
        pytest.param(
            write("a", b"2", 5, also=(Put("b", b"", absent=True),)), Refused(A, NOW, claim="b"), id="claim is taken"
        ),
        pytest.param(
            write("a", b"2", 4, also=(Put("b", b"", absent=True),)), Refused(A, NOW), id="comparison outweighs claim"
        ),
    ],
)
def test_refused(transaction: Transaction, refusal: Refused) -> None:
    assert judged(transaction) == Judged((refusal,), (), {})


def test_nothing_to_do_takes_no_revision() -> None:
    assert judged(write("c", None, 0)) == Judged((NOW,), (), {})


def test_a_group_is_judged_one_by_one_on_what_the_earlier_ones_left() -> None:
    outcome = judged(
        write("c", b"first", 0),
        write("c", b"second", 0),
        write("c", b"third", 8),
        write("a", None, 5, also=(Put("c", None),)),
        write("c", b"fourth", 0),
    )
    first = Stored("c", b"first", NEXT)
    assert outcome.outcomes == (8, Refused(first, NEXT), 9, 10, 11)
    assert [revised.revision for revised in outcome.revised] == [8, 9, 10, 11]
    assert outcome.standing == {"a": None, "c": Stored("c", b"fourth", Revision(11))}


def test_revisions_lost_to_a_failed_disk_are_not_used_again() -> None:
    outcome = judged(write("c", b"", 0), write("c", b"", 0), taken=20)
    assert outcome.outcomes == (21, Refused(Stored("c", b"", Revision(21)), Revision(21)))
    assert judged(write("a", b"", 0), taken=20).outcomes == (Refused(A, NOW),)


@pytest.mark.parametrize(
    ("transaction", "error"),
    [
        pytest.param(write("a", b"", 0, also=(Put("a", b""),)), ValueError, id="its own key again"),
        pytest.param(write("a", b"", 0, also=(Put("b", b""), Put("b", None))), ValueError, id="one key twice"),
        pytest.param(write("\ud800", b"", 0), BadRequest, id="half a surrogate pair"),
        pytest.param(
            write("a", b"", 0, also=tuple(Put(str(number), b"") for number in range(128))),
            RequestTooLarge,
            id="129 keys",
        ),
    ],
)
def test_malformed(transaction: Transaction, error: type[Exception]) -> None:
    with pytest.raises(error):
        judge.check(transaction)


def test_well_formed() -> None:
    judge.check(write("é", b"", 0, also=tuple(Put(str(number), b"") for number in range(127))))
