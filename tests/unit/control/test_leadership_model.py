"""A model of fenced leadership, explored exhaustively: two candidates, API servers that lose and delay, and a user.

The rules are the real ones: the store's judge of transactions, the registry's rule for the fence, the candidates' rules
for taking a Lease. Around them everything goes wrong that can. A request is made from the Lease as somebody saw it, and
reaches the store whenever it likes by whichever API server, also after its sender has given up and sent another; its
answer may be lost. Patience runs out at any moment: nothing may depend on clocks. An API server releases the Lease on
behalf of a leader that is alive. The user gives the Lease to somebody else, or deletes it. And a token, once handed
out, is used for ever: for renewals, releases and writes, as if its holder slept in between.

Shown for every state that can be reached: a write of a term could land only while no later step has ended that term;
and once things stop going wrong, somebody leads whose writes land.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

import pytest

from apiserver.registry import fencing
from apiserver.storage.embedded import judge
from apiserver.storage.interface import Guard, Put, Stored
from apiserver.storage.swap import Refused, Transaction
from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.names import Revision
from steersman.control import candidacy

CANDIDATES = ("p", "q")
LAST_REVISION = 5
SECONDS = 4
ONE_INSTANT = datetime(2030, 1, 1, tzinfo=UTC)
NOTHING = Revision(0)

Turns = Callable[[Lease | None, Lease | None], bool]


class Standing(NamedTuple):
    """The Lease in the store."""

    holder: str
    terms: int
    revision: Revision


class Request(NamedTuple):
    """On its way to the store. `expect`: the Lease's revision (None: any). `token`: the term that guards it, if any."""

    verb: str
    who: str = ""
    expect: Revision | None = None
    token: Revision | None = None
    terms: int = 0


class State(NamedTuple):
    revision: Revision = NOTHING
    lease: Standing | None = None
    fence: Revision = NOTHING
    under_way: frozenset[Request] = frozenset()
    tokens: frozenset[Revision] = frozenset()
    """All that were ever handed out: their holders may act on them at any later time."""
    turned: Revision = NOTHING
    """The last step that began or ended a term, told by what happened and not by the fence."""


# --- the store, with the real judge


@cache
def lease_of(holder: str, terms: int) -> Lease:
    return Lease(spec=LeaseSpec(holder_identity=holder or None, lease_transitions=terms))


@cache
def taken(holder: str, terms: int, who: str) -> int:
    spec = candidacy.taken(lease_of(holder, terms), who, SECONDS, ONE_INSTANT).spec
    assert spec.holder_identity == who
    return spec.lease_transitions or 0


def struct(standing: Standing | None) -> Lease | None:
    return None if standing is None else lease_of(standing.holder, standing.terms)


def commit(state: State, request: Request, turns: Turns) -> State | None:
    """The state after the request has reached the store; None: it was refused."""
    old = state.lease
    if old is None and request.verb != "take":
        return None
    revision = Revision(state.revision + 1)
    new = _changed(old, request, revision)
    moves_fence = turns(struct(new), struct(old))
    also = (Put("fence", None if new is None else b""),) if moves_fence else ()
    at = NOTHING if old is None else old.revision
    expect = at if request.expect is None else request.expect
    guards = () if request.token is None else (Guard("fence", request.token),)
    if not _lands(state, Transaction("lease", None if new is None else b"", expect, guards, also)):
        return None
    return state._replace(
        revision=revision,
        lease=new,
        fence=(NOTHING if new is None else revision) if moves_fence else state.fence,
        turned=state.turned if request.verb == "renew" else revision,
        # A revision that has passed does not come back: what expects it can no longer land, and is forgotten.
        under_way=frozenset(each for each in state.under_way if each.expect in (NOTHING, revision)),
    )


def can_write(state: State, token: Revision) -> bool:
    return _lands(state, Transaction("data", b"", NOTHING, (Guard("fence", token),)))


