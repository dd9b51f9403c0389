"""The checker of histories: good ones pass, and each kind of broken promise is found."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import histories, watchlogs
from tests.histories import (
    Call,
    Create,
    Delete,
    Done,
    Entry,
    Event,
    Failed,
    Get,
    Kind,
    List,
    Listed,
    Operation,
    Outcome,
    Refused,
    Seen,
    Unknown,
    Update,
    Why,
)


def op(started: float, ended: float, call: Call, outcome: Outcome, key: str = "k") -> Operation:
    return Operation("c", key, call, started, ended, outcome)


def log(*changes: tuple[int, str | None], key: str = "k") -> list[Entry]:
    return [Entry(revision, key, value) for revision, value in changes]


MADE = op(0, 1, Create("a"), Done(1))
CHANGED = op(2, 3, Update("b", expected=1), Done(2))
GONE = op(4, 5, Delete(), Done(3))

GOOD: dict[str, tuple[Sequence[Operation], Sequence[Entry]]] = {
    "nothing at all": ([], []),
    "create, swap, delete": ([MADE, CHANGED, GONE], log((1, "a"), (2, "b"), (3, None))),
    "read while a write is under way sees the old": (
        [MADE, CHANGED, op(2, 3, Get(), Done(1, "a"))],
        log((1, "a"), (2, "b")),
    ),
    "read while a write is under way sees the new": (
        [MADE, CHANGED, op(2, 2.5, Get(), Done(2, "b"))],
        log((1, "a"), (2, "b")),
    ),
    "write of unknown outcome that landed": ([op(0, 1, Create("a"), Unknown())], log((1, "a"))),
    "write of unknown outcome that did not land": ([op(0, 1, Create("a"), Unknown())], []),
    "write of unknown outcome that landed late": (
        [op(0, 1, Create("a"), Unknown()), op(2, 3, Get(), Refused(Why.ABSENT, 0)), op(4, 5, Get(), Done(1, "a"))],
        log((1, "a")),
    ),
    "deletion of unknown outcome": ([MADE, op(2, 3, Delete(), Unknown())], log((1, "a"), (2, None))),
    "swap refused, rightly": (
        [MADE, CHANGED, op(4, 5, Update("c", expected=1), Refused(Why.CHANGED, 2))],
        log((1, "a"), (2, "b")),
    ),
    "create refused, rightly": ([MADE, op(2, 3, Create("b"), Refused(Why.EXISTS, 1))], log((1, "a"))),
    "refusal at a later revision than the key's": (
        [MADE, op(2, 3, Create("o"), Done(9), key="other"), op(4, 5, Create("b"), Refused(Why.EXISTS, 9))],
        [*log((1, "a")), *log((9, "o"), key="other")],
    ),
    "not found before and after": (
        [
            op(-2, -1, Get(), Refused(Why.ABSENT, 0)),
            MADE,
            CHANGED,
            GONE,
            op(6, 7, Update("x"), Refused(Why.ABSENT, 3)),
        ],
        log((1, "a"), (2, "b"), (3, None)),
    ),
    "list of one picture": (
        [
            MADE,
            op(2, 3, Create("o"), Done(2), key="other"),
            op(4, 5, List(), Listed(2, {"k": (1, "a"), "other": (2, "o")})),
        ],
        [*log((1, "a")), *log((2, "o"), key="other")],
    ),
    "list at a later revision that changed nothing here": (
        [MADE, op(2, 3, List(), Listed(77, {"k": (1, "a")}))],
        log((1, "a")),
    ),
    "failed write that did nothing": ([op(0, 1, Create("a"), Failed())], []),
}

BAD: dict[str, tuple[Sequence[Operation], Sequence[Entry], Kind]] = {
    "acknowledged write lost": ([MADE], [], Kind.LOST_WRITE),
    "acknowledged write overwritten in the log": ([MADE], log((1, "x")), Kind.LOST_WRITE),
    "acknowledged deletion lost": ([MADE, op(2, 3, Delete(), Done(2))], log((1, "a")), Kind.LOST_WRITE),
    "one revision for two writes": (
        [MADE, op(0, 1, Create("o"), Done(1), key="other")],
        [*log((1, "a")), *log((1, "o"), key="other")],
        Kind.SHARED_REVISION,
    ),
    "swap against a stale revision": (
        [MADE, CHANGED, op(4, 5, Update("c", expected=1), Done(3))],
        log((1, "a"), (2, "b"), (3, "c")),
        Kind.STALE_SWAP,
    ),
    "unknown swap landed against a stale revision": (
        [MADE, CHANGED, op(4, 5, Update("c", expected=1), Unknown())],
        log((1, "a"), (2, "b"), (3, "c")),
        Kind.STALE_SWAP,
    ),
    "create over something that exists": (
        [MADE, op(2, 3, Create("b"), Done(2))],
        log((1, "a"), (2, "b")),
        Kind.STALE_SWAP,
    ),
    "update of nothing": ([op(0, 1, Update("a"), Done(1))], log((1, "a")), Kind.STALE_SWAP),
    "deletion with a precondition that was false": (
        [MADE, CHANGED, op(4, 5, Delete(expected=1), Done(3))],
        log((1, "a"), (2, "b"), (3, None)),
        Kind.STALE_SWAP,
    ),
    "revisions against real time": (
        [op(2, 3, Create("a"), Done(1)), op(0, 1, Update("b"), Done(2))],
        log((1, "a"), (2, "b")),
        Kind.ORDER,
    ),
    "revisions against real time over two keys": (
        [op(2, 3, Create("a"), Done(1)), op(0, 1, Create("o"), Done(2), key="other")],
        [*log((1, "a")), *log((2, "o"), key="other")],
        Kind.ORDER,
    ),
    "read before it was written": (
        [op(2, 3, Create("a"), Done(1)), op(0, 1, Get(), Done(1, "a"))],
        log((1, "a")),
        Kind.ORDER,
    ),
    "stale read after an acknowledged write": (
        [MADE, CHANGED, op(4, 5, Get(), Done(1, "a"))],
        log((1, "a"), (2, "b")),
        Kind.STALE_READ,
    ),
    "read goes back behind another read": (
        [MADE, op(2, 9, Update("b"), Done(2)), op(3, 4, Get(), Done(2, "b")), op(5, 6, Get(), Done(1, "a"))],
        log((1, "a"), (2, "b")),
        Kind.STALE_READ,
    ),
    "stale 'not found'": ([MADE, op(2, 3, Get(), Refused(Why.ABSENT, 0))], log((1, "a")), Kind.FALSE_REFUSAL),
    "stale 'not found' with its revision": (
        [
            op(0, 1, Create("o"), Done(1), key="other"),
            op(2, 3, Create("a"), Done(2)),
            op(4, 5, Get(), Refused(Why.ABSENT, 1)),
        ],
        [*log((1, "o"), key="other"), *log((2, "a"))],
        Kind.STALE_READ,
    ),
    "stale list": (
        [MADE, CHANGED, op(4, 5, List(), Listed(1, {"k": (1, "a")}))],
        log((1, "a"), (2, "b")),
        Kind.STALE_READ,
    ),
    "list that mixes revisions": (
        [MADE, CHANGED, op(2, 3, List(), Listed(2, {"k": (1, "a")}))],
        log((1, "a"), (2, "b")),
        Kind.WRONG_READ,
    ),
    "read of what was never written": ([MADE, op(2, 3, Get(), Done(1, "z"))], log((1, "a")), Kind.WRONG_READ),
    "false conflict": (
        [MADE, op(2, 3, Update("b", expected=1), Refused(Why.CHANGED, 1))],
        log((1, "a")),
        Kind.FALSE_REFUSAL,
    ),
    "false 'already exists'": ([op(0, 1, Create("a"), Refused(Why.EXISTS, 5))], [], Kind.FALSE_REFUSAL),
    "false 'not found' at its revision": (
        [MADE, op(2, 3, Delete(), Refused(Why.ABSENT, 1))],
        log((1, "a")),
        Kind.FALSE_REFUSAL,
    ),
    "conflict for a write without a precondition": (
        [MADE, op(2, 3, Update("b"), Refused(Why.CHANGED, 1))],
        log((1, "a")),
        Kind.FALSE_REFUSAL,
    ),
    "refused write landed all the same": (
        [op(0, 1, Create("a"), Refused(Why.EXISTS, 0))],
        log((1, "a")),
        Kind.UNEXPLAINED,
    ),
    "failed write landed all the same": ([op(0, 1, Create("a"), Failed())], log((1, "a")), Kind.UNEXPLAINED),
    "deletion that nobody asked for": ([MADE], log((1, "a"), (2, None)), Kind.UNEXPLAINED),
    "one unknown deletion, two in the log": (
        [MADE, op(2, 3, Delete(), Unknown()), op(4, 5, Create("b"), Done(3))],
        log((1, "a"), (2, None), (3, "b"), (4, None)),
        Kind.UNEXPLAINED,
    ),
    "unknown write landed twice": (
        [op(0, 1, Create("a"), Unknown()), op(2, 3, Delete(), Done(2))],
        log((1, "a"), (2, None), (3, "a")),
        Kind.LANDED_TWICE,
    ),
    "log goes back": ([MADE, CHANGED], log((2, "b"), (1, "a")), Kind.BROKEN_LOG),
    "deletion of nothing": ([op(0, 1, Delete(), Unknown())], log((1, None)), Kind.BROKEN_LOG),
}


@pytest.mark.parametrize("case", GOOD)
def test_a_history_that_can_be_explained_passes(case: str) -> None:
    history, entries = GOOD[case]
    assert histories.violations(history, entries) == []


@pytest.mark.parametrize("case", BAD)
def test_a_broken_promise_is_found(case: str) -> None:
    history, entries, kind = BAD[case]
    assert kind in [violation.kind for violation in histories.violations(history, entries)]


LOG = [Entry(1, "k", "a"), Entry(2, "other", "o"), Entry(3, "k", "b"), Entry(4, "k", None), Entry(5, "k", "c")]
EVENTS = [
    Event(Seen.ADDED, 1, "k", "a"),
    Event(Seen.ADDED, 2, "other", "o"),
    Event(Seen.MODIFIED, 3, "k", "b"),
    Event(Seen.DELETED, 4, "k", "b"),
    Event(Seen.ADDED, 5, "k", "c"),
]
SEEN: dict[str, tuple[Sequence[Event], Kind | None]] = {
    "all of it": (EVENTS, None),
    "one missing": ([*EVENTS[:2], *EVENTS[3:]], Kind.WATCH_MISSED),
    "the last missing": (EVENTS[:-1], Kind.WATCH_MISSED),
    "one twice": ([*EVENTS[:3], *EVENTS[2:]], Kind.WATCH_REPEATED),
    "two exchanged": ([EVENTS[1], EVENTS[0], *EVENTS[2:]], Kind.WATCH_ORDER),
    "wrong value": ([*EVENTS[:4], Event(Seen.ADDED, 5, "k", "z")], Kind.WATCH_WRONG),
    "wrong type": ([*EVENTS[:4], Event(Seen.MODIFIED, 5, "k", "c")], Kind.WATCH_WRONG),
    "one too many": ([*EVENTS, Event(Seen.DELETED, 6, "k", "c")], Kind.WATCH_WRONG),
}


@pytest.mark.parametrize("case", SEEN)
def test_a_watcher_sees_the_log(case: str) -> None:
    seen, kind = SEEN[case]
    found = [violation.kind for violation in watchlogs.violations(seen, LOG)]
    assert found == [] if kind is None else kind in found


def test_a_watcher_sees_only_its_scope_and_only_what_came_later() -> None:
    assert watchlogs.violations(EVENTS[3:], LOG, lambda key: key == "k", after=3) == []


# -- histories drawn from a store that keeps its promises


class Simulated:
    """A store in which calls take effect at an instant, one after the other; what clients see of it is a history."""

    def __init__(self) -> None:
        self.revision = 0
        self.present: dict[str, tuple[int, str]] = {}
        self.log: list[Entry] = []

    def carry_out(self, key: str, call: Call) -> Outcome:
        held = self.present.get(key)
        match call:
            case List():
                return Listed(self.revision, dict(self.present))
            case Create() if held is not None:
                return Refused(Why.EXISTS, self.revision)
            case Create(value):
                return self._put(key, value)
            case _ if held is None:
                return Refused(Why.ABSENT, self.revision)
            case Get():
                return Done(*held)
            case Update(_, expected) | Delete(expected) if expected not in (0, held[0]):
                return Refused(Why.CHANGED, held[0])
            case Update(value):
                return self._put(key, value)
            case Delete():
                return self._put(key, None)

    def _put(self, key: str, value: str | None) -> Done:
        self.revision += 1
        self.log.append(Entry(self.revision, key, value))
        if value is None:
            del self.present[key]
        else:
            self.present[key] = (self.revision, value)
        return Done(self.revision)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["create", "update", "swap", "swap stale", "delete", "delete stale", "get", "list"]),
        st.sampled_from(["x", "y"]),
        st.sampled_from(["answer"] * 4 + ["answer lost", "request lost", "failed"]),
        st.integers(0, 35),
        st.integers(0, 35),
    ),
    max_size=40,
)
INTERVAL = 10


def simulate(steps: Sequence[tuple[str, str, str, int, int]]) -> tuple[list[Operation], list[Entry]]:
    """Calls take effect every 10 units of time, begin up to 35 before and end up to 35 after."""
    store, history = Simulated(), []
    for number, (what, key, fate, before, after) in enumerate(steps):
        revision = store.present.get(key, (0, ""))[0]
        calls: dict[str, Call] = {
            "create": Create(f"v{number}"),
            "update": Update(f"v{number}"),
            "swap": Update(f"v{number}", expected=revision),
            "swap stale": Update(f"v{number}", expected=max(1, revision - 1)),
            "delete": Delete(),
            "delete stale": Delete(expected=max(1, revision - 1)),
            "get": Get(),
            "list": List(),
        }
        outcome: Outcome = Failed() if fate == "failed" else Unknown()
        if fate.startswith("answer"):
            answer = store.carry_out(key, calls[what])
            outcome = answer if fate == "answer" else outcome
        at = number * INTERVAL
        history.append(Operation("c", key, calls[what], at - before, at + after, outcome))
    return history, store.log


@given(STEPS)
@settings(deadline=None)
def test_whatever_a_faithful_store_does_passes(steps: Sequence[tuple[str, str, str, int, int]]) -> None:
    history, entries = simulate(steps)
    assert histories.violations(history, entries) == []
    events = list(watchlogs.expected_events(entries))
    assert watchlogs.violations(events, entries) == []


@given(STEPS, st.randoms())
@settings(deadline=None)
def test_an_acknowledged_write_taken_out_of_the_log_is_missed(
    steps: Sequence[tuple[str, str, str, int, int]], random: Random
) -> None:
    history, entries = simulate(steps)
    acknowledged = [op.outcome.revision for op in history if op.writes and isinstance(op.outcome, Done)]
    if acknowledged:
        lost = random.choice(acknowledged)
        remaining = [entry for entry in entries if entry.revision != lost]
        assert Kind.LOST_WRITE in [violation.kind for violation in histories.violations(history, remaining)]
