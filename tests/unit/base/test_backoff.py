from __future__ import annotations

from collections.abc import Callable

import pytest
from tenacity import AsyncRetrying, RetryCallState

from steersman.base.backoff import Backoff, tenacity_wait

PER_KEY = Backoff(initial=0.005, factor=2, maximum=300)


@pytest.mark.parametrize(
    ("attempt", "seconds"),
    [
        pytest.param(0, 0.005, id="the first failure waits the initial delay"),
        pytest.param(1, 0.01, id="then it doubles"),
        pytest.param(10, 5.12, id="and doubles"),
        pytest.param(16, 300, id="up to the maximum"),
        pytest.param(100_000, 300, id="also where a float would overflow"),
        pytest.param(-1, 0.005, id="a negative attempt counts as the first"),
    ],
)
def test_delay_grows_to_the_maximum(attempt: int, seconds: float) -> None:
    assert PER_KEY.delay(attempt) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("jitter", "chance", "seconds"),
    [
        pytest.param(0.0, 0.9, 10, id="none: exact"),
        pytest.param(0.5, 0.0, 10, id="half, at luckless 0: the whole delay"),
        pytest.param(0.5, 0.5, 7.5, id="half, at 0.5: a quarter less"),
        pytest.param(1.0, 0.9, 1, id="full: anything from almost nothing"),
    ],
)
def test_jitter_only_shortens(jitter: float, chance: float, seconds: float) -> None:
    backoff = Backoff(initial=10, maximum=10, jitter=jitter)
    assert backoff.delay(3, lambda: chance) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: Backoff(initial=0), id="no delay at all"),
        pytest.param(lambda: Backoff(initial=2, maximum=1), id="a maximum below the first delay"),
        pytest.param(lambda: Backoff(initial=1, factor=0.5), id="a shrinking factor"),
        pytest.param(lambda: Backoff(initial=1, jitter=1.1), id="more jitter than delay"),
    ],
)
def test_senseless_backoff_is_refused(make: Callable[[], Backoff]) -> None:
    with pytest.raises(ValueError, match=r"delays|factor|jitter"):
        make()


def test_tenacity_waits_the_same_delays() -> None:
    wait = tenacity_wait(PER_KEY)
    state = RetryCallState(AsyncRetrying(), None, (), {})
    delays = []
    for attempt_number in (1, 2, 3):
        state.attempt_number = attempt_number
        delays.append(wait(state))
    assert delays == pytest.approx([0.005, 0.01, 0.02])