def _changed(old: Standing | None, request: Request, revision: Revision) -> Standing | None:
    match request.verb:
        case "take":
            return Standing(request.who, request.terms, revision)
        case "delete":
            return None
        case verb:
            assert old is not None
            holder = {"renew": old.holder, "release": "", "edit": "user"}[verb]
            return Standing(holder, old.terms, revision)


def _lands(state: State, transaction: Transaction) -> bool:
    revisions = {"fence": state.fence, "lease": state.lease.revision if state.lease else NOTHING}

    def find(key: str) -> Stored | None:
        revision = revisions.get(key, NOTHING)
        return Stored(key, b"", revision) if revision else None

    return not isinstance(judge.judge(transaction, find, state.revision), Refused)


# --- everything that may happen next


def successors(state: State, turns: Turns) -> Iterator[State]:
    for request in requests(state):
        yield state._replace(under_way=state.under_way | {request})
    if state.revision == LAST_REVISION:
        return
    for request in (*state.under_way, *at_any_time(state)):
        after = commit(state, request, turns)
        if after is not None:
            yield after
            if request.verb == "take":  # and the answer is not lost
                yield after._replace(tokens=after.tokens | {after.revision})


def requests(state: State) -> Iterator[Request]:
    """What is sent now, to land at any later time: made from the Lease as it is seen now."""
    for who in CANDIDATES:
        for watched_seconds in (0.0, float(SECONDS)):
            if candidacy.may_stand(struct(state.lease), who, watched_seconds, SECONDS):
                yield taking(state.lease, who)
    if state.lease is not None:
        for token in state.tokens:
            yield Request("release", expect=state.lease.revision, token=token)  # on behalf


def at_any_time(state: State) -> Iterator[Request]:
    """What nobody needs to have sent at a certain time: it does not depend on what its sender saw."""
    for token in state.tokens:
        yield Request("renew", token=token)
        yield Request("release", token=token)
    yield Request("edit")
    yield Request("delete")


def taking(saw: Standing | None, who: str) -> Request:
    holder, terms, revision = saw or Standing("", 0, NOTHING)
    return Request("take", who, expect=revision, terms=taken(holder, terms, who))


def is_broken(state: State) -> bool:
    """Whether a write of a term that has ended would land."""
    return any(can_write(state, token) for token in state.tokens if token != state.turned)


def explore(turns: Turns) -> tuple[set[State], State | None]:
    """Every state that can be reached, or those up to the first that is broken, and that one."""
    start = State()
    seen, waiting = {start}, deque([start])
    while waiting:
        for state in successors(waiting.popleft(), turns):
            if state in seen:
                continue
            seen.add(state)
            waiting.append(state)
            if is_broken(state):
                return seen, state
    return seen, None


# --- once nothing goes wrong any longer


def finds_a_leader(state: State) -> bool:
    """Whether a candidate that sees the Lease run out takes it at the first try, and can write."""
    assert candidacy.may_stand(struct(state.lease), "p", SECONDS, SECONDS)
    after = commit(state, taking(state.lease, "p"), fencing.turns)
    return after is not None and can_write(after, after.revision)


# --- the tests


def test_no_write_of_an_old_term_and_always_a_leader_in_the_end() -> None:
    states, broken = explore(fencing.turns)
    assert broken is None
    assert all(finds_a_leader(state) for state in states)
    assert any(len(state.tokens) > 2 for state in states)


def by_holder_alone(new: Lease | None, old: Lease | None) -> bool:
    return new is None or old is None or new.spec.holder_identity != old.spec.holder_identity


def by_count_alone(new: Lease | None, old: Lease | None) -> bool:
    return new is None or old is None or new.spec.lease_transitions != old.spec.lease_transitions


def but_for_deletion(new: Lease | None, old: Lease | None) -> bool:
    return new is not None and fencing.turns(new, old)


@pytest.mark.parametrize("turns", [by_holder_alone, by_count_alone, but_for_deletion])
def test_the_model_finds_what_a_weaker_rule_would_allow(turns: Turns) -> None:
    assert explore(turns)[1] is not None
