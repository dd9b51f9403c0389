from __future__ import annotations

from collections.abc import Sequence

import pytest

from steersman.api.errors import (
    ApiError,
    Cause,
    Conflict,
    Deposed,
    Details,
    NotFound,
    Timeout,
    TooManyRequests,
    Unavailable,
)
from steersman.client import retrying
from steersman.client.retrying import Failed, Fate, Repeater, Step, Unsettled
from tests.unit.client.skipping import SkippingClock

DOWN = Failed(Unavailable("down"), Fate.UNTOUCHED)
LOST = Failed(Unavailable("connection lost"), Fate.LOST)
UNDECIDED = Failed(Timeout("the store did not answer"), Fate.UNDECIDED)
NOT_FOUND = Failed(NotFound("no such thing"), Fate.REFUSED)
CONFLICT = Failed(Conflict("it has changed"), Fate.REFUSED)
DEPOSED = Failed(Deposed("another leads"), Fate.REFUSED)


class Script:
    """Tries that end as told, in order; the last one for ever."""

    def __init__(self, *ends: Failed | str) -> None:
        self._ends = ends
        self.tries = 0
        self.left: list[float] = []

    async def __call__(self, seconds: float) -> str:
        end = self._ends[min(self.tries, len(self._ends) - 1)]
        self.tries += 1
        self.left.append(seconds)
        if isinstance(end, Failed):
            raise end
        return end


@pytest.mark.parametrize(
    ("failed", "step"),
    [
        pytest.param(DOWN, Step.REPEAT, id="never sent"),
        pytest.param(LOST, Step.REPEAT, id="lost"),
        pytest.param(UNDECIDED, Step.RAISE, id="the server says timeout"),
        pytest.param(NOT_FOUND, Step.RAISE, id="refused"),
    ],
)
def test_what_follows_a_failed_read(failed: Failed, step: Step) -> None:
    assert retrying.after_read(failed) is step


@pytest.mark.parametrize(
    ("failed", "in_doubt", "lands_once", "step"),
    [
        pytest.param(DOWN, False, False, Step.REPEAT, id="untouched: anything is repeated"),
        pytest.param(DOWN, True, True, Step.REPEAT, id="untouched, an earlier try in doubt"),
        pytest.param(LOST, False, False, Step.GIVE_UP, id="lost, could land twice"),
        pytest.param(LOST, False, True, Step.REPEAT, id="lost, lands once"),
        pytest.param(UNDECIDED, False, False, Step.GIVE_UP, id="undecided, could land twice"),
        pytest.param(UNDECIDED, True, True, Step.REPEAT, id="undecided, lands once"),
        pytest.param(CONFLICT, False, True, Step.RAISE, id="refused, never in doubt"),
        pytest.param(CONFLICT, True, True, Step.SETTLE, id="refused, in doubt"),
        pytest.param(NOT_FOUND, True, True, Step.SETTLE, id="not found, in doubt"),
        pytest.param(DEPOSED, True, True, Step.RAISE, id="deposed, in doubt"),
    ],
)
def test_what_follows_a_failed_write(failed: Failed, in_doubt: bool, lands_once: bool, step: Step) -> None:
    assert retrying.after_write(failed, in_doubt=in_doubt, lands_once=lands_once) is step


@pytest.mark.parametrize(
    ("error", "fate"),
    [
        pytest.param(Unavailable(""), Fate.UNTOUCHED, id="Unavailable"),
        pytest.param(TooManyRequests(""), Fate.UNTOUCHED, id="TooManyRequests"),
        pytest.param(
            TooManyRequests("", details=Details(causes=(Cause("DisruptionBudget", "needs 2"),))),
            Fate.REFUSED,
            id="a disruption budget",
        ),
        pytest.param(Timeout(""), Fate.UNDECIDED, id="Timeout"),
        pytest.param(NotFound(""), Fate.REFUSED, id="NotFound"),
        pytest.param(Deposed(""), Fate.REFUSED, id="Deposed"),
    ],
)
def test_fate_of_an_answered_request(error: ApiError, fate: Fate) -> None:
    assert retrying.fate_of(error) is fate


@pytest.mark.parametrize(
    ("ends", "tries"),
    [
        pytest.param(("ok",), 1, id="at once"),
        pytest.param((DOWN, "ok"), 2, id="after one that was not sent"),
        pytest.param((LOST, DOWN, LOST, "ok"), 4, id="after several"),
    ],
)
async def test_a_read_is_repeated(ends: Sequence[Failed | str], tries: int) -> None:
    script = Script(*ends)
    assert await Repeater(SkippingClock()).read(script, 10) == "ok"
    assert script.tries == tries
    assert script.left == sorted(script.left, reverse=True)


async def test_a_read_ends_with_its_deadline_and_the_last_error() -> None:
    clock, script = SkippingClock(), Script(DOWN)
    with pytest.raises(Unavailable, match="down"):
        await Repeater(clock).read(script, 10)
    assert clock.elapsed <= 10
    assert script.tries > 5


async def test_the_server_says_how_long_to_wait() -> None:
    clock = SkippingClock()
    busy = Failed(TooManyRequests("busy", details=Details(retry_after_seconds=3)), Fate.UNTOUCHED)
    assert await Repeater(clock).read(Script(busy, "ok"), 10) == "ok"
    assert clock.elapsed == 3


async def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    clock = SkippingClock()
    busy = Failed(TooManyRequests("busy", details=Details(retry_after_seconds=30)), Fate.UNTOUCHED)
    with pytest.raises(TooManyRequests):
        await Repeater(clock).read(Script(busy, "ok"), 10)
    assert clock.elapsed == 0


async def test_a_write_that_could_land_twice_is_not_repeated_after_a_lost_answer() -> None:
    script = Script(LOST, "ok")
    with pytest.raises(Timeout, match="unknown"):
        await Repeater(SkippingClock()).write(script, 10)
    assert script.tries == 1


async def test_a_write_that_was_not_done_is_repeated() -> None:
    assert await Repeater(SkippingClock()).write(Script(DOWN, DOWN, "ok"), 10) == "ok"


async def test_a_write_that_was_never_sent_ends_as_unavailable() -> None:
    with pytest.raises(Unavailable):
        await Repeater(SkippingClock()).write(Script(DOWN), 10)


async def test_a_write_in_doubt_at_its_deadline_is_unknown() -> None:
    with pytest.raises(Timeout, match="unknown"):
        await Repeater(SkippingClock()).write(Script(LOST, DOWN), 10, _never_settled)


async def test_a_refusal_of_a_write_in_doubt_is_settled_by_reading() -> None:
    async def settle(refusal: ApiError) -> str:
        return f"settled after {refusal.message}"

    settled = await Repeater(SkippingClock()).write(Script(LOST, DOWN, CONFLICT), 10, settle)
    assert settled == "settled after it has changed"


async def test_a_write_that_reading_does_not_settle_is_unknown() -> None:
    with pytest.raises(Timeout, match="unknown"):
        await Repeater(SkippingClock()).write(Script(LOST, CONFLICT), 10, _never_settled)


async def test_a_refusal_without_doubt_is_the_answer() -> None:
    with pytest.raises(Conflict):
        await Repeater(SkippingClock()).write(Script(DOWN, CONFLICT), 10, _never_settled)


async def _never_settled(_: ApiError) -> str:
    raise Unsettled
