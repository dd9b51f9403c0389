"""How long to wait before the next try: growing delays with jitter, computed and never slept here."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenacity import RetryCallState

Random = Callable[[], float]
"""A number from 0 up to, but not including, 1."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """`initial`, then `factor` times as long after each failure, never above `maximum` (seconds).

    `jitter` is the share of a delay that chance may take away, so that clients which failed together do not come back
    together: 0 is exact, 1 spreads over the whole delay. It only shortens, so `maximum` holds with any jitter.
    """

    initial: float
    factor: float = 2.0
    maximum: float = math.inf
    jitter: float = 0.0

    def __post_init__(self) -> None:
        if self.initial <= 0 or self.maximum < self.initial:
            raise ValueError(f"delays must be positive and grow: from {self.initial} to {self.maximum}")
        if self.factor < 1:
            raise ValueError(f"a factor of {self.factor} would shrink the delays")
        if not 0 <= self.jitter <= 1:
            raise ValueError(f"jitter is a share from 0 to 1, not {self.jitter}")

    def delay(self, attempt: int, random: Random = random.random) -> float:
        """Seconds to wait after failure number `attempt`, counted from 0."""
        try:
            full = min(self.initial * self.factor ** max(attempt, 0), self.maximum)
        except OverflowError:  # a key that has failed for days outgrows a float
            full = self.maximum
        return full * (1 - self.jitter * random()) if self.jitter else full


def tenacity_wait(backoff: Backoff, random: Random = random.random) -> Callable[[RetryCallState], float]:
    """The same delays as a `wait=` policy for tenacity (whose attempts count from 1)."""

    def wait(state: RetryCallState) -> float:
        return backoff.delay(state.attempt_number - 1, random)

    return wait
