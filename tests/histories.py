"""What clients did and saw, and whether a store that keeps its promises can explain it. Pure.

The store's own log orders all writes: each took one revision, and revisions are global. So every call has a *point* in
that order, and linearizability is a plain sweep through time rather than a search:

* a write's point is its revision; what it wrote must stand in the log there, on top of what it was made from;
* an answer about a key's state (a read, a refusal) speaks of the state at one revision, which lasted until the key's
  next change: its point is anywhere in between;
* points never contradict real time: a call that began after another had ended has no lower point. `floor` is the
  highest point of all calls that have ended; an answer whose state was over by then is stale.

A write without a definite answer may stand in the log or not, once. Values are unique, so that the log tells whose
they are. What watchers must have seen is in `watchlogs`.
"""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

FOREVER = 2**63


# -- what is recorded


@dataclass(frozen=True, slots=True)
class Create:
    value: str


@dataclass(frozen=True, slots=True)
class Update:
    """`expected` 0: whatever is there."""

    value: str
    expected: int = 0


@dataclass(frozen=True, slots=True)
class Delete:
    """`expected` 0: whatever is there."""

    expected: int = 0


@dataclass(frozen=True, slots=True)
class Get:
    pass


@dataclass(frozen=True, slots=True)
class List:
    """All keys at once; the operation's key is not looked at."""


Call = Create | Update | Delete | Get | List


@dataclass(frozen=True, slots=True)
class Done:
    """Success. `revision`: of the write, or of the object that was read (`value`)."""

    revision: int
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """The objects at `revision`: key -> the object's own revision and value."""

    revision: int
    items: Mapping[str, tuple[int, str]]


class Why(StrEnum):
    EXISTS = "AlreadyExists"
    ABSENT = "NotFound"
    CHANGED = "Conflict"


@dataclass(frozen=True, slots=True)
class Refused:
    """A definite answer about the key. `revision` 0: the answer did not say when it was true."""

    why: Why
    revision: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing was done."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """It may have been done, or may still be."""


Outcome = Done | Listed | Refused | Failed | Unknown


@dataclass(frozen=True, slots=True)
class Operation:
    client: str
    key: str
    call: Call
    started: float
    ended: float
    outcome: Outcome

    @property
    def writes(self) -> bool:
        return isinstance(self.call, Create | Update | Delete)


@dataclass(frozen=True, slots=True)
class Entry:
    """One change in the store's log; `value` None: deleted."""

    revision: int
    key: str
    value: str | None


class Seen(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


@dataclass(frozen=True, slots=True)
class Event:
    """What a watcher was told. A deletion carries the last value."""

    type: Seen
    revision: int
    key: str
    value: str


class Kind(StrEnum):
    LOST_WRITE = "an acknowledged write is not in the log"
    SHARED_REVISION = "two writes were given one revision"
    STALE_SWAP = "a write succeeded on top of something else than it was made from"
    ORDER = "revision order contradicts real time"
    STALE_READ = "an answer is older than what was known before the question"
    WRONG_READ = "a read returned what was never there"
    FALSE_REFUSAL = "a refusal was not true at the revision that it names"
    UNEXPLAINED = "the log has a change that nobody made, or made and was told to have failed"
    LANDED_TWICE = "one write is in the log twice"
    BROKEN_LOG = "the log is out of order"
    WATCH_MISSED = "a watcher missed a change"
    WATCH_REPEATED = "a watcher saw a change twice"
    WATCH_ORDER = "a watcher saw changes out of order"
    WATCH_WRONG = "a watcher saw something else than what is in the log"


@dataclass(frozen=True, slots=True)
class Violation:
    kind: Kind
    about: Operation | Entry | Event
    why: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.about} {self.why}".rstrip()


# -- the log as registers


