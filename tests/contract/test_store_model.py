"""Any sequence of calls, on each store, against a model that a reader can check by eye: a log of revisions.

The model is the log; a state is the log replayed. Watches opened at any kept revision must give exactly the log.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from apiserver.storage.interface import NO_REVISION, Changed, Expect, Guard, Page, Put, Revised, Store, Stored, Watch
from steersman.api.errors import AlreadyExists, ApiError, Conflict, Deposed, Expired, NotFound
from steersman.api.names import Revision
from tests.contract.conftest import STORES, Open, opener

T = TypeVar("T")

SECONDS = 60
NAMES = st.sampled_from(["a", "a/", "a/b", "a/bc", "a0", "b", "é"])
VALUES = st.sampled_from([b"", b"one", b"two", b"\0\xff"])
PREFIXES = st.sampled_from(["", "a", "a/", "b"])
PUTS = st.lists(st.builds(Put, NAMES, st.none() | VALUES, st.booleans()), max_size=3, unique_by=lambda put: put.key)
GUARDS = st.none() | st.tuples(NAMES, st.sampled_from([0, 0, 0, 1]))
"""A name, and by how much the guard's revision is wrong."""
MOMENTS = st.integers(min_value=0, max_value=1000)
"""A revision between the oldest and the newest, in thousandths of the way."""


