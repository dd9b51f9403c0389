"""Any sequence of calls against a model: the sets of wanted and taken keys, and the earliest delay of each."""

from __future__ import annotations

import asyncio

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from steersman.control.workqueue import WorkQueue
from tests.fakes.clock import FakeClock

KEYS = st.sampled_from("abc")


class QueueMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = FakeClock()
        self.wanted: set[str] = set()
        self.taken: set[str] = set()
        self.delayed: dict[str, float] = {}
        self.runner.run(self.start())

    async def start(self) -> None:
        self.queue: WorkQueue[str] = WorkQueue(self.clock)
        self.mover = asyncio.get_running_loop().create_task(self.queue.run())

    def teardown(self) -> None:
        self.runner.close()

    @rule(key=KEYS)
    def add(self, key: str) -> None:
        self.queue.add(key)
        self.wanted.add(key)

    @rule(key=KEYS, seconds=st.integers(1, 5))
    def add_after(self, key: str, seconds: int) -> None:
        self.queue.add_after(key, seconds)
        due = self.clock.monotonic() + seconds
        self.delayed[key] = min(due, self.delayed.get(key, due))

    @rule(seconds=st.integers(1, 3))
    def pass_time(self, seconds: int) -> None:
        self.runner.run(self.clock.advance(seconds))
        self.runner.run(asyncio.sleep(0))
        now = self.clock.monotonic()
        due = {key for key, moment in self.delayed.items() if moment <= now}
        self.wanted |= due
        for key in due:
            del self.delayed[key]

    @precondition(lambda self: self.wanted - self.taken)
    @rule()
    def take(self) -> None:
        key = self.runner.run(asyncio.wait_for(self.queue.get(), 1)).key
        assert key not in self.taken, "two workers on one key"
        assert key in self.wanted
        self.wanted.remove(key)
        self.taken.add(key)

    @precondition(lambda self: self.taken)
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.taken)))
        self.queue.done(key)
        self.taken.remove(key)

    @invariant()
    def no_wake_up_is_lost(self) -> None:
        assert set(self.queue._dirty) == self.wanted
        assert sorted(self.queue._ready._queue) == sorted(self.wanted - self.taken)  # type: ignore[attr-defined]


TestQueue = QueueMachine.TestCase
TestQueue.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