@dataclass(slots=True)
class _Register:
    """The changes of one key in order."""

    revisions: list[int] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)

    def at(self, revision: int) -> _State:
        """The key's state as of `revision`."""
        index = bisect.bisect_right(self.revisions, revision)
        until = self.revisions[index] if index < len(self.revisions) else FOREVER
        if not index:
            return _State(0, until, None)
        return _State(self.revisions[index - 1], until, self.values[index - 1])

    def states_from(self, revision: int) -> Iterator[_State]:
        state = self.at(revision)
        yield state
        while state.until < FOREVER:
            state = self.at(state.until)
            yield state


@dataclass(frozen=True, slots=True)
class _State:
    """What a key held from revision `since` up to, but not at, `until`."""

    since: int
    until: int
    value: str | None

    @property
    def exists(self) -> bool:
        return self.value is not None


_NEVER_WRITTEN = _Register()


class _Log:
    def __init__(self, entries: Iterable[Entry]) -> None:
        self._registers: defaultdict[str, _Register] = defaultdict(_Register)
        self.problems: list[Violation] = []
        for entry in entries:
            register = self._registers[entry.key]
            if register.revisions and entry.revision <= register.revisions[-1]:
                self.problems.append(Violation(Kind.BROKEN_LOG, entry))
            elif entry.value is None and not register.at(entry.revision).exists:
                self.problems.append(Violation(Kind.BROKEN_LOG, entry, "(a deletion of nothing)"))
            register.revisions.append(entry.revision)
            register.values.append(entry.value)

    @property
    def keys(self) -> Iterable[str]:
        return self._registers

    def of(self, key: str) -> _Register:
        return self._registers.get(key, _NEVER_WRITTEN)


# -- the checks


def violations(history: Sequence[Operation], entries: Sequence[Entry]) -> list[Violation]:
    """All in `history` that the log contradicts. The log is everything that ever happened to the history's keys."""
    log = _Log(entries)
    return [*log.problems, *_unexplained(history, entries), *_shared(history), *_sweep(history, entries, log)]


def _unexplained(history: Sequence[Operation], entries: Sequence[Entry]) -> Iterator[Violation]:
    """Changes in the log without an author. A deletion may be that of any one call of unknown outcome."""
    acknowledged = {(op.key, op.outcome.revision) for op in history if op.writes and isinstance(op.outcome, Done)}
    unknown = Counter((op.key, _written(op.call)) for op in history if op.writes and isinstance(op.outcome, Unknown))
    values = Counter((entry.key, entry.value) for entry in entries if entry.value is not None)
    for entry in entries:
        if entry.value is not None and values[entry.key, entry.value] > 1:
            yield Violation(Kind.LANDED_TWICE, entry)
        elif (entry.key, entry.revision) not in acknowledged:
            unknown[entry.key, entry.value] -= 1
            if unknown[entry.key, entry.value] < 0:
                yield Violation(Kind.UNEXPLAINED, entry)


def _shared(history: Sequence[Operation]) -> Iterator[Violation]:
    seen: set[int] = set()
    for op in history:
        if op.writes and isinstance(op.outcome, Done):
            if op.outcome.revision in seen:
                yield Violation(Kind.SHARED_REVISION, op)
            seen.add(op.outcome.revision)


def _sweep(history: Sequence[Operation], entries: Sequence[Entry], log: _Log) -> Iterator[Violation]:
    """Through real time: judge each call against the highest point of the calls that had ended when it began."""
    landed = {(entry.key, entry.value): entry.revision for entry in entries}
    begin, end = 0, 1  # of two things in one moment neither was first: ends come after beginnings
    moments = [(op.started, begin, index) for index, op in enumerate(history)]
    moments += [(op.ended, end, index) for index, op in enumerate(history)]
    floor, points = 0, [0] * len(history)
    for _, what, index in sorted(moments):
        if what == end:
            floor = max(floor, points[index])
            continue
        judgement = _judged(history[index], log, landed, floor)
        points[index] = judgement.point
        yield from judgement.violations


@dataclass(frozen=True, slots=True)
class _Judgement:
    """`point`: the lowest revision at which the call can have taken place."""

    point: int
    violations: tuple[Violation, ...] = ()