@dataclass
class Model:
    oldest: Revision
    newest: Revision
    log: list[Revised] = field(default_factory=list)

    def state(self, at: Revision | None = None) -> dict[str, Stored]:
        state: dict[str, Stored] = {}
        for revised in self.log:
            if at is None or revised.revision <= at:
                for change in revised.changes:
                    state.pop(change.key, None)
                    if change.value is not None:
                        state[change.key] = Stored(change.key, change.value, revised.revision)
        return state

    def revision_of(self, key: str) -> Revision:
        stored = self.state().get(key)
        return stored.revision if stored else NO_REVISION

    def judge(self, write: Changed, given: list[Guard], also: list[Put]) -> type[ApiError] | list[Changed]:
        """What a write whose own comparison holds comes to."""
        state = self.state()
        if any(self.revision_of(guard.key) != guard.revision for guard in given):
            return Deposed
        if any(put.absent and put.key in state for put in also):
            return AlreadyExists
        changes = [write, *(Changed(put.key, put.value) for put in also)]
        return sorted((c for c in changes if c.value is not None or c.key in state), key=lambda c: c.key)

    def moment(self, thousandths: int) -> Revision:
        return Revision(self.oldest + (self.newest - self.oldest) * thousandths // 1000)


class Session:
    """An event loop and an open store that outlive the examples; each example has a prefix of its own."""

    def __init__(self, runner: asyncio.Runner, open_store: Open) -> None:
        self._runner = runner
        self._open = open_store
        self._stack = AsyncExitStack()
        self.store: Store = self.run(self._stack.enter_async_context(open_store()))

    def run(self, call: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(call)

    def reopen(self) -> None:
        self.close()
        self.store = self.run(self._stack.enter_async_context(self._open()))

    def close(self) -> None:
        self.run(self._stack.aclose())


class StoreMachine(RuleBasedStateMachine):
    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.prefix = f"/model/{uuid.uuid4().hex}/"
        now = session.run(session.store.revision())
        self.model = Model(oldest=now, newest=now)
        self.watches: dict[Watch, tuple[str, Revision]] = {}

    def teardown(self) -> None:
        for watch in self.watches:
            self.session.run(watch.aclose())

    # --- writes

    @rule(name=NAMES, value=VALUES, puts=PUTS, guard=GUARDS)
    def create(self, name: str, value: bytes, puts: list[Put], guard: tuple[str, int] | None) -> None:
        key, also, given = self.prefix + name, self.puts(puts, besides=name), self.guards(guard)
        expected = self.model.judge(Changed(key, value), given, also)
        if key in self.model.state() and expected is not Deposed:
            expected = AlreadyExists
        self.check(expected, lambda: self.session.store.create(key, value, given=given, also=also))

    @rule(name=NAMES, value=VALUES, puts=PUTS, guard=GUARDS, hint=st.sampled_from(["none", "old", "fresh"]))
    def update(self, name: str, value: bytes, puts: list[Put], guard: tuple[str, int] | None, hint: str) -> None:
        key, also, given = self.prefix + name, self.puts(puts, besides=name), self.guards(guard)
        current = self.model.state().get(key)
        if current is None or current.value == value:
            also = []  # whether these matter to an update that does nothing is nobody's promise
        expected = self.model.judge(Changed(key, value), given, also)
        if expected is not Deposed and current is None:
            expected = NotFound
        elif expected is not Deposed and current is not None and current.value == value:
            expected = []
        hints = {"none": None, "fresh": current, "old": Stored(key, b"two", Revision(1))}
        self.check(
            expected,
            lambda: self.session.store.update(key, lambda _: value, hint=hints[hint], given=given, also=also),
        )

    @rule(name=NAMES, puts=PUTS, guard=GUARDS)
    def delete(self, name: str, puts: list[Put], guard: tuple[str, int] | None) -> None:
        key, also, given = self.prefix + name, self.puts(puts, besides=name), self.guards(guard)
        expected = self.model.judge(Changed(key, None), given, also)
        if key not in self.model.state() and expected is not Deposed:
            expected = NotFound
        self.check(expected, lambda: self.session.store.delete(key, given=given, also=also))

    @rule(name=NAMES, verb=st.sampled_from(["update", "delete"]), stale=st.booleans())
    def write_with_expectation(self, name: str, verb: str, stale: bool) -> None:
        key, store = self.prefix + name, self.session.store
        current = self.model.revision_of(key)
        expect = Expect(Revision(current - 1 if stale else current))
        write = Changed(key, b"expected %d" % current if verb == "update" else None)
        expected: type[ApiError] | list[Changed] = Conflict if stale else [write]
        if not current:
            expected, expect = NotFound, Expect(Revision(1))
        call: Callable[[], Coroutine[Any, Any, Stored | Revision]]
        if verb == "update":
            call = lambda: store.update(key, lambda _: write.value or b"", expect)  # noqa: E731  # one of two calls
        else:
            call = lambda: store.delete(key, expect)  # noqa: E731
        self.check(expected, call)

    def puts(self, puts: list[Put], *, besides: str) -> list[Put]:
        return [Put(self.prefix + put.key, put.value, put.absent) for put in puts if put.key != besides]

    def guards(self, guard: tuple[str, int] | None) -> list[Guard]:
        if guard is None:
            return []
        key = self.prefix + guard[0]
        return [Guard(key, Revision(self.model.revision_of(key) + guard[1]))]

    def check(
        self, expected: type[ApiError] | list[Changed], call: Callable[[], Coroutine[Any, Any, Stored | Revision]]
    ) -> None:
        """Run the write; it must end as the model says, and the log grows by what the model says."""
        if isinstance(expected, type):
            with pytest.raises(expected):
                self.session.run(call())
            return
        answer = self.session.run(call())
        revision = answer.revision if isinstance(answer, Stored) else answer
        if expected:
            assert revision > self.model.newest
            self.model.log.append(Revised(revision, tuple(expected)))
            self.model.newest = revision
        assert self.session.run(self.session.store.revision()) >= self.model.newest

    # --- reads

    @rule(name=NAMES)
    def get(self, name: str) -> None:
        expected = self.model.state().get(self.prefix + name)
        if expected is None:
            with pytest.raises(NotFound):
                self.session.run(self.session.store.get(self.prefix + name))
        else:
            assert self.session.run(self.session.store.get(self.prefix + name)) == expected

    @rule(under=PREFIXES, limit=st.integers(0, 4), after=st.just("") | NAMES, moment=st.none() | MOMENTS)
    def list_page(self, under: str, limit: int, after: str, moment: int | None) -> None:
        at = NO_REVISION if moment is None else self.model.moment(moment)
        page = Page(limit, self.prefix + after if after else "", at)
        listing = self.session.run(self.session.store.list(self.prefix + under, page))
        state = self.model.state(at or None)
        items = [s for k, s in sorted(state.items()) if k.startswith(self.prefix + under) and k > page.after_key]
        given = items[:limit] if limit else items
        assert listing.items == tuple(given)
        assert listing.remaining == len(items) - len(given)
        assert listing.revision == at if at else listing.revision >= self.model.newest

    # --- history

    @rule(under=PREFIXES, moment=MOMENTS)
    def open_watch(self, under: str, moment: int) -> None:
        after = self.model.moment(moment)
        self.watches[self.session.store.watch(self.prefix + under, after)] = (self.prefix + under, after)

    @rule()
    def read_watches(self) -> None:
        for watch, (prefix, after) in tuple(self.watches.items()):
            try:
                seen = self.session.run(self.read(watch))
            except Expired:
                assert after < self.model.oldest, "expired, though everything after it was kept"
                self.session.run(watch.aclose())
                del self.watches[watch]
                continue
            whole = [
                Revised(revised.revision, tuple(c for c in revised.changes if c.key.startswith(prefix)))
                for revised in self.model.log
                if revised.revision > after
            ]
            assert seen == [revised for revised in whole if revised.changes]
            self.watches[watch] = (prefix, self.model.newest)

    async def read(self, watch: Watch) -> list[Revised]:
        seen: list[Revised] = []
        reached = NO_REVISION
        async with asyncio.timeout(SECONDS):
            while reached < self.model.newest:
                await watch.request_progress()
                revised = await anext(watch)
                reached = revised.revision
                if revised.changes:
                    seen.append(Revised(reached, tuple(sorted(revised.changes, key=lambda change: change.key))))
        return seen

    @rule(moment=MOMENTS)
    def compact(self, moment: int) -> None:
        upto = self.model.moment(moment)
        before = self.model.oldest
        self.session.run(self.session.store.compact(upto))
        self.model.oldest = upto
        if upto > max(before, 1):  # a list at revision 0 is a list of now
            with pytest.raises(Expired):
                self.session.run(self.session.store.list(self.prefix, Page(revision=Revision(upto - 1))))

    @rule()
    def reopen(self) -> None:
        for watch in self.watches:
            self.session.run(watch.aclose())
        self.watches.clear()
        self.session.reopen()


@pytest.fixture(params=STORES)
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    with asyncio.Runner() as runner:
        session = Session(runner, opener(request.param, tmp_path, request))
        yield session
        session.close()


@pytest.mark.timeout(300)
def test_any_sequence_of_calls(session: Session) -> None:
    run_state_machine_as_test(
        lambda: StoreMachine(session),  # type: ignore[arg-type]  # any factory will do, whatever its annotation says
        settings=settings(
            max_examples=60,
            stateful_step_count=30,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