def _judged(op: Operation, log: _Log, landed: Mapping[tuple[str, str | None], int], floor: int) -> _Judgement:
    match op.call, op.outcome:
        case ((Create() | Update() | Delete()), Done()):
            return _judge_write(op, op.outcome.revision, log.of(op.key), floor)
        case ((Create() | Update()), Unknown()) if (op.key, _written(op.call)) in landed:
            # It took place, perhaps long after its caller gave up: that says nothing about later calls.
            landed_at = _judge_write(op, landed[op.key, _written(op.call)], log.of(op.key), floor)
            return _Judgement(floor, landed_at.violations)
        case Get(), Done():
            return _judge_get(op, op.outcome, log.of(op.key), floor)
        case List(), Listed():
            return _judge_list(op, op.outcome, log, floor)
        case _, Refused():
            return _judge_refusal(op, op.outcome, log.of(op.key), floor)
    return _Judgement(floor)


def _judge_write(op: Operation, revision: int, register: _Register, floor: int) -> _Judgement:
    after, before = register.at(revision), register.at(revision - 1)
    if after.since != revision or after.value != _written(op.call):
        return _Judgement(floor, (Violation(Kind.LOST_WRITE, op),))
    problems = []
    if not _stands_on(op.call, before):
        problems.append(Violation(Kind.STALE_SWAP, op, f"on top of {before}"))
    if revision <= floor:
        problems.append(Violation(Kind.ORDER, op, f"at {revision}, after {floor} was known"))
    return _Judgement(max(revision, floor), tuple(problems))


def _stands_on(call: Call, before: _State) -> bool:
    match call:
        case Create():
            return not before.exists
        case Update(_, expected) | Delete(expected):
            return before.exists and expected in (0, before.since)
    return True


def _judge_get(op: Operation, seen: Done, register: _Register, floor: int) -> _Judgement:
    state = register.at(seen.revision)
    if state.since != seen.revision or state.value is None or state.value != seen.value:
        return _Judgement(floor, (Violation(Kind.WRONG_READ, op, f"there was {state}"),))
    return _fresh(op, seen.revision, state, floor)


def _judge_list(op: Operation, seen: Listed, log: _Log, floor: int) -> _Judgement:
    there = {}
    for key in log.keys:
        state = log.of(key).at(seen.revision)
        if state.value is not None:
            there[key] = (state.since, state.value)
    if there != dict(seen.items):
        return _Judgement(floor, (Violation(Kind.WRONG_READ, op, f"there was {there}"),))
    if seen.revision >= floor:
        return _Judgement(seen.revision)
    changed = [key for key in log.keys if log.of(key).at(seen.revision).until <= floor]
    if not changed:
        return _Judgement(floor)
    return _Judgement(floor, (Violation(Kind.STALE_READ, op, f"{changed} had changed by {floor}"),))


def _judge_refusal(op: Operation, refused: Refused, register: _Register, floor: int) -> _Judgement:
    if refused.revision:
        state = register.at(refused.revision)
        if not _justifies(refused.why, op.call, state):
            return _Judgement(floor, (Violation(Kind.FALSE_REFUSAL, op, f"there was {state}"),))
        return _fresh(op, refused.revision, state, floor)
    for state in register.states_from(floor):
        if _justifies(refused.why, op.call, state):
            return _Judgement(max(floor, state.since))
    return _Judgement(floor, (Violation(Kind.FALSE_REFUSAL, op, f"never true from {floor} on"),))


def _justifies(why: Why, call: Call, state: _State) -> bool:
    match why:
        case Why.EXISTS:
            return state.exists
        case Why.ABSENT:
            return not state.exists
        case Why.CHANGED:
            expected = call.expected if isinstance(call, Update | Delete) else 0
            return state.exists and expected != 0 and state.since != expected


def _fresh(op: Operation, revision: int, state: _State, floor: int) -> _Judgement:
    if state.until <= floor:
        why = f"the key changed at {state.until}, and {floor} was known"
        return _Judgement(floor, (Violation(Kind.STALE_READ, op, why),))
    return _Judgement(max(revision, floor))


def _written(call: Call) -> str | None:
    return call.value if isinstance(call, Create | Update) else None
